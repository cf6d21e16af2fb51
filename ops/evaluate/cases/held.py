"""Checks of what holds when: supersessions, intervals, as-of and known-at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from query.api import StateEntry
from schemas.times import parse_time

from .checks import Check, Checks, alternatives, mapping, objects, texts
from .outcome import CURRENT, Outcome, item_text, rests_on
from .text import contains, matches


def superseded(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        fact, by = str(wanted["fact"]), str(wanted["by_message"])
        old = [entry for entry in o.matching(fact) if entry.status not in CURRENT and _is_replaced_by(o, entry, by)]
        if not old:
            yield f"no past statement matches {fact!r} and is superseded by message {by}"
        elif not any(_ends_on(o, entry, str(wanted["since"])) for entry in old):
            yield f"{fact!r} ended {[_until(o, entry) for entry in old]}, not {wanted['since']}"
        if "recorded" in wanted:
            yield from _recorded(o, fact, date.fromisoformat(str(wanted["recorded"])))


def must_show_superseded_with(o: Outcome, value: object) -> Iterable[str]:
    for text, how in mapping(value).items():
        wanted = mapping(how)
        old = [e for e in o.containing(text) if _is_replaced_by(o, e, str(wanted["by_message"]))]
        if not any(_ends_on(o, entry, str(wanted["since"])) for entry in old):
            yield f"{text!r} is not shown as superseded since {wanted['since']} by {wanted['by_message']}"


def _is_replaced_by(o: Outcome, entry: StateEntry, message_id: str) -> bool:
    by = (o.entry(replaced.event_id) for replaced in entry.superseded_by)
    return any(other is not None and rests_on(other, message_id) for other in by)


def _until(o: Outcome, entry: StateEntry) -> date | None:
    return None if entry.valid_until is None else o.day_of(entry.valid_until, entry)


def _ends_on(o: Outcome, entry: StateEntry, day: str) -> bool:
    return _until(o, entry) == date.fromisoformat(day)


def _recorded(o: Outcome, fact: str, day: date) -> Iterable[str]:
    """Learned on a day: not yet known to be over at its start, known at its end."""
    for known_at, over in ((day, False), (day + timedelta(days=1), True)):
        us = parse_time(f"{known_at.isoformat()}T00:00:00Z")[0]
        found = [e for e in o.entries_at(o.at, us) if matches(item_text(e), fact)]
        if any((entry.status not in CURRENT) != over for entry in found):
            yield f"known at the {'end' if over else 'start'} of {day}: {fact!r} is {[e.status for e in found]}"


def old_fact_status(o: Outcome, value: object) -> Iterable[str]:
    wrong = value == "invalid_from_start"
    old = [entry for entry in o.entries if entry.superseded_by]
    if not any((entry.status == "corrected") == wrong for entry in old):
        yield f"no old statement is {value}: {[entry.status for entry in old]}"


def history_intervals(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        found = o.matching(str(wanted["fact"]))
        interval = (date.fromisoformat(str(wanted["from"])), _day(wanted["to"]))
        have = [(o.day_of(entry.valid_from, entry), _until(o, entry)) for entry in found]
        if interval not in have:
            yield f"{wanted['fact']!r} holds {have}, not {interval}"


def _day(value: object) -> date | None:
    return None if value is None else date.fromisoformat(str(value))


def not_superseded(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if not any(entry.status in CURRENT and not entry.superseded_by for entry in o.matching(text)):
            yield f"no statement that matches {text!r} is current and without a successor"


def as_of_must_mention(o: Outcome, value: object) -> Iterable[str]:
    yield from _mention(_holding(o, _as_of(o), None), value)


def as_of_must_not_mention(o: Outcome, value: object) -> Iterable[str]:
    yield from _mention_not(_holding(o, _as_of(o), None), value)


def known_at(o: Outcome, value: object) -> Iterable[str]:
    for instant, wanted in mapping(value).items():
        holding = _holding(o, _as_of(o), parse_time(instant)[0])
        yield from _mention(holding, mapping(wanted).get("must_mention", []))
        yield from _mention_not(holding, mapping(wanted).get("must_not_mention", []))


def _as_of(o: Outcome) -> int:
    return o.at if o.case.as_of is None else parse_time(o.case.as_of)[0]


def _holding(o: Outcome, at: int, known: int | None) -> list[StateEntry]:
    return [entry for entry in o.entries_at(at, known) if entry.status in CURRENT]


def _mention(holding: list[StateEntry], value: object) -> Iterable[str]:
    for wanted in alternatives(value):
        if not any(contains(item_text(entry), text) for entry in holding for text in wanted):
            yield f"nothing that holds then contains {' or '.join(wanted)!r}: {[e.event.text for e in holding]}"


def _mention_not(holding: list[StateEntry], value: object) -> Iterable[str]:
    for text in texts(value):
        for entry in holding:
            if contains(item_text(entry), text):
                yield f"{entry.event.text!r} holds then and contains {text!r}"


def old_version_findable_despite_superseded(o: Outcome, value: object) -> Iterable[str]:
    for entry in o.entries:
        if entry.superseded_by and entry.valid_until is not None and entry.valid_until > entry.valid_from:
            held = {e.event.id for e in _holding(o, entry.valid_from, None)}
            if entry.event.id not in held:
                yield f"{entry.event.text!r} is not found inside its interval"
            return
    yield "there is no superseded statement"


def validity(o: Outcome, value: object) -> Iterable[str]:
    for text, wanted in mapping(value).items():
        found = [entry.validity for entry in o.matching(text)]
        if wanted not in found:
            yield f"{text!r} has v = {found}, not {wanted}"


def validity_as_of(o: Outcome, value: object) -> Iterable[str]:
    for instant, wanted in mapping(value).items():
        us = parse_time(instant)[0]
        for text, v in mapping(wanted).items():
            found = [entry.validity for entry in o.entries_at(us, us) if matches(item_text(entry), text)]
            if v not in found:
                yield f"{text!r} had v = {found} at {instant}, not {v}"


def valid_until(o: Outcome, value: object) -> Iterable[str]:
    for text, day in mapping(value).items():
        after = date.fromisoformat(str(day)) + timedelta(days=1)
        if not any(_until(o, entry) == after for entry in o.matching(text)):
            yield f"{text!r} does not end with {day}"


def interval_rule(o: Outcome, value: object) -> Iterable[str]:
    for entry in o.entries:
        if entry.superseded_by and entry.valid_until is not None:
            held = {e.event.id for e in _holding(o, entry.valid_until, None)}
            if entry.event.id in held or not any(by.event_id in held for by in entry.superseded_by):
                yield f"at the instant of the change {entry.event.text!r} still holds, or nothing new does"


def polarity(o: Outcome, value: object) -> Iterable[str]:
    for text, wanted in mapping(value).items():
        found = [entry.event.polarity for entry in o.matching(text)]
        if wanted not in found:
            yield f"{text!r} is {found}, not {wanted}"


_ALL: tuple[Check, ...] = (
    superseded, must_show_superseded_with, old_fact_status, history_intervals, not_superseded, as_of_must_mention,
    as_of_must_not_mention, known_at, old_version_findable_despite_superseded, validity, validity_as_of,
    valid_until, interval_rule, polarity,
)  # fmt: skip
HELD: Checks = {check.__name__: check for check in _ALL}
