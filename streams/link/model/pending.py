"""Questions about pairs that wait for their replies, and how a reply moves one on. No state is touched here."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.asking import ModelReplied, ReadOutcome
from schemas.ids import SpaceKey

from ...llm.asking import Model, ask_id
from .question import PAIRS_MAX, AskedPair, chunks, judge_of, question
from .reading import Reading, read_reply

ATTEMPTS = 2
"""For a pair: once, and once more with what was wrong."""


class PendingQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that was asked, and of whom. ``problem``: of the first answer, when this is the second attempt."""

    ask_id: str
    session_id: str
    pairs: tuple[AskedPair, ...]
    attempt: int
    problem: str
    judge: str = ""


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """After a reply: what it says, the questions that follow, and the pairs that are given up."""

    reading: Reading
    asked: tuple[PendingQuestion, ...]
    given_up: tuple[AskedPair, ...]
    outcome: ReadOutcome


def questions(
    model: Model, space: SpaceKey, session_id: str, pairs: Sequence[AskedPair], size: int = PAIRS_MAX
) -> tuple[PendingQuestion, ...]:
    """What to ask about pairs of a session: one question, or several where there are very many pairs."""
    return tuple(_pending(model, space, session_id, part, attempt=1, problem="") for part in chunks(pairs, size))


def move_on(model: Model, space: SpaceKey, pending: PendingQuestion, reply: ModelReplied) -> Moved:
    """Take in the reply. What has a verdict keeps it; the rest is asked in halves when the reply was cut off, once more
    when it was wrong, and then given up: the rules' verdict stands."""
    reading = read_reply(reply, pending.pairs)
    rest = reading.rest
    if not rest:
        return Moved(reading=reading, asked=(), given_up=(), outcome="done")
    if reply.outcome == "length" and len(pending.pairs) > 1:
        size = max(1, -(-len(pending.pairs) // 2))
        halves = questions(model, space, pending.session_id, rest, min(size, len(rest)))
        return Moved(reading=reading, asked=halves, given_up=(), outcome="split")
    if pending.attempt < ATTEMPTS:
        again = _pending(model, space, pending.session_id, rest, attempt=pending.attempt + 1, problem=reading.problem)
        return Moved(reading=reading, asked=(again,), given_up=(), outcome="retried")
    return Moved(reading=reading, asked=(), given_up=rest, outcome="parked")


def _pending(
    model: Model, space: SpaceKey, session_id: str, pairs: tuple[AskedPair, ...], *, attempt: int, problem: str
) -> PendingQuestion:
    asked = ask_id(space, session_id, question(model, pairs, problem), *(pair.key for pair in pairs))
    return PendingQuestion(
        ask_id=asked, session_id=session_id, pairs=pairs, attempt=attempt, problem=problem, judge=judge_of(model)
    )
