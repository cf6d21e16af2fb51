"""What the runtime tells whoever measures it. Nobody by default: cores and tests need no registry.

Everything is told after the fact and nothing is answered, so an observer can change no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

import msgspec

from query.api import QueryResult
from query.ports import UNTIMED, Steps
from schemas.asking import AskWithdrawn, ModelReplied, ReplyRead
from schemas.deltas import DeltaRecord
from schemas.topics import TopicName


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """One committed step of a stage: so many records ``read`` led to so many ``written``.

    Attributes:
        parked: how many of ``read`` were parked; their dead letters are not in ``written``.
        faulted: how many of the parked ones because the stage failed at them again.
        seconds: from having read them to having committed.
        left_out: statements of messages that state more than is kept of one, of sessions that were read closed.
    """

    stage: str
    read: int
    written: int
    parked: int
    seconds: float
    faulted: int = 0
    left_out: int = 0


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """One batch that the view has committed: folded in memory, its deltas written out, then committed."""

    read: int
    parked: int
    deltas: Sequence[DeltaRecord]
    fold_s: float
    write_s: float
    commit_s: float
    faulted: int = 0


class Indexed(msgspec.Struct, frozen=True, kw_only=True):
    """Points of the vector index were set, or not: ``away`` says that the index could not be had, for now.

    ``refused``: points it will never take. ``encode_s`` of the time went into the encoder, ``write_s`` into all else.
    """

    written: int = 0
    deleted: int = 0
    refused: int = 0
    away: bool = False
    encode_s: float
    write_s: float


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How many records of a partition a consumer has still to read: its end less the consumer's position.

    ``topic`` is None for all its inputs together.
    """

    stage: str
    topic: TopicName | None
    partition: int
    records: int


CallResult = Literal["ok", "busy", "timeout", "connection", "server_error", "garbled", "bad_request", "unusable"]
"""How one call of a model's endpoint went. ``busy`` is 429; ``bad_request`` is about one question, ``unusable`` about
all of them."""

Wait = Literal["budget", "endpoint"]
"""Why questions for a model wait while the rules' answers count: the day's budget is spent, or nobody answers."""

Lags = Callable[[], Iterable[Lag]]
"""Asks for all lags as of now; from any thread."""


class Observer(Protocol):
    """Is told what happened. Called from any thread, and within locks: it must be quick and must not call back."""

    def folded(self, step: Folded) -> None: ...
    def applied(self, batch: Applied) -> None: ...
    def reached(self, received_at: int) -> None:
        """The newest message the view has now applied was taken in then (microseconds UTC, by the log's clock)."""
        ...

    def encoded(self, remembered: int, computed: int) -> None:
        """So many texts were to be encoded: these were remembered, those went through the model."""
        ...

    def indexed(self, points: Indexed) -> None: ...
    def asked(self) -> Steps:
        """A question begins; its steps are told to what is returned."""
        ...

    def answered(self, result: QueryResult) -> None: ...
    def model_called(self, result: CallResult) -> None: ...
    def model_asked(self, *, open: bool) -> None:
        """A question went out to the endpoint, or ceased to be under way."""
        ...

    def model_replied(self, reply: ModelReplied) -> None:
        """A reply was recorded, or that there was none."""
        ...

    def model_told(self, told: ReplyRead | AskWithdrawn) -> None:
        """A stage has made something of a reply, or withdrew a question."""
        ...

    def model_waits(self, why: Wait, *, waits: bool) -> None:
        """Questions begin or cease to wait."""
        ...

    def watch(self, lags: Lags) -> None:
        """Lags are asked for, not told: a consumer that hangs tells nothing, and its lag must be seen to grow."""
        ...


class Silent:
    """Nobody measures."""

    def folded(self, step: Folded) -> None:
        """Nothing."""

    def applied(self, batch: Applied) -> None:
        """Nothing."""

    def reached(self, received_at: int) -> None:
        """Nothing."""

    def encoded(self, remembered: int, computed: int) -> None:
        """Nothing."""

    def indexed(self, points: Indexed) -> None:
        """Nothing."""

    def asked(self) -> Steps:
        """Untimed."""
        return UNTIMED

    def answered(self, result: QueryResult) -> None:
        """Nothing."""

    def model_called(self, result: CallResult) -> None:
        """Nothing."""

    def model_asked(self, *, open: bool) -> None:
        """Nothing."""

    def model_replied(self, reply: ModelReplied) -> None:
        """Nothing."""

    def model_told(self, told: ReplyRead | AskWithdrawn) -> None:
        """Nothing."""

    def model_waits(self, why: Wait, *, waits: bool) -> None:
        """Nothing."""

    def watch(self, lags: Lags) -> None:
        """Nothing."""


SILENT = Silent()
"""The default of everything that takes an observer."""
