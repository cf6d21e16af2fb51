"""The benchmark of the view: its records are what they claim to be, and the recompute it compares with is right."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ops.bench import arrays
from ops.bench.view import Asked, measure
from ops.bench.workload import RawRecord, Workload
from schemas.edges import EdgesInferred
from schemas.entry import Entry
from schemas.ids import SpaceKey
from schemas.parking import decoded
from views.batch import fold_batch
from views.maintain import Maintainer
from views.snapshot import read_space
from views.spec import View, recompute
from views.tables import MemoryTables


def records(events: int = 240, seed: int = 3) -> list[RawRecord]:
    workload = Workload(seed, 2)
    return [*workload.fill(events), *workload.local(200), *workload.random(100)]


def test_one_seed_makes_the_same_records_and_another_one_others() -> None:
    assert records(seed=3) == records(seed=3)
    assert records(seed=3) != records(seed=4)


def test_every_record_is_applied_and_the_view_is_its_definition() -> None:
    maintainer = Maintainer(MemoryTables())
    made = records()
    assert fold_batch(maintainer, made, 0).parked == []
    maintainer.commit()
    for name in ("space-0", "space-1"):
        space = SpaceKey("bench", name)
        assert read_space(maintainer, space).view == recompute(_entries(made, name))


def test_what_a_record_tells_does_not_depend_on_what_is_in_its_batch() -> None:
    made = records(100)
    told = []
    for size in (1, 7, len(made)):
        maintainer = Maintainer(MemoryTables())
        deltas = []
        for at in range(0, len(made), size):
            deltas += fold_batch(maintainer, made[at : at + size], 0).deltas
            maintainer.commit()
        told.append((deltas, list(maintainer.tables.scan("history", b""))))
    assert told[0] == told[1] == told[2]
    assert len(told[0][0]) > 500
    assert told[0][1]


def test_the_mix_is_what_the_help_says() -> None:
    made = [decoded(raw).record for raw in Workload(1, 4).fill(2_000)]
    kinds = Counter(type(record).__name__ for record in made)
    sets = [record for record in made if isinstance(record, EdgesInferred)]
    assert kinds["EdgesInferred"] == kinds["SessionThemed"] == kinds["EventsDistilled"] > kinds["EventsAsserted"] > 0
    assert kinds["MessageEdited"] > 0 < kinds["EdgeRuledOut"]
    assert 1.5 < sum(len(record.edges) for record in sets) / len(sets) < 3


def test_the_recompute_from_arrays_is_the_definition() -> None:
    view = recompute(_entries(records(600, seed=7), "space-0"))
    ids = sorted(view.events, key=lambda i: (view.events[i].event.stated, i))
    found = arrays.recompute(_world(view, ids))
    assert any(row.corrected for row in view.events.values())
    for at, event_id in enumerate(ids):
        row = view.events[event_id]
        assert found.valid_from[at] == row.valid_from
        assert found.valid_until[at] == (arrays.NEVER if row.valid_until is None else row.valid_until)
        assert found.corrected[at] == row.corrected
        assert found.demoted_from[at] == (arrays.NEVER if row.demoted_from is None else row.demoted_from)
    for at, edge in enumerate(_edges(view)):
        assert found.invalid_from[at] == (arrays.NEVER if edge.invalid_from is None else edge.invalid_from)


def test_a_small_run_gives_every_number() -> None:
    found = measure(Asked(events=1_000, small_events=500, records=1_000), lambda _: None)
    assert {"apply_per_s", "raw_share", "us_per_record_10k", "us_per_record_1000", "full_recompute_ms_1000"} <= set(
        found
    )
    assert found["rss_mb_1000"] > 0 < found["disk_mb_1000"]
    assert 0 < found["raw_share"] < 1


def _entries(made: list[RawRecord], space: str) -> list[Entry]:
    return [decoded(raw) for raw in made if raw.space == space and raw.topic != "themes"]


_KINDS = {
    "change": arrays.CHANGE, "done": arrays.DONE, "cancelled": arrays.CANCELLED, "correction": arrays.CORRECTION,
    "withdrawn": arrays.WITHDRAWN, "causes": arrays.CAUSES, "enables": arrays.ENABLES, "prevents": arrays.PREVENTS,
}  # fmt: skip


def _edges(view: View):
    return [row for row in view.edges.values() if (row.edge.kind or row.edge.relation) in _KINDS]


def _world(view: View, ids: list[str]) -> arrays.World:
    place = {event_id: at for at, event_id in enumerate(ids)}
    events = [view.events[i].event for i in ids]
    edges = [row.edge for row in _edges(view)]
    return arrays.World(
        stated=np.array([e.stated.sent_at for e in events]),
        explicit_from=np.array([arrays.NEVER if e.valid_from is None else e.valid_from for e in events]),
        src=np.array([place[e.src] for e in edges]),
        dst=np.array([place[e.dst] for e in edges]),
        kind=np.array([_KINDS[e.kind or e.relation] for e in edges]),
    )
