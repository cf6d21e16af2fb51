"""The vector index on a Qdrant server, for several processes. One collection, its tenants kept apart by one keyword.

No Qdrant server has run this code: requests are checked against the client's own models, its local mode, and a double
that validates each body (tests/contract).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

import msgspec
import numpy as np
import numpy.typing as npt
from httpx import TimeoutException
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from schemas.erasure_wire import Remains
from schemas.ids import SpaceKey

from .collection import BAD_REQUEST, check_collection, collection_name, create_collection, missing_indexes
from .engine import EngineIndex, Where
from .points import DENSE, REF_FIELD, SPARSE, IndexAwayError, IndexMismatchError, PointsRefusedError, payload, point_id
from .protocol import Hit, Point, SparseVector

TIMEOUT_S = 10
"""Of one request."""

TRIES = 3
PAUSE_S = 0.1
"""Before the second try, twice as long before the third: for a connection that broke, not for a server that is away."""

_PAGE = 1024
_BUSY = frozenset({429, 502, 503, 504})

T = TypeVar("T")


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server is. ``url`` as in http://qdrant:6333; ``api_key`` where it asks for one.

    ``prefix``: of the collection's name, as that of the topics.
    """

    url: str
    api_key: str | None = None
    prefix: str = ""
    timeout_s: int = TIMEOUT_S


class ServerIndex(EngineIndex):
    """``VectorIndex`` on a server. Made by ``open_server``; safe to call from several threads.

    Writes are acknowledged when applied and in the server's log, so ``flush`` has nothing to wait for. Document
    frequencies are counted anew for each query: another process may have written. Every method raises
    ``IndexAwayError``; ``upsert`` also ``PointsRefusedError``.

    Attributes:
        made: names this very collection: one that was deleted and made anew has another.
    """

    def __init__(self, calls: _Calls, dimension: int, encoder: str, made: str) -> None:
        super().__init__(_ServerEngine(calls), dimension)
        self.made = made
        self._calls = calls
        self._dimension = dimension
        self._encoder = encoder

    def problem(self) -> str | None:
        """Why the index cannot be used now, for a readiness probe; None when it can. One request."""
        calls = self._calls
        try:
            info = calls(lambda: calls.client.get_collection(calls.collection), tries=1)
            check_collection(info, calls.collection, self._dimension, self._encoder)
        except (IndexAwayError, IndexMismatchError) as error:
            return str(error)
        if missing_indexes(info):
            return f"collection {calls.collection}: not indexed yet: {', '.join(missing_indexes(info))}"
        return None


def connect(server: Server, *, dimension: int, encoder: str) -> ServerIndex:
    """``open_server`` over HTTP. Errors as there."""
    # We look at the collection ourselves; the client's look at the server's version only warns.
    client = QdrantClient(
        url=server.url, api_key=server.api_key, timeout=server.timeout_s, check_compatibility=False
    )  # fmt: skip
    try:
        return open_server(
            client, dimension=dimension, encoder=encoder, prefix=server.prefix, timeout_s=server.timeout_s
        )
    except (IndexAwayError, IndexMismatchError):
        client.close()
        raise


def open_server(
    client: QdrantClient, *, dimension: int, encoder: str, prefix: str = "", timeout_s: float = TIMEOUT_S
) -> ServerIndex:
    """Open the collection, making it and its payload indexes where they are missing. Several processes may at once.

    Args:
        client: owned by the index from now on.
        dimension: of the dense vectors.
        encoder: ``Encoder.name``; vectors of two encoders do not compare.
        prefix: see ``Server``.
        timeout_s: no try is begun later than this.

    Raises:
        IndexAwayError: the server does not answer, or not us.
        IndexMismatchError: a collection of this name holds something else. The message says what to do.
    """
    name = collection_name(encoder, dimension, prefix)
    calls = _Calls(client, name, timeout_s)
    if not calls(lambda: client.collection_exists(name)):
        try:
            calls(lambda: create_collection(client, name, dimension, encoder, made=str(uuid.uuid4())), refusable=True)
        except PointsRefusedError:
            if not calls(lambda: client.collection_exists(name)):
                raise IndexAwayError(f"collection {name} could not be made") from None  # else another process was first
    info = calls(lambda: client.get_collection(name))
    made = check_collection(info, name, dimension, encoder)
    for field, schema in missing_indexes(info).items():
        calls(lambda f=field, s=schema: client.create_payload_index(name, field_name=f, field_schema=s, wait=True))
    return ServerIndex(calls, dimension, encoder, made)


