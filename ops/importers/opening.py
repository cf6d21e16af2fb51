"""Open a file for import, and tell its format where none is named."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from .items import BOM, BadFileError, Format, SourceFile
from .jsonl import open_jsonl
from .locomo import open_locomo

FormatName = Literal["auto", "jsonl", "locomo"]
FORMATS: tuple[FormatName, ...] = ("auto", "jsonl", "locomo")

_HEAD = 65_536
_FIRST_LINES = 1_000


def open_source(path: Path, format: FormatName = "auto", conversation: int | None = None) -> SourceFile:
    """Open an import.

    Args:
        path: a regular file.
        format: "auto" looks at the content, never at the name.
        conversation: for ``locomo``: its number in the file, from 0; None takes all.

    Raises:
        BadFileError: the file is missing, unreadable, in another encoding, of no known format, or has no such
            conversation. Nothing was read; the message names the file.
    """
    try:
        if not path.is_file():
            raise BadFileError(f"{path}: {'not a regular file' if path.exists() else 'no such file'}")
        _refuse_other_encodings(path)
        known = detect(path) if format == "auto" else format
        if known == "locomo":
            return open_locomo(path, conversation)
        if conversation is not None:
            raise BadFileError(f"{path}: --conversation applies to locomo files; this is {known}")
        return open_jsonl(path)
    except OSError as error:
        raise BadFileError(f"{path}: {error.strerror or error}") from error


def detect(path: Path) -> Format:
    """``locomo`` is one JSON document (an array, or an object over several lines or with a "conversation").

    Anything else that begins with "{" is ``jsonl``, also when its first line is damaged, whatever stands in it, as long
    as a message follows soon; so is an empty file. Raises ``BadFileError`` for the rest.
    """
    first = _first_line(path)
    if first.startswith(b"{"):
        return "locomo" if _is_one_document(path, first) else "jsonl"
    if not first or _has_a_message(path):
        return "jsonl"
    if first.startswith(b"["):
        return "locomo"
    raise BadFileError(f"{path}: neither JSON lines nor LoCoMo: it begins with {first[:20]!r}; name the format")


def _has_a_message(path: Path) -> bool:
    """Whether one of the first lines is an object with the fields of a message: then the others are damaged lines."""
    with path.open("rb") as file:
        for line in islice(file, _FIRST_LINES):
            try:
                fields = msgspec.json.decode(line.removeprefix(BOM), type=dict[str, msgspec.Raw])
            except (msgspec.DecodeError, RecursionError):
                continue
            if fields.keys() >= {"message_id", "content"}:
                return True
    return False


def _is_one_document(path: Path, first: bytes) -> bool:
    """Whether the object that begins in the first line is a LoCoMo conversation."""
    try:
        fields = msgspec.json.decode(first, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        try:
            fields = msgspec.json.decode(path.read_bytes().removeprefix(BOM), type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, RecursionError):
            return False
    except RecursionError:
        return False
    return "conversation" in fields


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        for number, line in enumerate(file):
            text = (line.removeprefix(BOM) if number == 0 else line).strip(b" \t\r\n")
            if text:
                return text
    return b""


def _refuse_other_encodings(path: Path) -> None:
    """UTF-16 and UTF-32 show by their mark or by NUL bytes, which no JSON text holds."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in head[:64]:
        raise BadFileError(f"{path}: not UTF-8 (it looks like UTF-16 or UTF-32); convert the file to UTF-8 first")
