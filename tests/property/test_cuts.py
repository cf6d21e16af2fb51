"""A cut that is kept and brought up to date shows what one that is read anew shows, whatever was folded between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.cuts import Cuts
from query.api import Path
from query.cut import Cut
from query.echoes import Echoes
from query.markers import Marker
from query.note_columns import NOWHERE, notes_of
from query.packed_graph import PackedGraph, packed_graph
from query.rank import current_first
from query.render import Renderer, Shown
from query.restated import Restated
from query.seeds import entity_seeds, hierarchy_seeds, update_seeds
from query.settings import Discounts
from query.similarity import note_refs
from query.tokens import WordTokens
from schemas.edges import Edge
from schemas.entry import Entry
from schemas.events import Event, Source
from schemas.ids import MessageKey
from schemas.messages import MessagePosted
from tests.kit import messages
from tests.kit.records import DAY, EVENTS, MESSAGES, SPACE, distilled, edge, entries, event, inferred, posted
from tests.property.test_history import logs
from views.maintain import Maintainer
from views.order import RUN_GAP_US, SILENCE, Place, Spots, changed
from views.snapshot import Snapshot, read_space
from views.tables import MemoryTables
from views.vectors.refs import note_ref

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
        "remembered": [*worked_out(Cut(cut, cut), cut.event_ids(), keys), in_columns(Cut(cut, cut), cut, keys)],
    }  # fmt: skip


def worked_out(cut: Cut, events: Sequence[str], notes: Sequence[MessageKey]) -> Iterator[object]:
    """All that the query engine remembers of single events and messages, by way of what it shows."""
    last = 4_102_444_800_000_000
    restated = Restated(cut, events, last)
    marker = Marker(cut, last, last, 16, restated=restated)
    renderer = Renderer(cut, marker, WordTokens(), 80)
    graph = packed_graph(cut, Discounts())
    for event_id in events:
        yield packed(cut, graph, event_id)
        yield renderer.path(_alone(event_id), Shown(labels={}, messages={}, steps={}))
        yield update_seeds(cut, [event_id], 100)
        yield entity_seeds(cut, ["ann", "bo"], [event_id], 1)
        yield hierarchy_seeds(cut, [event_id], events, 100)
    yield current_first([[event_id] for event_id in events], [0.0] * len(events), cut, last, 1.0)
    for key in notes:
        yield renderer.note(key)
    yield note_refs(cut, events)


def packed(cut: Cut, graph: PackedGraph, event_id: str) -> object:
    """All that is packed of an event and its relations, by names: numbers are given as events come up."""
    number = graph.numbers([event_id])
    live = graph.live(cut.reader, number)
    _, positions = graph.crossed(live, 0, 1_000)
    arms, numbers = graph.arms(positions), graph.events.numbers
    row = {
        name: graph.events.of(name, live).tolist() for name in ("start", "until", "ends", "doubted", "sent", "lasts")
    }
    sessions = [numbers.sessions[one] if one >= 0 else one for one in graph.events.of("session", live).tolist()]
    parts = [names for names, part in numbers.of_parts.items() if part in graph.events.of("part", live)]
    others = [numbers.ids[one] for one in arms.others.tolist()]
    edges = [graph.edge(position) for position in positions.tolist()]
    return row, sessions, parts, others, edges, [column.tolist() for column in arms[1:]]


def in_columns(cut: Cut, messages: Snapshot, keys: Sequence[MessageKey]) -> object:
    """All that is kept of notes for their ranking, by names."""
    columns = notes_of(cut.memo, messages)
    numbers = columns.numbers([note_ref(key) for key in keys])
    found = numbers[numbers != NOWHERE]
    told = {name: columns.of(name, found).tolist() for name in ("place", "run", "sent_at")}
    states = columns.states(found, cut.reader.events_of_message).tolist()
    return told, states, [columns.keys[number] for number in found], [columns.texts[number] for number in found]


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


SAID = ("I live in Arvik.", "I live in Dalby.", "As you told me, you live in Dalby.", "I never lived in Arvik.")


class Asked(NamedTuple):
    """When something is asked, about which instant, and what is near it."""

    at: int
    later: int
    near: Sequence[str]


def told(cut: Snapshot, asked: Asked) -> list[object]:
    """What of messages and events is said when something is asked."""
    read, keys = Cut(cut, cut), sorted(cut.space.messages)
    later = max(asked.at, asked.later)
    restated, echoes = Restated(read, asked.near, later), Echoes(read, asked.near, asked.at)
    renderer = Renderer(read, Marker(read, asked.at, later, 16, {}, restated, echoes), WordTokens(), 80)
    shown = [[*cut.events_of_message(key)] for key in keys]
    return [
        *((key, restated.of(key), echoes.otherwise(key), renderer.note(key)) for key in keys),
        *(renderer.path(_alone(name), Shown(labels={}, messages={}, steps={})) for name in cut.event_ids()),
        current_first(shown, [0.1 * place for place in range(len(shown))], read, asked.at, 0.15),
    ]


@st.composite
def spoken(draw: st.DrawFn) -> list[Entry]:
    """People say a few things of each other's homes again and again, edit them, and others change what follows."""
    records: list[Any] = [_said(draw, *key) for key in MESSAGES]
    records.append(distilled(*(_event(draw, name) for name in EVENTS)))
    for revision in range(2, draw(st.integers(4, 9))):
        match draw(st.integers(0, 3)):
            case 0:
                key = draw(st.sampled_from(MESSAGES))
                records.append(messages.edit(key[1], draw(st.sampled_from(SAID)), space=SPACE, conversation=key[0]))
            case 1:
                records.append(distilled(*(_event(draw, name) for name in EVENTS), revision=revision))
            case _:
                edges = [_edge(draw) for _ in range(draw(st.integers(1, 5)))]
                records.append(inferred(*edges, revision=revision))
    return entries(records)


