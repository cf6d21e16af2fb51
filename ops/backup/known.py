"""Where backups of a store were put, as far as its own commands made them: an erasure's receipt names them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from schemas.erasure_wire import Remains

KNOWN = "backups.jsonl"
"""In the store: one line each, only ever appended to."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A backup that was made; whoever moves or deletes it tells nobody."""

    directory: str
    made_at: str


_decoder = msgspec.json.Decoder(Known)


def note(store: Path, made: Known) -> None:
    """Remember a backup. One short write at the end of the file: commands may do it at the same time."""
    line = msgspec.json.encode(made) + b"\n"
    handle = os.open(store / KNOWN, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)


def known_backups(store: Path) -> list[Known]:
    """Every backup that was made, oldest first. A line that a kill cut is passed over."""
    if not (store / KNOWN).exists():
        return []
    found: list[Known] = []
    for line in (store / KNOWN).read_bytes().splitlines():
        try:
            found.append(_decoder.decode(line))
        except msgspec.DecodeError:
            continue
    return found


def in_backups(store: Path) -> list[Remains]:
    """What an erasure does not reach: the backups made before it."""
    return [
        Remains(
            where=f"backup {one.directory}",
            what=f"the store as it was on {one.made_at}"
            + ("" if Path(one.directory).exists() else "; nothing is there now: moved or deleted"),
            why="a backup is a copy made before; restoring it brings the text back",
            until="it is deleted; erase again after restoring it",
        )
        for one in known_backups(store)
    ]
