"""Edges, and what analysts and producers decide: rulings, names, whose sets count."""

from __future__ import annotations

from typing import Literal

import msgspec

from schemas.edges import Relation, UpdateKind
from views.reader import Basis


class EdgeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An edge as it stands.

    Attributes:
        live: it counts; an edge that is ruled out does not.
        effective: for updates, whether it supersedes.
        invalid_from: since when a causes or prevents edge no longer explains anything (Eq. 12).
        producers: who asserts it; an analyst is ``analyst:NAME``.
        accepted: an analyst vouches for it.
    """

    edge_id: str
    src: str
    dst: str
    relation: Relation
    kind: UpdateKind | None
    confidence: float
    justification: str
    live: bool
    effective: bool
    invalid_from: int | None
    producers: tuple[str, ...]
    accepted: bool


class EdgesResult(msgspec.Struct, frozen=True, kw_only=True):
    """Edges by id."""

    entries: tuple[EdgeEntry, ...]
    basis: Basis


class AliasEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Another name of a participant, who says so and why. ``at``: when; None where it was learned from a message."""

    name: str
    analyst: str
    evidence: str
    at: int | None


class ParticipantEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A participant under the canonical name; ``events``: live ones he or she takes part in."""

    name: str
    aliases: tuple[AliasEntry, ...]
    events: int


class ParticipantsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The participants of a space, by name."""

    entries: tuple[ParticipantEntry, ...]
    basis: Basis


class RulingEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An analyst's ruling that stands.

    Attributes:
        edge_id: the edge it concerns now; None while it is orphaned.
        ruled_on: the edge it was made on.
        src: the event in the newer end's place now; None when none is.
        dst: the same of the other end.
        orphaned: an end is lost, so it has no effect; it takes effect again when a statement takes the place.
    """

    ruling: Literal["accepted", "ruled_out"]
    edge_id: str | None
    ruled_on: str
    src: str | None
    dst: str | None
    relation: Relation
    kind: UpdateKind | None
    analyst: str
    reason: str
    at: int
    orphaned: bool


class RulingsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The rulings of a space, by the edge they were made on."""

    entries: tuple[RulingEntry, ...]
    orphaned: int
    basis: Basis


class StageProducers(msgspec.Struct, frozen=True, kw_only=True):
    """Whose sets count for a stage: the active producer's, else the fallbacks' in order; who made any, by name."""

    stage: Literal["distil", "link"]
    active: str | None
    fallbacks: tuple[str, ...]
    producers: tuple[str, ...]


class ProducersResult(msgspec.Struct, frozen=True, kw_only=True):
    """Producers by stage."""

    stages: tuple[StageProducers, ...]
    basis: Basis
