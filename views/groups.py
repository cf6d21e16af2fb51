"""Indexes of a space as persistent maps: ids by what they belong to, changed by small batches, never in place.

A reader keeps the map it was given while the next one is made; both share whatever did not change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Generic, TypeVar

from immutables import Map

K = TypeVar("K")

Groups = Map[K, tuple[str, ...]]
"""Ids, unique and sorted, by what they belong to; a key without ids is not there."""

_REBUILD_SHARE = 16
"""Past one changed id in so many, sorting anew is cheaper than putting each in its place."""


class Regrouping(Generic[K]):
    """Collects which ids leave and enter which groups; the last word on an id counts."""

    def __init__(self) -> None:
        self._changes: dict[K, dict[str, bool]] = {}

    def move(self, member: str, before: Iterable[K], after: Iterable[K]) -> None:
        """An id belongs to other groups than before."""
        old, new = dict.fromkeys(before), dict.fromkeys(after)
        for key in old:
            if key not in new:
                self._changes.setdefault(key, {})[member] = False
        for key in new:
            if key not in old:
                self._changes.setdefault(key, {})[member] = True

    def apply(self, groups: Groups[K]) -> Groups[K]:
        """The groups with everything that was collected."""
        if not self._changes:
            return groups
        made = groups.mutate()
        for key, changes in self._changes.items():
            members = _changed(made.get(key, ()), changes)
            if members:
                made[key] = members
            elif key in made:
                del made[key]
        return made.finish()


def _changed(members: tuple[str, ...], changes: dict[str, bool]) -> tuple[str, ...]:
    if len(changes) * _REBUILD_SHARE >= len(members):
        kept = [member for member in members if member not in changes]
        kept += [member for member, is_in in changes.items() if is_in]
        return tuple(sorted(kept))
    made = list(members)
    for member, is_in in changes.items():
        at = bisect_left(made, member)
        is_there = at < len(made) and made[at] == member
        if is_in and not is_there:
            made.insert(at, member)
        elif is_there and not is_in:
            del made[at]
    return tuple(made)
