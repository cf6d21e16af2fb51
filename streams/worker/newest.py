"""Of sets that replace each other within one step, only the newest is worth any work. Pure.

The sets of a session (its messages, its events) replace one another, the highest revision wins. Under load, or when a
consumer catches up, a batch holds several of the same session; folding the older ones costs as much again, for outputs
that the newest one's replace at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from schemas.edges import EdgesInferred
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.parking import Raw
from schemas.themes import SessionThemed

from ..ports import Output

_Claiming = EventsDistilled | EdgesInferred | SessionThemed


class _Set(msgspec.Struct, frozen=True, kw_only=True):
    """What tells a set apart, of either topic. A set of events that an API producer asserted has no session."""

    tenant: str
    space: str
    session_id: str
    revision: int
    producer: str = ""


_set = msgspec.msgpack.Decoder(_Set)


def replaced(batch: Sequence[Raw]) -> Mapping[int, int]:
    """Which records of a batch hold a set that a later one of the batch replaces; by index, the index of the last.

    A record that is none, or not of the space its key names, replaces nothing.
    """
    last: dict[tuple[str, str, str, str, str], tuple[int, int]] = {}
    found: dict[int, int] = {}
    for number in reversed(range(len(batch))):
        raw = batch[number]
        told = _told(raw)
        if told is None:
            continue
        name = (raw.topic, told.tenant, told.space, told.session_id, told.producer)
        newest = last.get(name)
        if newest is not None and newest[1] > told.revision:
            found[number] = newest[0]
        elif newest is None:
            last[name] = (number, told.revision)
    return found


def _told(raw: Raw) -> _Set | None:
    if raw.topic not in {"sessions", "events"}:
        return None
    try:
        told = _set.decode(raw.value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return told if (told.tenant, told.space) == (raw.tenant, raw.space) else None


def newest_edges(outputs: Sequence[Output]) -> list[Output]:
    """Of outputs that go out together, each session's last set of edges; others stay. The last kept set claims all.

    A late set of events has later sessions' edges issued again; a batch of them does so again and again.
    """
    last = {name: number for number, output in enumerate(outputs) if (name := _edges_of(output)) is not None}
    kept = [output for n, output in enumerate(outputs) if (name := _edges_of(output)) is None or last[name] == n]
    return list(outputs) if len(kept) == len(outputs) else last_claims(kept)


def _edges_of(output: Output) -> tuple[SpaceKey, str, str] | None:
    record = output.record
    return (record.key, record.session_id, record.producer) if isinstance(record, EdgesInferred) else None


def last_claims(outputs: Sequence[Output]) -> list[Output]:
    """Of outputs that go out together, and stand for more records than they are, only the last may claim anything.

    What a replaced set showed comes with the set that replaced it, which may be any of them. The last one claims all.
    """
    claiming = [n for n, output in enumerate(outputs) if isinstance(output.record, _Claiming)]
    kept = list(outputs)
    most = max((record.covers for n in claiming if isinstance(record := outputs[n].record, _Claiming)), default=0)
    for number in claiming:
        record = outputs[number].record
        assert isinstance(record, _Claiming)
        covers = most if number == claiming[-1] else 0
        kept[number] = Output(topic=outputs[number].topic, record=msgspec.structs.replace(record, covers=covers))
    return kept
