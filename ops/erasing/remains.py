"""What an erasure does not reach, said plainly."""

from __future__ import annotations

from schemas.erasure_wire import Remains

from .work import Work


def always_left(work: Work) -> tuple[Remains, ...]:
    """What is left wherever the store is."""
    messages = f"{work.begun.messages} messages"
    return (
        Remains(
            where="log",
            what=f"ids of {messages}, of their conversation and sessions, when they were taken in, and this erasure",
            why="positions, order and a rebuild rest on them; no text, no speaker, no time of speaking is in them",
            until=None,
        ),
        *outside_stores(),
    )


def outside_stores() -> tuple[Remains, ...]:
    """What is left beside the files of any process."""
    return (
        Remains(
            where="memory of the running process",
            what="texts in the cache of the encoder",
            why="they are kept for speed, by text, without their messages",
            until="the process ends",
        ),
        Remains(
            where="free blocks of the disk",
            what="bytes of deleted files",
            why="files are written anew and the former ones deleted; a file system does not overwrite them",
            until="the disk uses the blocks again; encrypt the disk where that is too late",
        ),
    )
