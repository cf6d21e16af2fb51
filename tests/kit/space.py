"""A small space in memory for tests of the query side: rows and messages given as they are, search over real parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from query.search import IndexSearch
from schemas.edges import Edge
from schemas.events import Event, Source, Stated
from schemas.ids import MessageKey, SpaceKey
from schemas.times import parse_time
from tests.kit.encoders import HashingEncoder
from tests.kit.events import anchor, by, stated
from views.memo import Memo
from views.order import SILENCE, Spot, Spots, changed
from views.reader import Basis, MessageText
from views.rows import EdgeRow, EventRow, Superseder
from views.space import place_of
from views.vectors.memory import MemoryIndex
from views.vectors.protocol import Point
from views.vectors.refs import note_ref
from views.vectors.sparse import document_vector

SPACE = SpaceKey("t", "village")
BASIS = Basis(partition=0, messages=10, waiting=0, parked=0)


def us(date: str) -> int:
    """An ISO day (midnight UTC) or an RFC 3339 time as microseconds."""
    return parse_time(date if "T" in date else f"{date}T00:00:00+00:00")[0]


def message(
    message_id: str, speaker: str, sent: str, content: str, conversation: str = "c", **changes: Any
) -> MessageText:
    """A message as it stands."""
    fields: dict[str, Any] = {
        "conversation_id": conversation,
        "message_id": message_id,
        "speaker": speaker,
        "role": "user",
        "content": content,
        "sent_at": us(sent),
        "utc_offset_min": 0,
        "seq": 0,
        "retracted": False,
    }
    return MessageText(**(fields | changes))


def event(event_id: str, source: MessageText, span: str | None = None, **changes: Any) -> Event:
    """A state of the message's speaker, resting on a span of it (the whole message by default)."""
    quote = span or source.content
    start = source.content.index(quote)
    here = Source(
        conversation_id=source.conversation_id, message_id=source.message_id, start=start, end=start + len(quote)
    )
    fields: dict[str, Any] = by(source.speaker) | {
        "sources": (here,),
        "stated": Stated(source.sent_at, source.seq, source.message_id, start),
        "anchor": anchor(source.sent_at),
    }
    return stated(event_id, quote, source.sent_at, **(fields | changes))


def row(of: Event, session: str = "s1", **derived: Any) -> EventRow:
    """A row of the view: open, valid since it was stated, unless changed. ``by``: (event id, edge id, kind) triples."""
    by = derived.pop("by", ())
    fields: dict[str, Any] = {
        "event": of,
        "producers": ("distiller",),
        "session_ids": (session,),
        "valid_from": of.valid_from if of.valid_from is not None else of.stated.sent_at,
        "valid_until": None,
        "superseders": tuple(Superseder(event_id=e, edge_id=r, kind=k) for e, r, k in by),
        "superseded": bool(by),
        "corrected": False,
        "withdrawal": False,
        "demoted_from": None,
        "demoters": (),
        "contradicts": (),
    }
    return EventRow(**(fields | derived))


def edge(edge_id: str, src: str, relation: str, dst: str, kind: str | None = None, **changes: Any) -> EdgeRow:
    """A live edge; an ``updates`` edge has effect unless changed."""
    asserted = {"confidence": 0.9, "justification": "as said"} | {
        key: changes.pop(key) for key in ("confidence", "justification") if key in changes
    }
    fields: dict[str, Any] = {
        "edge": Edge(
            id=edge_id,
            src=src,
            dst=dst,
            relation=relation,
            kind=kind,
            slice=("c",),
            span=None,
            **asserted,  # type: ignore[arg-type]
        ),
        "producers": ("linker",),
        "accepted": False,
        "effective": relation == "updates",
        "invalid_from": None,
    }
    return EdgeRow(**(fields | changes))


