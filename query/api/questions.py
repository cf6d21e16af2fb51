"""A question, and what comes back: seeds, evidence paths, the context, the answer and its trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from schemas.edges import Relation, UpdateKind
from schemas.ids import SpaceKey
from schemas.wire import ScopeIn
from views.reader import Basis

from ..settings import Family, Hierarchy
from .statements import Citation

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
    """Everything a query returns. The hashes tell arms apart: equal context, template and scope give equal hashes.

    ``statements``: what each event says that a path leads over.
    """

    shape: Shape
    mode: Mode
    as_of: int
    known_at: int | None
    seeds: tuple[Seed, ...]
    paths: tuple[Path, ...]
    statements: Mapping[str, str]
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
