"""One contract for every vector index: plain memory, Qdrant's engine in process, and the server's client.

The server runs here as qdrant-client's own local mode, without payload indexes (it warns so), and over HTTP against a
double that holds every request to the client's models.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from query.relevance import fused
from query.search import IndexSearch
from schemas.ids import SpaceKey
from tests.kit.encoders import HashingEncoder
from tests.kit.qdrant import qdrant_double
from views.vectors.collection import collection_name
from views.vectors.edge import open_edge
from views.vectors.memory import MemoryIndex
from views.vectors.points import IndexLockedError, IndexMismatchError, point_id
from views.vectors.protocol import Frequencies, Point, PointKind, SparseVector, VectorIndex
from views.vectors.server import Server, connect, open_server
from views.vectors.sparse import document_vector, query_terms, query_vector

ENCODER = HashingEncoder(64)
HOME = SpaceKey("acme", "home")
AWAY = SpaceKey("acme", "away")
OTHER = SpaceKey("globex", "home")

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact"),
]


def point(ref: str, text: str, conversation: str = "c1", kind: PointKind = "note", at: int = 0) -> Point:
    return Point(
        ref=ref,
        kind=kind,
        conversation_id=conversation,
        at=at,
        dense=ENCODER.encode([text])[0],
        sparse=document_vector(text),
    )


def open_local_server() -> VectorIndex:
    return open_server(QdrantClient(":memory:"), dimension=64, encoder=ENCODER.name)


@pytest.fixture(params=["memory", "edge", "server", "http"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    if request.param == "http":
        with qdrant_double() as double:
            over_http = connect(Server(url=double.url), dimension=64, encoder=ENCODER.name)
            yield over_http
            over_http.close()
        return
    opened: dict[str, Callable[[], VectorIndex]] = {
        "memory": lambda: MemoryIndex(64),
        "edge": lambda: open_edge(tmp_path / "index", dimension=64, encoder=ENCODER.name),
        "server": open_local_server,
    }
    made = opened[request.param]()
    yield made
    made.close()


def dense_refs(index: VectorIndex, space: SpaceKey, text: str, limit: int = 10, **kw: object) -> list[str]:
    kind: PointKind = kw.pop("kind", "note")  # type: ignore[assignment]
    return [hit.ref for hit in index.search_dense(space, kind, ENCODER.encode([text])[0], limit, **kw)]  # type: ignore[arg-type]


def sparse_refs(index: VectorIndex, space: SpaceKey, text: str, limit: int = 10, **kw: object) -> list[str]:
    kind: PointKind = kw.pop("kind", "note")  # type: ignore[assignment]
    terms = query_terms(text)
    weights = query_vector(terms, index.document_frequencies(space, kind, terms))
    return [hit.ref for hit in index.search_sparse(space, kind, weights, limit, **kw)]  # type: ignore[arg-type]


def test_an_upsert_repeated_changes_nothing(index: VectorIndex) -> None:
    points = [point("a", "the red bicycle"), point("b", "a quiet harbour")]
    index.upsert(HOME, points)
    before = index.search_dense(HOME, "note", ENCODER.encode(["red bicycle"])[0], 10)
    index.upsert(HOME, points)
    index.upsert(HOME, points[:1])
    assert index.refs(HOME, "note") == ["a", "b"]
    assert index.search_dense(HOME, "note", ENCODER.encode(["red bicycle"])[0], 10) == before
    assert index.document_frequencies(HOME, "note", query_terms("bicycle")) == Frequencies(counts=(1,), total=2)


def test_an_upsert_replaces_vectors_conversation_and_terms(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "the red bicycle", "c1"), point("b", "a quiet harbour", "c1")])
    index.upsert(HOME, [point("a", "seven green apples", "c2")])
    assert dense_refs(index, HOME, "seven green apples", limit=1) == ["a"]
    assert sparse_refs(index, HOME, "bicycle") == []
    assert sparse_refs(index, HOME, "apples") == ["a"]
    assert sparse_refs(index, HOME, "apples", conversations=["c1"]) == []
    assert np.array_equal(index.dense_vectors(HOME, "note", ["a"])["a"], ENCODER.encode(["seven green apples"])[0])


def test_spaces_and_tenants_with_equal_refs_are_kept_apart(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "the red bicycle")])
    index.upsert(AWAY, [point("a", "a quiet harbour")])
    index.upsert(OTHER, [point("a", "seven green apples"), point("b", "the red bicycle")])
    assert dense_refs(index, HOME, "the red bicycle") == ["a"]
    assert sparse_refs(index, AWAY, "bicycle") == []
    assert sparse_refs(index, HOME, "bicycle") == ["a"]
    assert index.refs(OTHER, "note") == ["a", "b"]
    index.delete(HOME, "note", ["a"])
    assert index.refs(HOME, "note") == []
    assert index.refs(AWAY, "note") == ["a"]
    assert index.refs(OTHER, "note") == ["a", "b"]


def test_a_tenant_name_cannot_be_chosen_to_read_another_space(index: VectorIndex) -> None:
    index.upsert(SpaceKey("a", "b/c"), [point("x", "the red bicycle")])
    assert index.refs(SpaceKey("a/b", "c"), "note") == []
    assert dense_refs(index, SpaceKey("a/b", "c"), "the red bicycle") == []


def test_notes_and_events_are_kept_apart(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "the red bicycle"), point("a", "a quiet harbour", kind="event")])
    assert sparse_refs(index, HOME, "harbour", kind="note") == []
    assert sparse_refs(index, HOME, "harbour", kind="event") == ["a"]
    index.delete(HOME, "event", ["a"])
    assert index.refs(HOME, "event") == []
    assert index.refs(HOME, "note") == ["a"]


def test_deleted_points_are_gone_from_every_answer(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "the red bicycle"), point("b", "the red lamp")])
    assert index.document_frequencies(HOME, "note", query_terms("red")).counts == (2,)
    index.delete(HOME, "note", ["a", "never written"])
    assert index.refs(HOME, "note") == ["b"]
    assert dense_refs(index, HOME, "the red bicycle") == ["b"]
    assert sparse_refs(index, HOME, "red") == ["b"]
    assert index.dense_vectors(HOME, "note", ["a", "b"]).keys() == {"b"}
    assert index.document_frequencies(HOME, "note", query_terms("red")) == Frequencies(counts=(1,), total=1)


def test_deleting_a_space_leaves_the_others(index: VectorIndex) -> None:
    for space in (HOME, AWAY, OTHER):
        index.upsert(space, [point("a", "the red bicycle"), point("e", "a quiet harbour", kind="event")])
    index.delete_space(HOME)
    assert index.refs(HOME, "note") == index.refs(HOME, "event") == []
    assert index.document_frequencies(HOME, "note", query_terms("red")) == Frequencies(counts=(0,), total=0)
    for space in (AWAY, OTHER):
        assert index.refs(space, "note") == ["a"]
        assert index.refs(space, "event") == ["e"]


def test_a_search_can_be_held_to_conversations(index: VectorIndex) -> None:
    index.upsert(HOME, [point(f"n{i}", "the red bicycle", f"c{i}") for i in range(4)])
    assert dense_refs(index, HOME, "the red bicycle", conversations=["c1", "c3"]) == ["n1", "n3"]
    assert sparse_refs(index, HOME, "bicycle", conversations=["c0"]) == ["n0"]
    assert dense_refs(index, HOME, "the red bicycle", conversations=["elsewhere"]) == []


def test_no_conversations_means_none_not_all(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "the red bicycle")])
    assert dense_refs(index, HOME, "the red bicycle", conversations=[]) == []
    assert sparse_refs(index, HOME, "bicycle", conversations=[]) == []


def test_the_best_come_first_and_scores_are_cosines(index: VectorIndex) -> None:
    texts = {"a": "the red bicycle", "b": "the red lamp", "c": "a quiet harbour"}
    index.upsert(HOME, [point(ref, text) for ref, text in texts.items()])
    query = ENCODER.encode(["the red bicycle stood there"])[0]
    hits = index.search_dense(HOME, "note", query, 3)
    expected = {ref: float(ENCODER.encode([text])[0] @ query) for ref, text in texts.items()}
    assert [hit.ref for hit in hits] == sorted(texts, key=lambda ref: -expected[ref])
    for hit in hits:
        assert hit.score == pytest.approx(expected[hit.ref], abs=2e-6)


def test_equal_scores_are_ordered_by_ref_also_across_the_cut(index: VectorIndex) -> None:
    refs = [f"n{number:02d}" for number in range(40)]
    index.upsert(HOME, [point(ref, "the red bicycle") for ref in reversed(refs)])
    index.upsert(HOME, [point("best", "the red bicycle race in june")])
    assert dense_refs(index, HOME, "the red bicycle race in june", limit=4) == ["best", *refs[:3]]
    assert sparse_refs(index, HOME, "bicycle race", limit=4) == ["best", *refs[:3]]


def test_a_limit_of_zero_finds_nothing(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "the red bicycle")])
    assert dense_refs(index, HOME, "the red bicycle", limit=0) == []
    assert sparse_refs(index, HOME, "bicycle", limit=0) == []


def test_sparse_search_scores_by_dot_product_and_needs_a_shared_term(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "red red bicycle"), point("b", "red lamp"), point("c", "a quiet harbour")])
    terms = query_terms("red bicycle")
    weights = SparseVector(indices=terms, values=tuple(1.0 + number for number in range(len(terms))))
    hits = index.search_sparse(HOME, "note", weights, 10)
    held = {ref: point(ref, text).sparse for ref, text in (("a", "red red bicycle"), ("b", "red lamp"))}
    asked = dict(zip(weights.indices, weights.values, strict=True))
    for hit in hits:
        pairs = zip(held[hit.ref].indices, held[hit.ref].values, strict=True)
        assert hit.score == pytest.approx(sum(asked.get(term, 0.0) * value for term, value in pairs), abs=2e-4)
    assert [hit.ref for hit in hits] == ["a", "b"]
    assert index.search_sparse(HOME, "note", SparseVector(indices=(), values=()), 10) == []


def test_a_text_without_words_can_be_stored_and_found_by_its_dense_vector(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "🎉🎉"), point("b", "")])
    assert index.refs(HOME, "note") == ["a", "b"]
    assert dense_refs(index, HOME, "🎉🎉") == ["a", "b"]
    assert sparse_refs(index, HOME, "party") == []


def test_document_frequencies_are_exact_and_in_the_order_asked(index: VectorIndex) -> None:
    texts = ["red lamp", "red bicycle", "red red harbour", "green apples"]
    index.upsert(HOME, [point(f"n{number}", text) for number, text in enumerate(texts)])
    index.upsert(HOME, [point("e", "red lamp", kind="event")])
    terms = [*query_terms("apples"), *query_terms("red"), *query_terms("violin")]
    expected = Frequencies(counts=(1, 3, 0), total=4)
    assert index.document_frequencies(HOME, "note", terms) == expected
    assert index.document_frequencies(HOME, "note", terms) == expected
    assert index.document_frequencies(HOME, "note", list(reversed(terms))).counts == (0, 3, 1)
    index.upsert(HOME, [point("n9", "a violin")])
    assert index.document_frequencies(HOME, "note", terms) == Frequencies(counts=(1, 3, 1), total=5)


def test_what_other_tenants_write_changes_no_ranking(index: VectorIndex) -> None:
    index.upsert(HOME, [point("a", "red lamp"), point("b", "red bicycle"), point("c", "green bicycle")])
    query = ENCODER.encode(["red bicycle"])[0]
    search = IndexSearch(index, ENCODER)
    before = search.rankings(HOME, "red bicycle", query, "note", 10, None)
    index.upsert(OTHER, [point(f"n{number}", "red bicycle bicycle bicycle") for number in range(30)])
    assert search.rankings(HOME, "red bicycle", query, "note", 10, None) == before


def test_stored_vectors_come_back_byte_for_byte(index: VectorIndex) -> None:
    texts = {f"n{number}": f"text number {number}" for number in range(20)}
    index.upsert(HOME, [point(ref, text) for ref, text in texts.items()])
    stored = index.dense_vectors(HOME, "note", ["n3", "unknown", "n7"])
    assert stored.keys() == {"n3", "n7"}
    for ref, vector in stored.items():
        assert vector.dtype == np.float32
        assert vector.tobytes() == ENCODER.encode([texts[ref]])[0].tobytes()
    assert index.dense_vectors(HOME, "note", []) == {}


def test_all_refs_are_listed_sorted_however_many(index: VectorIndex) -> None:
    refs = [f'["c {number % 7}","m{number:04d}"]' for number in range(1500)]
    shared = point("x", "the red bicycle")
    index.upsert(HOME, [Point(**{**_fields(shared), "ref": ref}) for ref in reversed(refs)])  # type: ignore[arg-type]
    assert index.refs(HOME, "note") == sorted(refs)


def test_vectors_of_the_wrong_size_or_length_are_refused(index: VectorIndex) -> None:
    good = point("a", "the red bicycle")
    with pytest.raises(ValueError, match="shape"):
        index.upsert(HOME, [Point(**{**_fields(good), "dense": np.ones(3, dtype=np.float32)})])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="length"):
        index.upsert(HOME, [Point(**{**_fields(good), "dense": good.dense * 2})])  # type: ignore[arg-type]
    assert index.refs(HOME, "note") == []


def test_every_index_gives_the_same_hybrid_answer(tmp_path: Path) -> None:
    words = [
        "red",
        "green",
        "bicycle",
        "lamp",
        "harbour",
        "apples",
        "violin",
        "river",
        "winter",
        "train",
        "window",
        "letter",
    ]
    rng = np.random.default_rng(7)
    points = [
        point(f"n{number}", " ".join(rng.choice(words, size=6)), f"c{number % 3}", at=number) for number in range(200)
    ]
    edge = open_edge(tmp_path / "index", dimension=64, encoder=ENCODER.name)
    indexes: list[VectorIndex] = [MemoryIndex(64), edge, open_local_server()]
    for made in indexes:
        made.upsert(HOME, points)
    for question in ("red bicycle", "the violin by the river", "letter", "nothing of that", "a winter train window"):
        for conversations in (None, ["c1"]):
            vector = ENCODER.encode([question])[0]
            answers = [
                IndexSearch(made, ENCODER).rankings(HOME, question, vector, "note", 100, conversations)
                for made in indexes
            ]
            for answer in answers[1:]:
                assert fused((answer.dense, answer.sparse))[:15] == fused((answers[0].dense, answers[0].sparse))[:15]
                for (_, score), (_, expected) in zip(answer.dense, answers[0].dense, strict=True):
                    assert score == pytest.approx(expected, abs=2e-6)
    edge.close()


def test_a_space_that_is_too_large_to_hold_gives_the_same_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [point(f"n{n:02d}", f"red {'bicycle' if n % 3 else 'lamp'} {n % 7}", f"c{n % 2}") for n in range(40)]
    edge = open_edge(tmp_path / "index", dimension=64, encoder=ENCODER.name)
    edge.upsert(HOME, points)

    def answers() -> list[object]:
        found: list[object] = [edge.document_frequencies(HOME, "note", query_terms("red lamp bicycle"))]
        for text in ("red lamp 3", "the bicycle"):
            for within in (None, ["c1"]):
                found += [dense_refs(edge, HOME, text, 9, conversations=within)]
                found += [sparse_refs(edge, HOME, text, 9, conversations=within)]
        return found

    held = answers()
    monkeypatch.setattr("views.vectors.whole.SMALL_POINTS", 39)
    edge.upsert(HOME, points[:1])
    assert answers() == held
    edge.close()


def test_an_edge_index_survives_a_reopen(tmp_path: Path) -> None:
    index = open_edge(tmp_path / "index", dimension=64, encoder=ENCODER.name)
    index.upsert(HOME, [point("a", "the red bicycle"), point("b", "a quiet harbour")])
    index.delete(HOME, "note", ["b"])
    index.close()
    index = open_edge(tmp_path / "index", dimension=64, encoder=ENCODER.name)
    assert dense_refs(index, HOME, "the red bicycle") == ["a"]
    assert sparse_refs(index, HOME, "bicycle") == ["a"]
    index.close()


def test_what_was_flushed_survives_a_kill(tmp_path: Path) -> None:
    directory = tmp_path / "index"
    script = f"""
        import os, signal
        from pathlib import Path
        from tests.contract.test_vectors import ENCODER, HOME, open_edge, point
        index = open_edge(Path({str(directory)!r}), dimension=64, encoder=ENCODER.name)
        index.upsert(HOME, [point(f"n{{number:03d}}", f"text number {{number}}") for number in range(300)])
        index.delete(HOME, "note", ["n007"])
        index.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()
    index = open_edge(directory, dimension=64, encoder=ENCODER.name)
    assert index.refs(HOME, "note") == [f"n{number:03d}" for number in range(300) if number != 7]
    assert dense_refs(index, HOME, "text number 42", limit=1) == ["n042"]
    index.close()


