"""What the grammar makes of a phrase: how it ends, what it names, and a function that says when that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from .clock import LocalClock
from .units import Span

Tense = Literal["past", "perfect", "present", "future"]
"""Tense of the clause. Without a direction of its own, a phrase looks back for past and perfect, else ahead."""

Kind = Literal["day", "part", "clock", "duration", "instant"]
"""``day``: a calendar unit; ``part``: hours of a day; ``clock``: a time of day; ``duration``: "for N units";
``instant``: complete in itself ("two hours ago")."""


class Context(NamedTuple):
    """What resolution may use: the message's clock, the clause's tense, the hemisphere."""

    clock: LocalClock
    tense: Tense
    southern: bool

    @property
    def back(self) -> bool:
        """Whether an undirected phrase looks back."""
        return self.tense in ("past", "perfect")


Named = Callable[[Context], Span | None]


class Node(NamedTuple):
    """A parsed piece of text up to ``end``. ``explicit``: names an absolute date."""

    end: int
    kind: Kind
    named: Named
    explicit: bool = False
