"""Which paths support an answer: the evidence trace of section II-G, made after the answer and changing nothing in it.

    T(pi) = w_a AS + w_q QS + w_c PC + w_t TC + b(pi)

The paper names the terms, not the formula nor the weights; ``QuerySettings`` has ours. Beyond the paper the trace says
whether anything supports the answer at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from views.vectors.sparse import STOP_WORDS, term_id, words

from .api import Path, Trace, TracedPath
from .score import neural_relevance
from .settings import QuerySettings

_ENTITY = re.compile(r"\b(?:[A-Z][\w’'-]*|\d[\w:.-]*\w|\d)")


def trace(
    question: str,
    answer: str,
    paths: Sequence[Path],
    texts: Mapping[str, str],
    to_answer: Mapping[str, float],
    to_question: Mapping[str, float],
    settings: QuerySettings,
) -> Trace:
    """Trace an answer. Ties by the paths' events.

    Args:
        question: as it was put.
        answer: as it was given.
        paths: of the query, with PC and TC of Eq. 18-19.
        texts: what each event says, with its day.
        to_answer: cosine of each event with the answer; AS is their mean over a path, as NS is in Eq. 17.
        to_question: the same with the question; gives QS.
        settings: weights, and the limit that tells support from none (``known_support``).
    """
    said, entities = terms_of(answer), entities_of(answer)
    pair = said | terms_of(question)
    found: list[tuple[float, TracedPath]] = []
    for path in paths:
        told = terms_of(" ".join(texts.get(event_id, "") for event_id in path.events))
        if not told & pair:
            continue  # "clearly irrelevant": not one word of question or answer is in it
        scored = _scored(path, to_answer, to_question, _share(entities, told), settings)
        support = scored.answer_similarity + settings.coverage_weight * _share(said, told)
        found.append((support if told & said else 0.0, scored))
    best = max((support for support, _ in found), default=0.0)
    order = sorted((path for _, path in found), key=lambda path: (-path.score, path.events))
    return Trace(supported=best >= settings.known_support, support=best, paths=tuple(order[: settings.trace_paths]))


def terms_of(text: str) -> frozenset[int]:
    """The content words of a text, as term ids."""
    return frozenset(term_id(word) for word in words(text) if word not in STOP_WORDS)


def entities_of(answer: str) -> frozenset[int]:
    """Names and numbers of an answer: what is written with a capital or a digit. A first word counts as well."""
    return terms_of(" ".join(_ENTITY.findall(answer)))


def _scored(
    path: Path, to_answer: Mapping[str, float], to_question: Mapping[str, float], share: float, s: QuerySettings
) -> TracedPath:
    answer_similarity = neural_relevance([to_answer.get(event_id, 0.0) for event_id in path.events])
    question_similarity = neural_relevance([to_question.get(event_id, 0.0) for event_id in path.events])
    bonus = s.trace_bonus * share
    score = s.trace_answer * answer_similarity + s.trace_question * question_similarity
    score += s.trace_confidence * path.pc + s.trace_time * path.tc + bonus
    return TracedPath(
        events=path.events, steps=path.steps, score=score, answer_similarity=answer_similarity,
        question_similarity=question_similarity, pc=path.pc, tc=path.tc, bonus=bonus,
    )  # fmt: skip


def _share(wanted: frozenset[int], told: frozenset[int]) -> float:
    """The part of the wanted terms that is told; 0 when none is wanted."""
    return len(wanted & told) / len(wanted) if wanted else 0.0
