"""A driver for tests of linking with a model, and scripted replies about pairs. No model says any of this."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from schemas.asking import ModelAsked, ReplyOutcome
from schemas.entry import Entry
from schemas.record import Record
from schemas.topics import TopicName
from streams.classify.offline import OfflineClassifier
from streams.link.definition import edges_of
from streams.link.live import live_sets
from streams.link.model.stage import ModelLinkStage
from streams.llm.asking import Model
from streams.ports import Output
from tests.kit.asking import asks, replied
from tests.kit.linking import ENCODER, SPACE, Linking

MODEL = Model(name="scripted")
DISTILLER = "p1"


class Judging(Linking):
    """The link stage with a model on a state in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.offsets: dict[TopicName, int] = {}
        self.asked: list[ModelAsked] = []

    @staticmethod
    def restarted(model: Model = MODEL) -> Any:
        return ModelLinkStage(OfflineClassifier(), ENCODER, model, DISTILLER)

    def take(self, record: Record, topic: TopicName = "events") -> list[ModelAsked]:
        """Fold a record; returns the questions that came of it."""
        offset = self.offsets[topic] = self.offsets.get(topic, -1) + 1
        entry = Entry(topic=topic, partition=0, offset=offset, record=record)
        made: list[Output] = list(self.stage.apply(entry, self.state, now=0))
        self.published += [output.record for output in made]
        self.asked += asks(made)
        return asks(made)

    def answer(self, asked: ModelAsked, text: str, outcome: ReplyOutcome = "stop") -> list[ModelAsked]:
        """Fold a reply; returns the questions that came of it."""
        return self.take(replied(asked, text, outcome), "replies")

    def of(self, kind: type[Any]) -> list[Any]:
        """What came out, of one type."""
        return [record for record in self.published if isinstance(record, kind)]

    def defined(self) -> dict[str, Any]:
        """What the definition says, under the verdicts recorded by now."""
        stage = self.restarted()
        stage._bind(SPACE, self.state)
        space = stage._links.space(SPACE, self.state)
        every = edges_of(SPACE, live_sets(space.held.values(), space.ruling), stage._cascade)
        return {session: edges for session, edges in every.items() if edges}


def shown(asked: ModelAsked) -> list[tuple[str, str]]:
    """The pairs of a question, in order: (earlier, later) by their texts."""
    data = json.loads(asked.prompt.messages[1].content)
    texts = {statement["n"]: statement["text"] for statement in data["statements"]}
    return [(texts[pair["earlier"]], texts[pair["later"]]) for pair in data["pairs"]]


def verdicts(*named: Any) -> str:
    """A whole reply: verdicts on pairs 1, 2, … or, where given, objects as they are."""
    objects = [one if isinstance(one, dict) else verdict(number, one) for number, one in enumerate(named, start=1)]
    return json.dumps({"verdicts": objects})


def verdict(pair: int, name: str, **changes: Any) -> dict[str, Any]:
    """One verdict."""
    return {"pair": pair, "reason": "So it reads.", "verdict": name, "confidence": 0.75} | changes


def by_text(asked: ModelAsked, judge: Callable[[str, str], str]) -> str:
    """A whole reply that judges each pair by its two texts."""
    return verdicts(*(judge(earlier, later) for earlier, later in shown(asked)))
