"""What the runners of a worker share, and what each tells of its steps."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

import msgspec

from schemas.asking import AskWithdrawn, ReplyRead

from .broker import Broker
from .local import LocalStates

TICK_S = 0.25
REST_MAX_S = 0.25


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """One committed step, for metrics. ``outputs``: without dead letters. ``lag``: records that still wait.
    ``left_out``: statements (``streams.parts.left_out``). ``told``: see ``streams.llm.desk.about_model``."""

    stage: str
    partition: int
    records: int
    outputs: int
    parked: int
    lag: int
    fold_s: float
    write_s: float
    faulted: int = 0
    left_out: int = 0
    told: tuple[ReplyRead | AskWithdrawn, ...] = ()


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What all runners of a worker share.

    Attributes:
        newest_only: the stages that need not see a set that a later one of the same batch replaces (``newest``).
        timeless: the stages for which nothing comes of time alone: they are not told that it passes.
        acting: the stages that do something outside as time passes, which cannot be undone: their time passes in a
            step of its own, so that it rests on decided steps and on nothing else.
        tick_s: how often a stage is told that time passes.
        rest: after a step a runner waits for so many times as long as that took, but no longer than ``REST_MAX_S``, so
            that more is there for the next one. A step costs the broker and the loop as much for one record as for ten:
            the busier all are, the more each step does.
    """

    broker: Broker
    states: LocalStates
    partitions: int
    threads: Executor
    clock: Callable[[], int]
    observe: Callable[[Ran], None]
    prefix: str = ""
    newest_only: frozenset[str] = frozenset()
    timeless: frozenset[str] = frozenset()
    acting: frozenset[str] = frozenset()
    tick_s: float = TICK_S
    rest: float = 0.0