def test_an_edge_index_killed_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    directory = tmp_path / "index"
    open_edge(directory, dimension=64, encoder=ENCODER.name).close()
    (directory / "index.json").unlink()
    index = open_edge(directory, dimension=64, encoder=ENCODER.name)
    index.upsert(HOME, [point("a", "the red bicycle")])
    assert index.refs(HOME, "note") == ["a"]
    index.close()


def test_a_second_opener_of_an_edge_index_is_told_so_and_harms_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "index"
    index = open_edge(directory, dimension=64, encoder=ENCODER.name)
    index.upsert(HOME, [point("a", "the red bicycle")])
    with pytest.raises(IndexLockedError, match="open in another process"):
        open_edge(directory, dimension=64, encoder=ENCODER.name)
    assert index.refs(HOME, "note") == ["a"]
    index.close()
    open_edge(directory, dimension=64, encoder=ENCODER.name).close()


@pytest.mark.parametrize(("dimension", "encoder"), [(64, "another"), (32, ENCODER.name)])
def test_an_edge_index_of_another_encoder_is_refused_and_kept(tmp_path: Path, dimension: int, encoder: str) -> None:
    directory = tmp_path / "index"
    index = open_edge(directory, dimension=64, encoder=ENCODER.name)
    index.upsert(HOME, [point("a", "the red bicycle")])
    index.close()
    with pytest.raises(IndexMismatchError, match="rebuild"):
        open_edge(directory, dimension=dimension, encoder=encoder)
    index = open_edge(directory, dimension=64, encoder=ENCODER.name)
    assert index.refs(HOME, "note") == ["a"]
    index.close()


