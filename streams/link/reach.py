"""How far back a correction reaches: to what was said last, not to what had been replaced by then.

From "I live in Oslo", "I live in Malta", "Correction: I live in Malmo" the third puts the second right. The first was
true until the second; the third replaces it as the second did, from the same day on. A judgement sees one pair and
cannot tell the two apart; that takes all pairs of the later statement.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..classify.features import compare
from ..classify.protocol import Judgement, Pair

Judged = tuple[Pair, Judgement]


def within_reach(judged: Sequence[Judged]) -> list[Judged]:
    """The same pairs in the same order; corrections beyond what was said last become changes.

    Per later statement, from its latest correction back (stated order, ties by id): what says the same as the latest
    is corrected too ("the 12th", said twice); the first that says something else, and all before it, had been replaced.
    """
    judged = _of_one(judged)
    by_newer: dict[str, list[Pair]] = {}
    for pair, judgement in judged:
        if judgement.kind == "correction":
            by_newer.setdefault(pair.newer.id, []).append(pair)
    beyond = {(p.newer.id, p.older.id) for pairs in by_newer.values() for p in _beyond(pairs)}
    return [(p, _change(j) if (p.newer.id, p.older.id) in beyond else j) for p, j in judged]


def _of_one(judged: Sequence[Judged]) -> list[Judged]:
    """The same, but what "it was always the 12th" puts right of several matters may be any of them."""
    matters: dict[str, set[tuple[str | None, str | None]]] = {}
    for pair, judgement in judged:
        if judgement.kind == "correction" and _unnamed(pair):
            matters.setdefault(pair.newer.id, set()).add((pair.older.subject, pair.older.attribute))
    unsure = {newer for newer, found in matters.items() if len(found) > 1}
    return [(p, _maybe(j) if j.kind == "correction" and _unnamed(p) and p.newer.id in unsure else j) for p, j in judged]


def _unnamed(pair: Pair) -> bool:
    """It does not say what it is about, and does not follow what it may be about."""
    return pair.newer.subject is None and not pair.adjacent


def _maybe(judgement: Judgement) -> Judgement:
    reason = "The newer statement puts right what it does not name, and it may be about several."
    return msgspec.structs.replace(judgement, relation="possibly_updates", kind=None, reason=reason)


def _beyond(pairs: Sequence[Pair]) -> list[Pair]:
    back = sorted(pairs, key=lambda pair: (pair.older.stated, pair.older.id), reverse=True)
    for at, pair in enumerate(back[1:], start=1):
        if _says_another(back[0], pair):
            return back[at:]
    return []


def _says_another(latest: Pair, earlier: Pair) -> bool:
    """Another value of the attribute, another date, or, where neither is known, other figures."""
    f = compare(Pair(newer=latest.older, older=earlier.older, similarity=0.0, adjacent=False))
    if f.attribute is not None:
        return f.values_differ or f.dates_differ
    return f.dates_differ or f.figures_differ


def _change(judgement: Judgement) -> Judgement:
    reason = "The newer statement corrects what had replaced the older one."
    return msgspec.structs.replace(judgement, kind="change", reason=reason)
