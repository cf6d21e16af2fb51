"""How the cells of events and edges are stored: a row does not repeat what an assertion of the same cell says."""

from __future__ import annotations

import msgspec

from schemas.edges import Edge
from schemas.events import Event

from .held import Concern, EdgeAssertion, EdgeState, EventAssertion, EventState, Incident
from .rows import EdgeRow, EventRow, Superseder
from .working import Form


class _EventRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An ``EventRow``. ``event``: which assertion's it is, or the event itself; None: those of the one assertion."""

    event: int | Event
    producers: tuple[str, ...] | None
    session_ids: tuple[str, ...] | None
    valid_from: int
    valid_until: int | None
    superseders: tuple[Superseder, ...]
    superseded: bool
    corrected: bool
    withdrawal: bool
    demoted_from: int | None
    demoters: tuple[str, ...]
    contradicts: tuple[str, ...]
    breaks_from: int | None


class _EventState(msgspec.Struct, frozen=True, gc=False, array_like=True):
    assertions: tuple[EventAssertion, ...]
    row: _EventRow | None
    incidents: tuple[Incident, ...]
    ruled: tuple[str, ...]


class _EdgeRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An ``EdgeRow``, likewise."""

    edge: int | Edge
    producers: tuple[str, ...] | None
    accepted: bool
    effective: bool
    invalid_from: int | None


class _EdgeState(msgspec.Struct, frozen=True, gc=False, array_like=True):
    assertions: tuple[EdgeAssertion, ...]
    rulings: tuple[Concern, ...]
    row: _EdgeRow | None


_event_decoder = msgspec.msgpack.Decoder(tuple[int, _EventState])
_edge_decoder = msgspec.msgpack.Decoder(tuple[int, _EdgeState])
_encode = msgspec.msgpack.Encoder(order="deterministic").encode


def event_bytes(
    since: int, assertions: tuple[EventAssertion, ...], row: EventRow | None,
    incidents: tuple[Incident, ...] = (), ruled: tuple[str, ...] = (),
) -> bytes:  # fmt: skip
    """A cell as bytes; of a version that was without what no read of the past shows."""
    if row is None:
        return _encode((since, (assertions, None, incidents, ruled)))
    event = row.event
    producers, session_ids = row.producers, row.session_ids
    if len(assertions) == 1 and (assertions[0].event is event or assertions[0].event == event):
        place, only = 0, assertions[0]
        producers = None if producers == (only.producer,) else producers
        session_ids = None if session_ids == (only.session_id,) else session_ids
    else:
        place = next((i for i, a in enumerate(assertions) if a.event == event), event)
    stored = (
        place, producers, session_ids, row.valid_from, row.valid_until, row.superseders, row.superseded,
        row.corrected, row.withdrawal, row.demoted_from, row.demoters, row.contradicts, row.breaks_from,
    )  # fmt: skip
    return _encode((since, (assertions, stored, incidents, ruled)))


def _encode_event(cell: EventState) -> bytes | None:
    if cell.assertions or cell.row is not None or cell.incidents or cell.ruled:
        return event_bytes(cell.since, cell.assertions, cell.row, tuple(cell.incidents.values()), cell.ruled)
    return None


def _decode_event(key: bytes, raw: bytes) -> EventState:
    """Bytes as a cell."""
    since, stored = _event_decoder.decode(raw)
    row, assertions = stored.row, stored.assertions
    whole = None
    if row is not None:
        whole = EventRow(
            event=assertions[row.event].event if isinstance(row.event, int) else row.event,
            producers=(assertions[0].producer,) if row.producers is None else row.producers,
            session_ids=(assertions[0].session_id,) if row.session_ids is None else row.session_ids,
            valid_from=row.valid_from,
            valid_until=row.valid_until,
            superseders=row.superseders,
            superseded=row.superseded,
            corrected=row.corrected,
            withdrawal=row.withdrawal,
            demoted_from=row.demoted_from,
            demoters=row.demoters,
            contradicts=row.contradicts,
            breaks_from=row.breaks_from,
        )
    incidents = {incident.edge_id: incident for incident in stored.incidents}
    return EventState(key, since, assertions, whole, incidents, stored.ruled)


def edge_bytes(
    since: int, assertions: tuple[EdgeAssertion, ...], rulings: tuple[Concern, ...], row: EdgeRow | None
) -> bytes:
    """A cell as bytes."""
    if row is None:
        return _encode((since, (assertions, rulings, None)))
    edge = row.edge
    producers = row.producers
    if len(assertions) == 1 and (assertions[0].edge is edge or assertions[0].edge == edge):
        place = 0
        producers = None if producers == (assertions[0].producer,) else producers
    else:
        place = next((i for i, a in enumerate(assertions) if a.edge == edge), edge)
    stored = (place, producers, row.accepted, row.effective, row.invalid_from)
    return _encode((since, (assertions, rulings, stored)))


def _encode_edge(cell: EdgeState) -> bytes | None:
    if cell.assertions or cell.rulings or cell.row is not None:
        return edge_bytes(cell.since, cell.assertions, cell.rulings, cell.row)
    return None


def _decode_edge(key: bytes, raw: bytes) -> EdgeState:
    """Bytes as a cell."""
    since, stored = _edge_decoder.decode(raw)
    row, assertions = stored.row, stored.assertions
    whole = None
    if row is not None:
        whole = EdgeRow(
            edge=assertions[row.edge].edge if isinstance(row.edge, int) else row.edge,
            producers=(assertions[0].producer,) if row.producers is None else row.producers,
            accepted=row.accepted,
            effective=row.effective,
            invalid_from=row.invalid_from,
        )
    return EdgeState(key, since, assertions, stored.rulings, whole)


EVENTS = Form(EventState, _decode_event, _encode_event)
EDGES = Form(EdgeState, _decode_edge, _encode_edge)