def test_a_damaged_index_is_refused_by_name_and_can_be_made_anew(tmp_path: Path) -> None:
    directory = tmp_path / "vectors"
    index = open_edge(directory, dimension=64, encoder=ENCODER.name)
    index.upsert(HOME, [point("a", "the red bicycle")])
    index.close()
    for file in (directory / "shard" / "segments").rglob("*.json"):
        file.write_bytes(b"\xff")
    with pytest.raises(IndexMismatchError, match=f"{directory}: cannot be opened, delete it and rebuild"):
        open_edge(directory, dimension=64, encoder=ENCODER.name)
    shutil.rmtree(directory)
    open_edge(directory, dimension=64, encoder=ENCODER.name).close()


def test_the_server_refuses_a_collection_with_other_vectors() -> None:
    client = QdrantClient(":memory:")
    name = collection_name(ENCODER.name, 64)
    client.create_collection(name, vectors_config=models.VectorParams(size=64, distance=models.Distance.COSINE))
    with pytest.raises(IndexMismatchError, match="expected vectors dense"):
        open_server(client, dimension=64, encoder=ENCODER.name)


def test_point_ids_differ_by_tenant_space_kind_and_ref() -> None:
    ids = {
        point_id(space, kind, ref)
        for space in (HOME, AWAY, OTHER, SpaceKey("acme/home", ""))
        for kind in ("note", "event")
        for ref in ("a", "b")
    }
    assert len(ids) == 16
    assert point_id(HOME, "note", "a") == point_id(SpaceKey("acme", "home"), "note", "a")


