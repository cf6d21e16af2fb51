"""What the server index sends: checked against the models of qdrant-client, since no server runs here."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from schemas.ids import SpaceKey
from views.vectors.points import INDEX_FORMAT
from views.vectors.protocol import Point, SparseVector
from views.vectors.server import open_server

SPACE = SpaceKey("acme", "home")
COLLECTION = f"/collections/stilltrue-test-encoder-4-v{INDEX_FORMAT}"
ANSWERS = {
    ("GET", "/exists"): {"exists": False},
    ("GET", ""): {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "payload_schema": {"kind": {"data_type": "keyword", "points": 0}},
        "config": {
            "params": {"vectors": {"dense": {"size": 4, "distance": "Dot"}}, "sparse_vectors": {"sparse": {}}},
            "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
        },
    },
    ("PUT", ""): True,
    ("PUT", "/index"): {"operation_id": 1, "status": "completed"},
    ("PUT", "/points"): {"operation_id": 1, "status": "completed"},
    ("POST", "/points/delete"): {"operation_id": 1, "status": "completed"},
    ("POST", "/points/query"): {"points": []},
    ("POST", "/points/count"): {"count": 3},
    ("POST", "/points/scroll"): {"points": []},
    ("POST", "/points"): [],
}


class Recorder(ThreadingHTTPServer):
    """Answers like an empty Qdrant and keeps the bodies it was sent, by method and path below the collection."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[tuple[str, str, object]] = []

    def sent(self, method: str, path: str) -> list[object]:
        return [body for at_method, at_path, body in self.bodies if (at_method, at_path) == (method, path)]


class _Handler(BaseHTTPRequestHandler):
    server: Recorder

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?")[0].removeprefix(COLLECTION)
        self.server.bodies.append((self.command, path, json.loads(raw) if raw else None))
        body = json.dumps({"result": ANSWERS[self.command, path], "status": "ok", "time": 0.0}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = _answer  # noqa: N815 (names the base class asks for)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    server = Recorder()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def client_of(recorder: Recorder) -> QdrantClient:
    return QdrantClient(url=f"http://127.0.0.1:{recorder.server_port}", check_compatibility=False)


def test_opening_makes_the_collection_and_the_missing_payload_indexes(recorder: Recorder) -> None:
    open_server(client_of(recorder), dimension=4, encoder="test encoder").close()
    (made,) = [models.CreateCollection.model_validate(body) for body in recorder.sent("PUT", "")]
    assert made.vectors == {"dense": models.VectorParams(size=4, distance=models.Distance.DOT)}
    assert made.sparse_vectors == {"sparse": models.SparseVectorParams()}
    indexes = [models.CreateFieldIndex.model_validate(body) for body in recorder.sent("PUT", "/index")]
    schemas = {index.field_name: index.field_schema for index in indexes}
    assert schemas.keys() == {"space", "conversation", "terms"}, "kind has an index already"
    space = schemas["space"]
    assert isinstance(space, models.KeywordIndexParams)
    assert space.is_tenant is True
    assert isinstance(schemas["terms"], models.IntegerIndexParams)


def test_every_request_is_filtered_by_the_one_space(recorder: Recorder) -> None:
    index = open_server(client_of(recorder), dimension=4, encoder="test encoder")
    unit = np.array([1, 0, 0, 0], dtype=np.float32)
    sparse = SparseVector(indices=(3, 9), values=(0.5, 1.0))
    index.upsert(SPACE, [Point(ref="a", kind="note", conversation_id="c1", at=5, dense=unit, sparse=sparse)])
    index.delete(SPACE, "note", ["a"])
    index.delete_space(SPACE)
    index.search_dense(SPACE, "note", unit, 5, ["c1"])
    index.search_sparse(SPACE, "note", sparse, 5)
    index.document_frequencies(SPACE, "note", [3, 9])
    index.refs(SPACE, "note")
    index.dense_vectors(SPACE, "note", ["a"])
    index.close()

    (upsert,) = [models.PointsList.model_validate(body) for body in recorder.sent("PUT", "/points")]
    assert upsert.points[0].payload == {
        "space": '["acme","home"]',
        "kind": "note",
        "conversation": "c1",
        "ref": "a",
        "at": 5,
        "terms": [3, 9],
    }
    by_id, by_filter = recorder.sent("POST", "/points/delete")
    assert models.PointIdsList.model_validate(by_id).points == [upsert.points[0].id]
    filters = [models.FilterSelector.model_validate(by_filter).filter]
    filters += [models.QueryRequest.model_validate(body).filter for body in recorder.sent("POST", "/points/query")]
    filters += [models.CountRequest.model_validate(body).filter for body in recorder.sent("POST", "/points/count")]
    filters += [models.ScrollRequest.model_validate(body).filter for body in recorder.sent("POST", "/points/scroll")]
    only_here = models.FieldCondition(key="space", match=models.MatchValue(value='["acme","home"]'))
    assert len(filters) == 1 + 2 + 3 + 1
    for where in filters:
        assert where is not None
        assert isinstance(where.must, list)
        assert where.must[0] == only_here
