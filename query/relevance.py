"""Which notes are about a question: scores by meaning and by words in one, R_k(q) of Eq. 13 and C_note of Eq. 21.

Two rankings of the notes themselves, each with a share of what was said just before and after: who answers a question
seldom repeats its words. Beside them the best of the events, whose texts read alone, that rest on a note, and how good
the run of talk is that it stands in. Each counts as a share of its own best: ranks alone do not tell a note that stands
out from one of hundreds alike. Notes the asked person said count more. The paper's plain cosine is
``Relevance(sparse=0, nearby=(), events=0, runs=0, speaker=0, statements=0, recency=0)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from schemas.ids import MessageKey
from views.order import Spot
from views.reader import Messages, MessageText
from views.vectors.ranking import RRF_K
from views.vectors.refs import note_key

from .ports import Rankings
from .settings import Relevance

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ref = TypeVar("Ref", int, str)

_CONVERSATION_BITS = 40
_RUN_APART = 64
"""Between the numbers of two runs; neighbours reach less far."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note that may be shown; ``score`` of the fused ranking, ``cosine`` where it was found by meaning."""

    key: MessageKey
    text: MessageText
    score: float
    cosine: float | None


class _Found:
    """The found notes by place: a place is a number, and those of one run that lie side by side differ by 1."""

    def __init__(self, messages: Messages, known: dict[str, tuple[MessageKey, MessageText, Spot] | None]) -> None:
        self._messages = messages
        self._known = known
        self._bases: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self.numbers: dict[MessageKey, int] = {}
        self.texts: list[MessageText] = []
        self.places: list[int] = []
        self.runs: list[int] = []

    def add(self, ranking: Iterable[tuple[str, float]]) -> dict[int, float]:
        """Scores by the number of the note, counted in the order of finding."""
        scores: dict[int, float] = {}
        known, numbers, bases = self._known, self._numbers, self._bases
        for ref, score in ranking:
            number = numbers.get(ref)
            if number is None:
                placed = known[ref] if ref in known else self._look(ref)
                if placed is None:
                    continue
                key, text, (run, place) = placed
                base = bases.get(text.conversation_id)
                if base is None:
                    base = bases[text.conversation_id] = len(bases) << _CONVERSATION_BITS
                number = numbers[ref] = self.numbers[key] = len(self.texts)
                self.texts.append(text)
                self.places.append(base + run * _RUN_APART + place)
                self.runs.append(base + run)
            scores[number] = score
        return scores

    def _look(self, ref: str) -> tuple[MessageKey, MessageText, Spot] | None:
        """A note of the index with where it stands; None for what may not be shown."""
        key = note_key(ref)
        text, spot = self._messages.message(key), self._messages.spot(key)
        found = self._known[ref] = None if text is None or spot is None else (key, text, spot)
        return found


def rank_notes(
    found: Rankings,
    events: Mapping[str, float],
    sources: Callable[[str], Sequence[MessageKey]],
    names: Collection[str],
    messages: Messages,
    weights: Relevance,
    *,
    most: int,
    of_change: bool = False,
    statements: Callable[[MessageKey], Sequence[str]] | None = None,
    known: dict[str, tuple[MessageKey, MessageText, Spot] | None] | None = None,
) -> list[Note]:
    """The found notes that may be shown, best first, equal ones in the order they were said.

    Args:
        found: the two rankings of notes.
        events: how good each found event is, 0 to 1 (``as_shares``).
        sources: the notes an event rests on.
        names: participants the question names.
        messages: of the space.
        weights: see there.
        most: how many are wanted.
        of_change: the question asks how something changed.
        statements: of a question for several things, what a note states: it is a list of statements that is asked for.
        known: notes of the same messages by ref, as they were found before; added to.
    """
    at = _Found(messages, {} if known is None else known)
    cosines = at.add(found.dense if weights.dense else ())
    words = at.add(found.sparse if weights.sparse else ())
    if not at.texts:
        return []
    places = np.array(at.places)
    order = np.argsort(places)
    scores = weights.events * _of_events(events, sources, at.numbers)
    for own, weight in ((_from_floor(cosines), weights.dense), (words, weights.sparse)):
        scores += weight * _share(_with_nearby(own, places, order, weights.nearby))
    scores += weights.runs * _share(_by_run(scores, at.runs, weights.run_notes))
    wanted = {name.casefold() for name in names}
    scores += [weights.speaker if text.speaker.casefold() in wanted else 0.0 for text in at.texts]
    if statements is not None:
        scores += [weights.statements if statements(key) else 0.0 for key in at.numbers]
    sent = np.array([text.sent_at for text in at.texts])
    if of_change:
        said = np.lexsort([places, sent])
        scores[said] *= 1.0 + weights.recency * np.arange(len(said)) / len(said)
    best = np.lexsort([places, sent, -scores])[:most]
    keys = list(at.numbers)
    return [
        Note(key=keys[number], text=at.texts[number], score=float(scores[number]), cosine=cosines.get(int(number)))
        for number in best
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


def _with_nearby(own: Mapping[int, float], places: Ints, order: Ints, shares: Sequence[float]) -> Floats:
    """Every note's own score and the shares of its neighbours'."""
    scores = np.zeros(len(places))
    scores[list(own)] = list(own.values())
    total, ordered = scores.copy(), places[order]
    for distance, share in enumerate(shares, start=1):
        for beside in (places - distance, places + distance):
            near = np.minimum(np.searchsorted(ordered, beside), len(ordered) - 1)
            total += share * np.where(ordered[near] == beside, scores[order[near]], 0.0)
    return total


def _share(scores: Floats) -> Floats:
    """Scores as shares of the best one."""
    best = scores.max()
    return scores / best if best > 0.0 else scores


def _by_run(scores: Floats, runs: Sequence[int], best: int) -> Floats:
    """For each note the sum of the best notes of its run."""
    held: dict[int, list[float]] = {}
    for run, score in zip(runs, scores.tolist(), strict=True):
        held.setdefault(run, []).append(score)
    worth = {run: sum(sorted(of, reverse=True)[:best]) if len(of) > 1 else of[0] for run, of in held.items()}
    return np.array([worth[run] for run in runs])


def _of_events(
    events: Mapping[str, float], sources: Callable[[str], Sequence[MessageKey]], numbers: Mapping[MessageKey, int]
) -> Floats:
    """For each found note how good the best found event is that rests on it."""
    best = [0.0] * len(numbers)
    for event_id, share in events.items():
        for key in sources(event_id):
            number = numbers.get(key)
            if number is not None and share > best[number]:
                best[number] = share
    return np.array(best)
