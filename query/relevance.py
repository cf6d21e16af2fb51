"""Which notes are about a question: scores by meaning and by words in one, R_k(q) of Eq. 13 and C_note of Eq. 21.

Two rankings of the notes themselves, each with a share of what was said just before and after: who answers a question
seldom repeats its words. Beside them the best of the events, whose texts read alone, that rest on a note, and how good
the run of talk is that it stands in. Each counts as a share of its own best: ranks alone do not tell a note that stands
out from one of hundreds alike. Notes the asked person said count more. The paper's plain cosine is
``Relevance(sparse=0, nearby=(), events=0, runs=0, speaker=0, statements=0, recency=0, places_from=None)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from math import isnan
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from schemas.ids import MessageKey
from views.reader import MessageText
from views.vectors.ranking import RRF_K

from .note_columns import NOWHERE, Ints, NoteColumns
from .places import own_by_meaning, taking_turns
from .ports import Rankings
from .settings import Relevance

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ref = TypeVar("Ref", int, str)

Ranking = Sequence[tuple[str, float]]

_CONVERSATION_BITS = 40


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note that may be shown; ``score`` of the fused ranking, ``cosine`` where it was found by meaning."""

    key: MessageKey
    text: MessageText
    score: float
    cosine: float | None


class _Found:
    """The found notes in the order of their places: a place is a number, and those side by side differ by 1.

    Attributes:
        numbers: in ``NoteColumns``.
        places: see above; those of another conversation are far away.
        dense, sparse: positions and scores of what either ranking found.
    """

    def __init__(self, notes: NoteColumns, dense: Ranking, sparse: Ranking) -> None:
        by_meaning, cosines = _told(notes, dense)
        by_words, words = _told(notes, sparse)
        both = np.concatenate((by_meaning, by_words))
        self._notes = notes
        bases = _in_order_of_finding(notes.of("conversation", both)) << _CONVERSATION_BITS
        self.places, first, positions = np.unique(
            bases + notes.of("place", both), return_index=True, return_inverse=True
        )
        self.numbers: Ints = both[first]
        self.runs: Ints = bases[first] + notes.of("run", self.numbers)
        self.dense = (positions[: len(by_meaning)], cosines)
        self.sparse = (positions[len(by_meaning) :], words)

    def scores(self, of: tuple[Ints, Floats], shares: Sequence[float]) -> Floats:
        """Every note's own score and the shares of its neighbours'."""
        positions, own = of
        scores = np.zeros(len(self.places))
        scores[positions] = own
        total = scores.copy()
        for (is_beside, beside), share in zip(self._beside(len(shares)), _twice(shares), strict=True):
            total += share * np.where(is_beside, scores[beside], 0.0)
        return total

    def _beside(self, most: int) -> list[tuple[Flags, Ints]]:
        """For each distance, before and after: whether something was found there, and its position."""
        while len(self._known) < 2 * most:
            distance = len(self._known) // 2 + 1
            for wanted in (self.places - distance, self.places + distance):
                near = np.minimum(np.searchsorted(self.places, wanted), len(self.places) - 1)
                self._known.append((self.places[near] == wanted, near))
        return self._known[: 2 * most]

    @cached_property
    def _known(self) -> list[tuple[Flags, Ints]]:
        return []

    def by_run(self, scores: Floats, best: int) -> Floats:
        """For each note the sum of the best notes of its run."""
        starts = np.flatnonzero(np.diff(self.runs, prepend=self.runs[0] - 1))
        lengths = np.diff(starts, append=len(scores))
        which = np.repeat(np.arange(len(starts)), lengths)
        ordered = scores[np.lexsort((-scores, which))]
        worth = ordered[starts]
        for place in range(1, best):
            longer = lengths > place
            worth[longer] += ordered[starts[longer] + place]
        return worth[which]

    def of_events(self, events: Mapping[str, float], sources: Callable[[str], Sequence[MessageKey]]) -> Floats:
        """For each note how good the best found event is that rests on it."""
        best = np.zeros(len(self.places))
        under, by = self._notes.under(events, sources)
        numbers, shares = np.array(under, dtype=np.int64), np.array([*events.values()])[by]
        order = np.argsort(self.numbers)
        near = np.minimum(np.searchsorted(self.numbers, numbers, sorter=order), len(order) - 1)
        positions = order[near]
        is_found = self.numbers[positions] == numbers
        np.maximum.at(best, positions[is_found], shares[is_found])
        return best


def _nothing(_key: MessageKey) -> Sequence[str]:
    return ()


