"""A shard of Qdrant's engine written anew: deleted points stay in its files (segments, payloads, write-ahead log).

Measured: after a delete, a flush and ``optimize`` vectors and payloads of the deleted points are all still there; the
optimizer looks at segments of 1,000 points or more, of which a fifth is deleted, and the log is never cut on demand.

The copy is made beside the shard and takes its place by two renames. A kill leaves either the old shard, or no shard
and a whole copy: ``settle`` tells which.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import qdrant_edge as qe

PAGE = 512
"""Points in memory at once: about 4 MB of numbers."""


def settle(shard: Path) -> None:
    """Finish or undo what a kill interrupted. Call it before the shard is opened."""
    copy, former = _copy(shard), _former(shard)
    if not shard.exists() and copy.exists():
        copy.rename(shard)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.rmtree(former, ignore_errors=True)


def write_anew(source: qe.EdgeShard, shard: Path, create: Callable[[Path], qe.EdgeShard]) -> None:
    """Put a copy of the shard's points in the place of its files.

    The shard that is open goes on reading the files it has; open the new one, then ``settle`` removes the former.

    Args:
        source: the open shard. Nobody may write to it meanwhile: it would be lost.
        shard: its directory.
        create: makes an empty shard, with its indexes, in a directory.
    """
    copy = _copy(shard)
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    target = create(copy)
    offset: qe.PointId | None = None
    while True:
        request = qe.ScrollRequest(offset=offset, limit=PAGE, with_payload=True, with_vector=True)
        records, offset = source.scroll(request)
        if records:
            target.update(qe.UpdateOperation.upsert_points([_point(record) for record in records]))
        if offset is None:
            break
    target.flush()
    target.close()
    shard.rename(_former(shard))
    copy.rename(shard)


def _point(record: qe.Record) -> qe.Point:
    vectors = cast("dict[str, qe.NamedVector]", record.vector)
    return qe.Point(record.id, vectors, cast("dict[str, object]", record.payload))


def _copy(shard: Path) -> Path:
    return shard.with_name(shard.name + ".new")


def _former(shard: Path) -> Path:
    return shard.with_name(shard.name + ".old")
