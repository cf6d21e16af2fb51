"""``locomo``: the LoCoMo benchmark's conversations, a JSON array (or one object) with dated sessions of turns.

The file gives times without a zone ("9:05 am on 2 June, 2019"). They are passed on without one; unless the user names a
zone they are read as UTC, and in either case the messages are marked as having an assumed time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import cast

import msgspec

from schemas.wire import MessageIn

from .items import BOM, BadFileError, Item, SourceFile, bad, good

_SESSION = re.compile(r"session_(\d+)")
_TIME = re.compile(r"\s*(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""By hand: the standard library's month names follow the locale."""


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation: ``session_N`` lists of turns and their ``session_N_date_time``."""

    sample_id: str
    conversation: dict[str, object]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn. ``blip_caption`` describes the picture sent with it."""

    dia_id: str
    speaker: str
    text: str
    blip_caption: str | None = None


def open_locomo(path: Path, conversation: int | None = None) -> SourceFile:
    """Read the file.

    Args:
        path: the file.
        conversation: its number in the file, from 0; None takes all.

    Raises:
        BadFileError: not UTF-8, not JSON, not of this shape, or no such conversation.
    """
    conversations = read_conversations(path)
    numbers = range(len(conversations))
    if conversation is not None:
        if conversation not in numbers:
            raise BadFileError(f"{path}: no conversation {conversation}; the file has 0 to {len(conversations) - 1}")
        numbers = range(conversation, conversation + 1)
    lengths = [sum(len(turns) for _, _, turns in _sessions(conversations[number])) for number in numbers]

    def items() -> Iterator[Item]:
        for first, number in zip(accumulate(lengths, initial=0), numbers, strict=False):
            yield from _items(first, number, conversations[number])

    return SourceFile(path=path, format="locomo", total=sum(lengths), default_tz="UTC", items=items)


def read_conversations(path: Path) -> list[Conversation]:
    """Every conversation of the file. Raises ``BadFileError``."""
    raw = path.read_bytes().removeprefix(BOM)
    try:
        raw.decode("utf-8")
        if raw.lstrip().startswith(b"{"):
            return [msgspec.json.decode(raw, type=Conversation)]
        return msgspec.json.decode(raw, type=list[Conversation])
    except UnicodeDecodeError as error:
        raise BadFileError(f"{path}: not UTF-8 (byte {error.start}); convert the file to UTF-8 first") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadFileError(f"{path}: not a LoCoMo file: {error}") from error


def parse_session_time(text: str) -> str:
    """ "9:05 am on 2 June, 2019" as ``2019-06-02T09:05:00``, without a zone.

    Raises:
        ValueError: not of that form, or no such day.
    """
    match = _TIME.fullmatch(text)
    if match is None or match[5][:3].lower() not in _MONTHS or not 1 <= int(match[1]) <= 12:
        raise ValueError(f"not a session time: {text!r}")
    month = _MONTHS.index(match[5][:3].lower()) + 1
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    moment = datetime(int(match[6]), month, int(match[4]), hour, int(match[2]))  # noqa: DTZ001 - the file has no zone
    return moment.isoformat()


def _sessions(conversation: Conversation) -> list[tuple[str, object, list[object]]]:
    """(session id, its date time, turns), in the order of the sessions' numbers. Dates without turns are left out."""
    found: list[tuple[int, str, object, list[object]]] = []
    for name, turns in conversation.conversation.items():
        match = _SESSION.fullmatch(name)
        if match and isinstance(turns, list):
            when = conversation.conversation.get(f"{name}_date_time")
            found.append((int(match[1]), name, when, cast("list[object]", turns)))
    return [(name, when, turns) for _, name, when, turns in sorted(found, key=lambda session: session[:2])]


def _items(first: int, number: int, conversation: Conversation) -> Iterator[Item]:
    """Items of a conversation. ``first``: position of its first turn among those imported."""
    seq = 0
    for session_id, when, turns in _sessions(conversation):
        try:
            sent_at, problem = parse_session_time(str(when)), None
        except ValueError as error:
            sent_at, problem = "", f"{session_id}_date_time: {error}"
        for turn_number, raw in enumerate(turns, 1):
            where = f"conversation {number}, {session_id}, turn {turn_number}"
            if problem is None:
                yield _item(first + seq, where, raw, conversation.sample_id, session_id, sent_at, seq)
            else:
                yield bad(first + seq, where, problem)
            seq += 1


def _item(
    position: int, where: str, raw: object, conversation_id: str, session_id: str, sent_at: str, seq: int
) -> Item:
    try:
        turn = msgspec.convert(raw, Turn)
    except msgspec.ValidationError as error:
        return bad(position, where, str(error))
    caption = f"[Image: {turn.blip_caption}]" if turn.blip_caption else ""
    message = MessageIn(
        message_id=turn.dia_id,
        conversation_id=conversation_id,
        speaker=turn.speaker,
        content=f"{caption} {turn.text}".strip(),
        sent_at=sent_at,
        session_id=session_id,
        seq=seq,
    )
    return good(position, where, message)
