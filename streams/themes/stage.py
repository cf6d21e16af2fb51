"""The themes stage: sessions in, their themes out (Eq. 8). The result is a function of the set of sessions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from schemas.codec import encode
from schemas.ids import SpaceKey, digest, record_hash
from schemas.sessions import SessionMessage, SessionRevised
from schemas.themes import SessionThemed
from schemas.topics import TopicName

from ..keys import prefix_range, state_key
from ..ports import Encoder, Entry, Output, StageState
from ..unit_vectors import from_bytes, to_bytes
from .fold import Placed, ThemeFold
from .words import session_vector

SPACES_IN_MEMORY = 128
"""Copies kept: about 2 KB a session, so 128 spaces of 500 sessions take some 130 MB."""


class _StoredSession(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The newest revision of a session; ``first``, ``vector`` and ``theme_id`` are None when it is empty."""

    session_id: str
    rank: tuple[int, str]
    first: tuple[int, int, str] | None
    vector: bytes | None
    theme_id: str | None


_decoder = msgspec.msgpack.Decoder(_StoredSession)


class _Space:
    """Sessions of one space in memory, kept equal to the state by writing through."""

    def __init__(self, key: SpaceKey, state: StageState) -> None:
        """Read from the state: one scan, then a sort and a sum; no session is compared with any theme."""
        self.key = key
        self.stored: dict[str, _StoredSession] = {}
        self.placed: dict[str, Placed] = {}
        self.fold = ThemeFold()
        for _, raw in state.scan(*prefix_range("session", key)):
            stored = _decoder.decode(raw)
            self.stored[stored.session_id] = stored
        for stored in self.stored.values():
            if stored.first is not None and stored.vector is not None:
                order = (*stored.first, stored.session_id)
                self.placed[stored.session_id] = Placed(order=order, vector=from_bytes(stored.vector))
        for placed in sorted(self.placed.values(), key=lambda placed: placed.order):
            theme_id = self.stored[placed.session_id].theme_id
            assert theme_id is not None, "a session with messages has a theme"
            self.fold.restore(placed, theme_id)

    def write(self, stored: _StoredSession, state: StageState) -> None:
        self.stored[stored.session_id] = stored
        state.put(state_key("session", self.key, stored.session_id), msgspec.msgpack.encode(stored))


class ThemesStage:
    """Satisfies ``streams.ports.Stage``.

    Cost of a record: one comparison with each theme for its session, and for every session that begins after it; one
    encoding of a dozen words.
    """

    name = "themes"
    inputs: tuple[TopicName, ...] = ("sessions",)

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._spaces: OrderedDict[SpaceKey, tuple[bytes, _Space]] = OrderedDict()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Nothing waits for time."""
        return ()

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one session; returns its own theme, and those of the sessions that changed theirs."""
        record = entry.record
        if not isinstance(record, SessionRevised):
            return ()
        rank = (record.revision, record_hash(encode(record)))
        token_key = state_key("token", record.key)
        token = state.get(token_key) or b""
        held = self._spaces.pop(record.key, None)
        # The token is a hash chain over the records applied: a copy of another state is read again.
        space = held[1] if held is not None and held[0] == token else _Space(record.key, state)
        changed = self._fold(space, record, rank, state)
        outputs = [
            Output(topic="themes", record=_themed(record, session_id, space, entry.offset + 1))
            for session_id in (record.session_id, *sorted(changed - {record.session_id}))
        ]
        token = digest(token, entry.offset, rank[1]).encode()
        state.put(token_key, token)
        self._spaces[record.key] = (token, space)
        while len(self._spaces) > SPACES_IN_MEMORY:
            self._spaces.popitem(last=False)
        return outputs

    def _fold(self, space: _Space, record: SessionRevised, rank: tuple[int, str], state: StageState) -> set[str]:
        """Put the session at its place; returns the sessions whose theme is another one now."""
        session_id = record.session_id
        known = space.stored.get(session_id)
        if known is not None and known.rank >= rank:
            return set()
        former = space.placed.pop(session_id, None)
        current = self._place(record)
        if current is not None:
            space.placed[session_id] = current
        again = space.fold.replace(former, current)
        first, vector = (current.order[:3], to_bytes(current.vector)) if current is not None else (None, None)
        theme_id = space.fold.theme_of.get(session_id)
        space.write(
            _StoredSession(session_id=session_id, rank=rank, first=first, vector=vector, theme_id=theme_id), state
        )
        changed: set[str] = set()
        for other in again:
            stored = space.stored[other]
            if stored.theme_id != space.fold.theme_of[other]:
                space.write(msgspec.structs.replace(stored, theme_id=space.fold.theme_of[other]), state)
                changed.add(other)
        return changed

    def _place(self, record: SessionRevised) -> Placed | None:
        if not record.messages:
            return None
        first = min((m.sent_at, m.seq, m.message_id) for m in record.messages)
        return Placed(
            order=(*first, record.session_id),
            vector=session_vector(self._encoder, _settled(record)),
        )


def _settled(record: SessionRevised) -> Sequence[SessionMessage]:
    """The messages a session's theme is judged by: all once it is closed, the first 1, 4, 16 or 64 while it is open.

    An open session is published again and again. What it is about seldom changes from one message to the next, and this
    way it is encoded four times in a hundred messages instead of a hundred times; still a function of the revision.
    """
    messages = record.messages
    return messages[: 4 ** ((len(messages).bit_length() - 1) // 2)] if record.open else messages


def _themed(record: SessionRevised, session_id: str, space: _Space, revision: int) -> SessionThemed:
    return SessionThemed(
        tenant=record.tenant,
        space=record.space,
        session_id=session_id,
        theme_id=space.fold.theme_of.get(session_id),
        revision=revision,
        covers=record.covers,
        learned_at=record.learned_at,
    )
