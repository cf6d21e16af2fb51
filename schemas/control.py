"""Topics ``producers``, ``clock`` and ``erasures``: records that steer the view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .record import Record

StageName = Literal["distil", "link"]


class ProducerActivated(Record, frozen=True, kw_only=True, omit_defaults=True, tag="producer_activated"):
    """From now on this producer's sets count for the stage; for a session where it has none, the fallback's.

    ``further`` are more fallbacks, in order (``active_producer``). The later ``at`` wins, ties by record hash. Where
    nothing was activated, the smallest producer id with a set counts.
    """

    stage: StageName
    producer: str
    fallback: str | None
    at: int
    further: tuple[str, ...] = ()


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


def active_producer(revisions: Mapping[str, int], ruling: ProducerActivated | None) -> str | None:
    """Of the producers that made a set for a session, the one whose set counts; None when none does.

    Of the activated one and its fallbacks those count whose set is of the newest revision among them, and of these the
    first: what a slow producer said of a session before it went on hides nothing that a fast one has read since. Where
    nothing was activated, the smallest id.

    Args:
        revisions: by producer, the revision of its newest set.
        ruling: the stage's last activation.
    """
    if ruling is None:
        return min(revisions, default=None)
    ranked = [p for p in (ruling.producer, ruling.fallback, *ruling.further) if p is not None and p in revisions]
    newest = max((revisions[p] for p in ranked), default=0)
    return next((p for p in ranked if revisions[p] == newest), None)


ProducerRecord = ProducerActivated
ClockRecord = ClockReached
ErasureRecord = SpaceErased | ConversationErased | MessageErased
