"""Suite ``utterances``: what is distilled from single chat utterances, and what is rightly not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from query.api import StateEntry
from schemas.ids import SpaceKey
from schemas.times import parse_time, to_us

from .data import Utterance, UtteranceEvent
from .memory import DAY_US
from .suite import Scores, Task, share


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A gold event and the distilled one that covers it."""

    gold: UtteranceEvent
    entry: StateEntry


def run(task: Task) -> Scores:
    """Each utterance is in a space of its own, so that none is read in the light of another."""
    utterances = task.data.utterances()
    task.memory.say(f"importing {len(utterances)} utterances")
    for utterance in utterances:
        task.memory.post(_space(utterance), [_message(utterance)])
    task.memory.system.flush()
    return _score(utterances, {said.id: task.memory.statements(_space(said), 0) for said in utterances})


def _space(utterance: Utterance) -> SpaceKey:
    return SpaceKey("evaluate", utterance.id)


def _message(utterance: Utterance) -> dict[str, object]:
    return {
        "message_id": utterance.id, "conversation_id": utterance.id, "speaker": utterance.speaker,
        "role": utterance.role, "content": utterance.text, "sent_at": utterance.sent_at,
    }  # fmt: skip


def _score(utterances: Sequence[Utterance], entries: Mapping[str, Sequence[StateEntry]]) -> Scores:
    found = gold = quiet = silent = dated = 0
    details: list[str] = []
    for utterance in utterances:
        predicted = entries.get(utterance.id, ())
        matched = matches(utterance, predicted)
        gold += len(utterance.events)
        found += len(matched)
        for hit in matched:
            right = is_dated(hit, utterance)
            dated += right
            if not right:
                anchor = hit.entry.event.anchor
                details.append(f"{utterance.id} interval: {hit.gold.start}..{hit.gold.until} got {anchor.phrase!r}")
        got = {id(hit.gold) for hit in matched}
        details += [f"{utterance.id} missed: {event.quote!r}" for event in utterance.events if id(event) not in got]
        if not utterance.events:
            quiet += 1
            silent += not predicted
            details += [f"{utterance.id} invented: {entry.event.text!r}" for entry in predicted]
    return Scores(
        metrics={
            "found": share(found, gold),
            "not_invented": share(silent, quiet),
            "interval_ok": share(dated, found),
            "gold": gold,
            "without_events": quiet,
        },
        counts={"found": (found, gold), "not_invented": (silent, quiet), "interval_ok": (dated, found)},
        details=details,
    )


def matches(utterance: Utterance, predicted: Sequence[StateEntry]) -> list[Found]:
    """One to one, the largest cover first; half of the quote must be covered, modality and polarity equal."""
    close: list[tuple[int, int, int]] = []
    for g, gold in enumerate(utterance.events):
        start = utterance.text.find(gold.quote)
        for p, entry in enumerate(predicted):
            event = entry.event
            if start < 0 or (event.modality, event.polarity) != (gold.modality, gold.polarity):
                continue
            end = start + len(gold.quote)
            cover = sum(max(0, min(end, s.end) - max(start, s.start)) for s in event.sources)
            if 2 * cover >= len(gold.quote):
                close.append((-cover, g, p))
    found: dict[int, int] = {}
    for _, g, p in sorted(close):
        if g not in found and p not in found.values():
            found[g] = p
    return [Found(gold=utterance.events[g], entry=predicted[p]) for g, p in sorted(found.items())]


def is_dated(found: Found, utterance: Utterance) -> bool:
    """From and until equal at gold's precision: its instants where it gives hours, else its local days.

    "This morning" is the right day where gold asks for a day; where gold asks for a week, a day of it is not the week.
    """
    gold, anchor = found.gold, found.entry.event.anchor
    offset = datetime.fromisoformat(utterance.sent_at).utcoffset() or timedelta()
    if gold.start is None or gold.until is None:
        return True
    start, until = anchor.start, anchor.until
    if gold.precision == "day" and "T" not in gold.start:
        start, until = _day_start(start, offset), _day_start(until - 1, offset) + DAY_US
    return (_instant(gold.start, offset), _instant(gold.until, offset)) == (start, until)


def _day_start(us: int, offset: timedelta) -> int:
    """The start of the local day that holds an instant."""
    shift = offset // timedelta(microseconds=1)
    return (us + shift) // DAY_US * DAY_US - shift


def _instant(text: str, offset: timedelta) -> int:
    """A time with an offset, or a bare date as the start of that day at the utterance's offset."""
    if "T" in text:
        return parse_time(text)[0]
    return to_us(datetime.fromisoformat(f"{text}T00:00:00+00:00") - offset)
