"""What must be true of every finished run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ops.runtime import Embedded
from query.api import QueryRequest, StateRequest
from schemas.codec import decode
from schemas.deltas import EdgeChanged, EventChanged, Status, Validity
from schemas.ids import MessageKey, SpaceKey
from schemas.topics import TOPICS
from streams.log import partition_of
from tests.kit.sim import BEGIN, SPACES, Simulation, undisturbed
from tests.kit.simchat import ERASED, SPEAKERS, START, Edit, Erase, Post
from tests.kit.simstores import Crash
from views.checksum import checksum, first_difference
from views.conservation import account_of
from views.deltas import validity_of
from views.known import known_by
from views.rows import status_at
from views.spec import recompute
from views.tables import TABLES
from views.vectors.protocol import PointKind
from views.vectors.refs import note_ref

DAY = 86_400_000_000
START_US = int(START.timestamp()) * 1_000_000


class Run:
    """A finished run, and what the same messages leave behind when nothing goes wrong.

    What was begun to be erased is erased when the system is opened afterwards, in both.
    """

    def __init__(self, seed: int, directory: Path | None = None) -> None:
        self.simulation = Simulation(seed, directory)
        self.simulation.run()
        self.spaces = self.simulation.spaces
        self.stores = self.simulation.stores
        self.views = {space: self.simulation.process.view.snapshot(space) for space in self.spaces}
        self.entries = {space: list(self.simulation.process.view.entries(space)) for space in self.spaces}
        self.defined = {space: recompute(self.entries[space]) for space in self.spaces}
        self.plain = undisturbed(self.simulation.deeds)

    @cached_property
    def opened(self) -> tuple[Embedded, Embedded]:
        """The whole system on both; on the run's own it may still die, and is opened again."""
        while True:
            here = self.stores.opened(self.simulation.now)
            try:
                here.run()
            except Crash:
                self.stores.reopen()
            else:
                there = self.plain.opened(BEGIN)
                there.run()
                return here, there

    def deeds_of(self, kind: type[Post | Edit | Erase], space: SpaceKey) -> list[Post | Edit | Erase]:
        """What of a kind was done in a space."""
        actions = [deed.action for deed in self.simulation.deeds]
        return [action for action in actions if isinstance(action, kind) and action.space == space]

    def standing(self, space: SpaceKey) -> set[MessageKey]:
        """Messages that were posted and not erased."""
        posts = [json.loads(a.raw) for a in self.deeds_of(Post, space) if isinstance(a, Post)]
        posted = {MessageKey(message["conversation_id"], message["message_id"]) for message in posts}
        return posted - {_key(erase) for erase in self.deeds_of(Erase, space) if isinstance(erase, Erase)}

    def retracted(self, space: SpaceKey) -> set[MessageKey]:
        """Messages that were taken back."""
        return {_key(e) for e in self.deeds_of(Edit, space) if isinstance(e, Edit) and e.content is None}


def _key(named: Edit | Erase) -> MessageKey:
    return MessageKey(named.conversation_id, named.message_id)


def the_view_is_its_definition_over_the_log(run: Run) -> None:
    """And every event ever distilled is somewhere, with one status if it is live, at any instant."""
    for space in run.spaces:
        entries, kept = run.entries[space], run.views[space].view
        assert first_difference(kept, run.defined[space]) is None
        for at in (START_US - 100 * DAY, START_US + 10 * DAY, BEGIN):
            account = account_of(kept, entries, at)
            assert account.holds, account


