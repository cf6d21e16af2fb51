"""What the members of a set assert, one by one: a set may hold an id more than once, and hardly ever does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from schemas.edges import Edge, EdgeRecord
from schemas.events import Event, EventRecord

from .held import EdgeAssertion, EventAssertion

M = TypeVar("M", Event, Edge)


def producers(before: EventRecord | EdgeRecord | None, after: EventRecord | EdgeRecord | None) -> tuple[str, str]:
    """Who made a set that counted, and the one that counts now; where there is only one, both times that one's."""
    old, new = before or after, after or before
    return ("", "") if old is None or new is None else (old.producer, new.producer)


def by_id(members: Sequence[M]) -> Mapping[str, M | tuple[M, ...]]:
    """The members of a set by id; those of one id, where it holds that more than once, together."""
    found: dict[str, M | tuple[M, ...]] = {member.id: member for member in members}
    if len(found) < len(members):
        found = {name: tuple([m for m in members if m.id == name]) for name in found}
    return found


def event_assertions(
    producer: str, session_id: str, events: Event | Iterable[Event] | None
) -> tuple[EventAssertion, ...]:
    """What a set asserts of one event."""
    if events is None:
        return ()
    if isinstance(events, Event):
        return (EventAssertion(producer=producer, session_id=session_id, event=events),)
    return tuple([EventAssertion(producer=producer, session_id=session_id, event=event) for event in events])


def edge_assertions(producer: str, session_id: str, edges: Edge | Iterable[Edge] | None) -> tuple[EdgeAssertion, ...]:
    """What a set asserts of one edge."""
    if edges is None:
        return ()
    if isinstance(edges, Edge):
        return (EdgeAssertion(producer=producer, session_id=session_id, edge=edges),)
    return tuple([EdgeAssertion(producer=producer, session_id=session_id, edge=edge) for edge in edges])
