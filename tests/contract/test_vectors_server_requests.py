"""What the server index asks of a server, and what it makes of the answers: against a double; no server runs here.

The double holds each body to the models of qdrant-client and refuses any filter that does not begin with the space.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from schemas.ids import SpaceKey
from tests.kit.qdrant import QdrantDouble, qdrant_double
from views.vectors.collection import collection_name
from views.vectors.points import IndexAwayError, IndexMismatchError, PointsRefusedError
from views.vectors.protocol import Point, SparseVector
from views.vectors.server import Server, ServerIndex, connect

SPACE = SpaceKey("acme", "home")
NAME = collection_name("test encoder", 4)
UNIT = np.array([1, 0, 0, 0], dtype=np.float32)
SPARSE = SparseVector(indices=(3, 9), values=(0.5, 1.0))
NOTE = Point(ref="a", kind="note", conversation_id="c1", at=5, dense=UNIT, sparse=SPARSE)


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with qdrant_double() as server:
        yield server


def opened(double: QdrantDouble, *, encoder: str = "test encoder", api_key: str | None = None) -> ServerIndex:
    return connect(Server(url=double.url, api_key=api_key, timeout_s=2), dimension=4, encoder=encoder)


def plain(double: QdrantDouble) -> QdrantClient:
    """Somebody else's client."""
    return QdrantClient(url=double.url, check_compatibility=False)


def test_opening_makes_the_collection_and_its_payload_indexes_once(double: QdrantDouble) -> None:
    first = opened(double)
    (made,) = double.sent("PUT", "")
    assert made.vectors == {"dense": models.VectorParams(size=4, distance=models.Distance.DOT)}
    assert made.sparse_vectors == {"sparse": models.SparseVectorParams()}
    assert made.hnsw_config == models.HnswConfigDiff(m=0)
    schemas = {index.field_name: index.field_schema for index in double.sent("PUT", "/index")}
    assert schemas.keys() == {"space", "kind", "conversation", "terms"}
    assert schemas["space"] == models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
    assert isinstance(schemas["terms"], models.IntegerIndexParams)
    again = opened(double)
    assert again.made == first.made
    assert len(double.sent("PUT", "")) == 1
    assert len(double.sent("PUT", "/index")) == 4
    assert first.problem() is None
    again.close()
    first.close()


def test_a_collection_made_anew_is_another_one(double: QdrantDouble) -> None:
    first = opened(double)
    double.drop(NAME)
    assert "404" in (first.problem() or "")
    second = opened(double)
    assert second.made != first.made
    assert first.problem() is None
    first.close()
    second.close()


def test_a_payload_index_that_was_never_made_is_made_at_the_next_start(double: QdrantDouble) -> None:
    index = opened(double)
    del double._indexes[NAME]["terms"]
    assert index.problem() == f"collection {NAME}: not indexed yet: terms"
    opened(double).close()
    assert index.problem() is None
    index.close()


def test_every_request_is_filtered_by_the_one_space(double: QdrantDouble) -> None:
    index = opened(double)
    index.upsert(SPACE, [NOTE])
    index.delete(SPACE, "note", ["a"])
    index.delete_space(SPACE)
    index.search_dense(SPACE, "note", UNIT, 5, ["c1"])
    index.search_sparse(SPACE, "note", SPARSE, 5)
    index.document_frequencies(SPACE, "note", [3, 9])
    index.refs(SPACE, "note")
    index.dense_vectors(SPACE, "note", ["a"])
    index.close()
    (upsert,) = double.sent("PUT", "/points")
    assert upsert.points[0].payload == {
        "space": '["acme","home"]', "kind": "note", "conversation": "c1", "ref": "a", "at": 5, "terms": [3, 9],
    }  # fmt: skip
    by_id, by_filter = double.sent("POST", "/points/delete")
    assert by_id.points == [upsert.points[0].id]
    filters = [by_filter.filter]
    for path in ("query", "count", "scroll"):
        filters += [body.filter for body in double.sent("POST", f"/points/{path}")]
    only_here = models.FieldCondition(key="space", match=models.MatchValue(value='["acme","home"]'))
    assert len(filters) == 1 + 2 + 3 + 1
    for where in filters:
        assert where.must[0] == only_here
    assert all(body.params.exact for body in double.sent("POST", "/points/query"))


