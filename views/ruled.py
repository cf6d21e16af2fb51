"""Rulings in the incremental view: each is kept with the edge it concerns, and moved when its statements do.

Nothing here runs in a space where no analyst ruled. Elsewhere the cost is that of the rulings on the statements and
messages a record touches: both name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, EdgeRuling, RuledEnd, RulingWithdrawn
from schemas.codec import encode
from schemas.events import Event
from schemas.ids import MessageKey, SpaceKey, record_hash

from .held import Concern, RulingState, message_part, space_prefix
from .rulings import Around, Ruling, place
from .state import ViewState
from .touched import Touched

Moved = tuple[str, tuple[str, str] | None]
"""An edge to look at again, and its ends where a ruling asserts it."""


def fold_ruling(state: ViewState, touched: Touched, record: EdgeRuling) -> Iterator[Moved]:
    """Keep an analyst's word if it is the last one on its edge id; yields the edges to look at again."""
    prefix = space_prefix(record.key)
    key = prefix + record.edge_id.encode()
    known = state.rulings.get(key)
    if known.word is not None and rank(record) <= rank(known.word):
        return
    control = state.control.get(prefix)
    if not control.is_ruled:
        state.control.put(prefix, msgspec.structs.replace(control, is_ruled=True))
    if known.word is not None and not isinstance(known.word, RulingWithdrawn):
        _index(state, touched, prefix, known.word, add=False)
    if not isinstance(record, RulingWithdrawn):
        _index(state, touched, prefix, record, add=True)
    yield from _unplaced(touched, record.edge_id, known)
    yield from _placed(state, touched, prefix, record)


def follow(
    state: ViewState, touched: Touched, prefix: bytes, events: Iterable[str], messages: Iterable[bytes]
) -> Iterator[Moved]:
    """Move the rulings that statements or messages concern; yields the edges to look at again.

    Args:
        state: the cells.
        touched: the working copies, with the statements' rows up to date.
        prefix: the space.
        events: ids whose statements came, went or changed.
        messages: keys of messages that changed, or that such statements rest on.
    """
    names: dict[str, None] = {}
    for event_id in events:
        names |= dict.fromkeys(touched.events[event_id].ruled)
    for key in messages:
        names |= dict.fromkeys(state.messages.get(key).ruled)
    for name in sorted(names):
        known = state.rulings.get(prefix + name.encode())
        if known.word is None:
            continue
        moved = [*_unplaced(touched, name, known), *_placed(state, touched, prefix, known.word)]
        after = state.rulings.get(prefix + name.encode())
        if (known.edge_id, known.src, known.dst) != (after.edge_id, after.src, after.dst):
            yield from moved


def rank(record: EdgeRuling) -> tuple[int, str]:
    """Of words on one edge the later counts, ties by record hash."""
    return record.at, record_hash(encode(record))


def _unplaced(touched: Touched, name: str, known: RulingState) -> Iterator[Moved]:
    """Take a ruling off the edge it concerns."""
    if known.edge_id is not None:
        arc = touched.edge(known.edge_id)
        arc.rulings = tuple(one for one in arc.rulings if one.ruling.edge_id != name)
        yield known.edge_id, None


def _placed(state: ViewState, touched: Touched, prefix: bytes, word: EdgeRuling) -> Iterator[Moved]:
    """Keep a word, and put a ruling on the edge it concerns now, if there is one."""
    key = prefix + word.edge_id.encode()
    if isinstance(word, RulingWithdrawn):
        state.rulings.put(key, RulingState(word=word))
        return
    placed = place(word, _around(state, touched, prefix))
    concerned = placed.edge_id(word.key)
    state.rulings.put(key, RulingState(word=word, edge_id=concerned, src=placed.src, dst=placed.dst))
    if concerned is None or placed.src is None or placed.dst is None:
        return
    arc = touched.edge(concerned)
    concern = Concern(ruling=word, src=placed.src, dst=placed.dst)
    others = (one for one in arc.rulings if one.ruling.edge_id != word.edge_id)
    arc.rulings = tuple(sorted((*others, concern), key=lambda one: rank(one.ruling)))
    yield concerned, (placed.src, placed.dst) if isinstance(word, EdgeAccepted) else None


def _around(state: ViewState, touched: Touched, prefix: bytes) -> Around:
    """Where a ruling looks for its ends: in the rows as they are in the change in hand."""

    def event(event_id: str) -> Event | None:
        row = touched.events[event_id].row
        return None if row is None else row.event

    def resting_on(message: MessageKey) -> Iterator[Event]:
        found = (event(i) for i in state.messages.get(prefix + message_part(message)).events)
        return (one for one in found if one is not None)

    def edited_at(message: MessageKey) -> int | None:
        edited = state.messages.get(prefix + message_part(message)).edited
        return None if edited is None else edited.received_at

    return Around(event=event, resting_on=resting_on, edited_at=edited_at)


def _index(state: ViewState, touched: Touched, prefix: bytes, ruling: Ruling, *, add: bool) -> None:
    """Let a ruling be found by its statements and their messages."""
    ends: tuple[RuledEnd, ...] = (ruling.src, ruling.dst)
    for event_id in sorted({end.event_id for end in ends}):
        cell = touched.events[event_id]
        state.events.changing(cell)
        cell.ruled = _with_name(cell.ruled, ruling.edge_id, add=add)
    for message in sorted({MessageKey(s.conversation_id, s.message_id) for end in ends for s in end.sources}):
        key = prefix + message_part(message)
        known = state.messages.get(key)
        named = _with_name(known.ruled, ruling.edge_id, add=add)
        state.messages.amend(key, msgspec.structs.replace(known, ruled=named))


def _with_name(names: tuple[str, ...], name: str, *, add: bool) -> tuple[str, ...]:
    """Sorted names with one more, or without it."""
    others = {one for one in names if one != name}
    return tuple(sorted(others | {name} if add else others))


def standing(state: ViewState, space: SpaceKey) -> Iterator[RulingState]:
    """The rulings of a space that were not taken back, by the edge ids they were made on."""
    for _, cell in state.rulings.scan(space_prefix(space)):
        if isinstance(cell.word, EdgeAccepted | EdgeRuledOut):
            yield cell
