"""Where a message is, and since when: by the broker's own times of the records that carry it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from schemas.deltas import EventChanged
from schemas.edges import EdgesInferred
from schemas.events import EventsDistilled
from schemas.messages import MessagePosted
from schemas.record import Record
from schemas.sessions import SessionRevised
from schemas.topics import TopicName

from .processes import percentile

Station = Literal["messages", "sessions", "events", "edges", "deltas"]
STATIONS: tuple[Station, ...] = get_args(Station)

Message = tuple[str, str]
"""Space and message id."""


class Stations:
    """When each message came to each topic, seconds since 1970.

    That of ``edges`` is the first set of its session that was made from its statements or later ones; that of
    ``deltas`` is told of the first of them.
    """

    def __init__(self) -> None:
        self._at: dict[Station, dict[Message, float]] = {station: {} for station in STATIONS}
        self._unlinked: dict[Message, list[tuple[int, str]]] = {}
        self._of: dict[Message, str] = {}

    def hear(self, topic: TopicName, record: Record, offset: int, at: float) -> None:
        """A record was written at that offset of its partition."""
        match record:
            case MessagePosted():
                self._note("messages", record.space, [record.message_id], at)
            case SessionRevised():
                self._note("sessions", record.space, [message.message_id for message in record.messages], at)
            case EventsDistilled():
                self._note("events", record.space, record.read, at)
                waiting = self._unlinked.setdefault((record.space, record.session_id), [])
                waiting += [(offset, message_id) for message_id in record.read]
                for event in record.events:
                    self._of[record.space, event.id] = event.sources[-1].message_id
            case EdgesInferred():
                waiting = self._unlinked.get((record.space, record.session_id), [])
                self._note("edges", record.space, [name for made, name in waiting if made < record.revision], at)
                waiting[:] = [one for one in waiting if one[0] >= record.revision]
            case EventChanged():
                self._note("deltas", record.space, [self._of.get((record.space, record.event_id), "")], at)
            case _:
                pass

    def _note(self, station: Station, space: str, messages: Sequence[str], at: float) -> None:
        for message_id in messages:
            self._at[station].setdefault((space, message_id), at)

    def legs(self, sent: Mapping[Message, float]) -> Mapping[str, float]:
        """Median and 95 % of the seconds from one topic to the next, and from events to deltas, which need no edges.

        Args:
            sent: when each message was sent, seconds since 1970.
        """
        before: Mapping[Station, Mapping[Message, float]] = {
            "messages": sent,
            "sessions": self._at["messages"],
            "events": self._at["sessions"],
            "edges": self._at["events"],
            "deltas": self._at["events"],
        }
        found: dict[str, float] = {}
        for station in STATIONS:
            since = before[station]
            spent = [at - since[one] for one, at in self._at[station].items() if one in since]
            if spent:
                found[f"freshness_leg_{station}_p50_s"] = percentile(spent, 0.5)
                found[f"freshness_leg_{station}_p95_s"] = percentile(spent, 0.95)
        return found
