"""What sessions teach about names becomes words on aliases, as an analyst's are: undone by the next word.

A space's aliases are what all its sessions teach. One that two sessions explain differently is none, and one that no
session teaches any more (its message was edited or withdrawn) is taken back. The hour of such a word is the revision it
follows from, a small number: whatever an analyst says of a name, at a time of the calendar, counts before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from schemas.adjudications import AliasMerged, AliasRecord, AliasSplit
from schemas.events import Source
from schemas.ids import SpaceKey
from schemas.sessions import SessionRevised

from ..keys import prefix_range, state_key
from ..ports import Output, StageState
from .aliases import Alias, aliases_in

PRODUCER = "names/1"
"""Who says so; raise it with the rules."""
TAUGHT, ISSUED = "taught", "alias"
"""Kinds of rows: what a session teaches, and the last word on an alias."""


class _Word(msgspec.Struct, frozen=True):
    """The last word and what it was based on; None: taken back."""

    folded: str
    at: int
    alias: Alias | None


def learn(session: SessionRevised, state: StageState) -> list[Output]:
    """The words that follow from a revision of a session."""
    row = state_key(TAUGHT, session.key, session.session_id)
    old, new = _read(state.get(row)), aliases_in(session)
    if old == new:
        return []
    if new:
        state.put(row, msgspec.msgpack.encode(new))
    else:
        state.delete(row)
    taught = [alias for _, raw in state.scan(*prefix_range(TAUGHT, session.key)) for alias in _read(raw)]
    touched = sorted({alias.alias.casefold() for alias in (*old, *new)})
    words = (_word(folded, taught, session, state) for folded in touched)
    return [Output(topic="adjudications", record=word) for word in words if word is not None]


def _word(folded: str, taught: Sequence[Alias], session: SessionRevised, state: StageState) -> AliasRecord | None:
    """The next word on an alias, where the last one no longer says what is taught."""
    key = state_key(ISSUED, session.key, folded)
    raw = state.get(key)
    last = None if raw is None else msgspec.msgpack.decode(raw, type=_Word)
    alias = _agreed(alias for alias in taught if alias.alias.casefold() == folded)
    if alias == (None if last is None else last.alias):
        return None
    at = session.revision if last is None else max(session.revision, last.at + 1)
    state.put(key, msgspec.msgpack.encode(_Word(folded, at, alias)))
    tenant, space = session.tenant, session.space
    if alias is None:
        return AliasSplit(tenant=tenant, space=space, alias=folded, analyst=PRODUCER, at=at)
    source = Source(conversation_id=alias.conversation_id, message_id=alias.message_id, start=0, end=0)
    return AliasMerged(
        tenant=tenant, space=space, alias=alias.alias, canonical=alias.canonical, analyst=PRODUCER,
        evidence=f"said in message {alias.message_id}", at=at, sources=(source,),
    )  # fmt: skip


def _agreed(taught: Iterable[Alias]) -> Alias | None:
    """What all say; None where they differ or nobody says anything."""
    found = sorted(taught)
    return found[0] if len({alias.canonical.casefold() for alias in found}) == 1 else None


def _read(raw: bytes | None) -> tuple[Alias, ...]:
    return () if raw is None else msgspec.msgpack.decode(raw, type=tuple[Alias, ...])


def forget_words(space: SpaceKey, state: StageState, words: frozenset[tuple[str, int]] | None) -> int:
    """Drop the rows on aliases that are erased; returns how many there were.

    Args:
        space: whose names they are.
        state: of the distil stage. What sessions teach of them is gone by then, with its messages.
        words: (alias, hour), case-folded; None: all, of a space that is erased.
    """
    keys: list[bytes] = []
    for key, raw in state.scan(*prefix_range(ISSUED, space)):
        word = msgspec.msgpack.decode(raw, type=_Word)
        if words is None or (word.folded, word.at) in words:
            keys.append(key)
    for key in keys:
        state.delete(key)
    return len(keys)
