"""A cut that is kept and brought up to date shows what one that is read anew shows, whatever was folded between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.cuts import Cuts
from query.api import Path
from query.cut import Cut
from query.markers import Marker
from query.rank import current_first
from query.render import Renderer, Shown
from query.restated import Restated
from query.seeds import update_seeds
from query.settings import Discounts
from query.tokens import WordTokens
from query.vertices import Vertex, Vertices
from schemas.ids import MessageKey
from tests.kit.records import SPACE
from tests.property.test_history import logs
from views.maintain import Maintainer
from views.order import RUN_GAP_US, SILENCE, Place, changed, spot_of
from views.snapshot import Snapshot, read_space
from views.tables import MemoryTables

BUDGET = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PLACES = st.tuples(st.integers(0, 6).map(lambda n: n * RUN_GAP_US * 2 // 3), st.integers(0, 2), st.sampled_from("ab"))


def shown(cut: Snapshot) -> dict[str, Any]:
    """Everything a reader can see of a cut, and what is worked out from it and remembered."""
    space = cut.space
    fields = {name: getattr(space, name) for name in space.__struct_fields__}
    found = {name: dict(value.items()) if hasattr(value, "items") else value for name, value in fields.items()}
    keys = sorted(space.messages)
    spots = {key: cut.spot(key) for key in keys}
    counted = [key for key in (*keys, MessageKey("c1", "m1")) if cut.counts(key)]
    return {
        **found, "account": cut.account, "spots": spots, "counted": counted, "participants": cut.participants(),
        "remembered": [*worked_out(Cut(cut, cut), cut.event_ids(), keys)],
    }  # fmt: skip


def worked_out(cut: Cut, events: Sequence[str], notes: Sequence[MessageKey]) -> Iterator[object]:
    """All that the query engine remembers of single events and messages, by way of what it shows."""
    last = 4_102_444_800_000_000
    restated = Restated(cut, events, last)
    marker = Marker(cut, last, last, 16, restated=restated)
    renderer = Renderer(cut, marker, WordTokens(), 80)
    vertices = Vertices(cut, Discounts())
    for event_id in events:
        yield as_seen(vertices.of(event_id))
        yield renderer.path(_alone(event_id), Shown(labels={}, messages={}, steps={}))
        yield update_seeds(cut, [event_id], 100)
    yield current_first([[event_id] for event_id in events], [0.0] * len(events), cut, last, 1.0)
    for key in notes:
        yield renderer.note(key, 0.0)


def as_seen(vertex: Vertex | None) -> object:
    """All that is remembered of an event, so that it can be compared."""
    if vertex is None:
        return None
    others, edges, told = vertex.arms
    kept = (vertex.row, vertex.stated, vertex.lasts, vertex.notes, vertex.sessions, vertex.untils)
    return (*kept, others, edges, told.tolist())


def _alone(event_id: str) -> Path:
    return Path(events=(event_id,), steps=(), score=0.0, ns=0.0, pc=0.0, tc=0.0, uv=0.0)


@BUDGET
@given(log=logs(), steps=st.lists(st.sampled_from(["read", "commit", "drop"]), min_size=1, max_size=24))
def test_a_cut_kept_up_to_date_equals_one_read_anew(log: list[Any], steps: list[str]) -> None:
    maintainer = Maintainer(MemoryTables())
    cuts = Cuts(maintainer)
    for number, entry in enumerate(log):
        maintainer.fold_one(entry)
        match steps[number % len(steps)]:
            case "read":
                assert shown(cuts.current(SPACE)) == shown(read_space(maintainer, SPACE))
            case "commit":
                maintainer.commit()
            case _:
                maintainer.drop(SPACE)
    assert shown(cuts.current(SPACE)) == shown(read_space(maintainer, SPACE))


@BUDGET
@given(st.lists(st.tuples(st.lists(PLACES, max_size=4), st.lists(PLACES, max_size=4)), max_size=8))
def test_a_conversation_changed_in_steps_is_the_one_sorted_at_once(
    steps: list[tuple[list[Place], list[Place]]],
) -> None:
    talk, held = SILENCE, set[Place]()
    for removed, added in steps:
        talk, held = changed(talk, removed, added), (held - set(removed)) | set(added)
        assert talk == changed(SILENCE, (), held)
        spots = [spot_of(talk, place) for place in talk.places]
        assert [spot.number for spot in spots] == list(range(len(held)))
        for (a, b), (earlier, later) in zip(pairwise(talk.places), pairwise(spots), strict=True):
            assert later.run - earlier.run == (b[0] - a[0] > RUN_GAP_US)
