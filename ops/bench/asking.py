"""``bench asking``: how often a model is asked, and with how many tokens, as the history grows. No model is reached.

Each session says one thing of the same boat as all those before it, so that there is always something to compare: the
worst that a history can do. The stages are those of production, in memory. The replies are made here, one statement for
each session and no relation for any pair: they show what asking costs, and nothing about anybody's quality.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ops.llm.completion import CHARS_PER_TOKEN
from ops.llm.settings import LlmSettings
from ops.llm.stages import distil_stage, link_stage
from ops.pipeline import StageRunner
from ops.settings import Settings
from schemas.asking import AskWithdrawn, ModelAsked, ModelReplied
from schemas.codec import decode, encode
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.sessions import SessionMessage, SessionRevised
from schemas.times import US_PER_DAY
from schemas.topics import TopicName
from streams.llm.desk import Spent
from streams.log.memory import MemoryLog
from streams.ports import Encoder

SPACE = SpaceKey("bench", "asking")
BEGIN = 1_900_000_000_000_000
SPEAKER = "Ragna"
SYLLABLES = ("bor", "dal", "fen", "gus", "hol", "kar", "lim", "mos", "nor", "pil")


REFERENCE = (
    "beside it, the reference with gpt-4o-mini on LoCoMo: up to ten calls an event (its code) and 7.45 s of building, "
    "8.4 events a session (the paper's Table V; it has no tokens of building, and 3,719 tokens a question)"
)
"""What is known of the system this one is measured against."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be measured. ``sessions``: lengths of the history, each told by itself."""

    sessions: tuple[int, ...] = (1, 10, 100, 1_000)


def measure(asked: Asked, encoder: Encoder, say: Callable[[str], None]) -> Mapping[str, float]:
    """Per length of the history: calls a session (mean, and most of any), tokens a session and an event.

    Args:
        asked: see there.
        encoder: for the gate.
        say: told how far it is.
    """
    history, metrics = History(encoder), dict[str, float]()
    most = 0
    for number in range(1, max(asked.sessions) + 1):
        before = history.spent.calls
        history.add(number)
        most = max(most, history.spent.calls - before)
        if number in asked.sessions:
            say(f"{number} sessions")
            metrics |= {
                f"calls_per_session_{number}": history.spent.calls / number,
                f"calls_most_{number}": most,
                f"tokens_per_session_{number}": history.spent.tokens / number,
                f"tokens_per_event_{number}": history.spent.tokens / history.events,
            }
    return metrics


class History:
    """A space that grows by sessions, each read to the end before the next.

    Attributes:
        spent: on all questions so far; tokens by characters.
        events: that the replies held.
    """

    def __init__(self, encoder: Encoder) -> None:
        settings = Settings(llm=LlmSettings(model="scripted"))
        self._log = MemoryLog()
        stages = (distil_stage(settings), link_stage(settings, encoder))
        self._runners = [StageRunner(self._log, stage, settings.stage_batch_records) for stage in stages]
        self._read = 0
        self.spent = Spent()
        self.events = 0

    def add(self, number: int) -> None:
        """The next session, and all questions that come of it."""
        self._append("sessions", _session(number))
        self._settle()
        while open_now := self._new_asks():
            for ask in open_now:
                reply = _replied(ask)
                self.spent = self.spent.plus(reply)
                self.events += ask.stage == "distil"
                self._append("replies", reply)
            self._settle()

    def _settle(self) -> None:
        while sum(runner.step(BEGIN) for runner in self._runners):
            pass

    def _new_asks(self) -> list[ModelAsked]:
        asked: dict[str, ModelAsked] = {}
        for raw in self._log.read_space("asks", SPACE, self._read):
            self._read = raw.offset + 1
            record = decode("asks", raw.value)
            if isinstance(record, ModelAsked):
                asked[record.ask_id] = record
            elif isinstance(record, AskWithdrawn):
                asked.pop(record.ask_id, None)
        return list(asked.values())

    def _append(self, topic: TopicName, record: Record) -> None:
        with self._log.batch() as batch:
            batch.append(topic, SPACE, encode(record), BEGIN)


def _session(number: int) -> SessionRevised:
    sent_at = BEGIN + number * US_PER_DAY
    message = SessionMessage(
        message_id=f"m{number}", speaker_id=None, speaker=SPEAKER, role="user", sent_at=sent_at, utc_offset_min=0,
        tz=None, seq=0, offset=number, content=f"The green rowing boat lies near {_place(number)} now.",
    )  # fmt: skip
    return SessionRevised(
        tenant=SPACE.tenant, space=SPACE.space, conversation_id="c", session_id=f"s{number}", revision=1, open=False,
        messages=(message,), covers=number, learned_at=sent_at,
    )  # fmt: skip


def _place(number: int) -> str:
    """A name of its own for each number: another figure for the same is nothing that the rules would ask about."""
    first, rest = number % len(SYLLABLES), number // len(SYLLABLES)
    more = _place(rest).lower() if rest else ""
    return f"{SYLLABLES[first]}{more}".capitalize()


def _replied(ask: ModelAsked) -> ModelReplied:
    data = json.loads(ask.prompt.messages[1].content)
    text = json.dumps(_found(data) if ask.stage == "distil" else _nothing(data))
    asked = sum(len(message.content) for message in ask.prompt.messages) + len(ask.prompt.schema)
    return ModelReplied(
        tenant=ask.tenant, space=ask.space, stage=ask.stage, ask_id=ask.ask_id, session_id=ask.session_id,
        about=ask.about, outcome="stop", text=text, error="", model="scripted", via="live", calls=1,
        prompt_tokens=-(-asked // CHARS_PER_TOKEN), completion_tokens=-(-len(text) // CHARS_PER_TOKEN), cost_usd=0.0,
        at=BEGIN,
    )  # fmt: skip


def _found(data: dict[str, Any]) -> dict[str, Any]:
    (message,) = data["messages"]
    event: dict[str, Any] = {
        "type": "state_change", "subject": "the green rowing boat", "participants": [SPEAKER], "modality": "asserted",
        "polarity": "affirmed", "attribute": "berth", "value": None, "when": None, "tense": "present", "holds": True,
        "sources": [{"message": message["n"], "quote": message["text"].removesuffix(" now.")}], "confidence": 0.9,
    }  # fmt: skip
    return {"events": [event]}


def _nothing(data: dict[str, Any]) -> dict[str, Any]:
    verdicts = [
        {"pair": pair["pair"], "reason": "No relation is claimed here.", "verdict": "none", "confidence": 0.9}
        for pair in data["pairs"]
    ]
    return {"verdicts": verdicts}
