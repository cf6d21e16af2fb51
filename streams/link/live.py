"""Which event sets take part in linking, and the pool of events they make together."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from schemas.control import ProducerActivated, active_producer
from schemas.events import Event

from ..candidates import Row
from .session import Pool


class HeldSet(msgspec.Struct, frozen=True, kw_only=True):
    """The newest set of events of (session, producer), with the row of each event.

    ``session_id`` is ``batch:…`` for an API producer's batch, which is ``asserted``. ``rank`` = (revision, record
    hash): the higher one replaces the other.
    """

    session_id: str
    producer: str
    asserted: bool
    rank: tuple[int, str]
    rows: tuple[Row, ...]


def live_sets(held: Iterable[HeldSet], ruling: ProducerActivated | None) -> list[HeldSet]:
    """Of each session's sets the active producer's, by session; batches of API producers always count."""
    by_session: dict[str, dict[str, HeldSet]] = {}
    for one in held:
        by_session.setdefault(one.session_id, {})[one.producer] = one
    live: list[HeldSet] = []
    for session_id in sorted(by_session):
        sets = by_session[session_id]
        chosen = active_producer({p: one.rank[0] for p, one in sets.items() if not one.asserted}, ruling)
        live += [one for producer, one in sorted(sets.items()) if one.asserted or producer == chosen]
    return live


def pool_of(live: Iterable[HeldSet]) -> Pool:
    """The events of live sets, each id once: of several assertions the smallest (producer, session, bytes) counts."""
    rows: dict[str, Row] = {}
    owners: dict[str, HeldSet] = {}
    members: dict[str, frozenset[str]] = {}
    for one in live:
        members[one.session_id] = members.get(one.session_id, frozenset()) | {row.event.id for row in one.rows}
        for row in one.rows:
            event_id = row.event.id
            if event_id not in rows or _rank(one, row) < _rank(owners[event_id], rows[event_id]):
                rows[event_id], owners[event_id] = row, one
    return Pool(rows, members)


def _rank(one: HeldSet, row: Row) -> tuple[str, str, bytes]:
    return one.producer, one.session_id, encode_event(row.event)


def encode_event(event: Event) -> bytes:
    """The event as bytes, for a total order of assertions that differ in nothing else."""
    return msgspec.msgpack.encode(event)
