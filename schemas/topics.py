"""The topics: name, record union, cleanup. The one table that codecs, stores and brokers read."""

from __future__ import annotations

import types
from typing import Literal

import msgspec

from .adjudications import AdjudicationRecord
from .asking import AskRecord, ReplyRecord
from .control import ClockRecord, ErasureRecord, ProducerRecord
from .dead_letters import DeadLetterRecord
from .deltas import DeltaRecord
from .edges import EdgeRecord
from .events import EventRecord
from .messages import MessageRecord
from .sessions import SessionRevised
from .themes import ThemeRecord
from .verdicts import VerdictRecord

TopicName = Literal[
    "messages",
    "sessions",
    "events",
    "edges",
    "themes",
    "asks",
    "replies",
    "verdicts",
    "adjudications",
    "producers",
    "clock",
    "erasures",
    "deltas",
    "dead-letters",
]


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic: what it carries and whether old records of a key may be compacted away."""

    name: TopicName
    records: type | types.UnionType
    cleanup: Literal["keep", "compact"]


_ALL = (
    Topic(name="messages", records=MessageRecord, cleanup="keep"),
    Topic(name="sessions", records=SessionRevised, cleanup="keep"),
    Topic(name="events", records=EventRecord, cleanup="keep"),
    Topic(name="edges", records=EdgeRecord, cleanup="keep"),
    Topic(name="themes", records=ThemeRecord, cleanup="keep"),
    Topic(name="asks", records=AskRecord, cleanup="keep"),
    Topic(name="replies", records=ReplyRecord, cleanup="keep"),
    Topic(name="verdicts", records=VerdictRecord, cleanup="keep"),
    Topic(name="adjudications", records=AdjudicationRecord, cleanup="keep"),
    Topic(name="producers", records=ProducerRecord, cleanup="keep"),
    Topic(name="clock", records=ClockRecord, cleanup="keep"),
    Topic(name="erasures", records=ErasureRecord, cleanup="keep"),
    Topic(name="deltas", records=DeltaRecord, cleanup="compact"),
    Topic(name="dead-letters", records=DeadLetterRecord, cleanup="keep"),
)

TOPICS: dict[TopicName, Topic] = {topic.name: topic for topic in _ALL}