def _said(draw: st.DrawFn, conversation: str, message: str) -> MessagePosted:
    said = posted(conversation, message, draw(st.sampled_from(SAID)))
    role = draw(st.sampled_from(["user", "assistant"]))
    who = "Ann" if role == "user" else "Helper"
    return msgspec.structs.replace(said, role=role, speaker=who, sent_at=draw(st.integers(0, 2)) * DAY)


def _event(draw: st.DrawFn, name: str) -> Event:
    sources = draw(st.sampled_from([*((key,) for key in MESSAGES), (), MESSAGES[:2]]))
    until = draw(st.sampled_from([None, None, 4 * DAY, 6 * DAY]))
    value = "Arvik" if (name in EVENTS[:3]) == bool(draw(st.integers(0, 3))) else "Dalby"
    return event(
        name, said=EVENTS.index(name) + 1, value=value, text=f"I live in {value}.", ends_at=until,
        sources=tuple(Source(conversation_id=c, message_id=m, start=0, end=4) for c, m in sources),
    )  # fmt: skip


def _edge(draw: st.DrawFn) -> Edge:
    """From what was said later to what was said before."""
    older, newer = sorted(draw(st.lists(st.sampled_from(EVENTS), min_size=2, max_size=2, unique=True)))
    relation = draw(st.sampled_from(["updates", "updates", "contradicts", "possibly_updates"]))
    return edge(newer, relation, older, "change" if relation == "updates" else None)


