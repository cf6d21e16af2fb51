"""Topics ``producers``, ``clock`` and ``erasures``: records that steer the view."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from .record import Record

StageName = Literal["distil", "link"]


class ProducerActivated(Record, frozen=True, kw_only=True, tag="producer_activated"):
    """From now on this producer's sets count for the stage; for a session where it has none, the fallback's.

    The later ``at`` wins, ties by record hash. Where nothing was activated, the smallest producer id with a set counts.
    """

    stage: StageName
    producer: str
    fallback: str | None
    at: int


class ClockReached(Record, frozen=True, kw_only=True, tag="clock_reached"):
    """Time passed ``at``: a dated change took effect or a plan lapsed. Written by one timer, read by replay."""

    at: int


class SpaceErased(Record, frozen=True, kw_only=True, tag="space_erased"):
    """Everything of the space in ``messages`` below ``upto`` is to be erased."""

    upto: int
    at: int


class ConversationErased(Record, frozen=True, kw_only=True, tag="conversation_erased"):
    """Everything of the conversation in ``messages`` below ``upto`` is to be erased."""

    conversation_id: str
    upto: int
    at: int


class MessageErased(Record, frozen=True, kw_only=True, tag="message_erased"):
    """The message, as accepted below ``upto``, is to be erased."""

    conversation_id: str
    message_id: str
    upto: int
    at: int


def active_producer(producers: Collection[str], ruling: ProducerActivated | None) -> str | None:
    """Of the producers that made a set for a session, the one whose set counts; None when none does.

    The activated one; where it made none the fallback; where nothing was activated the smallest id.
    """
    if ruling is None:
        return min(producers, default=None)
    return next((p for p in (ruling.producer, ruling.fallback) if p is not None and p in producers), None)


ProducerRecord = ProducerActivated
ClockRecord = ClockReached
ErasureRecord = SpaceErased | ConversationErased | MessageErased
