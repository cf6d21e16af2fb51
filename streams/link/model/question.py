"""Pairs as one question: each statement once, numbered, and the pairs that name two of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from schemas.asking import Prompt
from schemas.events import Event
from schemas.ids import digest
from schemas.times import calendar_time

from ...classify.protocol import Pair
from ...llm.asking import Model, make_prompt, producer_name, prompt_hash
from ...llm.prompts import link as words
from ...llm.schema import reply_schema
from .reply import LinkReply

RULES_VERSION = 2
"""Raise it with every change of how pairs are shown or an answer is read: it is part of the prompt's hash."""

PAIRS_MAX = 80
"""Of one question: its answer takes about 40 tokens a pair, well below the limit of a reply. A session of the longest
conversations we have leaves some 50 pairs open."""


class AskedPair(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A pair in a question: the two statements, and the key its verdict is kept under."""

    key: str
    newer: Event
    older: Event


def link_hash() -> str:
    """Of everything that shapes a question apart from the pairs."""
    return prompt_hash(words.SYSTEM, words.AGAIN, reply_schema(LinkReply), f"{RULES_VERSION}/{PAIRS_MAX}")


def judge_of(model: Model) -> str:
    """Name of the judge that a model with this prompt is."""
    return producer_name(model, link_hash())


def asked_pair(pair: Pair, judge: str) -> AskedPair:
    """A pair by what is shown of it and to whom: a verdict counts as long as both statements read the same, and for the
    model and prompt that gave it. Another one is asked itself."""
    return AskedPair(key=pair_key(pair.newer, pair.older, judge), newer=pair.newer, older=pair.older)


def pair_key(newer: Event, older: Event, judge: str) -> str:
    """What a verdict on two statements is kept under."""
    return digest("pair", judge, json.dumps([_shown(newer), _shown(older)], ensure_ascii=False))


def in_order(pairs: Iterable[AskedPair]) -> list[AskedPair]:
    """Each once, in an order that depends on the pairs alone."""
    by_key = {pair.key: pair for pair in pairs}
    return sorted(by_key.values(), key=lambda p: (p.newer.stated, p.newer.id, p.older.stated, p.older.id, p.key))


def chunks(pairs: Sequence[AskedPair], size: int = PAIRS_MAX) -> list[tuple[AskedPair, ...]]:
    """As few questions as possible, of about equal length."""
    count = -(-len(pairs) // size)
    return [tuple(pairs[len(pairs) * n // count : len(pairs) * (n + 1) // count]) for n in range(count)]


def question(model: Model, pairs: Sequence[AskedPair], problem: str = "") -> Prompt:
    """What is asked about the pairs, which are numbered from 1 in their order."""
    numbers: dict[str, int] = {}
    shown: list[dict[str, Any]] = []
    for event in (event for pair in pairs for event in (pair.older, pair.newer)):
        if event.id not in numbers:
            numbers[event.id] = len(numbers) + 1
            shown.append({"n": numbers[event.id]} | _shown(event))
    listed = [
        {"pair": number, "earlier": numbers[pair.older.id], "later": numbers[pair.newer.id]}
        for number, pair in enumerate(pairs, start=1)
    ]
    data = {"statements": shown, "pairs": listed}
    return make_prompt(
        model,
        system=words.SYSTEM,
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
        schema_name=words.__name__.rpartition(".")[2],
        schema=reply_schema(LinkReply),
        problem=words.AGAIN.format(problem=problem) if problem else "",
    )


def _shown(event: Event) -> dict[str, Any]:
    """A statement as data. What is unknown is left out; days are UTC."""
    told = "planned" if event.modality == "planned" else "so" if event.holds else "over"
    shown: dict[str, Any] = {
        "said": calendar_time(event.stated.sent_at).strftime("%Y-%m-%d %H:%M"),
        "by": event.speaker,
        "about": event.subject,
        "type": event.type,
        "told_as": f"not {told}" if event.polarity == "negated" else told,
        "attribute": event.attribute,
        "value": event.value,
        "time": None if event.anchor.resolution == "message_time" else _span(event),
        "text": event.text,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _span(event: Event) -> str:
    start, until = calendar_time(event.anchor.start), calendar_time(event.anchor.until)
    return f"{start:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M}"
