"""Ids. Every id is derived from content, so that a redelivered or re-run stage overwrites its own output."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

ID_BYTES = 12
"""96 bits: a collision among 10^9 ids has a chance of about 6e-12."""


class SpaceKey(NamedTuple):
    """One memory (a user, a case) of one tenant. Everything is partitioned, and kept apart, by it."""

    tenant: str
    space: str

    def __str__(self) -> str:
        return f"{self.tenant}/{self.space}"


_NAME = re.compile(r"[\w.@:+-]{1,128}")


def name_problem(name: str) -> str | None:
    """What is wrong with a tenant's or space's name; None when it is fine.

    Names stand in paths, keys and labels: 1 to 128 letters (of any script), digits or ``. _ @ : + -``, but neither
    ``.`` nor ``..``.
    """
    if _NAME.fullmatch(name) and name not in {".", ".."}:
        return None
    return "must be 1 to 128 letters, digits or . _ @ : + -"


class MessageKey(NamedTuple):
    """A message within a space. The same message id in another conversation is another message."""

    conversation_id: str
    message_id: str


def digest(*parts: str | int | bytes) -> str:
    """Hash parts into an id: hex, ``ID_BYTES`` long. Each part is length-prefixed, so no two lists of parts collide."""
    h = hashlib.blake2b(digest_size=ID_BYTES)
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode("utf-8")
        h.update(len(raw).to_bytes(8, "big"))
        h.update(raw)
    return h.hexdigest()


def normal_text(text: str) -> str:
    """Text as it counts for identity: NFKC, case-folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def event_id(space: SpaceKey, spans: Iterable[tuple[str, str, int, int]], event_type: str, text: str) -> str:
    """Id of an event: hash of space, source spans, type and normalised text; never of the session.

    Args:
        space: the tenant and space it belongs to.
        spans: (conversation id, message id, start, end) of every source, in characters.
        event_type: one of ``schemas.events.EventType``.
        text: the event's text.
    """
    flat: list[str | int] = []
    for conversation_id, message_id, start, end in sorted(spans):
        flat += [conversation_id, message_id, start, end]
    return "e" + digest("event", *space, event_type, normal_text(text), *flat)


def asserted_event_id(space: SpaceKey, producer: str, key: str) -> str:
    """Id of an event asserted by an API producer under its own key (its identity, for example a fact key)."""
    return "e" + digest("asserted", *space, producer, key)


def edge_id(space: SpaceKey, src: str, relation: str, dst: str) -> str:
    """Id of an edge. The relation is part of the identity: two relations between the same ends are two edges."""
    return "r" + digest("edge", *space, src, relation, dst)


def session_id(space: SpaceKey, conversation_id: str, first_message_id: str) -> str:
    """Id of a session that was not named by its producer."""
    return "s" + digest("session", *space, conversation_id, first_message_id)


def record_hash(encoded: bytes) -> str:
    """Hash of an encoded record; breaks ties between records of equal revision or time."""
    return hashlib.blake2b(encoded, digest_size=ID_BYTES).hexdigest()