INSTANTS = st.integers(0, 16).map(lambda n: n * DAY // 2)
NEAR = st.sampled_from([EVENTS, EVENTS, EVENTS[:4], EVENTS[1:]])


@BUDGET
@given(log=spoken(), asked=st.lists(st.builds(Asked, INSTANTS, INSTANTS, NEAR), min_size=4, max_size=8))
def test_what_is_remembered_of_questions_is_what_is_worked_out_anew(log: list[Any], asked: list[Asked]) -> None:
    maintainer = Maintainer(MemoryTables())
    cuts = Cuts(maintainer)
    for number, entry in enumerate(log):
        maintainer.fold_one(entry)
        maintainer.commit()  # what is not committed counts as changed
        for one in (asked[number % len(asked)], asked[(number + 1) % len(asked)]) if number >= len(MESSAGES) else ():
            assert told(cuts.current(SPACE), one) == told(read_space(maintainer, SPACE), one)
    for one in asked:
        assert told(cuts.current(SPACE), one) == told(read_space(maintainer, SPACE), one)


def _home(name: str, value: str, *sources: tuple[str, str]) -> Event:
    return event(
        name, said=EVENTS.index(name) + 1, value=value, text=f"I live in {value}.",
        sources=tuple(Source(conversation_id=c, message_id=m, start=0, end=4) for c, m in sources),
    )  # fmt: skip


MOVED = (edge("e2", "updates", "e1", "change"),)
CHANGES: tuple[Callable[[int], Any], ...] = (
    lambda n: messages.edit("m1", SAID[1], space=SPACE, conversation="c1"),
    lambda n: messages.edit("m1", SAID[0], space=SPACE, conversation="c1"),
    lambda n: messages.edit("m2", SAID[n % 2], space=SPACE, conversation="c1"),
    lambda n: distilled(_home("e1", "Arvik"), _home("e2", "Dalby"), revision=n),
    lambda n: distilled(_home("e1", "Dalby"), _home("e2", "Arvik"), revision=n),
    lambda n: distilled(_home("e1", "Arvik"), _home("e2", "Dalby"), _home("e3", "Arvik"), revision=n),
    lambda n: distilled(_home("e1", "Arvik"), _home("e2", "Dalby"), _home("e3", "Dalby"), revision=n),
    lambda n: distilled(_home("e1", "Dalby"), _home("e2", "Arvik"), _home("e3", "Arvik"), revision=n),
    lambda n: distilled(_home("e1", "Arvik", ("c1", "m2")), _home("e2", "Dalby", ("c1", "m1")), revision=n),
    lambda n: inferred(*MOVED, edge("e3", "contradicts", "e2"), revision=n),
    lambda n: inferred(edge("e3", "updates", "e1", "change"), revision=n),
    lambda n: inferred(*MOVED, revision=n),
)  # fmt: skip


def test_what_is_remembered_of_a_question_follows_every_change_after_every_other() -> None:
    maintainer = Maintainer(MemoryTables())
    cuts = Cuts(maintainer)
    said = zip(MESSAGES, (SAID[0], SAID[0], SAID[1]), strict=True)
    begun: list[Any] = [msgspec.structs.replace(posted(*key, words), sent_at=0) for key, words in said]
    begun.append(msgspec.structs.replace(posted("c1", "m3", SAID[2]), role="assistant", speaker="Helper", sent_at=0))
    begun += [distilled(_home("e1", "Arvik"), _home("e2", "Dalby")), inferred(*MOVED)]
    steps = [step for pair in combinations(CHANGES, 2) for step in pair]  # each comes before and after each
    for entry in entries([*begun, *(step(2 + number) for number, step in enumerate(steps))]):
        maintainer.fold_one(entry)
        maintainer.commit()
        for at in (9 * DAY, DAY):
            one = Asked(at, 9 * DAY, EVENTS)
            assert told(cuts.current(SPACE), one) == told(read_space(maintainer, SPACE), one)


@BUDGET
@given(st.lists(st.tuples(st.lists(PLACES, max_size=4), st.lists(PLACES, max_size=4)), max_size=8))
def test_a_conversation_changed_in_steps_is_the_one_sorted_at_once(
    steps: list[tuple[list[Place], list[Place]]],
) -> None:
    talk, held = SILENCE, set[Place]()
    for removed, added in steps:
        talk, held = changed(talk, removed, added), (held - set(removed)) | set(added)
        assert talk == changed(SILENCE, (), held)
        spots = [Spots(talk).of(place) for place in talk.places]
        assert [spot.number for spot in spots] == list(range(len(held)))
        for (a, b), (earlier, later) in zip(pairwise(talk.places), pairwise(spots), strict=True):
            assert later.run - earlier.run == (b[0] - a[0] > RUN_GAP_US)
