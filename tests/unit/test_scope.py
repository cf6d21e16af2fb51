"""A scoped question reads the conversations it names, and what was authored outside has no effect inside."""

from __future__ import annotations

import msgspec
import pytest

from query.api import QueryRequest, QueryResult
from query.engine import QueryEngine
from query.settings import QuerySettings
from schemas.wire import ScopeIn
from tests.kit.space import BASIS, SPACE, MemorySpace, edge, event, message, row, us
from views.scoped import Scoped


def two_cases() -> MemorySpace:
    """Ann's home by two case files; the second one supersedes the first, and an update inside A was authored in B."""
    a1 = message("a1", "Odo", "2024-01-10", "Ann lives in Lund.", "A")
    a2 = message("a2", "Odo", "2024-01-20", "Ann lives at the mill.", "A")
    b = message("b1", "Pia", "2024-03-10", "Ann moved to Bergen.", "B")
    rows = [
        row(
            event("lund", a1),
            valid_until=us("2024-01-20"),
            by=[("bergen", "r2", "change"), ("mill", "r1", "change")],
            breaks_from=us("2024-01-20"),
        ),
        row(event("mill", a2)),
        row(event("bergen", b), "s2"),
    ]
    edges = [edge("r1", "mill", "updates", "lund", "change"), edge("r2", "bergen", "updates", "lund", "change")]
    authored = [msgspec.structs.replace(e, edge=msgspec.structs.replace(e.edge, slice=("B",))) for e in edges]
    return MemorySpace([a1, a2, b], rows, authored)


def ask(scope: ScopeIn | None) -> QueryResult:
    space = two_cases()
    request = QueryRequest(
        space=SPACE, question="Where does Ann live?", asked_at=us("2024-05-10"), as_of=None, known_at=None,
        mode="hybrid", budget_tokens=400, answer=True, scope=scope,
    )  # fmt: skip
    return QueryEngine(space.search(), QuerySettings()).query(request, space, space, BASIS)


@pytest.mark.parametrize("edges", ["naive", "scoped"])
def test_nothing_of_another_conversation_is_returned(edges: str) -> None:
    result = ask(ScopeIn(conversations=("A",), edges=edges))  # type: ignore[arg-type]
    assert b"Bergen" not in msgspec.json.encode(result)
    assert b"Lund" in msgspec.json.encode(result)


def test_an_update_authored_outside_supersedes_nothing_inside() -> None:
    space = two_cases()
    scoped, naive = (Scoped(space, space, ["A"], naive=naive).event("lund") for naive in (False, True))
    assert scoped is not None
    assert naive is not None
    assert (scoped.valid_until, scoped.superseders) == (None, ())
    assert (naive.valid_until, [s.event_id for s in naive.superseders]) == (us("2024-01-20"), ["mill"])


def test_an_analysts_edge_and_one_of_unknown_origin_stay() -> None:
    space = two_cases()
    for changed in ({"accepted": True}, {"slice": ()}):
        kept = [
            msgspec.structs.replace(e, accepted=True)
            if "accepted" in changed
            else msgspec.structs.replace(e, edge=msgspec.structs.replace(e.edge, slice=()))
            for e in space.edges_of("lund")
        ]
        events = [found for name in ("lund", "mill", "bergen") if (found := space.event(name)) is not None]
        other = MemorySpace(space.messages_all(), events, kept)
        assert [e.edge.id for e in Scoped(other, other, ["A"], naive=False).edges_of("lund")] == ["r1"]


def test_the_whole_space_in_scope_reads_as_the_space_does() -> None:
    space = two_cases()
    whole = Scoped(space, space, ["A", "B"], naive=False)
    assert [whole.event(name) for name in ("lund", "mill", "bergen")] == [
        space.event(name) for name in ("lund", "mill", "bergen")
    ]


def test_the_scope_is_in_the_slice_hash() -> None:
    hashes = {ask(scope).slice_sha256 for scope in (None, ScopeIn(conversations=("A",)), ScopeIn(conversations=("B",)))}
    assert len(hashes) == 3
    assert ask(ScopeIn(conversations=("A", "B"))).slice_sha256 == ask(ScopeIn(conversations=("B", "A"))).slice_sha256
