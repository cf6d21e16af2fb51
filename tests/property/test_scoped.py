"""A scoped read is the definition over what is inside: events all of whose sources are, edges authored there."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.edges import Edge
from schemas.events import Event, Source
from tests.kit.records import SPACE, distilled, edge, entries, event, inferred
from views.scoped import Scoped
from views.snapshot import cut
from views.spec import View, recompute

NAMES = "abcde"
KINDS = ("change", "correction", "withdrawn", "cancelled", "done")
RELATIONS = ("updates", "updates", "causes", "enables", "prevents", "contradicts")
CONVERSATIONS = ("c1", "c2", "c3")

some = st.lists(st.sampled_from(CONVERSATIONS), max_size=2, unique=True)


@st.composite
def spaces(draw: st.DrawFn) -> tuple[list[Event], list[Edge]]:
    """A few statements of one or two conversations each, and relations made from any of them, or from nobody says."""
    events: list[Event] = []
    for name in NAMES:
        read = draw(some) or ["c1"]
        sources = tuple(Source(conversation_id=c, message_id=f"m{name}", start=0, end=4) for c in read)
        events.append(event(name, said=draw(st.integers(1, 9)), sources=sources, holds=draw(st.booleans())))
    edges: dict[str, Edge] = {}
    for src, dst in draw(st.lists(st.permutations(NAMES).map(lambda names: names[:2]), max_size=8)):
        relation = draw(st.sampled_from(RELATIONS))
        kind = draw(st.sampled_from(KINDS)) if relation == "updates" else None
        made = edge(src, relation, dst, kind, slice=tuple(draw(some)))
        edges[made.id] = made
    return events, list(edges.values())


def inside(events: list[Event], edges: list[Edge], scope: Collection[str], *, naive: bool) -> View:
    """The definition, over the records that are left."""
    kept = [one for one in events if all(source.conversation_id in scope for source in one.sources)]
    ids = {one.id for one in kept}
    left = [
        one for one in edges
        if {one.src, one.dst} <= ids and (naive or not one.slice or set(one.slice) <= set(scope))
    ]  # fmt: skip
    return recompute(entries([distilled(*kept), inferred(*left)]))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spaces(), st.lists(st.sampled_from(CONVERSATIONS), max_size=3, unique=True), st.booleans())
def test_a_scoped_read_is_the_definition_over_what_is_inside(
    made: tuple[list[Event], list[Edge]], scope: list[str], naive: bool
) -> None:
    events, edges = made
    whole = cut(entries([distilled(*events), inferred(*edges)]), SPACE, 9_999)
    scoped = Scoped(whole, whole, scope, naive=naive)
    wanted = inside(events, edges, scope, naive=naive)
    assert {name: scoped.event(name) for name in NAMES if scoped.event(name)} == wanted.events
    assert scoped.event_ids() == list(wanted.events)
    found = {row.edge.id: row for name in NAMES for row in scoped.edges_of(name)}
    assert {name: found[name] for name in sorted(found)} == wanted.edges
