"""Sessions, scripted replies and a driver for tests of what a model is asked. No model says any of this."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from schemas.asking import ModelAsked, ModelReplied, ReplyOutcome, ReplyRead
from schemas.entry import Entry
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.messages import Role
from schemas.record import Record
from schemas.sessions import SessionRevised
from schemas.times import US_PER_MINUTE
from schemas.topics import TopicName
from streams.distil.model.stage import ModelDistilStage
from streams.distil.offline import OfflineDistiller
from streams.llm.asking import Model
from streams.ports import Output, StageState
from streams.state import MemoryState
from tests.kit.sessions import revised
from tests.kit.sessions import said as said_at

SPACE = SpaceKey("t", "s")
MODEL = Model(name="scripted")
SENT = 1_710_496_800_000_000
"""Friday 2024-03-15 10:00 UTC."""


def said(content: str, speaker: str = "Odile", role: Role = "user") -> dict[str, Any]:
    """A message of a session, to be numbered by ``session``."""
    return {"content": content, "speaker": speaker, "role": role}


def session(
    *messages: dict[str, Any], revision: int = 9, open: bool = False, session_id: str = "x", space: SpaceKey = SPACE
) -> SessionRevised:
    """A session of one conversation, a message a minute."""
    listed = [
        said_at(i, SENT + i * US_PER_MINUTE, message_id=f"{session_id}-m{i}", **message)
        for i, message in enumerate(messages)
    ]
    return revised(
        listed, tenant=space.tenant, space=space.space, session_id=session_id, revision=revision, open=open,
        covers=len(messages), learned_at=SENT,
    )  # fmt: skip


def found(number: int, quote: str, **changes: Any) -> dict[str, Any]:
    """An object of a reply: a state of Odile's that rests on message ``number``, unless changed."""
    fields: dict[str, Any] = {
        "type": "state_change", "subject": "Odile", "participants": ["Odile"], "modality": "asserted",
        "polarity": "affirmed", "attribute": None, "value": None, "when": None, "tense": "present", "holds": True,
        "sources": [{"message": number, "quote": quote}], "confidence": 0.9,
    }  # fmt: skip
    return fields | changes


def events_text(*objects: Any) -> str:
    """A whole reply about a session."""
    return json.dumps({"events": list(objects)})


def replied(
    asked: ModelAsked, text: str, outcome: ReplyOutcome = "stop", at: int = SENT, **changes: Any
) -> ModelReplied:
    """A reply to a question."""
    fields: dict[str, Any] = {
        "error": "", "model": "scripted-1", "via": "live", "calls": 1, "prompt_tokens": 100, "completion_tokens": 20,
        "cost_usd": 0.001,
    }  # fmt: skip
    return ModelReplied(
        tenant=asked.tenant, space=asked.space, stage=asked.stage, ask_id=asked.ask_id, session_id=asked.session_id,
        about=asked.about, outcome=outcome, text=text, at=at, **(fields | changes),
    )  # fmt: skip


class Distilling:
    """The distil stage with a model on a state in memory, and everything that came of it."""

    def __init__(self, model: Model = MODEL) -> None:
        self.stage = ModelDistilStage(OfflineDistiller(), model)
        self.state: StageState = MemoryState()
        self.out: list[Record] = []
        self._offsets: dict[TopicName, int] = {}

    def take(self, record: Record, topic: TopicName = "sessions") -> list[Output]:
        """Fold a record; returns what came of it."""
        offset = self._offsets[topic] = self._offsets.get(topic, -1) + 1
        made = list(
            self.stage.apply(Entry(topic=topic, partition=0, offset=offset, record=record), self.state, now=SENT)
        )
        self.out += [output.record for output in made]
        return made

    def ask(self, one: SessionRevised) -> list[ModelAsked]:
        """Fold a session; returns the questions that came of it."""
        return asks(self.take(one))

    def answer(self, asked: ModelAsked, text: str, outcome: ReplyOutcome = "stop", **changes: Any) -> list[ModelAsked]:
        """Fold a reply; returns the questions that came of it."""
        return asks(self.take(replied(asked, text, outcome, **changes), "replies"))

    def of(self, kind: type[Any]) -> list[Any]:
        """What came out, of one type."""
        return [record for record in self.out if isinstance(record, kind)]

    @property
    def sets(self) -> list[EventsDistilled]:
        """The model's sets."""
        return [s for s in self.of(EventsDistilled) if s.producer == self.stage.producer]

    @property
    def read(self) -> list[ReplyRead]:
        """What was made of the replies."""
        return self.of(ReplyRead)


def asks(outputs: Sequence[Output]) -> list[ModelAsked]:
    """The questions among outputs."""
    return [output.record for output in outputs if isinstance(output.record, ModelAsked)]
