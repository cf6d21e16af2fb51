"""Which predicted pairs of statements are gold supersessions: one to one, by turns that lie close together. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

TURNS = 2
"""A source message counts for a gold turn of the same session at most this far away."""

_DIA = re.compile(r"D(\d+):(\d+)")

Turn = tuple[int, int]
"""(session, turn within it)."""


class Predicted(msgspec.Struct, frozen=True, kw_only=True):
    """A supersession as the system has it. ``ended_at``: since when the old statement no longer holds."""

    old_id: str
    new_id: str
    old: tuple[Turn, ...]
    new: tuple[Turn, ...]
    ended_at: int | None


class Gold(msgspec.Struct, frozen=True, kw_only=True):
    """A gold pair by its turns."""

    id: str
    old: tuple[Turn, ...]
    new: tuple[Turn, ...]


class Matched(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the predictions: indices into the lists given."""

    pairs: tuple[tuple[int, int], ...]
    neutral: tuple[int, ...]
    trapped: tuple[int, ...]

    @property
    def right(self) -> frozenset[int]:
        """Predictions that match a gold supersession."""
        return frozenset(predicted for predicted, _ in self.pairs)


def turn(dia_id: str) -> Turn | None:
    """ "D3:7" as (3, 7); None for what is no turn's id."""
    match = _DIA.fullmatch(dia_id)
    return None if match is None else (int(match[1]), int(match[2]))


def turns(dia_ids: Iterable[str]) -> tuple[Turn, ...]:
    """Those that are turns."""
    return tuple(found for found in map(turn, dia_ids) if found is not None)


def distance(these: Iterable[Turn], those: Sequence[Turn]) -> int | None:
    """Turns between the closest two of the same session; None when farther than ``TURNS``."""
    gaps = [abs(a[1] - b[1]) for a in these for b in those if a[0] == b[0]]
    gap = min(gaps, default=TURNS + 1)
    return gap if gap <= TURNS else None


def match(predicted: Sequence[Predicted], gold: Sequence[Gold], traps: Sequence[Gold]) -> Matched:
    """Match predictions to gold, greedily by closeness, in gold direction; ties by the order of the lists.

    A prediction that joins the ends of a gold chain (A → C where gold has A → B and B → C) is neither right nor wrong.
    A trap is hit when a prediction that matches no supersession joins its two sides, in either direction.
    """
    close: list[tuple[int, int, int]] = []
    for p, pair in enumerate(predicted):
        for g, wanted in enumerate(gold):
            old, new = distance(pair.old, wanted.old), distance(pair.new, wanted.new)
            if old is not None and new is not None:
                close.append((old + new, g, p))
    taken_p: dict[int, int] = {}
    taken_g: set[int] = set()
    for _, g, p in sorted(close):
        if p not in taken_p and g not in taken_g:
            taken_p[p] = g
            taken_g.add(g)
    rest = [p for p in range(len(predicted)) if p not in taken_p]
    ends = _chain_ends(gold)
    neutral = tuple(p for p in rest if any(_joins(predicted[p], end) for end in ends))
    trapped = tuple(t for t, trap in enumerate(traps) if any(_joins(predicted[p], trap, both_ways=True) for p in rest))
    return Matched(pairs=tuple(sorted(taken_p.items())), neutral=neutral, trapped=trapped)


def _joins(pair: Predicted, wanted: Gold, *, both_ways: bool = False) -> bool:
    def one_way(old: Sequence[Turn], new: Sequence[Turn]) -> bool:
        return distance(pair.old, old) is not None and distance(pair.new, new) is not None

    return one_way(wanted.old, wanted.new) or (both_ways and one_way(wanted.new, wanted.old))


def _chain_ends(gold: Sequence[Gold]) -> list[Gold]:
    """First and last sides of every run of two or more gold steps whose sides lie at the same turns."""
    following: Mapping[int, list[int]] = {
        a: [b for b, later in enumerate(gold) if b != a and distance(earlier.new, later.old) is not None]
        for a, earlier in enumerate(gold)
    }
    ends: list[Gold] = []
    for start in range(len(gold)):
        reached: dict[int, None] = {}
        queue = list(following[start])
        while queue:
            step = queue.pop()
            if step not in reached and step != start:
                reached[step] = None
                queue += following[step]
        ends += [Gold(id=f"{gold[start].id}…{gold[b].id}", old=gold[start].old, new=gold[b].new) for b in reached]
    return ends
