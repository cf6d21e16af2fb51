"""A consistent cut of one space in memory: what a query reads, from the stored view or from a cut of the log.

Made by one scan of the space, and from then on by the cells that changed. A query costs no storage reads at all, and a
change costs what it touches, not what the space holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from schemas.edges import Edge
from schemas.entry import Entry
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import MessageKey, SpaceKey

from .account import Tally, account, named, where
from .aliases import names_of
from .held import EdgeState, MessageState, message_key, space_prefix
from .history import space_at
from .known import known_by
from .liveness import ruled_out_edge
from .maintain import Maintainer
from .memo import Memo
from .order import Spot, Spots
from .parked import Parked
from .reader import MessageText
from .rows import EdgeRow, EventRow
from .sets import counting_sets
from .space import Reading, Seen, SeenEdge, Slice, Space, become, empty, place_of
from .spec import View
from .state import ViewState
from .tables import MemoryTables
from .texts import text_of
from .touched_keys import TouchedKeys


class Snapshot:
    """``SpaceReader`` and ``Messages`` of one space. Never changed once it is made."""

    def __init__(
        self,
        space: Space,
        tally: Tally,
        letters: Sequence[Parked],
        unread: frozenset[MessageKey],
        memo: Memo | None = None,
    ) -> None:
        self.space = space
        self.memo = Memo() if memo is None else memo
        self.tally = tally
        self._unread = unread
        self._spots: dict[str, Spots] = {}
        self.account = account(space, tally, letters, unread)

    @cached_property
    def view(self) -> View:
        """The rows as they are stored, by id. Costs by the space."""
        return View(events=dict(sorted(self.space.stored.items())), edges=dict(sorted(self.space.edges.items())))

    def event(self, event_id: str) -> EventRow | None:
        """See ``SpaceReader``. Under canonical names; ``view`` has the rows as they are stored."""
        return self.space.rows.get(event_id)

    def event_ids(self) -> Sequence[str]:
        """See ``SpaceReader``."""
        return sorted(self.space.rows)

    def events_of_message(self, message: MessageKey) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self.space.of_message.get(message, ())

    def events_of_participant(self, name: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self.space.of_participant.get(self.space.name(name), ())

    @cached_property
    def _participants(self) -> Sequence[str]:
        return tuple(sorted(self.space.people))

    def participants(self) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._participants

    def events_of_session(self, session_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self.space.of_session.get(session_id, ())

    def edges_of(self, event_id: str) -> Sequence[EdgeRow]:
        """See ``SpaceReader``."""
        edges = self.space.edges
        return [edges[edge_id] for edge_id in self.space.edges_of.get(event_id, ())]

    def theme_of(self, session_id: str) -> str | None:
        """See ``SpaceReader``."""
        return self.space.themes.get(session_id)

    def sessions_of_theme(self, theme_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self.space.sessions_of.get(theme_id, ())

    def message(self, key: MessageKey) -> MessageText | None:
        """See ``Messages``."""
        return self.space.messages.get(key)

    def messages(self, keys: Iterable[MessageKey]) -> Sequence[MessageText]:
        """See ``Messages``."""
        found = self.space.messages
        return [found[key] for key in keys if key in found]

    def spot(self, key: MessageKey) -> Spot | None:
        """See ``Messages``."""
        text = self.space.messages.get(key)
        place = None if text is None else place_of(text)
        if place is None:
            return None
        spots = self._spots.get(key.conversation_id)
        if spots is None:
            spots = self._spots[key.conversation_id] = Spots(self.space.talks[key.conversation_id])
        return spots.of(place)

    def slices(self, edge_id: str) -> Sequence[Slice]:
        """What each assertion of a live edge was made from, as its producer says; () where it says nothing."""
        known = self.space.slices.get(edge_id)
        return (self.space.edges[edge_id].edge.slice,) if known is None else known

    def batch_slice(self, session_id: str) -> Slice:
        """The conversations the producer of a batch names; empty for a session, and where it names none."""
        reading = self.space.readings.get(f"E{session_id}")
        return () if reading is None else reading.slice

    def counts(self, key: MessageKey) -> bool:
        """Whether the account holds the message: known, or parked by the view itself."""
        return key in self.space.messages or key in self._unread

    def ruled_out(self) -> tuple[Edge, ...]:
        """Relations that analysts ruled out, by id."""
        return tuple(edge for _, edge in sorted(self.space.ruled_out.items()))


def read_space(maintainer: Maintainer, space: SpaceKey) -> Snapshot:
    """The space as it is stored now. Costs by the space."""
    state, prefix = maintainer.state, space_prefix(space)
    cut = len(prefix)
    seen = Seen(
        events=((key[cut:].decode(), cell.row) for key, cell in state.events.scan(prefix)),
        edges=((key[cut:].decode(), _edge(cell)) for key, cell in state.edges.scan(prefix)),
        messages=_texts(state, space, (cell for _, cell in state.messages.scan(prefix))),
        themes=((theme.session_id, theme.theme_id) for _, theme in maintainer.themes.scan(prefix)),
        readings=((name, _reading(record)) for name, record in counting_sets(state, prefix, None)),
    )
    made = become(empty(names_of(state.control.get(prefix))), seen)
    tally = Tally()
    for key in made.messages:
        tally.moved(None, where(made, key))
    return _snapshot(maintainer, space, made, tally)


def next_snapshot(former: Snapshot, maintainer: Maintainer, space: SpaceKey, touched: TouchedKeys) -> Snapshot:
    """The space as it is stored now, from a former cut of it and the cells that changed since.

    Equal to ``read_space`` (tests/property). Costs by what changed.
    """
    if touched.is_all:
        return read_space(maintainer, space)
    state, prefix = maintainer.state, space_prefix(space)
    cut, old = len(prefix), former.space
    texts = [(key, state.messages.get(key)) for key in sorted(touched.messages)]
    keys = [message_key(key[cut:]) for key, _ in texts]
    readings = [(n, _reading(r)) for n, r in counting_sets(state, prefix, sorted(touched.sets))]
    seen = Seen(
        events=[(key[cut:].decode(), state.events.get(key).row) for key in sorted(touched.events)],
        edges=[(key[cut:].decode(), _edge(state.edges.get(key))) for key in sorted(touched.edges)],
        messages=[(key, text_of(state, space, cell)) for key, (_, cell) in zip(keys, texts, strict=True)],
        themes=[(key[cut:].decode(), maintainer.themes.get(key).theme_id) for key in sorted(touched.themes)],
        readings=readings,
    )
    made = become(old, seen)
    moved = {*keys, *(key for name, _ in readings for one in (old, made) for key in _claimed(one, name))}
    tally = Tally(former.tally.source, former.tally.read)
    for key in moved:
        tally.moved(where(old, key), where(made, key))
    stale = _stale(old, made, seen, keys)
    memo = former.memo.without(stale, keys, {*keys, *_sources(old, stale), *_sources(made, stale)})
    return _snapshot(maintainer, space, made, tally, memo)


def _snapshot(maintainer: Maintainer, space: SpaceKey, made: Space, tally: Tally, memo: Memo | None = None) -> Snapshot:
    letters = [cell for _, cell in maintainer.parked.scan(space_prefix(space)) if not cell.redriven]
    return Snapshot(made, tally, letters, _unread(maintainer, made.messages, letters), memo)


def _stale(old: Space, new: Space, seen: Seen, messages: Iterable[MessageKey]) -> set[str]:
    """Events of which what was worked out may be another now (``Memo``): what changed, and all beside it."""
    changed = {event_id for event_id, _ in seen.events}
    changed.update(event_id for key in messages for space in (old, new) for event_id in space.of_message.get(key, ()))
    touched = {edge_id for edge_id, _ in seen.edges}
    for space in (old, new):
        touched.update(edge_id for event_id in changed for edge_id in space.edges_of.get(event_id, ()))
    rows = (space.edges.get(edge_id) for space in (old, new) for edge_id in touched)
    return changed.union(*((row.edge.src, row.edge.dst) for row in rows if row is not None))


def _sources(space: Space, events: Iterable[str]) -> Iterator[MessageKey]:
    """The messages that events rest on."""
    for row in map(space.rows.get, events):
        for source in () if row is None else row.event.sources:
            yield MessageKey(source.conversation_id, source.message_id)


def _claimed(space: Space, name: str) -> Iterable[MessageKey]:
    reading = space.readings.get(name)
    return () if reading is None else (*reading.read, *reading.sources)


def _edge(cell: EdgeState) -> SeenEdge:
    slices = tuple(assertion.edge.slice for assertion in cell.assertions)
    return SeenEdge(row=cell.row, slices=slices, ruled_out=ruled_out_edge(cell))


def _reading(record: EventsDistilled | EventsAsserted | None) -> Reading | None:
    if record is None:
        return None
    sources = dict.fromkeys(MessageKey(s.conversation_id, s.message_id) for e in record.events for s in e.sources)
    read: tuple[MessageKey, ...] = ()
    if isinstance(record, EventsDistilled):
        read = tuple(MessageKey(record.conversation_id, message_id) for message_id in record.read)
    left_out = record.left_out if isinstance(record, EventsDistilled) else 0
    return Reading(record.revision, read, tuple(sources), record.slice, left_out)


def _texts(
    state: ViewState, space: SpaceKey, cells: Iterable[MessageState]
) -> Iterator[tuple[MessageKey, MessageText | None]]:
    for cell in cells:
        text = text_of(state, space, cell)
        if text is not None:
            yield MessageKey(text.conversation_id, text.message_id), text


def read_space_at(maintainer: Maintainer, space: SpaceKey, known_at: int) -> Snapshot | None:
    """The space as it was known at a transaction time, from the versions kept; None where they are not exact.

    Equal to ``cut`` (tests/property), at the cost of the space and of what changed since.
    """
    then = space_at(maintainer, space_prefix(space), known_at)
    return None if then is None else read_space(then, space)


def cut(entries: Iterable[Entry], space: SpaceKey, known_at: int) -> Snapshot:
    """The space as it was known at a transaction time: folded from its records learned by then.

    Equal to the definition over those records, because folding is (tests/property). Costs by the space's size: for
    times at which the kept versions are not exact (``read_space_at``).
    """
    maintainer = Maintainer(MemoryTables(), history=False)
    for entry in entries:
        if known_by(entry.record, known_at):
            maintainer.fold_anywhere(entry)
    return read_space(maintainer, space)


def _unread(
    maintainer: Maintainer, texts: Mapping[MessageKey, MessageText], letters: Iterable[Parked]
) -> frozenset[MessageKey]:
    """Accepted messages that the view itself could not read: it has passed their record, and parked it."""
    return frozenset(
        key
        for letter in letters
        if letter.posted and letter.offset < maintainer.position("messages", letter.partition)
        for key in named(letter)
        if key not in texts
    )
