"""What can be asked of StillTrue and what comes back, as types. The HTTP service and the commands both speak them.

Instants are microseconds UTC here; the edge turns them into RFC 3339.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from schemas.deltas import EdgeChanged, EventChanged
from schemas.edges import Relation, UpdateKind
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey
from schemas.wire import ScopeIn
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount
from views.rows import Status

from .settings import Family, Hierarchy

Mode = Literal["flat", "graph", "hybrid", "graph+ruled_out"]
Shape = Literal["temporal", "preference", "multi-hop", "factual", "open"]


class QueryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A question, times resolved. ``as_of`` None means ``asked_at``; ``known_at`` None means all records.

    ``scope``: only these conversations are read.
    ``trace``: trace an extractive answer as well; one that a model gave always is.
    """

    space: SpaceKey
    question: str
    asked_at: int
    as_of: int | None
    known_at: int | None
    mode: Mode
    budget_tokens: int
    answer: bool
    trace: bool = False
    scope: ScopeIn | None = None


class Seed(msgspec.Struct, frozen=True, kw_only=True):
    """A starting event and the family that brought it first."""

    event_id: str
    family: Family


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One relation of a path, as asserted (``src → dst``), whatever way it was walked.

    ``via``: the session or theme that both events belong to, where that is what leads from one to the other.
    """

    src: str
    dst: str
    relation: Relation | Hierarchy
    kind: UpdateKind | None
    confidence: float
    via: str | None = None


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """An evidence path (Eq. 15) with its score (Eq. 16) and the four signals (Eq. 17-20)."""

    events: tuple[str, ...]
    steps: tuple[Step, ...]
    score: float
    ns: float
    pc: float
    tc: float
    uv: float


class ContextItem(msgspec.Struct, frozen=True, kw_only=True):
    """An atomic part of the context. ``message_ids`` are (conversation id, message id) whose full text is shown.

    ``marker``: how the item is marked ("superseded on … by …", "contested", "outcome unknown"), empty when current.
    """

    kind: Literal["note", "path", "ruled_out"]
    text: str
    tokens: int
    event_ids: tuple[str, ...]
    message_ids: tuple[tuple[str, str], ...]
    marker: str
    score: float


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """A message quoted as evidence; ``quote`` is verbatim. ``utc_offset_min``: the offset the message was sent with.

    ``event_id`` is empty where the message itself is cited, not a statement that was distilled from it.
    """

    event_id: str
    conversation_id: str
    message_id: str
    speaker: str
    sent_at: int
    utc_offset_min: int
    quote: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer and how it came about. ``known`` False is the honest "not known".

    Attributes:
        producer: model and prompt hash of a generated answer; None for the rules.
        fallback: why the rules answer although a model was to; None when it was not, or did.
        dropped: citations of a generated answer that name nothing in the context, and are left out.
    """

    text: str
    known: bool
    kind: Literal["extractive", "generated"]
    event_ids: tuple[str, ...]
    producer: str | None = None
    fallback: str | None = None
    dropped: int = 0


class TracedPath(msgspec.Struct, frozen=True, kw_only=True):
    """A path that may support an answer (section II-G), with its five terms; see ``trace``."""

    events: tuple[str, ...]
    steps: tuple[Step, ...]
    score: float
    answer_similarity: float
    question_similarity: float
    pc: float
    tc: float
    bonus: float


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """What supports an answer, traced after it was given. It changes no answer.

    Attributes:
        supported: some path speaks of what the answer says. False is worth a look: the words may be the model's own.
        support: of the best path, similarity to the answer plus weighted share of its words.
        paths: best first.
    """

    supported: bool
    support: float
    paths: tuple[TracedPath, ...]


class QueryResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a query returns. The hashes tell arms apart: equal context, template and scope give equal hashes."""

    shape: Shape
    mode: Mode
    as_of: int
    known_at: int | None
    seeds: tuple[Seed, ...]
    paths: tuple[Path, ...]
    context: tuple[ContextItem, ...]
    context_tokens: int
    scaffolding_tokens: int
    token_counter: str
    context_sha256: str
    template_sha256: str
    slice_sha256: str
    answer: Answer | None
    citations: tuple[Citation, ...]
    basis: Basis
    trace: Trace | None = None


class ReplacedBy(msgspec.Struct, frozen=True, kw_only=True):
    """Who superseded a statement, and by which message."""

    event_id: str
    kind: UpdateKind
    text: str
    conversation_id: str | None
    message_id: str | None


PlanStatus = Literal["planned", "done", "changed", "cancelled", "lapsed"]
"""What became of a plan (``outcomes.plan_status``)."""


class StateEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A statement as it stands at T: its status, interval and evidence.

    ``contested_by`` the events that contradict it and are current at T. ``plan``: of a plan, what became of it by T.
    """

    event: Event
    status: Status
    validity: float
    valid_from: int
    valid_until: int | None
    contested_by: tuple[str, ...]
    superseded_by: tuple[ReplacedBy, ...]
    citations: tuple[Citation, ...]
    plan: PlanStatus | None = None


class StateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What holds at ``as_of``, as known at ``known_at``.

    ``include_all`` adds what no longer or not yet holds, and actions. ``theme``: only statements of its sessions.
    """

    space: SpaceKey
    as_of: int
    known_at: int | None
    participant: str | None
    attribute: str | None
    include_all: bool
    theme: str | None = None


class StateResult(msgspec.Struct, frozen=True, kw_only=True):
    """The state, in a fixed order: participant, attribute, valid_from, id."""

    as_of: int
    known_at: int | None
    entries: tuple[StateEntry, ...]
    basis: Basis


class ChangeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that began or ceased to hold, when, and as it stands now with what replaced it."""

    at: int
    change: Literal["began", "ended"]
    entry: StateEntry


class ChangesResult(msgspec.Struct, frozen=True, kw_only=True):
    """What changed after ``since`` and up to ``until``, in the order in which it took effect."""

    since: int
    until: int
    entries: tuple[ChangeEntry, ...]
    basis: Basis


class ChainLink(msgspec.Struct, frozen=True, kw_only=True):
    """One ``updates`` or ``contradicts`` edge at an event: who asserts it, why, and whether it has effect.

    ``kind`` only of updates. ``live`` is False for an edge that analysts ruled out: nobody's assertion of it counts.
    """

    edge_id: str
    src: str
    dst: str
    kind: UpdateKind | None
    effective: bool
    confidence: float
    justification: str
    producers: tuple[str, ...]
    relation: Literal["updates", "contradicts"] = "updates"
    live: bool = True


class HistoryResult(msgspec.Struct, frozen=True, kw_only=True):
    """The chain of an event: every statement connected to it by updates, in stated order, and these edges.

    With them the statements that contradict the event itself, and the edges of the chain that analysts ruled out.
    """

    event_id: str
    entries: tuple[StateEntry, ...]
    links: tuple[ChainLink, ...]
    producers: tuple[str, ...]
    basis: Basis


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
    """Another name of a participant, and why an analyst says so."""

    name: str
    analyst: str
    evidence: str
    at: int


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


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A delta as a reader of the stream gets it.

    Attributes:
        position: its place in the stream; a reader that has it goes on after it.
        delta: the change.
        event: what the changed event says, as far as it is still known; None of an edge's change and of what is erased.
        names: whom the event is about, as names are looked up: canonical, case-folded.
        by: messages of what has come to supersede or contest the event, as it is known now.
    """

    position: int
    delta: EventChanged | EdgeChanged
    event: Event | None
    names: tuple[str, ...]
    by: tuple[MessageKey, ...] = ()


class DeltaPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some deltas in order. ``following``: where to read on; past the last one, and past those of other spaces."""

    entries: tuple[Told, ...]
    following: int


class SpacesResult(msgspec.Struct, frozen=True, kw_only=True):
    """The tenant's spaces, sorted."""

    spaces: tuple[str, ...]


class StatusResult(msgspec.Struct, frozen=True, kw_only=True):
    """Where the accepted messages of a space are, what analysts said, and what a read reflects.

    Attributes:
        rulings: on relations, that stand.
        orphaned: of these, those whose statements are gone.
        events: where every event is that was ever distilled, if it was asked for.
    """

    account: MessageAccount
    basis: Basis
    rulings: int
    orphaned: int
    events: EventAccount | None
