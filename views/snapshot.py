"""A consistent cut of one space in memory: what a query reads, from the stored view or from a cut of the log.

Built by one scan of the space and kept until the space changes; a query then costs no storage reads at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from schemas.adjudications import with_names
from schemas.edges import Edge
from schemas.entry import Entry
from schemas.ids import MessageKey, SpaceKey

from .aliases import names_of
from .held import MessageState, message_part, space_prefix
from .history import space_at
from .known import known_by
from .liveness import ruled_out_edge, without_erased
from .maintain import Maintainer, Parked
from .reader import MessageAccount, MessageText
from .rows import EdgeRow, EventRow
from .sets import active_sets
from .spec import View
from .state import ViewState
from .tables import MemoryTables


class Snapshot:
    """``SpaceReader`` and ``Messages`` of one space."""

    def __init__(
        self,
        view: View,
        messages: dict[MessageKey, MessageText],
        themes: dict[str, str],
        account: MessageAccount,
        names: dict[str, str],
        ruled_out: tuple[Edge, ...],
        unread: frozenset[MessageKey],
    ) -> None:
        self.view = view
        self._ruled_out = ruled_out
        self._unread = unread
        self.account = account
        self._messages = messages
        self._themes = themes
        self._names = names
        self._rows = _under(view.events, names)
        self._of_message = _grouped(
            (MessageKey(s.conversation_id, s.message_id), i)
            for i, row in view.events.items()
            for s in row.event.sources
        )
        self._of_participant = _grouped(
            (self._name(name), i) for i, row in view.events.items() for name in row.event.participants
        )
        self._of_session = _grouped((s, i) for i, row in view.events.items() for s in row.session_ids)
        self._edges_of = _grouped((end, i) for i, r in view.edges.items() for end in (r.edge.src, r.edge.dst))
        self._sessions_of = _grouped((theme, session) for session, theme in themes.items())

    def _name(self, name: str) -> str:
        """The name as it is looked up: case-folded, through the alias table."""
        folded = name.casefold()
        return self._names.get(folded, folded).casefold()

    def event(self, event_id: str) -> EventRow | None:
        """See ``SpaceReader``. Under canonical names; ``view`` has the rows as they are stored."""
        return self._rows.get(event_id)

    def event_ids(self) -> Sequence[str]:
        """See ``SpaceReader``."""
        return tuple(self.view.events)

    def events_of_message(self, message: MessageKey) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._of_message.get(message, ())

    def events_of_participant(self, name: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._of_participant.get(self._name(name), ())

    def participants(self) -> Sequence[str]:
        """See ``SpaceReader``."""
        return sorted({name for row in self._rows.values() for name in row.event.participants})

    def events_of_session(self, session_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._of_session.get(session_id, ())

    def edges_of(self, event_id: str) -> Sequence[EdgeRow]:
        """See ``SpaceReader``."""
        return [self.view.edges[i] for i in self._edges_of.get(event_id, ())]

    def theme_of(self, session_id: str) -> str | None:
        """See ``SpaceReader``."""
        return self._themes.get(session_id)

    def sessions_of_theme(self, theme_id: str) -> Sequence[str]:
        """See ``SpaceReader``."""
        return self._sessions_of.get(theme_id, ())

    def message(self, key: MessageKey) -> MessageText | None:
        """See ``Messages``."""
        return self._messages.get(key)

    def messages(self, keys: Iterable[MessageKey]) -> Sequence[MessageText]:
        """See ``Messages``."""
        return [self._messages[key] for key in keys if key in self._messages]

    def counts(self, key: MessageKey) -> bool:
        """Whether the account holds the message: known, or parked by the view itself."""
        return key in self._messages or key in self._unread

    def ruled_out(self) -> tuple[Edge, ...]:
        """Relations that analysts ruled out, by id."""
        return self._ruled_out


K = TypeVar("K")


def _under(rows: dict[str, EventRow], names: dict[str, str]) -> dict[str, EventRow]:
    """Rows under canonical names; the same ones where no name was merged."""
    if not names:
        return rows
    found: dict[str, EventRow] = {}
    for event_id, row in rows.items():
        said = with_names(row.event, names)
        found[event_id] = row if said is row.event else msgspec.structs.replace(row, event=said)
    return found


def _grouped(pairs: Iterable[tuple[K, str]]) -> dict[K, tuple[str, ...]]:
    """Second elements by the first, unique and sorted."""
    found: dict[K, set[str]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return {key: tuple(sorted(values)) for key, values in found.items()}


def read_space(maintainer: Maintainer, space: SpaceKey) -> Snapshot:
    """The space as it is stored now."""
    state, prefix = maintainer.state, space_prefix(space)
    cut = len(prefix)
    view = View(
        events={k[cut:].decode(): c.row for k, c in state.events.scan(prefix) if c.row is not None},
        edges={k[cut:].decode(): c.row for k, c in state.edges.scan(prefix) if c.row is not None},
    )
    themes = {t.session_id: t.theme_id for _, t in maintainer.themes.scan(prefix) if t.theme_id is not None}
    parked = [cell for _, cell in maintainer.parked.scan(prefix) if not cell.redriven]
    ruled_out = (ruled_out_edge(cell) for _, cell in state.edges.scan(prefix))
    texts: dict[MessageKey, MessageText] = {}
    for _, cell in state.messages.scan(prefix):
        text = _text(state, space, cell)
        if text is not None:
            texts[MessageKey(text.conversation_id, text.message_id)] = text
    unread = _unread(maintainer, texts, parked)
    return Snapshot(
        view=view,
        messages=texts,
        themes=themes,
        account=_account(maintainer, space, texts, parked, unread),
        names=names_of(state.control.get(prefix)),
        ruled_out=tuple(edge for edge in ruled_out if edge is not None),
        unread=unread,
    )


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


def message_text(maintainer: Maintainer, space: SpaceKey, key: MessageKey) -> MessageText | None:
    """One message as it stands, without reading the space."""
    return stored_text(maintainer.state, space, key)


def stored_text(state: ViewState, space: SpaceKey, key: MessageKey) -> MessageText | None:
    """One message as the cells hold it."""
    return _text(state, space, state.messages.get(space_prefix(space) + message_part(key)))


def _text(state: ViewState, space: SpaceKey, cell: MessageState) -> MessageText | None:
    """A message as it stands; None when it was never posted or is erased."""
    if cell.posted is None:
        return None
    current = without_erased(state, space, cell.posted.message, cell)
    if current is None or current.posted is None:
        return None
    cell, posted = current, current.posted
    return MessageText(
        conversation_id=posted.conversation_id,
        message_id=posted.message_id,
        speaker=posted.speaker,
        role=posted.role,
        content=posted.content if cell.edited is None else cell.edited.content,
        sent_at=posted.sent_at,
        utc_offset_min=posted.utc_offset_min,
        seq=posted.seq,
        retracted=cell.retracted,
    )


def _named(letter: Parked) -> Iterator[MessageKey]:
    """The messages a letter is about."""
    return (MessageKey(letter.conversation_id or "", name) for name in letter.message_ids)


def _unread(
    maintainer: Maintainer, texts: Mapping[MessageKey, MessageText], letters: Iterable[Parked]
) -> frozenset[MessageKey]:
    """Accepted messages that the view itself could not read: it has passed their record, and parked it."""
    return frozenset(
        key
        for letter in letters
        if letter.posted and letter.offset < maintainer.position("messages", letter.partition)
        for key in _named(letter)
        if key not in texts
    )


def _account(
    maintainer: Maintainer,
    space: SpaceKey,
    texts: dict[MessageKey, MessageText],
    letters: Iterable[Parked],
    unread: frozenset[MessageKey],
) -> MessageAccount:
    """Where the messages are. A retracted one was read and yields none; one of a re-driven record waits, as its copy
    does."""
    read: set[MessageKey] = {key for key, text in texts.items() if text.retracted}
    sources: set[MessageKey] = set()
    revisions: dict[MessageKey, int] = {}
    for record in active_sets(maintainer.state, space):
        own = {MessageKey(record.conversation_id, i) for i in record.read}
        read |= own
        sources |= {MessageKey(s.conversation_id, s.message_id) for e in record.events for s in e.sources}
        revisions |= {key: max(record.revision, revisions.get(key, -1)) for key in own}
    parked = {
        key
        for letter in letters
        for key in _named(letter)
        if key in texts and not texts[key].retracted and revisions.get(key, -1) < letter.settled_from
    }
    sources = {key for key in sources & texts.keys() if not texts[key].retracted} - parked
    read = (read & texts.keys()) - sources - parked
    return MessageAccount(
        accepted=len(texts) + len(unread),
        source_of_event=len(sources),
        read_yielded_none=len(read),
        waiting=len(texts) - len(sources) - len(read) - len(parked),
        parked=len(parked) + len(unread),
    )
