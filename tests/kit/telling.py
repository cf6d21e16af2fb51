"""From what people say to events and edges: the distiller and the link step without anything around them."""

from __future__ import annotations

from typing import NamedTuple

from schemas.edges import Edge
from schemas.events import Event
from schemas.ids import SpaceKey
from schemas.sessions import SessionMessage, SessionRevised
from schemas.times import parse_time
from streams.candidates import make_row
from streams.classify.offline import OfflineClassifier
from streams.distil.offline import OfflineDistiller
from streams.link.definition import edges_of
from streams.link.live import HeldSet
from streams.own_words import own_words
from streams.unit_vectors import quantize
from tests.kit.sessions import revised, said

from .encoders import HashingEncoder

SPACE = SpaceKey("t", "s")
ENCODER = HashingEncoder()


class Told(NamedTuple):
    """Who says what on which day of April 2031."""

    day: int
    speaker: str
    text: str


class Heard(NamedTuple):
    """All events in stated order, and all edges between them but ``before``."""

    events: tuple[Event, ...]
    edges: tuple[Edge, ...]

    def texts(self) -> list[str]:
        """The events' texts."""
        return [event.text for event in self.events]

    def links(self) -> list[tuple[str, str | None, str]]:
        """(text of the source, kind, text of the target) of every ``updates`` edge, sorted."""
        texts = {event.id: event.text for event in self.events}
        return sorted((texts[e.src], e.kind, texts[e.dst]) for e in self.edges if e.relation == "updates")


def hear(*told: Told) -> Heard:
    """What comes of it: what is said on one day is one session, a minute apart."""
    days: dict[int, list[SessionMessage]] = {}
    for minute, one in enumerate(told):
        sent_at, offset = parse_time(f"2031-04-{one.day:02d}T10:{minute:02d}:00Z")
        message = said(minute, sent_at, one.text, one.speaker, utc_offset_min=offset, seq=0)
        days.setdefault(one.day, []).append(message)
    sets = {str(day): OfflineDistiller().distil(_session(day, messages)) for day, messages in sorted(days.items())}
    edges = edges_of(SPACE, [_held(session, events) for session, events in sets.items()], OfflineClassifier())
    return Heard(
        tuple(event for events in sets.values() for event in events),
        tuple(edge for some in edges.values() for edge in some if edge.relation != "before"),
    )


def _session(day: int, messages: list[SessionMessage]) -> SessionRevised:
    return revised(messages, tenant=SPACE.tenant, space=SPACE.space, session_id=str(day))


def _held(session: str, events: tuple[Event, ...]) -> HeldSet:
    rows = tuple(make_row(event, quantize(ENCODER.encode([own_words(event.text)]))[0], None) for event in events)
    return HeldSet(session_id=session, producer="p", asserted=False, rank=(1, ""), rows=rows)
