"""A double of a Qdrant server: holds every request to the client's own models, and answers by the client's local mode.

It is as strict as a server in strict mode: no filter may name a field without a payload index, and every filter must
begin with the space. What it cannot show is whether a real server reads these models in the same way.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from qdrant_client import QdrantClient, models

_BODIES: Mapping[tuple[str, str], Any] = {
    ("PUT", ""): models.CreateCollection,
    ("PUT", "/index"): models.CreateFieldIndex,
    ("PUT", "/points"): models.PointsList,
    ("POST", "/points/delete"): models.PointIdsList | models.FilterSelector,
    ("POST", "/points/query"): models.QueryRequest,
    ("POST", "/points/count"): models.CountRequest,
    ("POST", "/points/scroll"): models.ScrollRequest,
    ("POST", "/points"): models.PointRequest,
}
_CONFIG: Mapping[str, object] = {
    "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10000},
    "optimizer_config": {
        "deleted_threshold": 0.2,
        "vacuum_min_vector_number": 1000,
        "default_segment_number": 0,
        "flush_interval_sec": 5,
    },
}
_DONE = {"operation_id": 1, "status": "completed"}


class AnswerError(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class QdrantDouble(ThreadingHTTPServer):
    """Listens on loopback.

    Attributes:
        bodies: what was asked, as (method, path below the collection, body).
        failing: answers to give instead of the next ones; 0 drops the connection.
        refuses: a point whose payload's ref holds this is refused with its whole request.
        api_key: where requests must carry one.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[tuple[str, str, Any]] = []
        self.failing: list[int] = []
        self.refuses: str | None = None
        self.api_key: str | None = None
        self._local = QdrantClient(":memory:")
        self._indexes: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def sent(self, method: str, path: str) -> list[Any]:
        """Validated bodies of one kind of request."""
        return [body for at_method, at_path, body in self.bodies if (at_method, at_path) == (method, path)]

    def drop(self, collection: str) -> None:
        """Somebody deletes a collection."""
        self._local.delete_collection(collection)
        self._indexes.pop(collection, None)

    def answer(self, method: str, url: str, raw: bytes, key: str | None) -> object:
        """The result of a request."""
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.api_key is not None and key != self.api_key:
                raise AnswerError(401, "Must provide an API key or an Authorization bearer token")
            if self.failing:
                raise AnswerError(self.failing.pop(0), "told to fail")
            collection, path = _split(url)
            body = _validated(method, path, raw)
            self.bodies.append((method, path, body))
            if path != "/exists" and (method, path) != ("PUT", "") and not self._local.collection_exists(collection):
                raise AnswerError(404, f"Not found: Collection `{collection}` doesn't exist!")
            return self._do(collection, method, path, body)

    def _do(self, name: str, method: str, path: str, body: Any) -> object:
        local = self._local
        match method, path:
            case "GET", "/exists":
                return {"exists": local.collection_exists(name)}
            case "GET", "":
                return self._info(name)
            case "PUT", "":
                return self._create(name, body)
            case "PUT", "/index":
                self._indexes[name][body.field_name] = body.field_schema
                return _DONE
            case "PUT", "/points":
                if self.refuses is not None and any(self.refuses in point.payload["ref"] for point in body.points):
                    raise AnswerError(400, "Wrong input: told to refuse")
                local.upsert(name, body.points)
                return _DONE
            case "POST", "/points/delete":
                if isinstance(body, models.FilterSelector):
                    self._check(name, body.filter)
                local.delete(name, body if isinstance(body, models.FilterSelector) else body.points)
                return _DONE
            case "POST", "/points/query":
                self._check(name, body.filter)
                found = local.query_points(
                    name, query=body.query.nearest if isinstance(body.query, models.NearestQuery) else body.query,
                    using=body.using, query_filter=body.filter, limit=body.limit, with_payload=body.with_payload,
                )  # fmt: skip
                return {"points": [_dumped(point) for point in found.points]}
            case "POST", "/points/count":
                self._check(name, body.filter)
                return {"count": local.count(name, count_filter=body.filter, exact=True).count}
            case "POST", "/points/scroll":
                self._check(name, body.filter)
                records, following = local.scroll(
                    name,
                    scroll_filter=body.filter,
                    limit=body.limit,
                    offset=body.offset,
                    with_payload=body.with_payload,
                )
                return {"points": [_dumped(record) for record in records], "next_page_offset": following}
            case "POST", "/points":
                records = local.retrieve(name, body.ids, with_payload=body.with_payload, with_vectors=body.with_vector)
                return [_dumped(record) for record in records]
            case _:
                raise AnswerError(404, f"{method} {path}")

    def _create(self, name: str, body: models.CreateCollection) -> bool:
        if self._local.collection_exists(name):
            raise AnswerError(409, f"Wrong input: Collection `{name}` already exists!")
        self._local.create_collection(
            name, vectors_config=body.vectors, sparse_vectors_config=body.sparse_vectors, metadata=body.metadata
        )
        self._indexes[name] = {}
        return True

    def _info(self, name: str) -> object:
        config = self._local.get_collection(name).config
        params = {
            "vectors": _dumped_all(config.params.vectors),
            "sparse_vectors": _dumped_all(config.params.sparse_vectors),
        }
        schema = {
            field: {"data_type": params.type.value, "params": _dumped(params), "points": 0}
            for field, params in self._indexes.get(name, {}).items()
        }
        return {
            "status": "green", "optimizer_status": "ok", "segments_count": 1, "payload_schema": schema,
            "config": {"params": params, "metadata": config.metadata, **_CONFIG},
        }  # fmt: skip

    def _check(self, name: str, where: models.Filter | None) -> None:
        """As strict mode: indexed fields only. And our own rule: one space, named first."""
        conditions = where.must if where is not None else None
        if not isinstance(conditions, list) or not conditions:
            raise AnswerError(400, "a request without a filter")
        keys = [condition.key for condition in conditions if isinstance(condition, models.FieldCondition)]
        if keys[:1] != ["space"] or len(keys) != len(conditions):
            raise AnswerError(400, f"a filter that does not begin with the space: {keys}")
        missing = [key for key in keys if key not in self._indexes[name]]
        if missing:
            raise AnswerError(400, f"Index required but not found for {missing}")


