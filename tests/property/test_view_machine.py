"""Anything that can happen to a space, in any order: after every step the view is its definition."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn, ruled_end
from schemas.control import ConversationErased, MessageErased, SpaceErased
from schemas.deltas import EventChanged, Status
from schemas.edges import Edge
from schemas.entry import Entry
from schemas.events import Event, Source, Stated
from schemas.messages import MessageEdited, MessageRetracted
from schemas.record import Record
from schemas.topics import TOPICS, TopicName
from tests.kit.records import DAY, MESSAGES, PRODUCERS, SESSIONS, SPACE, distilled, edge, event, inferred, posted
from views.checksum import checksum, first_difference
from views.conservation import account_of
from views.maintain import Maintainer
from views.pending import clock_records
from views.rows import status_at
from views.ruled import standing
from views.snapshot import read_space
from views.spec import View, recompute
from views.spec_live import Live
from views.tables import MemoryTables

NAMES = ("e1", "e2", "e3", "e4")
DAYS = st.integers(1, 9)
KINDS = ("change", "change", "correction", "done", "cancelled", "withdrawn")
IN_SPACE = {"tenant": SPACE.tenant, "space": SPACE.space}


@st.composite
def statements(draw: st.DrawFn) -> tuple[Event, ...]:
    """A few statements, plans among them; two ids may stand for the same words of a message."""
    found: dict[str, Event] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)):
        said, (conversation, message) = draw(DAYS), draw(st.sampled_from(MESSAGES))
        planned = draw(st.booleans())
        found[name] = event(
            name,
            said=said,
            sources=(Source(conversation_id=conversation, message_id=message, start=0, end=1),),
            stated=Stated(said * DAY, 0, message, 0),
            valid_from=draw(st.none() | DAYS.map(lambda day: day * DAY)),
            ends_at=draw(st.none() | DAYS.map(lambda day: day * DAY)),
            holds=draw(st.sampled_from([True, True, False])),
            modality="planned" if planned else "asserted",
            expected_until=draw(DAYS) * DAY if planned else None,
        )
    return tuple(found.values())


@st.composite
def relations(draw: st.DrawFn) -> tuple[Edge, ...]:
    """A few edges, of every kind."""
    found: dict[str, Edge] = {}
    for _ in range(draw(st.integers(1, 5))):
        relation = draw(st.sampled_from(["updates", "updates", "updates", "causes", "contradicts", "prevents"]))
        kind = draw(st.sampled_from(KINDS)) if relation == "updates" else None
        one = edge(draw(st.sampled_from(NAMES)), relation, draw(st.sampled_from(NAMES)), kind)
        found[one.id] = one
    return tuple(found.values())


class ViewMachine(RuleBasedStateMachine):
    """One space. ``now`` moves by rules only; transaction times of records never go back."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = MemoryTables()
        self.view = Maintainer(self.tables)
        self.log: list[Entry] = []
        self.ends: dict[str, int] = {}
        self.now = DAY
        self.revision = 0
        self.told: dict[str, Status] = {}

    # --- what a step does -------------------------------------------------------------------------------------------

    def add(self, record: Record, *, dies: bool = False) -> None:
        """Append a record and fold it; a process that dies before the commit folds it again, with the same deltas."""
        topic = _topic_of(record)
        entry = Entry(topic=topic, partition=0, offset=self.ends.get(topic, 0), record=record)
        self.ends[topic] = entry.offset + 1
        self.log.append(entry)
        deltas = self.view.fold([entry])
        if dies:
            self.view = Maintainer(self.tables)
            assert self.view.fold([entry]) == deltas
        self.view.commit()
        for delta in deltas:
            if isinstance(delta, EventChanged):
                assert self.told.get(delta.event_id) is None or delta.old is not None
                if delta.status is None:
                    self.told.pop(delta.event_id, None)
                else:
                    self.told[delta.event_id] = delta.status

    @property
    def defined(self) -> View:
        return recompute(self.log)

    @rule(place=st.sampled_from(MESSAGES), dies=st.booleans())
    def post(self, place: tuple[str, str], dies: bool) -> None:
        self.add(msgspec.structs.replace(posted(*place), received_at=self.now), dies=dies)

    @rule(data=st.data())
    @precondition(lambda self: self.log)
    def deliver_again(self, data: st.DataObject) -> None:
        """What was applied already is passed over."""
        entry = data.draw(st.sampled_from(self.log))
        assert self.view.fold([entry]) == []

    @rule(place=st.sampled_from(MESSAGES))
    def edit(self, place: tuple[str, str]) -> None:
        self.add(MessageEdited(**IN_SPACE, **_about(place), content="new", received_at=self.now))

    @rule(place=st.sampled_from(MESSAGES))
    def retract(self, place: tuple[str, str]) -> None:
        self.add(MessageRetracted(**IN_SPACE, **_about(place), received_at=self.now))

    @rule(said=statements(), session=st.sampled_from(SESSIONS), producer=st.sampled_from(PRODUCERS), dies=st.booleans())
    def distil(self, said: tuple[Event, ...], session: str, producer: str, dies: bool) -> None:
        """A session, late or not, or one distilled anew: it replaces the former set."""
        self.revision += 2
        record = distilled(*said, session=session, producer=producer, revision=self.revision)
        self.add(_learned(record, self.now), dies=dies)

    @rule(edges=relations(), session=st.sampled_from(SESSIONS), dies=st.booleans())
    def link(self, edges: tuple[Edge, ...], session: str, dies: bool) -> None:
        """Changes, corrections, causes and contradictions."""
        self.revision += 1
        self.add(_learned(inferred(*edges, session=session, revision=self.revision), self.now), dies=dies)

    @rule(data=st.data(), accepts=st.booleans(), dies=st.booleans())
    @precondition(lambda self: len(self.defined.events) > 1)
    def adjudicate(self, data: st.DataObject, accepts: bool, dies: bool) -> None:
        """An analyst accepts or rules out an edge between two live statements."""
        rows = self.defined.events
        src, dst = data.draw(st.permutations(sorted(rows)))[:2]
        ends = {"src": ruled_end(rows[src].event), "dst": ruled_end(rows[dst].event), "relation": "updates"}
        common: dict[str, Any] = {
            **IN_SPACE, **ends, "edge_id": edge(src, "updates", dst).id, "analyst": "mo", "reason": "", "at": self.now,
        }  # fmt: skip
        kind = data.draw(st.sampled_from(KINDS))
        self.add(EdgeAccepted(**common, kind=kind) if accepts else EdgeRuledOut(**common), dies=dies)

    @rule(data=st.data())
    @precondition(lambda self: any(isinstance(e.record, EdgeAccepted | EdgeRuledOut) for e in self.log))
    def undo(self, data: st.DataObject) -> None:
        ruled = sorted({e.record.edge_id for e in self.log if isinstance(e.record, EdgeAccepted | EdgeRuledOut)})
        name = data.draw(st.sampled_from(ruled))
        self.add(RulingWithdrawn(**IN_SPACE, edge_id=name, analyst="mo", at=self.now))

    @rule(merges=st.booleans())
    def rename(self, merges: bool) -> None:
        word = {"alias": "Ann B", "analyst": "mo", "at": self.now}
        self.add(
            AliasMerged(**IN_SPACE, **word, canonical="Ann", evidence="") if merges else AliasSplit(**IN_SPACE, **word)
        )

    @rule(place=st.sampled_from(MESSAGES), extent=st.sampled_from(["message", "message", "conversation", "space"]))
    def erase(self, place: tuple[str, str], extent: str) -> None:
        upto = {"upto": self.ends.get("messages", 0), "at": self.now}
        if extent == "space":
            self.add(SpaceErased(**IN_SPACE, **upto))
        elif extent == "conversation":
            self.add(ConversationErased(**IN_SPACE, conversation_id=place[0], **upto))
        else:
            self.add(MessageErased(**IN_SPACE, **_about(place), **upto))

    @rule(days=st.integers(1, 3))
    def time_passes(self, days: int) -> None:
        """The timer tells what has become due; then every status that was told is that of now."""
        self.now += days * DAY
        while due := self.view.due(self.now, 2):
            for record in clock_records(due):
                self.add(record)
                self.add(record)
        assert self.told == {name: status_at(row, self.now) for name, row in self.defined.events.items()}

    @rule()
    def restart(self) -> None:
        self.view = Maintainer(self.tables)

    @rule()
    def rebuild(self) -> None:
        self.view.drop(SPACE)
        for entry in self.log:
            self.view.fold_anywhere(entry)
        self.view.commit()

    # --- what holds after every step --------------------------------------------------------------------------------

    @invariant()
    def the_view_is_its_definition(self) -> None:
        kept, defined = read_space(self.view, SPACE), self.defined
        assert first_difference(kept.view, defined) is None
        assert checksum(kept.view) == checksum(defined)

    @invariant()
    def rulings_are_where_the_definition_has_them(self) -> None:
        """Each concerns the edge its statements make now, or none: then it is orphaned."""
        live = Live(self.log)
        concerned = {ruling.edge_id: live.concerned(ruling) for ruling in live.standing}
        kept = {
            one.word.edge_id: None if one.edge_id is None else (one.edge_id, one.src, one.dst)
            for one in standing(self.view.state, SPACE)
            if one.word is not None
        }
        assert kept == concerned

    @invariant()
    def nothing_is_lost(self) -> None:
        account = account_of(read_space(self.view, SPACE).view, self.log, self.now)
        assert account.holds, account


def _topic_of(record: Record) -> TopicName:
    return next(n for n, t in TOPICS.items() if type(record) in getattr(t.records, "__args__", (t.records,)))


def _about(place: tuple[str, str]) -> dict[str, str]:
    return {"conversation_id": place[0], "message_id": place[1]}


def _learned(record: Any, now: int) -> Any:
    """The record, learned now."""
    return msgspec.structs.replace(record, learned_at=now)


TestView = ViewMachine.TestCase
TestView.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
