"""Spaces: which there are, where the messages of one are, and the deltas of its view as readers get them."""

from __future__ import annotations

import msgspec

from schemas.deltas import EdgeChanged, EventChanged
from schemas.events import Event
from schemas.ids import MessageKey
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount


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
