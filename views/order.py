"""The order in which the messages of a conversation were sent, and its runs: what was said close together in time.

A run is found by gaps of the clock alone, so it is there for messages that no session has been published of yet.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

RUN_GAP_US = 4 * 3600 * 1_000_000
"""Silence that ends a run: people who answer after lunch still answer; after a night they begin something else."""

_REBUILD_SHARE = 8
"""Past one changed message in so many, sorting anew is cheaper than putting each in its place."""

Place = tuple[int, int, str]
"""Where a message stands in its conversation: (sent_at, seq, message id)."""


class Spot(NamedTuple):
    """A message in its conversation: the number of its run, and its own number. Neighbours have numbers beside it."""

    run: int
    number: int


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation. ``places`` in order, ``starts`` the first place of every run. Neither is ever changed."""

    places: list[Place]
    starts: list[Place]


SILENCE = Talk(places=[], starts=[])


def changed(talk: Talk, removed: Iterable[Place], added: Iterable[Place]) -> Talk:
    """The conversation without some messages and with others. Copies two lists; the rest costs by what changes."""
    gone, new = set(removed), set(added)
    if (len(gone) + len(new)) * _REBUILD_SHARE >= len(talk.places):
        places = sorted((set(talk.places) - gone) | new)
        return Talk(places=places, starts=[p for n, p in enumerate(places) if _begins(places, n)])
    places, starts = talk.places.copy(), talk.starts.copy()
    for place in gone - new:
        at = bisect_left(places, place)
        if at < len(places) and places[at] == place:
            del places[at]
    for place in new:
        if not _holds(places, place):
            insort(places, place)
    for place in gone | new:
        at = bisect_left(places, place)
        for number in (at, at + 1):
            if number < len(places):
                _mark(starts, places[number], begins=_begins(places, number))
        if not _holds(places, place):
            _mark(starts, place, begins=False)
    return Talk(places=places, starts=starts)


class Spots:
    """Looks up where messages of one conversation are. By their instants, which are compared faster than places."""

    def __init__(self, talk: Talk) -> None:
        self._places = talk.places
        self._sent = [sent_at for sent_at, _, _ in talk.places]
        self._begun = [sent_at for sent_at, _, _ in talk.starts]

    def of(self, place: Place) -> Spot:
        """Where a message of the conversation is. Of what was sent at one instant all is of one run."""
        first = bisect_left(self._sent, place[0])
        if self._places[first] != place:
            first = bisect_left(self._places, place, first, bisect_right(self._sent, place[0], first))
        return Spot(bisect_right(self._begun, place[0]) - 1, first)


def _begins(places: list[Place], number: int) -> bool:
    return number == 0 or places[number][0] - places[number - 1][0] > RUN_GAP_US


def _holds(places: list[Place], place: Place) -> bool:
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place


def _mark(starts: list[Place], place: Place, *, begins: bool) -> None:
    at = bisect_left(starts, place)
    is_marked = at < len(starts) and starts[at] == place
    if begins and not is_marked:
        starts.insert(at, place)
    elif is_marked and not begins:
        del starts[at]