@pytest.mark.parametrize(
    ("vectors", "metadata", "told"),
    [
        ({"dense": models.VectorParams(size=5, distance=models.Distance.DOT)}, {}, "expected vectors dense of 4"),
        ({"dense": models.VectorParams(size=4, distance=models.Distance.COSINE)}, {}, "with Dot"),
        (models.VectorParams(size=4, distance=models.Distance.DOT), {}, "expected vectors dense"),
        (None, {}, "does not say that it is ours"),
        (None, {"stilltrue_made": "x", "stilltrue_encoder": "other", "stilltrue_format": 1}, "by the encoder 'other'"),
        (None, {"stilltrue_made": "x", "stilltrue_encoder": "test encoder", "stilltrue_format": 0}, "of format 0"),
    ],
)
def test_a_collection_of_something_else_is_refused_with_what_to_do(
    double: QdrantDouble, vectors: object, metadata: dict[str, object], told: str
) -> None:
    ours = {"dense": models.VectorParams(size=4, distance=models.Distance.DOT)}
    plain(double).create_collection(
        NAME, vectors_config=vectors or ours, metadata=metadata,  # pyright: ignore[reportArgumentType]
        sparse_vectors_config={"sparse": models.SparseVectorParams()},
    )  # fmt: skip
    with pytest.raises(IndexMismatchError, match=told) as refused:
        opened(double)
    assert f"DELETE /collections/{NAME}" in str(refused.value)
    assert double.sent("PUT", "/index") == []


@pytest.mark.parametrize(
    ("field", "schema", "told"),
    [
        ("space", models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD), "is_tenant"),
        ("terms", models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD), "indexed as keyword"),
    ],
)
def test_a_payload_index_of_another_kind_is_refused(
    double: QdrantDouble, field: str, schema: object, told: str
) -> None:
    opened(double).close()
    plain(double).create_payload_index(NAME, field, schema)  # pyright: ignore[reportArgumentType]
    with pytest.raises(IndexMismatchError, match=told):
        opened(double)


def test_a_server_that_is_not_there_is_told(double: QdrantDouble) -> None:
    with pytest.raises(IndexAwayError, match="does not answer"):
        connect(Server(url="http://127.0.0.1:1", timeout_s=1), dimension=4, encoder="test encoder")
    index = opened(double)
    double.failing = [500]
    assert "500" in (index.problem() or "")
    index.close()


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_a_wrong_key_is_told_and_the_right_one_sent(double: QdrantDouble) -> None:
    double.api_key = "sesame"
    with pytest.raises(IndexAwayError, match="401"):
        opened(double, api_key="barley")
    opened(double, api_key="sesame").close()


@pytest.mark.parametrize("failing", [[0], [503], [502, 429], [0, 504]])
def test_what_fails_for_a_moment_is_tried_again(double: QdrantDouble, failing: list[int]) -> None:
    index = opened(double)
    double.failing = list(failing)
    index.upsert(SPACE, [NOTE])
    assert double.failing == []
    assert index.refs(SPACE, "note") == ["a"]
    index.close()


@pytest.mark.parametrize("failing", [[503, 503, 503], [500], [403], [0, 0, 0]])
def test_what_goes_on_failing_is_told_as_the_index_being_away(double: QdrantDouble, failing: list[int]) -> None:
    index = opened(double)
    double.failing = list(failing)
    with pytest.raises(IndexAwayError):
        index.upsert(SPACE, [NOTE])
    assert double.failing == []
    index.upsert(SPACE, [NOTE])
    index.close()


def test_a_point_the_server_will_never_take_is_told_apart(double: QdrantDouble) -> None:
    index = opened(double)
    double.refuses = "b"
    with pytest.raises(PointsRefusedError, match="400"):
        index.upsert(SPACE, [NOTE, msgspec.structs.replace(NOTE, ref="b")])
    index.upsert(SPACE, [NOTE])
    assert index.refs(SPACE, "note") == ["a"]
    index.close()