class _Calls:
    """Calls the client, and tells what went wrong in the words of the index."""

    def __init__(self, client: QdrantClient, collection: str, timeout_s: float) -> None:
        self.client = client
        self.collection = collection
        self._timeout_s = timeout_s

    def __call__(self, call: Callable[[], T], *, tries: int = TRIES, refusable: bool = False) -> T:
        """What the call gives. Everything we ask may be asked again: ids are ours, and deleting twice is deleting."""
        begun = time.monotonic()
        for left in reversed(range(tries)):
            try:
                return call()
            except (ResponseHandlingException, ResourceExhaustedResponse) as error:
                source = error.source if isinstance(error, ResponseHandlingException) else error
                if isinstance(source, TimeoutException) or not self._again(left, begun):
                    raise IndexAwayError(f"the Qdrant server does not answer: {source!r}") from error
            except UnexpectedResponse as error:
                if refusable and error.status_code in BAD_REQUEST:
                    raise PointsRefusedError(_told(error)) from error
                if error.status_code not in _BUSY or not self._again(left, begun):
                    raise IndexAwayError(f"the Qdrant server refused: {_told(error)}") from error
            time.sleep(PAUSE_S * 2 ** (tries - 1 - left))
        raise AssertionError("the last try returns or raises")

    def _again(self, left: int, begun: float) -> bool:
        return left > 0 and time.monotonic() - begun < self._timeout_s


def _told(error: UnexpectedResponse) -> str:
    """One line."""
    return " ".join(str(error).split())


class _ServerEngine:
    """``Engine`` over HTTP."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls
        self._client = calls.client
        self._name = calls.collection

    def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
        batch = [_struct(space, point) for point in points]
        self._calls(lambda: self._client.upsert(self._name, batch, wait=True), refusable=True)

    def delete(self, ids: Sequence[str]) -> None:
        points: list[models.ExtendedPointId] = list(ids)
        self._calls(lambda: self._client.delete(self._name, models.PointIdsList(points=points), wait=True))

    def delete_where(self, where: Where) -> None:
        selector = models.FilterSelector(filter=_filter(where))
        self._calls(lambda: self._client.delete(self._name, selector, wait=True))

    def search(self, query: npt.NDArray[np.float32] | SparseVector, where: Where, count: int) -> list[Hit]:
        sparse = isinstance(query, SparseVector)
        vector = _sparse(query) if isinstance(query, SparseVector) else cast("list[float]", query.tolist())
        found = self._calls(
            lambda: self._client.query_points(
                self._name,
                query=vector,
                using=SPARSE if sparse else DENSE,
                query_filter=_filter(where),
                # Exact: a space's points are few and found by the tenant index; a graph would only lose some.
                search_params=models.SearchParams(exact=True),
                limit=count,
                with_payload=[REF_FIELD],
            )
        )
        return [Hit(ref=_ref(point), score=point.score) for point in found.points]

    def count(self, where: Where) -> int:
        return self._calls(lambda: self._client.count(self._name, count_filter=_filter(where), exact=True)).count

    def vectors(self, ids: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        points: list[models.ExtendedPointId] = list(ids)
        records = self._calls(
            lambda: self._client.retrieve(self._name, points, with_payload=[REF_FIELD], with_vectors=[DENSE])
        )
        found: dict[str, npt.NDArray[np.float32]] = {}
        for record in records:
            vectors = cast("Mapping[str, list[float]]", record.vector)
            found[_ref(record)] = np.array(vectors[DENSE], dtype=np.float32)
        return found

    def refs(self, where: Where) -> Iterator[str]:
        offset: models.ExtendedPointId | None = None
        while True:
            records, following = self._calls(
                lambda at=offset: self._client.scroll(
                    self._name, scroll_filter=_filter(where), limit=_PAGE, offset=at, with_payload=[REF_FIELD]
                )
            )
            yield from (_ref(record) for record in records)
            if following is None:
                return
            offset = cast("models.ExtendedPointId", following)

    def flush(self) -> None:
        """Nothing to do: every write above was waited for."""

    def forget_deleted(self) -> Sequence[Remains]:
        """The files are the server's."""
        return (
            Remains(
                where=f"Qdrant server, collection {self._name}",
                what="vectors and payloads of the deleted points, in its segments and its log; no query returns them",
                why="the server gives no way to rewrite them at once",
                until="its optimizer vacuums the segment (a fifth of 1,000 points or more deleted), or the collection "
                "is made anew",
            ),
        )

    def close(self) -> None:
        self._client.close()


def _filter(where: Where) -> models.Filter:
    must: list[models.Condition] = []
    for field, value in where.conditions():
        if isinstance(value, str | int):
            match: models.Match = models.MatchValue(value=value)
        else:
            match = models.MatchAny(any=list(value))
        must.append(models.FieldCondition(key=field, match=match))
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