class MemorySpace:
    """Satisfies ``SpaceReader`` and ``Messages``; ``search`` is the real hybrid search over a memory index."""

    def __init__(
        self,
        messages: Sequence[MessageText],
        rows: Sequence[EventRow],
        edges: Sequence[EdgeRow] = (),
        themes: Mapping[str, str] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self._messages = {MessageKey(m.conversation_id, m.message_id): m for m in messages}
        self._rows = {one.event.id: one for one in rows}
        self._edges = list(edges)
        self._themes = dict(themes or {})
        self.memo = Memo()
        self._aliases = {name.casefold(): canonical for name, canonical in (aliases or {}).items()}

    def event(self, event_id: str) -> EventRow | None:
        return self._rows.get(event_id)

    def event_ids(self) -> Sequence[str]:
        return sorted(self._rows)

    def events_of_message(self, message: MessageKey) -> Sequence[str]:
        return self._ids(lambda r: any((s.conversation_id, s.message_id) == message for s in r.event.sources))

    def events_of_participant(self, name: str) -> Sequence[str]:
        wanted = self._aliases.get(name.casefold(), name).casefold()
        return self._ids(lambda r: wanted in {p.casefold() for p in r.event.participants})

    def participants(self) -> Sequence[str]:
        return sorted({name for r in self._rows.values() for name in r.event.participants})

    def events_of_session(self, session_id: str) -> Sequence[str]:
        return self._ids(lambda r: session_id in r.session_ids)

    def edges_of(self, event_id: str) -> Sequence[EdgeRow]:
        return sorted((e for e in self._edges if event_id in (e.edge.src, e.edge.dst)), key=lambda e: e.edge.id)

    def slices(self, edge_id: str) -> Sequence[Sequence[str]]:
        return [e.edge.slice for e in self._edges if e.edge.id == edge_id]

    def batch_slice(self, session_id: str) -> Sequence[str]:
        return ()

    def theme_of(self, session_id: str) -> str | None:
        return self._themes.get(session_id)

    def sessions_of_theme(self, theme_id: str) -> Sequence[str]:
        return sorted(session for session, theme in self._themes.items() if theme == theme_id)

    def message(self, key: MessageKey) -> MessageText | None:
        return self._messages.get(key)

    def messages(self, keys: Iterable[MessageKey]) -> Sequence[MessageText]:
        found = (self._messages.get(key) for key in keys)
        return [text for text in found if text is not None]

    def messages_all(self) -> Sequence[MessageText]:
        """Every message."""
        return list(self._messages.values())

    def spot(self, key: MessageKey) -> Spot | None:
        place = place_of(self._messages[key]) if key in self._messages else None
        if place is None:
            return None
        texts = [m for k, m in self._messages.items() if k.conversation_id == key.conversation_id]
        return Spots(changed(SILENCE, (), [p for m in texts if (p := place_of(m)) is not None])).of(place)

    def search(self, dimension: int = 512) -> IndexSearch:
        """Notes and events encoded by hashing: texts that share words are close."""
        encoder = HashingEncoder(dimension)
        index = MemoryIndex(dimension)
        points: list[Point] = []
        for key, text in self._messages.items():
            points.append(_point(encoder, note_ref(key), "note", key.conversation_id, text.sent_at, text.content))
        for one in self._rows.values():
            said = one.event
            conversation = said.sources[0].conversation_id if said.sources else ""
            points.append(_point(encoder, said.id, "event", conversation, said.stated.sent_at, said.text))
        index.upsert(SPACE, points)
        return IndexSearch(index, encoder)

    def _ids(self, belongs: Any) -> list[str]:
        return sorted(event_id for event_id, one in self._rows.items() if belongs(one))


def _point(encoder: HashingEncoder, ref: str, kind: Any, conversation: str, at: int, text: str) -> Point:
    return Point(
        ref=ref,
        kind=kind,
        conversation_id=conversation,
        at=at,
        dense=encoder.encode([text])[0],
        sparse=document_vector(text),
    )