def _fields(held: Point) -> dict[str, object]:
    return {name: getattr(held, name) for name in held.__struct_fields__}


def test_forgetting_what_was_deleted_changes_no_answer(index: VectorIndex) -> None:
    """Files are written anew under a running index; of a server the receipt says that they are its own."""
    kept = [point(f"m{n}", f"the boat at mooring {n} is green") for n in range(30)]
    bare = msgspec.structs.replace(point("bare", "the"), sparse=SparseVector(indices=(), values=()))
    index.upsert(HOME, [*kept, bare, point("gone", "the boat at mooring 7 is sold")])
    index.upsert(AWAY, [point("m1", "elsewhere")])
    index.delete(HOME, "note", ["gone"])
    before = index.search_dense(HOME, "note", ENCODER.encode(["boat at mooring 7"])[0], 40)
    index.forget_deleted()
    assert index.refs(HOME, "note") == sorted([one.ref for one in kept] + ["bare"])
    assert index.refs(AWAY, "note") == ["m1"]
    assert index.search_dense(HOME, "note", ENCODER.encode(["boat at mooring 7"])[0], 40) == before
    assert (index.dense_vectors(HOME, "note", ["m3"])["m3"] == kept[3].dense).all()
    index.upsert(HOME, [point("later", "the boat is back")])
    index.flush()
    assert "later" in index.refs(HOME, "note")


