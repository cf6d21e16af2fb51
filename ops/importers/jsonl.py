"""``jsonl``: one ``MessageIn`` object per line, UTF-8 with or without BOM, LF or CRLF; blank lines are skipped.

A line that is no message is an item with a problem, and reading goes on. A file in another encoding is refused whole:
half of it (the lines that happen to be ASCII) would be worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from schemas.wire import MessageIn

from .items import BOM, BadFileError, Item, SourceFile, bad, good

_decoder = msgspec.json.Decoder(MessageIn)


def open_jsonl(path: Path) -> SourceFile:
    """Count the lines and check the encoding (one pass over the file), then offer the items (another).

    Raises:
        BadFileError: not UTF-8.
    """
    return SourceFile(path=path, format="jsonl", total=_scan(path), default_tz=None, items=lambda: _items(path))


def _scan(path: Path) -> int:
    """Number of lines that are not blank.

    Broken characters in a file that elsewhere has proper UTF-8 beyond ASCII are damage: those lines are parked. In a
    file without any they mean another encoding.
    """
    total = 0
    wide = False
    broken: int | None = None
    for number, line in _lines(path):
        total += 1
        if not line.isascii():
            if _is_utf8(line):
                wide = True
            elif broken is None:
                broken = number
    if broken is not None and not wide:
        raise BadFileError(f"{path}: not UTF-8 (line {broken}); convert the file to UTF-8 first")
    return total


def _items(path: Path) -> Iterator[Item]:
    for number, line in _lines(path):
        yield _item(number, line)


def _item(number: int, line: bytes) -> Item:
    position, where = number - 1, f"line {number}"
    if not _is_utf8(line):
        return bad(position, where, "not UTF-8")
    try:
        return good(position, where, _decoder.decode(line))
    except msgspec.ValidationError as error:
        return bad(position, where, str(error))
    except msgspec.DecodeError as error:
        return bad(position, where, f"not JSON: {error}")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines (from 1) that are not blank, without BOM and line end."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = (line.removeprefix(BOM) if number == 1 else line).strip(b" \t\r\n")
            if text:
                yield number, text


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