def rank_notes(
    found: Rankings,
    events: Mapping[str, float],
    sources: Callable[[str], Sequence[MessageKey]],
    names: Collection[str],
    notes: NoteColumns,
    weights: Relevance,
    *,
    most: int,
    of_change: bool = False,
    several: bool = False,
    newest: bool = False,
    statements: Callable[[MessageKey], Sequence[str]] = _nothing,
) -> list[Note]:
    """The found notes that may be shown, best first, equal ones in the order they were said.

    Args:
        found: the two rankings of notes.
        events: how good each found event is, 0 to 1 (``as_shares``).
        sources: the notes an event rests on.
        names: participants the question names.
        notes: of the space.
        weights: see there.
        most: how many are wanted.
        of_change: the question asks how something changed.
        several: the question asks for several things: it is a list of statements that is asked for.
        newest: the question is about the present or about a change; see ``places``.
        statements: what a note states.
    """
    at = _Found(notes, found.dense if weights.dense else (), found.sparse if weights.sparse else ())
    if not len(at.places):
        return []
    numbers, cosines = at.numbers, at.dense[1]
    scores = weights.events * at.of_events(events, sources)
    for own, weight in (((at.dense[0], _above_floor(cosines)), weights.dense), (at.sparse, weights.sparse)):
        scores += weight * _share(at.scores(own, weights.nearby))
    scores += weights.runs * _share(at.by_run(scores, weights.run_notes))
    is_own = (notes.of("speaker", numbers)[:, None] == notes.speakers(names)).any(axis=1)
    scores += np.where(is_own, weights.speaker, 0.0)
    if several:
        scores += np.where(notes.states(numbers, statements), weights.statements, 0.0)
    sent = notes.of("sent_at", numbers)
    if of_change:
        said = np.lexsort([at.places, sent])
        scores[said] *= 1.0 + weights.recency * np.arange(len(said)) / len(said)
    order = np.lexsort([at.places, sent, -scores])
    by_meaning = np.full(len(numbers), np.nan)
    by_meaning[at.dense[0]] = cosines
    if newest and weights.places_from is not None:
        own = own_by_meaning(by_meaning, is_own, notes.states(numbers, statements), order)
        order = taking_turns(order, own, weights.places_from)
    best = order[:most]
    told = zip(numbers[best].tolist(), scores[best].tolist(), by_meaning[best].tolist(), strict=True)
    return [
        Note(key=notes.keys[number], text=notes.texts[number], score=score, cosine=None if isnan(cosine) else cosine)
        for number, score, cosine in told
    ]


def as_shares(found: Rankings, weights: Relevance) -> dict[str, float]:
    """How good each found event is beside the best by meaning and the best by words, from 0 to 1."""
    whole = weights.dense + weights.sparse
    shares: dict[str, float] = {}
    for own, weight in ((_from_floor(dict(found.dense)), weights.dense), (dict(found.sparse), weights.sparse)):
        best = max(own.values(), default=0.0)
        for ref, score in own.items() if weight and best > 0.0 else ():
            shares[ref] = shares.get(ref, 0.0) + weight * score / best / whole
    return shares


def as_notes(events: Mapping[str, float], weights: Relevance) -> dict[str, float]:
    """What events that rest on no message score beside notes: as one that is as good by meaning and by words."""
    return {event_id: (weights.dense + weights.sparse) * share for event_id, share in events.items()}


def fused(rankings: Iterable[Sequence[tuple[str, float]]]) -> list[str]:
    """Refs by reciprocal rank fusion, best first; equal ones by ref."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, (ref, _) in enumerate(ranking, start=1):
            scores[ref] = scores.get(ref, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=lambda ref: (-scores[ref], ref))


def _from_floor(cosines: Mapping[Ref, float]) -> dict[Ref, float]:
    """Cosines from the worst one found: what was not found adds nothing.

    From half the best where all lie closer than that: of a handful of notes alike the worst is hardly worse.
    """
    if not cosines:
        return {}
    floor = min(*cosines.values(), max(cosines.values()) / 2)
    return {ref: cosine - floor for ref, cosine in cosines.items()}


def _above_floor(cosines: Floats) -> Floats:
    """``_from_floor``, of an array."""
    return cosines - min(cosines.min(), cosines.max() / 2) if len(cosines) else cosines


def _told(notes: NoteColumns, ranking: Ranking) -> tuple[Ints, Floats]:
    """The numbers of the notes of a ranking that may be shown, and their scores."""
    refs, told = zip(*ranking, strict=True) if ranking else ((), ())
    numbers, scores = notes.numbers(refs), np.array(told, dtype=np.float64)
    is_shown = numbers != NOWHERE
    return numbers[is_shown], scores[is_shown]


def _in_order_of_finding(conversations: Ints) -> Ints:
    """For each the place of its number among these, by where it comes first."""
    _, first, which = np.unique(conversations, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which]


def _twice(shares: Iterable[float]) -> list[float]:
    return [share for share in shares for _ in range(2)]


def _share(scores: Floats) -> Floats:
    """Scores as shares of the best one."""
    best = scores.max()
    return scores / best if best > 0.0 else scores
