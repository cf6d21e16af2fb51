"""What an importer yields, and what it says when a whole file cannot be read.

A command posts the messages in batches (``System.post``) and counts what became of each item: accepted, duplicate or
parked, the last being a ``problem`` here or a refusal there. ``seq`` is filled in, so batches may be cut anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from schemas.wire import MessageIn

Format = Literal["jsonl", "locomo"]

BOM = b"\xef\xbb\xbf"


class BadFileError(ValueError):
    """The file as a whole cannot be imported; names it and says why. Nothing of it was read."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a file, or what is wrong with it: exactly one of ``message`` and ``problem`` is set.

    Attributes:
        position: its place in the file, from 0: the line for ``jsonl`` (blank ones count), the turn for ``locomo``.
        where: its place for people: "line 7", "conversation 0, session_3, turn 5".
        message_id: as far as known.
        message: JSON of a ``MessageIn`` with ``seq`` filled in. A time without a zone stays without: ``System.post``
            resolves it in its ``default_tz`` and marks it as assumed.
        problem: why it is parked.
    """

    position: int
    where: str
    message_id: str | None
    message: bytes | None
    problem: str | None


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """An opened import.

    Attributes:
        total: how many items there are, for a progress bar.
        default_tz: zone for times without one when the user names none; None = such times are refused.
        items: starts from the first item at every call.
    """

    path: Path
    format: Format
    total: int
    default_tz: str | None
    items: Callable[[], Iterator[Item]]


def good(position: int, where: str, message: MessageIn) -> Item:
    """A message that could be read; without a ``seq`` of its own it gets its position."""
    if message.seq is None:
        message = msgspec.structs.replace(message, seq=position)
    return Item(
        position=position,
        where=where,
        message_id=message.message_id,
        message=msgspec.json.encode(message),
        problem=None,
    )


def bad(position: int, where: str, problem: str) -> Item:
    """A message that could not."""
    return Item(position=position, where=where, message_id=None, message=None, problem=problem)
