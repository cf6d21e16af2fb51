"""A model for the cases that damage one: an endpoint on this machine that gives scripted replies. It holds no model.

Good replies are made from what is asked: every part of a message between commas is one statement, and the last
statement changes the first. The case says which replies are damaged, and how.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from .case import Case
from .endpoint import Answer, Body, completion, is_probe, no_choices

_PARTS = re.compile(r",\s*(?:and\s+)?|[.!]\s*")
_CUT_IN = 3
"""The object in which a truncated reply ends."""
_NOT_SHOWN = 99
"""Number of a message or pair that no question has."""
_REFUSAL = "I'm sorry, I cannot help with that request."
_BEFORE, _AFTER = "Sure, here is the JSON you asked for:\n```json\n", "\n```\nI hope this helps."


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """``llm_fault`` of a case: the first ``times`` replies of a stage about a message are damaged so."""

    stage: str
    kind: str
    on_message: str
    times: int


class Script:
    """What the endpoint says to each question; the faults are used up in order.

    Args:
        case: its messages are what is asked about.
        fault: what is damaged; None damages nothing.
    """

    def __init__(self, case: Case, fault: Fault | None) -> None:
        self._contents = {message.message_id: message.text for message in case.messages}
        self._first = parts(case.messages[0].text)[0]
        self._last = case.messages[-1].text
        self._fault = fault
        self._left = fault.times if fault is not None else 0

    def reply(self, body: Body, before: int) -> Answer:
        """The reply to a request; ``before``: how many there were, which changes nothing."""
        if is_probe(body):
            return completion('{"ok": true}')
        asked = json.loads(body["messages"][1]["content"])
        stage, field = ("link", "verdicts") if "pairs" in asked else ("extract", "events")
        good = self._verdicts(asked) if stage == "link" else self._events(asked)
        if self._is_damaged(stage, asked):
            self._left -= 1
            return damaged(self._fault.kind if self._fault is not None else "", field, good)
        return completion(json.dumps({field: good}))

    def _is_damaged(self, stage: str, asked: Body) -> bool:
        if self._fault is None or not self._left or stage != self._fault.stage:
            return False
        wanted = self._contents[self._fault.on_message]
        shown = asked["statements"] if stage == "link" else asked["messages"]
        return any(one["text"] in wanted for one in shown if not one.get("context"))

    def _events(self, asked: Body) -> list[Body]:
        fresh = [message for message in asked["messages"] if not message.get("context")]
        return [_event(message, quote) for message in fresh for quote in parts(message["text"])]

    def _verdicts(self, asked: Body) -> list[Body]:
        texts = {one["n"]: one["text"] for one in asked["statements"]}
        return [
            _verdict(pair["pair"], changed=texts[pair["earlier"]] == self._first and texts[pair["later"]] in self._last)
            for pair in asked["pairs"]
        ]


def parts(text: str) -> list[str]:
    """The statements of a message, word by word as they stand in it."""
    return [part for part in _PARTS.split(text) if part.strip()]


def damaged(kind: str, field: str, good: list[Body]) -> Answer:
    """A good reply, damaged.

    Raises:
        ValueError: nobody knows this kind of damage.
    """
    whole = json.dumps({field: good})
    match kind:
        case "truncated_json":
            kept = json.dumps({field: good[: _CUT_IN - 1]}).removesuffix("]}")
            broken = json.dumps(good[min(_CUT_IN, len(good)) - 1])
            return completion(f"{kept}, {broken[: len(broken) // 2]}", "length")
        case "refusal_prose":
            return completion(_REFUSAL)
        case "unknown_enum":
            name = "verdict" if field == "verdicts" else "type"
            return completion(json.dumps({field: [good[0] | {name: "musing"}, *good[1:]]}))
        case "index_out_of_range":
            off = {"pair": _NOT_SHOWN} if field == "verdicts" else {"sources": _elsewhere(good[0])}
            return completion(json.dumps({field: [good[0] | off, *good[1:]]}))
        case "empty_choices":
            return no_choices()
        case "prose_and_code_fence":
            return completion(f"{_BEFORE}{whole}{_AFTER}")
        case _:
            raise ValueError(f"no such damage: {kind!r}")


def _elsewhere(event: Mapping[str, Any]) -> list[Body]:
    return [source | {"message": _NOT_SHOWN} for source in event["sources"]]


def _event(message: Body, quote: str) -> Body:
    return {
        "type": "state_change", "subject": message["speaker"], "participants": [message["speaker"]],
        "modality": "asserted", "polarity": "affirmed", "attribute": None, "value": None, "when": None,
        "tense": "present", "holds": True, "sources": [{"message": message["n"], "quote": quote}], "confidence": 0.9,
    }  # fmt: skip


def _verdict(pair: int, *, changed: bool) -> Body:
    verdict = "change" if changed else "none"
    return {"pair": pair, "reason": "scripted", "verdict": verdict, "confidence": 0.9}
