"""What the embed stage needs from outside: what shall be in the index, folded from records, and the index itself.

Points are named by bytes that mean something on the other side only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from schemas.entry import Entry
from schemas.ids import SpaceKey

from ..ports import StageState


class IndexAwayError(Exception):
    """The index cannot be had just now; what was to be set may be set in part. Set it again later."""


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """Points a record is about. ``changed``: to be set anew. ``own``: those it holds itself, changed or not."""

    changed: Sequence[bytes]
    own: Sequence[bytes]


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What was set: how many points were written and deleted; which the index will never take, and why."""

    written: int
    deleted: int
    refused: Sequence[tuple[bytes, str]]


class Points(Protocol):
    """One for each stage instance. ``state`` is the stage's; its keys from ``wanted/`` on belong to the points."""

    @property
    def target(self) -> str:
        """Names this very index: one of another name is empty."""
        ...

    def fold(self, entry: Entry, state: StageState) -> Named:
        """Fold a record into what is wanted."""
        ...

    def set(self, space: SpaceKey, names: Sequence[bytes], state: StageState) -> Done:
        """Set points to what is wanted now, durably. Any number of times, with the same effect.

        Raises:
            IndexAwayError: see there.
        """
        ...

    def all(self, state: StageState) -> Iterator[tuple[SpaceKey, bytes]]:
        """Every point there may be, spaces together."""
        ...