def files_with(directory: Path, *needles: bytes) -> list[str]:
    return sorted(
        str(file.relative_to(directory))
        for file in directory.rglob("*")
        if file.is_file() and any(needle in file.read_bytes() for needle in needles)
    )


def test_no_file_of_the_engine_holds_a_forgotten_point(tmp_path: Path) -> None:
    index = open_edge(tmp_path, dimension=64, encoder=ENCODER.name)
    secret = point("ref-of-the-secret", "the key is under the third stone", conversation="talk-of-the-secret")
    index.upsert(HOME, [point("m1", "good morning"), secret])
    index.flush()
    needles = (b"of-the-secret", secret.dense.tobytes())
    assert files_with(tmp_path, *needles)
    index.delete(HOME, "note", [secret.ref])
    index.flush()
    assert files_with(tmp_path, *needles), "the engine has learned to forget: this is no longer needed"
    assert index.forget_deleted() == ()
    assert files_with(tmp_path, *needles) == []
    index.close()
    again = open_edge(tmp_path, dimension=64, encoder=ENCODER.name)
    assert again.refs(HOME, "note") == ["m1"]
    again.close()


@pytest.mark.parametrize("killed", ["while copying", "between the renames", "before the former was removed"])
def test_an_index_whose_rewriting_was_killed_opens_whole(tmp_path: Path, killed: str) -> None:
    index = open_edge(tmp_path, dimension=64, encoder=ENCODER.name)
    index.upsert(HOME, [point("m1", "good morning")])
    index.close()
    shard, copy, former = (tmp_path / name for name in ("shard", "shard.new", "shard.old"))
    if killed == "while copying":
        shutil.copytree(shard / "segments", copy / "segments")
    elif killed == "between the renames":
        shutil.copytree(shard, copy)
        shard.rename(former)
    else:
        shutil.copytree(shard, former)
    again = open_edge(tmp_path, dimension=64, encoder=ENCODER.name)
    assert again.refs(HOME, "note") == ["m1"]
    again.close()
    assert not copy.exists()
    assert not former.exists()
