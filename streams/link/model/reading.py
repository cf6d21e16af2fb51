"""One reply about pairs, read: verdicts by pair, and the pairs that got none."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.asking import ModelReplied

from ...llm.salvage import salvage
from .cascade import KnownVerdict
from .question import AskedPair
from .reply import FIELD, PairVerdict

PROBLEM_CHARS = 300


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply holds.

    Attributes:
        verdicts: by the pairs' keys; of two on one pair the first.
        rest: pairs without a verdict, in their order.
        invalid: objects of another form, or about pairs that were not asked about.
        problem: what is wrong; empty when every pair has its verdict.
    """

    verdicts: dict[str, KnownVerdict]
    rest: tuple[AskedPair, ...]
    invalid: int
    problem: str


def verdicts_in(reply: ModelReplied) -> tuple[dict[str, KnownVerdict], list[str], str]:
    """Verdicts by the pairs' keys, which the reply carries; what is wrong with other objects, and with the whole.

    Never raises on any text.
    """
    found = salvage(reply.text, FIELD, PairVerdict)
    verdicts: dict[str, KnownVerdict] = {}
    wrong = list(found.wrong)
    for item in found.items:
        if not 1 <= item.pair <= len(reply.about):
            wrong.append(f"there is no pair {item.pair}")
        else:
            known = KnownVerdict(state="answered", verdict=item.verdict, reason=item.reason, confidence=item.confidence)
            verdicts.setdefault(reply.about[item.pair - 1], known)
    return verdicts, wrong, found.problem


def read_reply(reply: ModelReplied, pairs: Sequence[AskedPair]) -> Reading:
    """Read a reply about pairs."""
    verdicts, wrong, broken = verdicts_in(reply)
    rest = tuple(pair for pair in pairs if pair.key not in verdicts)
    problem = _problem(reply, broken, wrong, rest)
    return Reading(verdicts=verdicts, rest=rest, invalid=len(wrong), problem=problem)


def _problem(reply: ModelReplied, broken: str, wrong: Sequence[str], rest: Sequence[AskedPair]) -> str:
    """Nothing is wrong with a reply that has a verdict on every pair, whatever else is in it."""
    if not rest:
        return ""
    match reply.outcome:
        case "length":
            return "it was cut off at the limit of its length"
        case "refusal":
            return f"it was refused: {reply.error}"[:PROBLEM_CHARS]
        case "empty":
            return "there was nothing in it"
        case _:
            told = broken or "; ".join(wrong) or f"{len(rest)} pairs have no verdict"
            return told[:PROBLEM_CHARS]
