"""What readers worked out from single events and messages of a cut, for whoever reads it, or the cut after it, next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any, Protocol, Self, TypeVar, cast

from schemas.ids import MessageKey

from .pairs import Pairs

KEPT_MOST = 16_384
"""Results of one kind; past it they are worked out anew."""


class Follows(Protocol):
    """What was worked out from many events at once, and goes from cut to cut. Safe with several threads."""

    def without(self, event_ids: Collection[str], /) -> Self:
        """One that knows nothing of these; itself it goes on knowing them."""
        ...


F = TypeVar("F", bound=Follows)


class Memo:
    """Results by kind, and by what they were worked out from. Safe with several threads: a result is a pure function.

    Of an event: from the event, its messages, its live edges and the events at their other ends. Of a note: from a
    message and all that may be known of an event which rests on it. Whoever makes the next cut leaves out those of
    what has changed (``without``).
    """

    def __init__(self) -> None:
        self._events: dict[Hashable, dict[str, Any]] = {}
        self._notes: dict[Hashable, dict[MessageKey, Any]] = {}
        self._pairs: dict[Hashable, Pairs] = {}
        self._cut: dict[Hashable, dict[Any, Any]] = {}
        self._follows: dict[Hashable, Follows] = {}

    def of_events(self, kind: Hashable) -> dict[str, Any]:
        """By event id; to be read and added to."""
        return _room(self._events, kind)

    def of_notes(self, kind: Hashable) -> dict[MessageKey, Any]:
        """By message, with the events that rest on it; to be read and added to."""
        return _room(self._notes, kind)

    def pairs(self, kind: Hashable) -> Pairs:
        """Of a message or an event and another event, from what may be known of either; to be read and added to."""
        held = self._pairs.get(kind)
        if held is None or held.is_full:
            held = self._pairs[kind] = Pairs()
        return held

    def of_cut(self, kind: Hashable) -> dict[Any, Any]:
        """What depends on more than that, by any name: the next cut knows nothing of it."""
        return _room(self._cut, kind)

    def followed(self, kind: Hashable, make: Callable[[], F]) -> F:
        """What follows the cuts of a space, made where nothing does yet; like the others, as of an event."""
        found = self._follows.get(kind)
        return cast(F, found) if found is not None else cast(F, self._follows.setdefault(kind, make()))

    def without(self, events: Collection[str], messages: Iterable[MessageKey], notes: Iterable[MessageKey]) -> Memo:
        """A copy that knows nothing of these. Costs by what is remembered."""
        made = Memo()
        made._events = {kind: _without(held, events) for kind, held in list(self._events.items())}
        made._follows = {kind: held.without(events) for kind, held in list(self._follows.items())}
        made._notes = {kind: _without(held, notes) for kind, held in list(self._notes.items())}
        made._pairs = {kind: held.without(events, messages) for kind, held in list(self._pairs.items())}
        return made


def _room(kinds: dict[Hashable, dict[Any, Any]], kind: Hashable) -> dict[Any, Any]:
    held = kinds.get(kind)
    if held is None or len(held) >= KEPT_MOST:
        held = kinds[kind] = {}
    return held


def _without(held: dict[Any, Any], keys: Iterable[Any]) -> dict[Any, Any]:
    kept = held.copy()
    for key in keys:
        kept.pop(key, None)
    return kept
