"""The vector index on a Qdrant server, for several processes. One collection, its tenants kept apart by one keyword."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
from qdrant_client import QdrantClient, models

from schemas.ids import SpaceKey

from .points import (
    CONVERSATION_FIELD,
    DENSE,
    INDEX_FORMAT,
    KIND_FIELD,
    REF_FIELD,
    SPACE_FIELD,
    SPARSE,
    TERMS_FIELD,
    IndexMismatchError,
    check_points,
    payload,
    point_id,
    space_value,
)
from .protocol import Frequencies, Hit, Point, PointKind, SparseVector
from .ranking import DENSE_DECIMALS, SPARSE_DECIMALS, exact_top

_BATCH = 256
_PAGE = 1024

_FIELDS: dict[str, models.KeywordIndexParams | models.IntegerIndexParams] = {
    SPACE_FIELD: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    KIND_FIELD: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    CONVERSATION_FIELD: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    TERMS_FIELD: models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False),
}


class ServerIndex:
    """Satisfies ``VectorIndex``. Made by ``open_server``.

    Writes are acknowledged when applied and in the server's log, so ``flush`` has nothing to wait for. Document
    frequencies are counted anew for each query: another process may have written.
    """

    def __init__(self, client: QdrantClient, collection: str, dimension: int) -> None:
        self._client = client
        self._collection = collection
        self._dimension = dimension

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        check_points(points, self._dimension)
        for start in range(0, len(points), _BATCH):
            batch = [_struct(space, point) for point in points[start : start + _BATCH]]
            self._client.upsert(self._collection, batch, wait=True)

    def delete(self, space: SpaceKey, kind: PointKind, refs: Sequence[str]) -> None:
        if refs:
            ids: list[models.ExtendedPointId] = [point_id(space, kind, ref) for ref in refs]
            self._client.delete(self._collection, models.PointIdsList(points=ids), wait=True)

    def delete_space(self, space: SpaceKey) -> None:
        self._client.delete(self._collection, models.FilterSelector(filter=_filter(space)), wait=True)

    def search_dense(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: npt.NDArray[np.float32],
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        vector = cast("list[float]", query.tolist())
        where = _filter(space, kind, conversations)
        return exact_top(lambda count: self._search(vector, DENSE, where, count), limit, DENSE_DECIMALS)

    def search_sparse(
        self,
        space: SpaceKey,
        kind: PointKind,
        query: SparseVector,
        limit: int,
        conversations: Sequence[str] | None = None,
    ) -> list[Hit]:
        if not query.indices:
            return []
        vector = _sparse(query)
        where = _filter(space, kind, conversations)
        return exact_top(lambda count: self._search(vector, SPARSE, where, count), limit, SPARSE_DECIMALS)

    def document_frequencies(self, space: SpaceKey, kind: PointKind, terms: Sequence[int]) -> Frequencies:
        counts = tuple(self._count(_filter(space, kind, term=term)) for term in terms)
        return Frequencies(counts=counts, total=self._count(_filter(space, kind)))

    def dense_vectors(
        self, space: SpaceKey, kind: PointKind, refs: Sequence[str]
    ) -> dict[str, npt.NDArray[np.float32]]:
        ids: list[models.ExtendedPointId] = [point_id(space, kind, ref) for ref in refs]
        if not ids:
            return {}
        records = self._client.retrieve(self._collection, ids, with_payload=[REF_FIELD], with_vectors=[DENSE])
        found: dict[str, npt.NDArray[np.float32]] = {}
        for record in records:
            vectors = cast("dict[str, list[float]]", record.vector)
            found[_ref(record)] = np.array(vectors[DENSE], dtype=np.float32)
        return found

    def refs(self, space: SpaceKey, kind: PointKind) -> list[str]:
        return sorted(self._scroll_refs(_filter(space, kind)))

    def flush(self) -> None:
        """Nothing to do: every write above was waited for."""

    def close(self) -> None:
        self._client.close()

    def _search(
        self, query: list[float] | models.SparseVector, using: str, where: models.Filter, count: int
    ) -> list[Hit]:
        found = self._client.query_points(
            self._collection,
            query=query,
            using=using,
            query_filter=where,
            # Exact: a space's points are few and found by the tenant index; an approximate graph would only lose some.
            search_params=models.SearchParams(exact=True),
            limit=count,
            with_payload=[REF_FIELD],
        )
        return [Hit(ref=_ref(point), score=point.score) for point in found.points]

    def _count(self, where: models.Filter) -> int:
        return self._client.count(self._collection, count_filter=where, exact=True).count

    def _scroll_refs(self, where: models.Filter) -> Iterator[str]:
        offset: models.ExtendedPointId | None = None
        while True:
            records, following = self._client.scroll(
                self._collection, scroll_filter=where, limit=_PAGE, offset=offset, with_payload=[REF_FIELD]
            )
            yield from (_ref(record) for record in records)
            if following is None:
                return
            offset = cast("models.ExtendedPointId", following)


def collection_name(encoder: str, dimension: int) -> str:
    """One collection for each encoder and format: an index is never asked with vectors of another encoder."""
    plain = re.sub(r"[^a-z0-9]+", "-", encoder.casefold()).strip("-")
    return f"stilltrue-{plain}-{dimension}-v{INDEX_FORMAT}"


def open_server(client: QdrantClient, *, dimension: int, encoder: str) -> ServerIndex:
    """Open the collection, making it and its payload indexes where they are missing.

    Raises:
        IndexMismatchError: a collection of this name exists with other vectors. Delete it and rebuild.
    """
    name = collection_name(encoder, dimension)
    if not client.collection_exists(name):
        client.create_collection(
            name,
            vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.DOT)},
            sparse_vectors_config={SPARSE: models.SparseVectorParams()},
            # No graph is built: every search is exact within one space.
            hnsw_config=models.HnswConfigDiff(m=0),
        )
    _check(client.get_collection(name), name, dimension)
    present = client.get_collection(name).payload_schema
    for field, schema in _FIELDS.items():
        if field not in present:
            client.create_payload_index(name, field_name=field, field_schema=schema, wait=True)
    return ServerIndex(client, name, dimension)


def _check(info: models.CollectionInfo, name: str, dimension: int) -> None:
    vectors, sparse = info.config.params.vectors, info.config.params.sparse_vectors
    dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
    if dense is None or dense.size != dimension or dense.distance != models.Distance.DOT:
        raise IndexMismatchError(f"collection {name}: expected {DENSE} of {dimension} with Dot, found {vectors}")
    if sparse is None or SPARSE not in sparse or sparse[SPARSE].modifier not in (None, models.Modifier.NONE):
        raise IndexMismatchError(f"collection {name}: expected {SPARSE} without a modifier, found {sparse}")
    for field, schema in _FIELDS.items():
        found = info.payload_schema.get(field)
        if found is not None and found.data_type.value != schema.type.value:
            raise IndexMismatchError(f"collection {name}: field {field} is indexed as {found.data_type}")


def _filter(
    space: SpaceKey,
    kind: PointKind | None = None,
    conversations: Sequence[str] | None = None,
    term: int | None = None,
) -> models.Filter:
    must: list[models.Condition] = [
        models.FieldCondition(key=SPACE_FIELD, match=models.MatchValue(value=space_value(space))),
    ]
    if kind is not None:
        must.append(models.FieldCondition(key=KIND_FIELD, match=models.MatchValue(value=kind)))
    if conversations is not None:
        must.append(models.FieldCondition(key=CONVERSATION_FIELD, match=models.MatchAny(any=list(conversations))))
    if term is not None:
        must.append(models.FieldCondition(key=TERMS_FIELD, match=models.MatchValue(value=term)))
    return models.Filter(must=must)


def _struct(space: SpaceKey, point: Point) -> models.PointStruct:
    vectors: dict[str, object] = {DENSE: cast("list[float]", point.dense.tolist())}
    if point.sparse.indices:
        vectors[SPARSE] = _sparse(point.sparse)
    return models.PointStruct.model_validate(
        {"id": point_id(space, point.kind, point.ref), "vector": vectors, "payload": payload(space, point)}
    )


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _ref(record: models.Record | models.ScoredPoint) -> str:
    return cast("dict[str, str]", record.payload)[REF_FIELD]
