"""What the query engine needs from outside: a search, a way to count tokens, a model if there is one; who times it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from schemas.asking import ModelReplied, ReadOutcome
from schemas.ids import SpaceKey

if TYPE_CHECKING:  # numpy takes as long to import as all of a worker's own start
    import numpy as np
    import numpy.typing as npt

    from views.vectors.protocol import PointKind

    Vector = npt.NDArray[np.float32]


class Rankings(msgspec.Struct, frozen=True, kw_only=True):
    """The two rankings of one search as (ref, score), best first: by cosine, and by shared words."""

    dense: Sequence[tuple[str, float]]
    sparse: Sequence[tuple[str, float]]


class NoteSearch(Protocol):
    """The vector index as the engine uses it."""

    def query_vector(self, question: str, names: Sequence[str]) -> Vector:
        """The question as a unit vector. ``names``: participants it names; they mislead a dense search."""
        ...

    def rankings(
        self,
        space: SpaceKey,
        question: str,
        vector: Vector,
        kind: PointKind,
        depth: int,
        conversations: Sequence[str] | None,
    ) -> Rankings:
        """At most ``depth`` points by each ranking; equal scores by ref. ``vector``: the result of ``query_vector``."""
        ...

    def vectors(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> dict[str, Vector]:
        """Stored vectors, of length 1; unknown refs are left out."""
        ...

    def cosines(self, space: SpaceKey, kind: PointKind, refs: Sequence[str], vector: Vector) -> dict[str, float]:
        """Cosine of each known ref with the vector; unknown refs are left out."""
        ...


class TokenCounter(Protocol):
    """Counts the tokens of a text. ``name`` is published with every reply."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class AnswerQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked. ``again``: what was wrong with its first answer; empty the first time."""

    system: str
    data: str
    again: str


class NoReplyError(Exception):
    """No model answers this question now; the message says why, for the reader of the answer. The rules answer."""


class AnswerModel(Protocol):
    """A language model that answers questions. The same question has one reply, however often it is asked."""

    @property
    def producer(self) -> str:
        """Model and prompt hash."""
        ...

    def ask(self, space: SpaceKey, question: AnswerQuestion) -> ModelReplied:
        """The reply, recorded or new. Blocks for a limited time. Raises ``NoReplyError``."""
        ...

    def read(self, reply: ModelReplied, *, kept: int, dropped: int, outcome: ReadOutcome, problem: str) -> None:
        """Is told what became of a reply: citations that were kept and dropped."""
        ...


Step = Literal["read", "embed", "search", "seeds", "paths", "context", "answer"]
"""Steps of a query, in order. ``read``: the cut of the space, and what the question asks."""


class Steps(Protocol):
    """Is told when a step of one query ended; the next one begins there. Changes no result."""

    def done(self, step: Step) -> None: ...


class Untimed:
    """Nobody measures."""

    def done(self, step: Step) -> None:
        """Nothing."""


UNTIMED = Untimed()
