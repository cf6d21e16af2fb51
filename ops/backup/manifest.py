"""What a backup says about itself: ``backup.json``, written last."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from schemas.topics import TOPICS
from streams.log.errors import BadStoreError
from streams.log.rocks import RocksLog
from views.maintain import VIEW_TOPICS, Maintainer
from views.store import RocksTables

MANIFEST = "backup.json"
BACKUP_FORMAT = 1
_CHUNK = 1 << 20


class FileSum(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the backup, by its path in it."""

    path: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a backup.

    Attributes:
        format: of the backup; ``log_format``, ``stages_format`` and ``view_format``: of what is in it.
        made_at: RFC 3339, UTC.
        cluster_id: the log's own identity; a store that is restored goes on as the same log.
        ends: end offset of every partition of every topic that has records, as "topic/partition".
        applied: next offset of the view in every partition of its inputs that it has read.
        vectors: what became of the vector index: always "made anew".
    """

    format: int
    made_at: str
    cluster_id: str
    partitions: int
    log_format: int
    stages_format: int
    view_format: int
    ends: dict[str, int]
    applied: dict[str, int]
    vectors: str
    files: tuple[FileSum, ...]


def sum_of(root: Path, file: Path) -> FileSum:
    """A file's size and hash."""
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return FileSum(path=str(file.relative_to(root)), bytes=size, sha256=digest.hexdigest())


def ends_of(log: RocksLog) -> dict[str, int]:
    """End offsets of what has records."""
    places = ((topic, p, log.end(topic, p)) for topic in TOPICS for p in range(log.partitions))
    return {f"{topic}/{p}": end for topic, p, end in places if end}


def applied_of(tables: RocksTables, partitions: int) -> dict[str, int]:
    """How far the view has come."""
    maintainer = Maintainer(tables)
    places = ((topic, p, maintainer.position(topic, p)) for topic in VIEW_TOPICS for p in range(partitions))
    return {f"{topic}/{p}": following for topic, p, following in places if following}


def check_positions(ends: dict[str, int], applied: dict[str, int]) -> None:
    """Refuse a view that has applied what the log does not hold."""
    for place, following in applied.items():
        if following > ends.get(place, 0):
            raise BadStoreError(
                f"{place}: the view has applied {following} records, the log holds {ends.get(place, 0)}"
            )
