"""Topic ``edges``: typed relations between events, each with its producer's slice (Eq. 6-7)."""

from __future__ import annotations

from typing import Literal

import msgspec

from .events import Source
from .record import Record

Relation = Literal["before", "causes", "enables", "prevents", "updates", "possibly_updates", "contradicts"]
"""``possibly_updates``: whoever asserts it is not sure enough. It runs as ``updates`` does and changes no validity."""

UpdateKind = Literal["change", "done", "cancelled", "correction", "withdrawn"]


class Edge(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A relation ``src → dst``. For ``updates`` the source is the newer event and ``kind`` is set, else None.

    The source of ``possibly_updates`` and ``contradicts`` is the newer event as well.

    ``before``, ``causes``, ``enables`` and ``prevents`` run from the earlier to the later event. ``slice``: the
    conversations the producer read when it asserted the edge; empty when unattributed. ``span``: the text the verdict
    rests on, when the producer names one.
    """

    id: str
    src: str
    dst: str
    relation: Relation
    kind: UpdateKind | None
    confidence: float
    justification: str
    slice: tuple[str, ...]
    span: Source | None


class EdgesInferred(Record, frozen=True, kw_only=True, tag="edges_inferred"):
    """The set of edges whose later end (stated order) lies in (session, producer): replaces the former set.

    ``session_id`` names a session, or ``batch:PRODUCER/BATCH_ID`` for the events of an API producer, or a part of
    either's set where that is too large for one record (``schemas.parts``). ``revision``: offset in ``events`` of the
    record that led to it. ``covers`` and ``learned_at`` as in ``SessionRevised``.
    """

    session_id: str
    producer: str
    revision: int
    edges: tuple[Edge, ...]
    covers: int
    learned_at: int


class EdgesAsserted(Record, frozen=True, kw_only=True, tag="edges_asserted"):
    """Edges a producer asserts itself; keyed like ``EventsAsserted``."""

    producer: str
    batch_id: str
    revision: int
    edges: tuple[Edge, ...]
    asserted_at: int
    covers: int
    learned_at: int


EdgeRecord = EdgesInferred | EdgesAsserted


BATCH = "batch:"
"""How the name of a batch begins; no session's does (``streams.sessions.definition``)."""


def batch_session(producer: str, batch_id: str) -> str:
    """The name under which an API producer's batch takes part in linking."""
    return f"{BATCH}{producer}/{batch_id}"
