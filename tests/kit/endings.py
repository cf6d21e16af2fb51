"""Small chats and what holds at their end: how they are written, told to an embedded system in memory, and judged.

A chat is a block of lines. ``= name``; then what is said, ``Mar 3  Ella: …``, a minute after the line before when the
day is the same; then expectations about quoted statements: ``-`` no longer holds, ``+`` still holds, ``.`` may be
either. What ended and is in no ``-`` or ``.`` line is a wrong ending.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from query.api import StateEntry, StateRequest
from schemas.ids import SpaceKey
from schemas.times import parse_time
from streams.log.memory import MemoryLog
from views.encoder.protocol import Encoder
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

YEAR = 2031
_SAID = re.compile(r"(?P<day>[A-Z][a-z]{2} \d{1,2}) +(?P<speaker>\w+): (?P<content>.+)")


class Line(NamedTuple):
    """Who said what, when (RFC 3339)."""

    sent_at: str
    speaker: str
    content: str


class Chat(NamedTuple):
    """What was said, and by quote what no longer holds, still holds, or may be either."""

    name: str
    said: tuple[Line, ...]
    gone: tuple[str, ...]
    kept: tuple[str, ...]
    either: tuple[str, ...]

    @property
    def space(self) -> SpaceKey:
        """A space of its own."""
        return SpaceKey("default", re.sub(r"\W+", "-", self.name))


class Judged(NamedTuple):
    """Of one chat: what is wrong, in words, by kind."""

    not_ended: tuple[str, ...]
    wrongly_ended: tuple[str, ...]
    not_found: tuple[str, ...]


def read(path: Path) -> tuple[Chat, ...]:
    """The chats of a file."""
    blocks: list[list[str]] = []
    for line in path.read_text().splitlines():
        if line.startswith("= "):
            blocks.append([line])
        elif line and not line.startswith("#"):
            blocks[-1].append(line)
    return tuple(_chat(block) for block in blocks)


def _chat(block: Sequence[str]) -> Chat:
    quotes: dict[str, list[str]] = {"-": [], "+": [], ".": []}
    told: list[str] = []
    for line in block[1:]:
        if line[:2] in ("- ", "+ ", ". "):
            quotes[line[0]].append(line[2:])
        else:
            told.append(line)
    said = tuple(_lines(told))
    for quote in (*quotes["-"], *quotes["+"], *quotes["."]):
        assert any(quote in line.content for line in said), f"{block[0]}: nobody says {quote!r}"
    return Chat(block[0][2:], said, tuple(quotes["-"]), tuple(quotes["+"]), tuple(quotes["."]))


def _lines(told: Iterable[str]) -> Iterator[Line]:
    at = datetime(YEAR, 1, 1, 9, tzinfo=UTC)
    for line in told:
        match = _SAID.fullmatch(line)
        assert match is not None, line
        day = datetime.strptime(f"{match['day']} {YEAR} 09:00 +0000", "%b %d %Y %H:%M %z")
        at = max(day, at + timedelta(minutes=1))
        yield Line(at.isoformat(), match["speaker"], match["content"])


def told(chats: Sequence[Chat], encoder: Callable[[], Encoder], dimension: int) -> Mapping[str, Sequence[StateEntry]]:
    """By chat, every statement as it stands a minute after its last message: each chat in a space of its own."""
    index = MemoryIndex(dimension)
    now = datetime(YEAR + 1, 1, 1, tzinfo=UTC)
    parts = Parts(
        log=MemoryLog(), tables=MemoryTables(), encoder=encoder, index=lambda _: index,
        clock=lambda: int(now.timestamp()) * 1_000_000,
    )  # fmt: skip
    system = Embedded(parts, Settings())
    found: dict[str, Sequence[StateEntry]] = {}
    for chat in chats:
        _post(system, chat)
    system.flush()
    for chat in chats:
        last = parse_time(chat.said[-1].sent_at)[0]
        request = StateRequest(
            space=chat.space, as_of=last + 60_000_000, known_at=None, participant=None,
            attribute=None, include_all=True,
        )  # fmt: skip
        found[chat.name] = system.state(request).entries
    system.close()
    return found


def _post(system: Embedded, chat: Chat) -> None:
    messages = [
        {"message_id": str(place), "conversation_id": "c", "speaker": line.speaker, "content": line.content,
         "sent_at": line.sent_at}
        for place, line in enumerate(chat.said)
    ]  # fmt: skip
    system.post(chat.space, [json.dumps(m).encode() for m in messages], received_at="sent_at")


def judge(chat: Chat, entries: Sequence[StateEntry]) -> Judged:
    """What is not as the chat expects."""
    not_ended: list[str] = []
    wrong: list[str] = []
    missing: list[str] = []
    for quote in chat.gone:
        hits = _covering(chat, quote, entries)
        if not hits:
            missing.append(quote)
        elif any(entry.validity > 0 for entry in hits):
            not_ended.append(quote)
    for quote in chat.kept:
        hits = _covering(chat, quote, entries)
        if not hits:
            missing.append(quote)
        elif not any(_holds(entry) for entry in hits):
            wrong.append(quote)
    known = [id(e) for quote in (*chat.gone, *chat.kept, *chat.either) for e in _covering(chat, quote, entries)]
    wrong += [entry.event.text for entry in entries if id(entry) not in known and entry.superseded_by]
    return Judged(tuple(not_ended), tuple(wrong), tuple(missing))


def _holds(entry: StateEntry) -> bool:
    return entry.validity > 0 and entry.plan != "lapsed"


def _covering(chat: Chat, quote: str, entries: Sequence[StateEntry]) -> list[StateEntry]:
    """The statements whose words share at least half of the quote's."""
    place, line = next((i, line) for i, line in enumerate(chat.said) if quote in line.content)
    start = line.content.index(quote)
    end = start + len(quote)
    return [
        entry
        for entry in entries
        for source in entry.event.sources
        if source.message_id == str(place) and 2 * (min(end, source.end) - max(start, source.start)) >= len(quote)
    ]
