"""Checks of the time a statement is about."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from query.api import StateEntry
from schemas.times import parse_time

from .checks import Check, Checks, mapping, texts
from .outcome import Outcome, sent_at

WEEK_OF = "week of "


def resolved_date(o: Outcome, value: object) -> Iterable[str]:
    by_anchor = sorted(o.entries, key=lambda entry: (entry.event.anchor.start, entry.event.id))
    for text, accepted in mapping(value).items():
        place = {"first": 0, "second": 1}.get(text)
        found = o.containing(text) if place is None else by_anchor[place : place + 1]
        if not any(_lies_in(o, entry, day) for entry in found for day in texts(accepted)):
            anchors = [(o.day_of(e.event.anchor.start, e), e.event.anchor.precision) for e in found]
            yield f"{text!r} is anchored at {anchors}, not {accepted}"


def _lies_in(o: Outcome, entry: StateEntry, wanted: str) -> bool:
    first = date.fromisoformat(wanted.removeprefix(WEEK_OF))
    days = 1
    if wanted.startswith(WEEK_OF):
        first, days = first - timedelta(days=first.weekday()), 7
    anchor = entry.event.anchor
    start, last = o.day_of(anchor.start, entry), o.day_of(anchor.until - 1, entry)
    return first <= start and last < first + timedelta(days=days)


def resolved_instant(o: Outcome, value: object) -> Iterable[str]:
    for text, instant in mapping(value).items():
        found = [entry.event.anchor.start for entry in o.containing(text)]
        if parse_time(str(instant))[0] not in found:
            yield f"{text!r} does not start at {instant}"


def must_not_resolve_to(o: Outcome, value: object) -> Iterable[str]:
    for day in texts(value):
        for entry in o.entries:
            if _lies_in(o, entry, day):
                yield f"{entry.event.text!r} is anchored on {day}"


def must_not_use_processing_date(o: Outcome, value: object) -> Iterable[str]:
    newest = max(sent for message in o.case.messages if (sent := sent_at(message)) is not None)
    for entry in o.entries:
        if entry.valid_from > newest + 366 * 86_400_000_000:
            yield f"{entry.event.text!r} has a time long after everything that was said"


_ALL: tuple[Check, ...] = (
    resolved_date, resolved_instant, must_not_resolve_to, must_not_use_processing_date,
)  # fmt: skip
DATED: Checks = {check.__name__: check for check in _ALL}
