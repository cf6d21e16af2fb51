"""An erasure as it is asked for over HTTP, and its receipt. Times are RFC 3339 text in UTC."""

from __future__ import annotations

from typing import Literal

import msgspec

from .wire import Wire


class ErasureIn(Wire, frozen=True, kw_only=True):
    """What to erase. ``scope`` is never guessed: "space" takes neither id, "conversation" one, "message" both."""

    scope: Literal["space", "conversation", "message"]
    conversation_id: str | None = None
    message_id: str | None = None


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """How many things of a store were removed or written anew without the erased text."""

    store: str
    what: str
    count: int


class Remains(msgspec.Struct, frozen=True, kw_only=True):
    """What is left, where, why, and what ends it (None: nothing does)."""

    where: str
    what: str
    why: str
    until: str | None


class ErasureOut(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt. ``finished_at`` None: it is recorded and obeyed, and the stores are still being worked off.

    ``upto``: the offset in ``messages`` below which it holds; what is posted from there on is new.
    """

    id: str
    space: str
    scope: Literal["space", "conversation", "message"]
    conversation_id: str | None
    message_id: str | None
    upto: int
    messages: int
    requested_at: str
    finished_at: str | None
    removed: tuple[Removed, ...]
    remains: tuple[Remains, ...]