def what_was_known_then_is_the_definition_over_the_records_known_then(run: Run) -> None:
    """Before all, in the middle, and now."""
    view = run.simulation.process.view
    for space in run.spaces:
        entries = run.entries[space]
        for at in (BEGIN - 1, (BEGIN + run.simulation.now) // 2, run.simulation.now):
            known = [entry for entry in entries if known_by(entry.record, at)]
            defined = run.defined[space] if len(known) == len(entries) else recompute(known)
            assert first_difference(view.read(space, at)[0].view, defined) is None


def what_was_told_leads_from_nothing_to_what_the_view_holds(run: Run) -> None:
    """Whoever died between telling and keeping it: no delta was lost, and none told again in another way.

    Of each event and edge every delta begins where the former one ended; those that were told before, byte for byte,
    say nothing new. A view that was lost and made anew tells from the beginning: what had come and gone before need
    not come again, and then nobody tells that it went.
    """
    for space in run.spaces:
        begun = run.simulation.told_before_loss[partition_of(space, run.stores.log.partitions)]
        events: dict[str, tuple[Validity | None, Status | None]] = {}
        edges: dict[str, tuple[bool, int | None]] = {}
        told: set[bytes] = set()
        for entry in run.stores.log.read_space("deltas", space, begun):
            if entry.value in told:
                continue
            told.add(entry.value)
            match decode("deltas", entry.value):
                case EventChanged() as delta:
                    assert (delta.old, delta.old_status) == events.get(delta.event_id, (None, None)), delta
                    events[delta.event_id] = delta.new, delta.status
                case EdgeChanged() as delta:
                    assert (delta.was_live, delta.old_invalid_from) == edges.get(delta.edge_id, (False, None)), delta
                    edges[delta.edge_id] = delta.live, delta.invalid_from
                case other:
                    raise AssertionError(f"no delta: {other}")
        held = run.views[space].view
        assert {i: new for i, (new, _) in events.items() if new is not None} == {
            i: validity_of(row) for i, row in held.events.items()
        }
        assert {i: until for i, (live, until) in edges.items() if live} == {
            i: row.invalid_from for i, row in held.edges.items()
        }


def the_index_holds_the_current_notes_and_the_live_events(run: Run) -> None:
    """With the vectors that an undisturbed run gives them."""
    for space in run.spaces:
        snapshot, index = run.views[space], run.stores.index
        notes = [note_ref(key) for key in run.standing(space) - run.retracted(space)]
        assert index.refs(space, "note") == sorted(notes)
        assert index.refs(space, "event") == list(snapshot.event_ids())
        held: tuple[tuple[PointKind, Sequence[str]], ...] = (("note", notes), ("event", snapshot.event_ids()))
        for kind, refs in held:
            here = index.dense_vectors(space, kind, refs)
            there = run.plain.index.dense_vectors(space, kind, refs)
            assert all(np.array_equal(here[ref], there[ref]) for ref in refs)


def the_end_is_that_of_an_undisturbed_run(run: Run) -> None:
    """View and account, as the whole system tells them; every accepted message is somewhere, and nothing waits."""
    here, there = run.opened
    for space in run.spaces:
        verified, plain = here.verify(space), there.verify(space)
        assert verified.equal, verified.first_difference
        assert plain.equal, plain.first_difference
        assert verified.checksum == plain.checksum == checksum(run.views[space].view)
        account = here.account(space)
        assert account.accepted == len(run.standing(space))
        assert account.source_of_event + account.read_yielded_none == account.accepted
        assert account.waiting == account.parked == 0
        assert account == there.account(space)
        assert here.basis(space).messages >= run.simulation.wait_for.get(space, 0)


def nothing_that_is_erased_is_anywhere(run: Run) -> None:
    """In no record, row or vector's payload."""
    if not any(run.deeds_of(Erase, space) for space in run.spaces):
        return
    log, tables = run.stores.log, run.stores.tables
    for space in run.spaces:
        values = [(topic, e.value) for topic in TOPICS for e in log.read_space(topic, space)]
        values += [(t, v) for t in ("stages", "ingest") for _, v in log.scan(t, b"", b"\xff" * 9)]
        values += [(f"view {t}", v) for t in TABLES for _, v in tables.scan(t, b"")]
        assert [place for place, value in values if ERASED.encode() in value] == []


def nothing_of_one_tenant_is_read_by_the_other(run: Run) -> None:
    """Both have the same space name, conversations and message ids; the speakers tell them apart."""
    if len(run.spaces) < len(SPACES):
        return
    system, _ = run.opened
    for space, other in (SPACES, SPACES[::-1]):
        assert not run.views[space].view.events.keys() & run.views[other].view.events.keys()
        question = f"Where does {SPEAKERS[other][0]} live, and where does {SPEAKERS[other][1]} work?"
        request = QueryRequest(
            space=space, question=question, asked_at=BEGIN, as_of=None, known_at=None, mode="hybrid",
            budget_tokens=2_000, answer=True,
        )  # fmt: skip
        result = system.query(request)
        for_all = StateRequest(
            space=space, as_of=BEGIN, known_at=None, participant=None, attribute=None, include_all=True
        )
        said = repr((result.context, result.citations, system.state(for_all).entries))
        assert not any(speaker in said for speaker in SPEAKERS[other])


CHECKS: tuple[Callable[[Run], None], ...] = (
    the_view_is_its_definition_over_the_log,
    what_was_known_then_is_the_definition_over_the_records_known_then,
    what_was_told_leads_from_nothing_to_what_the_view_holds,
    the_index_holds_the_current_notes_and_the_live_events,
    the_end_is_that_of_an_undisturbed_run,
    nothing_that_is_erased_is_anywhere,
    nothing_of_one_tenant_is_read_by_the_other,
)
"""In this order: the fifth finishes what is to be erased."""


def statuses_of(run: Run) -> Counter[str]:
    """What became of the run's events."""
    rows = [row for space in run.spaces for row in run.views[space].view.events.values()]
    return Counter(status_at(row, BEGIN) for row in rows)
