"""Which notes are about a question: four rankings fused by reciprocal rank, R_k(q) of Eq. 13 and C_note of Eq. 21.

Two rankings of the notes themselves, by meaning and by words, each with a share of what was said just before and after:
who answers a question seldom repeats its words. One of the events, whose texts read alone, told to the notes they rest
on. One of the runs of talk, by the best notes in each. Notes the asked person said count more. The paper's plain
cosine is ``Relevance(sparse=False, nearby=(), events=0, runs=0, speaker=1)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from schemas.ids import MessageKey
from views.reader import Messages, MessageText
from views.vectors.ranking import RRF_K
from views.vectors.refs import note_key

from .ports import Rankings


class Relevance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Weights of the fused ranking of notes. Chosen once on three public conversations, looked at on three others.

    Attributes:
        dense, sparse: whether the ranking counts.
        nearby: share of the score of notes one and two places before and after, in the same run.
        events: weight of the ranking of events beside those of the notes, which have 1.
        runs: weight of the ranking of runs.
        run_notes: notes of a run that tell how good it is.
        speaker: factor for notes said by a person the question names.
        recency: of a question about a change, how much more the last of the found notes counts than the first.
    """

    dense: bool = True
    sparse: bool = True
    nearby: tuple[float, ...] = (0.3, 0.15)
    events: float = 0.5
    runs: float = 0.5
    run_notes: int = 3
    speaker: float = 1.6
    recency: float = 0.4


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note that may be shown; ``score`` of the fused ranking, ``cosine`` where it was found by meaning."""

    key: MessageKey
    text: MessageText
    score: float
    cosine: float | None


_Spot = tuple[str, int, int]
"""A note by its place: conversation, run, number."""


def rank_notes(
    found: Rankings,
    events: Iterable[str],
    sources: Callable[[str], Sequence[MessageKey]],
    names: Collection[str],
    messages: Messages,
    weights: Relevance,
    *,
    of_change: bool = False,
) -> list[Note]:
    """The found notes that may be shown, best first, equal ones in the order they were said.

    Args:
        found: the two rankings of notes. Cosines count from the worst one found: what was not found adds nothing.
        events: events by similarity, best first.
        sources: the notes an event rests on.
        names: participants the question names.
        messages: of the space.
        weights: see there.
        of_change: the question asks how something changed.
    """
    texts: dict[_Spot, MessageText] = {}
    cosines = _placed(found.dense if weights.dense else (), messages, texts)
    words = _placed(found.sparse if weights.sparse else (), messages, texts)
    worst = min((score for _, score in found.dense), default=0.0)
    above = {spot: cosine - worst for spot, cosine in cosines.items()}
    scores: dict[_Spot, float] = {}
    for ranking in (above, words):
        _add(scores, _with_nearby(ranking, texts, weights.nearby), 1.0)
    by_run = _runs(scores, weights.run_notes)
    by_event = _of_events(events, sources, messages)
    for spot in scores:
        scores[spot] += weights.runs / (RRF_K + by_run[spot[:2]])
        if spot in by_event:
            scores[spot] += weights.events / (RRF_K + by_event[spot])
    age = _by_time(texts, weights.recency) if of_change else {}
    wanted = {name.casefold() for name in names}
    notes: list[Note] = []
    for spot, score in scores.items():
        text = texts[spot]
        factor = weights.speaker if text.speaker.casefold() in wanted else 1.0
        factor *= 1.0 + age.get(spot, 0.0)
        key = MessageKey(text.conversation_id, text.message_id)
        notes.append(Note(key=key, text=text, score=score * factor, cosine=cosines.get(spot)))
    notes.sort(key=lambda note: (-note.score, note.text.sent_at, note.text.seq, note.key))
    return notes


def fused(rankings: Iterable[Sequence[tuple[str, float]]]) -> list[str]:
    """Refs by reciprocal rank fusion, best first; equal ones by ref."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, (ref, _) in enumerate(ranking, start=1):
            scores[ref] = scores.get(ref, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=lambda ref: (-scores[ref], ref))


def _placed(
    ranking: Iterable[tuple[str, float]], messages: Messages, texts: dict[_Spot, MessageText]
) -> dict[_Spot, float]:
    """Scores by place, of notes that may be shown; notes their texts in ``texts``."""
    placed: dict[_Spot, float] = {}
    for ref, score in ranking:
        key = note_key(ref)
        text, spot = messages.message(key), messages.spot(key)
        if text is not None and spot is not None:
            at = (key.conversation_id, spot.run, spot.number)
            placed[at] = score
            texts[at] = text
    return placed


def _by_time(texts: Mapping[_Spot, MessageText], most: float) -> Mapping[_Spot, float]:
    """From 0 for the note said first to nearly ``most`` for the one said last."""
    ordered = sorted(texts, key=lambda spot: (texts[spot].sent_at, texts[spot].seq, spot))
    return {spot: most * position / len(ordered) for position, spot in enumerate(ordered)}


def _with_nearby(scores: Mapping[_Spot, float], places: Iterable[_Spot], shares: Sequence[float]) -> dict[_Spot, float]:
    """Every place's own score and the shares of its neighbours'; a place that gets nothing is not there."""
    made: dict[_Spot, float] = {}
    get = scores.get
    for spot in places:
        conversation, run, number = spot
        total = get(spot, 0.0)
        for distance, share in enumerate(shares, start=1):
            before, after = (conversation, run, number - distance), (conversation, run, number + distance)
            total += share * (get(before, 0.0) + get(after, 0.0))
        if total > 0.0 or spot in scores:
            made[spot] = total
    return made


def _add(scores: dict[_Spot, float], ranking: Mapping[_Spot, float], weight: float) -> None:
    for rank, spot in enumerate(sorted(ranking, key=lambda spot: (-ranking[spot], spot)), start=1):
        scores[spot] = scores.get(spot, 0.0) + weight / (RRF_K + rank)


def _runs(scores: Mapping[_Spot, float], best: int) -> Mapping[tuple[str, int], int]:
    """Ranks of the runs, by the sum of their best notes."""
    runs: dict[tuple[str, int], list[float]] = {}
    for (conversation, run, _), score in scores.items():
        runs.setdefault((conversation, run), []).append(score)
    worth = {run: sum(sorted(found, reverse=True)[:best]) for run, found in runs.items()}
    return {run: rank for rank, run in enumerate(sorted(worth, key=lambda run: (-worth[run], run)), start=1)}


def _of_events(
    events: Iterable[str], sources: Callable[[str], Sequence[MessageKey]], messages: Messages
) -> Mapping[_Spot, int]:
    """Ranks of the notes that found events rest on."""
    ranks: dict[_Spot, int] = {}
    for event_id in events:
        for key in sources(event_id):
            spot = messages.spot(key)
            if spot is not None:
                ranks.setdefault((key.conversation_id, spot.run, spot.number), len(ranks) + 1)
    return ranks
