"""However a log is fetched, its records are folded in the order it took them: a view made anew tells the same past."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.record import Record
from tests.kit.records import SPACE, entries, streams_of_records
from views.known import counts_from, known_by
from views.maintain import VIEW_TOPICS, Maintainer
from views.merging import Merging, in_log_order
from views.snapshot import read_space_at
from views.spec import recompute
from views.tables import MemoryTables

BUDGET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Stored(NamedTuple):
    """A record as a log hands it out."""

    topic: str
    partition: int
    offset: int
    timestamp: int


Log = dict[tuple[str, int], list[Stored]]
TOPICS = ("messages", "events", "edges")


def taken(data: st.DataObject, log: Log, most: int) -> list[Stored]:
    """All records of a log, fetched a few at a time from places chosen at random."""
    groups = [[place for place in log if place[1] == n] for n in sorted({p for _, p in log})]
    merging: Merging[tuple[str, int], Stored] = Merging(groups)
    fetched, folded = dict.fromkeys(log, 0), dict.fromkeys(log, 0)

    def is_at_end(place: tuple[str, int], last: Stored | None) -> bool:
        return (folded[place] if last is None else last.offset + 1) >= len(log[place])

    out: list[Stored] = []
    while len(out) < sum(map(len, log.values())):
        batch = merging.take(most, is_at_end)
        if not batch:
            place = data.draw(st.sampled_from([p for p in log if fetched[p] < len(log[p])]))
            size = data.draw(st.integers(1, 4))
            merging.give({place: log[place][fetched[place] : fetched[place] + size]})
            fetched[place] += size
        assert sum(map(len, batch.values())) <= most
        for place, records in batch.items():
            assert [r.offset for r in records] == list(range(folded[place], folded[place] + len(records)))
            folded[place] += len(records)
        for group in groups:
            out += in_log_order([batch[place] for place in group if place in batch])
    return out


@BUDGET
@given(st.data())
def test_however_it_is_fetched_a_log_is_read_in_one_order(data: st.DataObject) -> None:
    """Of each partition number; also where times of a topic do not grow."""
    log: Log = {}
    for topic in TOPICS:
        for partition in range(2):
            times = data.draw(st.lists(st.integers(0, 5), max_size=6))
            log[topic, partition] = [Stored(topic, partition, n, time) for n, time in enumerate(times)]
    out = taken(data, log, data.draw(st.integers(1, 5)))
    for partition in range(2):
        whole = in_log_order([log[topic, partition] for topic in TOPICS])
        assert [r for r in out if r.partition == partition] == whole


@BUDGET
@given(st.data(), streams_of_records(max_size=8), st.integers(1, 6))
def test_a_view_made_anew_tells_the_past_as_the_definition_does(
    data: st.DataObject, records: list[Record], most: int
) -> None:
    """A log whose records came in the order of what they tell of, however its topics are fetched now."""
    known = {(e.topic, e.offset): e for e in entries(sorted(records, key=_time))}
    log: Log = {(topic, 0): [] for topic in VIEW_TOPICS}
    for entry in known.values():
        log[entry.topic, 0].append(Stored(entry.topic, 0, entry.offset, _time(entry.record)))
    view = Maintainer(MemoryTables())
    for stored in taken(data, log, most):
        view.fold([known[stored.topic, stored.offset]])  # pyright: ignore[reportArgumentType]  # a topic of the view
    view.commit()
    erased = any(counts_from(record) == 0 for record in records)
    for known_at in sorted({0, *map(_time, records)}):
        told = read_space_at(view, SPACE, known_at)
        assert told is not None or erased
        if told is not None:
            assert told.view == recompute(e for e in known.values() if known_by(e.record, known_at))


def _time(record: Record) -> int:
    return counts_from(record)
