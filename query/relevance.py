"""Which notes are about a question: four rankings fused by reciprocal rank, R_k(q) of Eq. 13 and C_note of Eq. 21.

Two rankings of the notes themselves, by meaning and by words, each with a share of what was said just before and after:
who answers a question seldom repeats its words. One of the events, whose texts read alone, told to the notes they rest
on. One of the runs of talk, by the best notes in each. Notes the asked person said count more. The paper's plain
cosine is ``Relevance(sparse=False, nearby=(), events=0, runs=0, speaker=1)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

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

_CONVERSATION_BITS = 40
_RUN_APART = 64
"""Between the numbers of two runs; neighbours reach less far."""

_NOTHING = -1.0


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
        for ref, score in ranking:
            number = self._numbers.get(ref)
            if number is None:
                placed = self._known[ref] if ref in self._known else self._look(ref)
                if placed is None:
                    continue
                key, text, (run, place) = placed
                base = self._bases.setdefault(key.conversation_id, len(self._bases) << _CONVERSATION_BITS)
                number = self._numbers[ref] = self.numbers[key] = len(self.texts)
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
    events: Iterable[str],
    sources: Callable[[str], Sequence[MessageKey]],
    names: Collection[str],
    messages: Messages,
    weights: Relevance,
    *,
    most: int,
    of_change: bool = False,
    known: dict[str, tuple[MessageKey, MessageText, Spot] | None] | None = None,
) -> list[Note]:
    """The found notes that may be shown, best first, equal ones in the order they were said.

    Args:
        found: the two rankings of notes. Cosines count from the worst one found: what was not found adds nothing.
        events: events by similarity, best first.
        sources: the notes an event rests on.
        names: participants the question names.
        messages: of the space.
        weights: see there.
        most: how many are wanted.
        of_change: the question asks how something changed.
        known: notes of the same messages by ref, as they were found before; added to.
    """
    at = _Found(messages, {} if known is None else known)
    cosines = at.add(found.dense if weights.dense else ())
    words = at.add(found.sparse if weights.sparse else ())
    if not at.texts:
        return []
    places = np.array(at.places)
    order = np.argsort(places)
    worst = min(cosines.values(), default=0.0)
    scores = np.zeros(len(places))
    for own in ({number: cosine - worst for number, cosine in cosines.items()}, words):
        scores += _reciprocal(_with_nearby(own, places, order, weights.nearby), order)
    scores += weights.runs * np.array(_by_run(scores, at.runs, weights.run_notes))
    for rank, number in enumerate(_of_events(events, sources, at.numbers), start=1):
        scores[number] += weights.events / (RRF_K + rank)
    wanted = {name.casefold() for name in names}
    scores *= [weights.speaker if text.speaker.casefold() in wanted else 1.0 for text in at.texts]
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


def as_notes(events: Iterable[str], weights: Relevance) -> dict[str, float]:
    """What events that rest on no message score beside notes: as one at their place in both rankings."""
    whole = float(weights.dense) + float(weights.sparse)
    return {event_id: whole / (RRF_K + rank) for rank, event_id in enumerate(events, start=1)}


def fused(rankings: Iterable[Sequence[tuple[str, float]]]) -> list[str]:
    """Refs by reciprocal rank fusion, best first; equal ones by ref."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, (ref, _) in enumerate(ranking, start=1):
            scores[ref] = scores.get(ref, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=lambda ref: (-scores[ref], ref))


def _with_nearby(own: Mapping[int, float], places: Ints, order: Ints, shares: Sequence[float]) -> Floats:
    """Every note's own score and the shares of its neighbours'; -1 for one not found itself that gets nothing."""
    scores = np.zeros(len(places))
    scores[list(own)] = list(own.values())
    total, ordered = scores.copy(), places[order]
    for distance, share in enumerate(shares, start=1):
        for beside in (places - distance, places + distance):
            near = np.minimum(np.searchsorted(ordered, beside), len(ordered) - 1)
            total += share * np.where(ordered[near] == beside, scores[order[near]], 0.0)
    is_found = np.zeros(len(places), dtype=bool)
    is_found[list(own)] = True
    return np.where(is_found | (total > 0.0), total, _NOTHING)


def _reciprocal(scores: Floats, order: Ints) -> Floats:
    """1 / (k + rank) by score, equal ones by place; 0 for notes that are not ranked."""
    ranked = order[np.argsort(-scores[order], kind="stable")]
    made = np.zeros(len(scores))
    made[ranked] = 1.0 / (RRF_K + np.arange(1, len(scores) + 1))
    return np.where(scores == _NOTHING, 0.0, made)


def _by_run(scores: Floats, runs: Sequence[int], best: int) -> list[float]:
    """For each note 1 / (k + rank) of its run, by the sum of the run's best notes; equal ones by run."""
    held: dict[int, list[float]] = {}
    for run, score in zip(runs, scores.tolist(), strict=True):
        held.setdefault(run, []).append(score)
    worth = {run: sum(sorted(found, reverse=True)[:best]) for run, found in held.items()}
    ranks = {run: rank for rank, run in enumerate(sorted(worth, key=lambda run: (-worth[run], run)), start=1)}
    return [1.0 / (RRF_K + ranks[run]) for run in runs]


def _of_events(
    events: Iterable[str], sources: Callable[[str], Sequence[MessageKey]], numbers: Mapping[MessageKey, int]
) -> list[int]:
    """The found notes that found events rest on, in the order of the events."""
    keys = (key for event_id in events for key in sources(event_id))
    return list(dict.fromkeys(numbers[key] for key in keys if key in numbers))
