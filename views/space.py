"""What a read needs of one space, in memory: rows, messages and the indexes over them, in maps that share structure.

``EMPTY`` and a list of cells make a space; a space and the cells that changed make the next one (``become``). There is
no other way to make one, so what was kept and brought up to date is what would be read anew (tests/property).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
from immutables import Map

from schemas.adjudications import with_names
from schemas.edges import Edge
from schemas.ids import MessageKey

from .groups import Groups, Regrouping
from .order import SILENCE, Place, Talk, changed
from .reader import MessageText
from .rows import EdgeRow, EventRow

if TYPE_CHECKING:
    from immutables import MapMutation

K = TypeVar("K")
V = TypeVar("V")

Slice = tuple[str, ...]


class SeenEdge(NamedTuple):
    """What is known of an edge: its row while it is live; the slices of its assertions; itself if it is ruled out."""

    row: EdgeRow | None
    slices: tuple[Slice, ...]
    ruled_out: Edge | None


class Reading(NamedTuple):
    """The set of events that counts for a session or batch: what was read for it, and what its events rest on.

    ``read``: messages, empty for a batch. ``slice``: the conversations its producer names. ``left_out``: statements
    (``EventsDistilled.left_out``).
    """

    revision: int
    read: tuple[MessageKey, ...]
    sources: tuple[MessageKey, ...]
    slice: Slice
    left_out: int = 0


class Seen(NamedTuple):
    """Cells that changed, by key; None for what is not there (any more)."""

    events: Iterable[tuple[str, EventRow | None]]
    edges: Iterable[tuple[str, SeenEdge]]
    messages: Iterable[tuple[MessageKey, MessageText | None]]
    themes: Iterable[tuple[str, str | None]]
    readings: Iterable[tuple[str, Reading | None]]


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """One space. Never changed once it is made.

    Attributes:
        names: every alias, case-folded, with its canonical name as that is written.
        stored: live events as they are stored; ``rows`` has them under canonical names, and is the same map without
            aliases.
        slices: of edges with several assertions, or none, their slices; of the others ``edge.slice`` is the only one.
        people: canonical names with the number of events.
        talks: conversations by id, without retracted messages.
        readings: by session or batch; with ``read_by`` and ``rest_on`` back from the messages.
    """

    names: Mapping[str, str]
    stored: Map[str, EventRow]
    rows: Map[str, EventRow]
    edges: Map[str, EdgeRow]
    slices: Map[str, tuple[Slice, ...]]
    ruled_out: Map[str, Edge]
    messages: Map[MessageKey, MessageText]
    themes: Map[str, str]
    talks: Map[str, Talk]
    people: Map[str, int]
    of_message: Groups[MessageKey]
    of_participant: Groups[str]
    of_session: Groups[str]
    edges_of: Groups[str]
    sessions_of: Groups[str]
    readings: Map[str, Reading]
    read_by: Groups[MessageKey]
    rest_on: Groups[MessageKey]

    def name(self, name: str) -> str:
        """A name as it is looked up: case-folded, through the alias table."""
        folded = name.casefold()
        return self.names.get(folded, folded).casefold()


def empty(names: Mapping[str, str]) -> Space:
    """A space nothing is known of but who is called what."""
    return Space(
        names=names, stored=Map(), rows=Map(), edges=Map(), slices=Map(), ruled_out=Map(), messages=Map(), themes=Map(),
        talks=Map(), people=Map(), of_message=Map(), of_participant=Map(), of_session=Map(), edges_of=Map(),
        sessions_of=Map(), readings=Map(), read_by=Map(), rest_on=Map(),
    )  # fmt: skip


def become(space: Space, seen: Seen) -> Space:
    """The space with the cells that changed. Costs by these; a cell given twice, or unchanged, changes nothing."""
    changes = {
        **_events(space, seen.events),
        **_edges(space, seen.edges),
        **_messages(space, seen.messages),
        **_themes(space, seen.themes),
        **_readings(space, seen.readings),
    }
    return msgspec.structs.replace(space, **changes)


def _events(space: Space, seen: Iterable[tuple[str, EventRow | None]]) -> dict[str, object]:
    of_message: Regrouping[MessageKey] = Regrouping()
    of_participant: Regrouping[str] = Regrouping()
    of_session: Regrouping[str] = Regrouping()
    stored, people = space.stored.mutate(), space.people.mutate()
    rows = space.rows.mutate() if space.names else None
    for event_id, row in seen:
        former = stored.get(event_id)
        if row is None and former is None:
            continue
        old, new = _named(space, former), _named(space, row)
        of_message.move(event_id, _sources(old), _sources(new))
        of_participant.move(event_id, _people(space, old), _people(space, new))
        of_session.move(event_id, () if old is None else old.session_ids, () if new is None else new.session_ids)
        for name in () if old is None else old.event.participants:
            people[name] -= 1
        for name in () if new is None else new.event.participants:
            people[name] = people.get(name, 0) + 1
        for name in () if old is None else old.event.participants:
            if not people.get(name, 1):
                del people[name]
        for kept, value in ((stored, row), (rows, new)):
            if kept is not None and value is not None:
                kept[event_id] = value
            elif kept is not None:
                del kept[event_id]
    made = stored.finish()
    return {
        "stored": made,
        "rows": made if rows is None else rows.finish(),
        "people": people.finish(),
        "of_message": of_message.apply(space.of_message),
        "of_participant": of_participant.apply(space.of_participant),
        "of_session": of_session.apply(space.of_session),
    }


def _named(space: Space, row: EventRow | None) -> EventRow | None:
    """The row under canonical names; itself where no name of it was merged."""
    if row is None or not space.names:
        return row
    said = with_names(row.event, dict(space.names))
    return row if said is row.event else msgspec.structs.replace(row, event=said)


def _sources(row: EventRow | None) -> Iterable[MessageKey]:
    return () if row is None else [MessageKey(s.conversation_id, s.message_id) for s in row.event.sources]


def _people(space: Space, row: EventRow | None) -> Iterable[str]:
    return () if row is None else [space.name(name) for name in row.event.participants]


def _edges(space: Space, seen: Iterable[tuple[str, SeenEdge]]) -> dict[str, object]:
    edges_of: Regrouping[str] = Regrouping()
    edges, slices, ruled_out = space.edges.mutate(), space.slices.mutate(), space.ruled_out.mutate()
    for edge_id, (row, of, out) in seen:
        former = edges.get(edge_id)
        edges_of.move(edge_id, _ends(former), _ends(row))
        _set(edges, edge_id, row)
        _set(slices, edge_id, None if row is None or of == (row.edge.slice,) else of)
        _set(ruled_out, edge_id, out)
    return {
        "edges": edges.finish(),
        "slices": slices.finish(),
        "ruled_out": ruled_out.finish(),
        "edges_of": edges_of.apply(space.edges_of),
    }


def _ends(row: EdgeRow | None) -> Iterable[str]:
    return () if row is None else (row.edge.src, row.edge.dst)


def _messages(space: Space, seen: Iterable[tuple[MessageKey, MessageText | None]]) -> dict[str, object]:
    messages = space.messages.mutate()
    gone: dict[str, list[Place]] = {}
    new: dict[str, list[Place]] = {}
    for key, text in seen:
        former = messages.get(key)
        before = None if former is None else place_of(former)
        after = None if text is None else place_of(text)
        if before is not None and before != after:
            gone.setdefault(key.conversation_id, []).append(before)
        if after is not None and before != after:
            new.setdefault(key.conversation_id, []).append(after)
        _set(messages, key, text)
    talks = space.talks.mutate()
    for conversation in sorted({*gone, *new}):
        talk = changed(talks.get(conversation, SILENCE), gone.get(conversation, ()), new.get(conversation, ()))
        _set(talks, conversation, talk if talk.places else None)
    return {"messages": messages.finish(), "talks": talks.finish()}


def place_of(text: MessageText) -> Place | None:
    """Where a message stands in its conversation; None once it is retracted."""
    return None if text.retracted else (text.sent_at, text.seq, text.message_id)


def _themes(space: Space, seen: Iterable[tuple[str, str | None]]) -> dict[str, object]:
    sessions_of: Regrouping[str] = Regrouping()
    themes = space.themes.mutate()
    for session_id, theme in seen:
        former = themes.get(session_id)
        sessions_of.move(session_id, () if former is None else (former,), () if theme is None else (theme,))
        _set(themes, session_id, theme)
    return {"themes": themes.finish(), "sessions_of": sessions_of.apply(space.sessions_of)}


def _readings(space: Space, seen: Iterable[tuple[str, Reading | None]]) -> dict[str, object]:
    read_by: Regrouping[MessageKey] = Regrouping()
    rest_on: Regrouping[MessageKey] = Regrouping()
    readings = space.readings.mutate()
    for name, reading in seen:
        former = readings.get(name)
        read_by.move(name, () if former is None else former.read, () if reading is None else reading.read)
        rest_on.move(name, () if former is None else former.sources, () if reading is None else reading.sources)
        _set(readings, name, reading)
    return {
        "readings": readings.finish(),
        "read_by": read_by.apply(space.read_by),
        "rest_on": rest_on.apply(space.rest_on),
    }


def _set(kept: MapMutation[K, V], key: K, value: V | None) -> None:
    """Put a value, or take the key away for None."""
    if value is not None:
        kept[key] = value
    elif key in kept:
        del kept[key]
