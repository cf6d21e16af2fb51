"""The vector index on Qdrant's engine in process (qdrant-edge-py): no service, one directory, one process."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

import msgspec
import numpy as np
import numpy.typing as npt
import qdrant_edge as qe

from schemas.erasure_wire import Remains
from schemas.ids import SpaceKey

from .engine import EngineIndex, Where
from .points import (
    AT_FIELD,
    CONVERSATION_FIELD,
    DENSE,
    INDEX_FORMAT,
    KIND_FIELD,
    REF_FIELD,
    SPACE_FIELD,
    SPARSE,
    TERMS_FIELD,
    IndexAwayError,
    IndexLockedError,
    IndexMismatchError,
    payload,
    point_id,
)
from .protocol import Hit, Point, SparseVector
from .rewriting import settle, write_anew

_PAGE = 4096
_MADE_FILE = "index.json"
_SHARD = "shard"

ROOM_BYTES = 64 * 2**20
"""Free space below which nothing is written. The engine maps files that have holes, and a disk that has no block for a
hole kills the process (SIGBUS); a batch of points fills some megabytes of them."""


class _Made(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``index.json``: what the index was made for. Written last, so that it exists only beside a complete index."""

    format: int
    encoder: str
    dimension: int


class _EdgeEngine:
    """``Engine`` in process; safe to call from several threads."""

    def __init__(self, shard: qe.EdgeShard, lock: IO[bytes], directory: Path, dimension: int) -> None:
        self._shard = shard
        self._lock_file = lock
        self._directory = directory
        self._dimension = dimension

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        _check_room(self._directory)
        self._shard.update(qe.UpdateOperation.upsert_points([_edge_point(space, point) for point in points]))

    def delete(self, ids: Sequence[str]) -> None:
        _check_room(self._directory)
        points: list[qe.PointId] = list(ids)
        self._shard.update(qe.UpdateOperation.delete_points(points))

    def delete_where(self, where: Where) -> None:
        self._shard.update(qe.UpdateOperation.delete_points_by_filter(_filter(where)))

    def search(self, query: npt.NDArray[np.float32] | SparseVector, where: Where, count: int) -> list[Hit]:
        if isinstance(query, SparseVector):
            nearest = qe.Query.Nearest(_edge_sparse(query), using=SPARSE)
        else:
            nearest = qe.Query.Nearest(cast("list[float]", query.tolist()), using=DENSE)
        found = self._shard.search(
            qe.SearchRequest(
                query=nearest,
                limit=count,
                filter=_filter(where),
                params=qe.SearchParams(exact=True),
                with_payload=[REF_FIELD],
            )
        )
        return [Hit(ref=_ref(point), score=point.score) for point in found]

    def count(self, where: Where) -> int:
        return self._shard.count(qe.CountRequest(exact=True, filter=_filter(where)))

    def vectors(self, ids: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        points: list[qe.PointId] = list(ids)
        found: dict[str, npt.NDArray[np.float32]] = {}
        for record in self._shard.retrieve(points, with_payload=[REF_FIELD], with_vector=[DENSE]):
            vectors = cast("dict[str, list[float]]", record.vector)
            found[_ref(record)] = np.array(vectors[DENSE], dtype=np.float32)
        return found

    def refs(self, where: Where) -> Iterator[str]:
        offset: qe.PointId | None = None
        while True:
            records, offset = self._shard.scroll(
                qe.ScrollRequest(offset=offset, limit=_PAGE, filter=_filter(where), with_payload=[REF_FIELD])
            )
            yield from (_ref(record) for record in records)
            if offset is None:
                return

    def points(self, where: Where) -> Iterator[Point]:
        offset: qe.PointId | None = None
        while True:
            records, offset = self._shard.scroll(
                qe.ScrollRequest(
                    offset=offset, limit=_PAGE, filter=_filter(where), with_payload=True, with_vector=[DENSE, SPARSE]
                )
            )
            yield from (_point(record) for record in records)
            if offset is None:
                return

    def flush(self) -> None:
        self._shard.flush()

    def forget_deleted(self) -> Sequence[Remains]:
        """A search that runs meanwhile ends on the files it began with."""
        _check_room(self._directory)
        data = self._directory / _SHARD
        write_anew(self._shard, data, lambda place: _new_shard(place, self._dimension))
        self._shard = qe.EdgeShard.load(str(data), _config(self._dimension))
        settle(data)
        return ()

    def close(self) -> None:
        """Flush and give the directory free."""
        self._shard.close()
        self._lock_file.close()


def is_made(directory: Path) -> bool:
    """Whether ``open_edge`` would open an index rather than make an empty one."""
    return (directory / _MADE_FILE).exists()


def forget_made(directory: Path) -> None:
    """Let ``open_edge`` make an empty index the next time. Nobody may have it open."""
    (directory / _MADE_FILE).unlink(missing_ok=True)


def open_edge(directory: Path, *, dimension: int, encoder: str) -> EngineIndex:
    """Open or make the index of a directory.

    Args:
        directory: owned by the index; its lock file stays there.
        dimension: of the dense vectors.
        encoder: ``Encoder.name``; vectors of two encoders do not compare.

    Raises:
        IndexLockedError: the directory is open elsewhere; nothing was changed.
        IndexMismatchError: made by another encoder, dimension or format, or damaged. Delete the directory and rebuild.
        IndexAwayError: it is to be made and the disk is nearly full; every write says so too. Make room, and go on.
    """
    directory.mkdir(parents=True, exist_ok=True)
    lock = _lock(directory)
    try:
        shard = _open_shard(directory, _Made(format=INDEX_FORMAT, encoder=encoder, dimension=dimension))
    except (IndexMismatchError, IndexAwayError):
        lock.close()
        raise
    engine = _EdgeEngine(shard, lock, directory, dimension)
    return EngineIndex(engine, dimension, points=engine.points)


def _check_room(directory: Path) -> None:
    free = shutil.disk_usage(directory).free
    if free < ROOM_BYTES:
        raise IndexAwayError(
            f"{directory} cannot be written: {free // 2**20} MB are free on its disk, {ROOM_BYTES // 2**20} are needed"
        )


def _lock(directory: Path) -> IO[bytes]:
    # The engine refuses a second opener too, but by a bare Exception and an error of its write-ahead log.
    lock = (directory / "lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise IndexLockedError(f"{directory}: the vector index is open in another process") from None
    return lock


def _open_shard(directory: Path, wanted: _Made) -> qe.EdgeShard:
    made_file, data = directory / _MADE_FILE, directory / _SHARD
    settle(data)
    if not is_made(directory):
        # Killed while it was being made: no position can have been stored yet that relies on its content.
        _check_room(directory)
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        shard = _new_shard(data, wanted.dimension)
        shard.flush()
        _write_whole(made_file, msgspec.json.encode(wanted))
        return shard
    made = msgspec.json.decode(made_file.read_bytes(), type=_Made)
    if made != wanted:
        raise IndexMismatchError(f"{directory}: made for {made}, opened for {wanted}; delete it and rebuild")
    try:
        return qe.EdgeShard.load(str(data), _config(wanted.dimension))
    except Exception as error:
        if type(error) is not Exception:  # the engine has no class of its own for what it reports
            raise
        raise IndexMismatchError(f"{directory}: cannot be opened, delete it and rebuild: {error}") from error


def _new_shard(directory: Path, dimension: int) -> qe.EdgeShard:
    shard = qe.EdgeShard.create(str(directory), _config(dimension))
    _index_fields(shard)
    return shard


def _config(dimension: int) -> qe.EdgeConfig:
    # Dot, not Cosine: rows are of length 1 already, and Cosine would store other bytes than it was given.
    return qe.EdgeConfig(
        vectors={DENSE: qe.EdgeVectorParams(size=dimension, distance=qe.Distance.Dot)},
        sparse_vectors={SPARSE: qe.EdgeSparseVectorParams()},
    )


def _index_fields(shard: qe.EdgeShard) -> None:
    for field in (SPACE_FIELD, KIND_FIELD, CONVERSATION_FIELD):
        params = qe.KeywordIndexParams(is_tenant=field == SPACE_FIELD)
        shard.update(qe.UpdateOperation.create_field_index(field, params))
    terms = qe.IntegerIndexParams(lookup=True, range=False)
    shard.update(qe.UpdateOperation.create_field_index(TERMS_FIELD, terms))


def _write_whole(path: Path, data: bytes) -> None:
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _filter(where: Where) -> qe.Filter:
    must: list[qe.ConditionType] = []
    for field, value in where.conditions():
        match = qe.MatchValue(value) if isinstance(value, str | int) else qe.MatchAny(list(value))
        must.append(qe.FieldCondition(key=field, match=match))
    return qe.Filter(must=must)


def _edge_point(space: SpaceKey, point: Point) -> qe.Point:
    vectors: dict[str, qe.NamedVector] = {DENSE: cast("list[float]", point.dense.tolist())}
    if point.sparse.indices:
        vectors[SPARSE] = _edge_sparse(point.sparse)
    return qe.Point(point_id(space, point.kind, point.ref), vectors, payload(space, point))


def _point(record: qe.Record) -> Point:
    stored = cast("dict[str, Any]", record.payload)
    vectors = cast("dict[str, Any]", record.vector)
    sparse = cast("qe.SparseVector | None", vectors.get(SPARSE))
    return Point(
        ref=stored[REF_FIELD],
        kind=stored[KIND_FIELD],
        conversation_id=stored[CONVERSATION_FIELD],
        at=stored[AT_FIELD],
        dense=np.array(vectors[DENSE], dtype=np.float32),
        sparse=SparseVector(
            indices=() if sparse is None else tuple(sparse.indices),
            values=() if sparse is None else tuple(sparse.values),
        ),
    )


def _edge_sparse(vector: SparseVector) -> qe.SparseVector:
    return qe.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _ref(record: qe.Record | qe.ScoredPoint) -> str:
    return cast("dict[str, str]", record.payload)[REF_FIELD]