class _Handler(BaseHTTPRequestHandler):
    server: QdrantDouble
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, told = (
                200,
                {"result": self.server.answer(self.command, self.path, raw, self.headers.get("api-key"))},
            )
        except AnswerError as error:
            if error.status == 0:
                self.close_connection = True
                return
            status, told = error.status, {"status": {"error": str(error)}}
        body = json.dumps({"status": "ok", "time": 0.0, **told}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = _answer  # noqa: N815 (names the base class asks for)

    def handle(self) -> None:
        """A client that is killed leaves no trace."""
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def qdrant_double() -> Iterator[QdrantDouble]:
    """One that runs."""
    server = QdrantDouble()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _split(url: str) -> tuple[str, str]:
    parts = url.split("?")[0].split("/")
    if len(parts) < 3 or parts[1] != "collections":
        raise AnswerError(404, url)
    return parts[2], "".join(f"/{part}" for part in parts[3:])


def _validated(method: str, path: str, raw: bytes) -> Any:
    """The body as the client's own model; unknown fields and wrong types are refused, as a server does."""
    wanted = _BODIES.get((method, path))
    if wanted is None:
        if raw:
            raise AnswerError(400, f"{method} {path} takes no body")
        return None
    try:
        return TypeAdapter(wanted).validate_json(raw)
    except ValidationError as error:
        raise AnswerError(400, f"Format error in JSON body: {error}") from error


def _dumped(model: BaseModel) -> Any:
    return json.loads(model.model_dump_json(exclude_none=True))


def _dumped_all(named: Any) -> Any:
    return {name: _dumped(params) for name, params in named.items()} if isinstance(named, dict) else _dumped(named)
