"""What an analyst's ruling does, by definition and incrementally alike, in every order of arrival."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.adjudications import EdgeAccepted, EdgeRuledOut, RulingWithdrawn, ruled_end
from schemas.events import Event, Source
from schemas.messages import MessageEdited, MessageRetracted
from schemas.record import Record
from tests.kit.records import DAY, SPACE, distilled, edge, event, inferred
from tests.kit.viewing import interval, view
from views.spec import View

OLD, NEW = event("old", said=1), event("new", said=5)
CHANGE = edge("new", "updates", "old", "change")
NOW = 20 * DAY


def span(message: str) -> tuple[Source, ...]:
    return (Source(conversation_id="c1", message_id=message, start=0, end=9),)


def said(name: str, day: int, message: str, **changes: Any) -> Event:
    """A statement that rests on a message of its own."""
    return event(name, said=day, sources=span(message), **changes)


def accepted(src: Event, dst: Event, kind: str = "change", at: int = NOW) -> EdgeAccepted:
    return EdgeAccepted(
        tenant=SPACE.tenant, space=SPACE.space, edge_id=edge(src.id, "updates", dst.id).id, src=ruled_end(src),
        dst=ruled_end(dst), relation="updates", kind=kind, analyst="mo", reason="told me", at=at,  # pyright: ignore[reportArgumentType]
    )  # fmt: skip


def ruled_out(src: Event, dst: Event, at: int = NOW) -> EdgeRuledOut:
    return EdgeRuledOut(
        tenant=SPACE.tenant, space=SPACE.space, edge_id=edge(src.id, "updates", dst.id).id, src=ruled_end(src),
        dst=ruled_end(dst), relation="updates", analyst="mo", reason="a guess", at=at,
    )  # fmt: skip


def taken_back(src: Event, dst: Event, at: int = NOW + 1) -> RulingWithdrawn:
    name = edge(src.id, "updates", dst.id).id
    return RulingWithdrawn(tenant=SPACE.tenant, space=SPACE.space, edge_id=name, analyst="mo", at=at)


def ends(seen: View, name: str = "old") -> int | None:
    """The day a statement ends."""
    return interval(seen, name)[1]


BASE: tuple[Record, ...] = (distilled(OLD, NEW), inferred(CHANGE))


def test_an_edge_that_is_ruled_out_has_no_effect_until_that_is_taken_back() -> None:
    assert ends(view(*BASE)) == 5
    assert ends(view(*BASE, ruled_out(NEW, OLD))) is None
    assert ends(view(*BASE, ruled_out(NEW, OLD), taken_back(NEW, OLD))) == 5


def test_the_later_word_of_two_analysts_counts() -> None:
    assert ends(view(*BASE, ruled_out(NEW, OLD, at=1), accepted(NEW, OLD, at=2))) == 5
    assert ends(view(*BASE, ruled_out(NEW, OLD, at=2), accepted(NEW, OLD, at=1))) is None


def test_of_opposite_words_at_one_instant_the_same_one_counts_whichever_came_first() -> None:
    no, yes = ruled_out(NEW, OLD), accepted(NEW, OLD)
    assert view(*BASE, no, yes) == view(*BASE, yes, no) == view(*BASE, no, yes, no)
    assert view(*BASE, no, yes) in (view(*BASE, no), view(*BASE, yes))


def test_an_accepted_edge_needs_no_producer_and_its_kind_is_the_analysts() -> None:
    assert ends(view(distilled(OLD, NEW), accepted(NEW, OLD))) == 5
    seen = view(*BASE, accepted(NEW, OLD, kind="correction"))
    assert seen.events["old"].corrected
    [row] = seen.edges.values()
    assert (row.accepted, row.producers, row.edge.confidence) == (True, ("analyst:mo", "l1"), 1.0)


def test_an_accepted_edge_is_the_analysts_whatever_the_producers_are_called() -> None:
    """By id a producer "a" comes before "analyst:mo"; the ruling counts all the same."""
    assert view(distilled(OLD, NEW), inferred(CHANGE, producer="a"), accepted(NEW, OLD, "done")).edges[
        CHANGE.id
    ].edge.kind == "done"  # fmt: skip


A, B = said("a", 1, "m1"), said("b", 5, "m2")
B2 = said("b2", 5, "m2", text="worded anew")


def edges_of(seen: View) -> set[tuple[str, str]]:
    return {(row.edge.src, row.edge.dst) for row in seen.edges.values()}


def test_a_ruling_follows_a_statement_that_is_worded_anew() -> None:
    """Another producer gives b another text, so another id; spans, type and attribute are the same."""
    again = (distilled(A, B), distilled(A, B2, revision=2))
    assert edges_of(view(*again, accepted(B, A))) == {("b2", "a")}
    change = inferred(edge("b2", "updates", "a", "change"))
    assert ends(view(*again, change), "a") == 5
    assert ends(view(*again, change, ruled_out(B, A)), "a") is None


def test_a_ruling_that_followed_is_taken_back_by_the_id_it_was_made_on() -> None:
    again = (distilled(A, B), distilled(A, B2, revision=2), inferred(edge("b2", "updates", "a", "change")))
    assert ends(view(*again, ruled_out(B, A), taken_back(B, A)), "a") == 5


def test_of_two_rulings_that_concern_one_edge_the_later_counts() -> None:
    again = (distilled(A, B), distilled(A, B2, revision=2))
    assert edges_of(view(*again, accepted(B, A, at=1), ruled_out(B2, A, at=2))) == set()
    assert edges_of(view(*again, accepted(B, A, at=2), ruled_out(B2, A, at=1))) == {("b2", "a")}


@pytest.mark.parametrize("changes", [{"type": "preference"}, {"attribute": "employer"}, {"sources": span("m3")}])
def test_a_ruling_does_not_follow_to_another_statement(changes: dict[str, Any]) -> None:
    other = said("b2", 5, "m2", text="x", **changes) if "sources" not in changes else event("b2", said=5, **changes)
    assert edges_of(view(distilled(A, B), distilled(A, other, revision=2), accepted(B, A))) == set()


def test_of_several_statements_in_a_place_the_smallest_id_is_taken() -> None:
    both = distilled(A, B2, said("b1", 5, "m2", text="y"), revision=2)
    assert edges_of(view(distilled(A, B), both, accepted(B, A))) == {("b1", "a")}


def test_while_the_statement_itself_stands_the_ruling_stays_with_it() -> None:
    assert edges_of(view(distilled(A, B, B2), accepted(B, A))) == {("b", "a")}


def test_a_ruling_does_not_follow_over_an_edit() -> None:
    """The analyst read another text; what is said at the same place now is another matter."""
    about = {"tenant": SPACE.tenant, "space": SPACE.space, "conversation_id": "c1", "message_id": "m2"}
    before, after = (MessageEdited(**about, content="new", received_at=at) for at in (NOW - 1, NOW))
    again = distilled(A, B2, revision=9)
    assert edges_of(view(distilled(A, B), again, before, accepted(B, A))) == {("b2", "a")}
    assert edges_of(view(distilled(A, B), again, after, accepted(B, A))) == set()


def test_a_ruling_without_a_statement_in_place_comes_back_with_it() -> None:
    about = {"tenant": SPACE.tenant, "space": SPACE.space, "conversation_id": "c1", "message_id": "m2"}
    gone = (distilled(A, B), accepted(B, A), MessageRetracted(**about, received_at=NOW))
    assert edges_of(view(*gone)) == set()
    assert edges_of(view(distilled(A, B), distilled(A, revision=2), accepted(B, A), distilled(A, B, revision=3))) == {
        ("b", "a")
    }  # fmt: skip
