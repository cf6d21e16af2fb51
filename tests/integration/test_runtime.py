"""The embedded system on a real directory: RocksDB, Qdrant's engine, and everything between them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from prometheus_client import CollectorRegistry

from ops.cli.pump import Pump
from ops.model import load_encoder
from ops.opening import open_parts, open_system
from ops.refold import refold
from ops.runtime import Embedded
from ops.settings import Settings
from ops.viewing import LiveView
from query.api import QueryRequest, StateRequest, StateResult
from query.service.app import create_app
from query.service.server import listening
from schemas.ids import SpaceKey
from schemas.times import parse_time
from schemas.wire import AssertionsIn, EdgeIn, EventIn
from streams.log.errors import BadStoreError, NoStoreError, StoreInUseError
from tests.kit.encoders import HashingEncoder
from views.checksum import first_difference
from views.encoder.resolve import ModelUnavailableError
from views.known import known_by
from views.spec import recompute

SPACE = SpaceKey("default", "ilse")
NOW = parse_time("2031-06-01T12:00:00Z")[0]


def us(text: str) -> int:
    """Microseconds UTC of an RFC 3339 time."""
    return parse_time(text)[0]


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


class Machine:
    """A directory, and the systems that were opened on it."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.clock = Clock()
        self._opened: list[Embedded] = []

    def open(self, *, writer: bool = True) -> Embedded:
        """A system without a model, on this machine's clock."""
        parts = open_parts(self.store, Settings(), writer=writer)
        self.parts = msgspec.structs.replace(parts, encoder=HashingEncoder, clock=self.clock)
        system = Embedded(self.parts, Settings())
        self._opened.append(system)
        return system

    def reopened(self, system: Embedded) -> Embedded:
        """Closed and opened again."""
        system.close()
        return self.open()

    def close(self) -> None:
        for system in self._opened:
            system.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with an empty store."""
    made = Machine(tmp_path / "store")
    yield made
    made.close()


def say(
    system: Embedded, number: int, content: str, sent_at: str, *, space: SpaceKey = SPACE, received_at: str = "now"
) -> int:
    """Post a message; returns the offset to wait for."""
    message = {
        "message_id": f"m{number}", "conversation_id": "harbour", "speaker": "Ilse", "content": content,
        "sent_at": sent_at,
    }  # fmt: skip
    posted = system.post(space, [json.dumps(message).encode()], received_at=received_at)
    assert [status.status for status in posted.statuses] == ["accepted"]
    return posted.wait_for


def chat(system: Embedded) -> None:
    """A few messages, processed."""
    say(system, 1, "I live in Lecce.", "2031-03-01T10:00:00Z")
    say(system, 2, "I work at the tannery.", "2031-03-01T10:05:00Z")
    say(system, 3, "I moved to Kaunas last month.", "2031-05-10T10:00:00Z")
    say(system, 4, "How are you?", "2031-05-10T10:01:00Z")
    system.flush()


def state(system: Embedded, as_of: int = NOW, known_at: int | None = None, *, all_of_it: bool = False) -> StateResult:
    """The state of the space."""
    return system.state(
        StateRequest(
            space=SPACE, as_of=as_of, known_at=known_at, participant=None, attribute=None, include_all=all_of_it
        )
    )


def texts(result: StateResult) -> str:
    """What is listed, to look for words in."""
    return " / ".join(entry.event.text for entry in result.entries)


def ids(result: StateResult) -> list[str]:
    """What is listed."""
    return [entry.event.id for entry in result.entries]


def question(text: str) -> QueryRequest:
    """A question of now."""
    return QueryRequest(
        space=SPACE, question=text, asked_at=NOW, as_of=None, known_at=None, mode="hybrid", budget_tokens=2_000,
        answer=True,
    )  # fmt: skip


# --- what goes in comes out ----------------------------------------------------------------------------------------


def test_a_change_an_edit_and_a_retraction_show_in_the_state(machine: Machine) -> None:
    system = machine.open()
    chat(system)
    assert "Kaunas" in texts(state(system))
    assert "Lecce" not in texts(state(system))
    assert "Lecce" in texts(state(system, us("2031-03-15T00:00:00Z")))

    system.edit(SPACE, "harbour", "m2", "I work at the ferry office.")
    system.flush()
    assert "ferry office" in texts(state(system))
    assert "tannery" not in texts(state(system, all_of_it=True))

    system.retract(SPACE, "harbour", "m3")
    system.flush()
    assert "Kaunas" not in texts(state(system, all_of_it=True))
    assert "Lecce" in texts(state(system)), "what a withdrawn move had ended holds again"
    account = system.account(SPACE)
    assert account.accepted == 4 == account.source_of_event + account.read_yielded_none
    assert account.waiting == account.parked == 0


def test_everything_is_there_after_closing_and_opening_again(machine: Machine) -> None:
    system = machine.open()
    chat(system)
    before, answer = state(system), system.query(question("Where does Ilse live?"))
    system = machine.reopened(system)
    assert state(system) == before
    again = system.query(question("Where does Ilse live?"))
    assert again == answer
    assert "Kaunas" in repr(again.citations)
    assert say(system, 5, "I like rain.", "2031-05-11T10:00:00Z") == 5


def test_a_question_has_one_context_however_often_and_wherever_it_is_asked(machine: Machine) -> None:
    """Twice, over a rebuilt view, and after opening again; the first cut was brought up to date by an edit."""
    system = machine.open()
    chat(system)
    system.query(question("Where does Ilse live?"))
    system.edit(SPACE, "harbour", "m2", "I work at the ferry office.")
    system.flush()

    def told(asked: Embedded) -> tuple[str, bytes]:
        result = asked.query(question("Where does Ilse live?"))
        return result.context_sha256, msgspec.json.encode((result.context, result.seeds, result.paths, result.answer))

    first = told(system)
    assert told(system) == first
    system.rebuild(SPACE)
    assert told(system) == first
    assert told(machine.reopened(system)) == first


def test_verify_and_rebuild_agree(machine: Machine) -> None:
    system = machine.open()
    chat(system)
    verified = system.verify(SPACE)
    assert verified.equal
    assert verified.events > 0
    assert verified.edges > 0
    rebuilt = system.rebuild(SPACE)
    assert rebuilt == verified
    assert machine.reopened(system).verify(SPACE) == verified


# --- what is derived can be lost -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [("view",), ("vectors",), ("view", "vectors")])
def test_what_is_derived_heals_when_it_is_deleted(machine: Machine, lost: tuple[str, ...]) -> None:
    system = machine.open()
    chat(system)
    system.retract(SPACE, "harbour", "m2")
    system.flush()
    verified, answer = system.verify(SPACE), system.query(question("Where does Ilse live?"))
    system.close()
    for name in lost:
        shutil.rmtree(machine.store / name)
    system = machine.open()
    system.run()
    assert system.verify(SPACE) == verified
    assert system.query(question("Where does Ilse live?")) == answer
    assert answer.citations


def test_a_reader_says_what_to_do_about_a_deleted_index_and_leaves_it_to_a_writer(machine: Machine) -> None:
    system = machine.open()
    chat(system)
    answer = system.query(question("Where does Ilse live?"))
    system.close()
    shutil.rmtree(machine.store / "vectors")
    reader = machine.open(writer=False)
    with pytest.raises(NoStoreError, match="import or serve"):
        reader.query(question("Where does Ilse live?"))
    assert not (machine.store / "vectors").exists()
    reader.close()
    system = machine.open()
    system.run()
    assert system.query(question("Where does Ilse live?")) == answer


# --- who may open it -----------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_and_the_first_goes_on(machine: Machine) -> None:
    system = machine.open()
    with pytest.raises(StoreInUseError, match="another process writes"):
        machine.open()
    chat(system)
    assert system.verify(SPACE).equal


def test_reading_beside_a_writer_works(machine: Machine) -> None:
    system = machine.open()
    chat(system)
    reader = machine.open(writer=False)
    assert state(reader) == state(system)
    say(system, 5, "I moved to Ghent yesterday.", "2031-05-20T10:00:00Z")
    system.flush()
    assert "Kaunas" in texts(state(reader)), "a reader sees what was there when it was opened"
    assert reader.verify(SPACE).equal
    assert "Ghent" in texts(state(machine.open(writer=False)))


@pytest.mark.parametrize("slow", ["Database", "RocksLog"])
def test_a_reader_never_has_a_view_that_is_ahead_of_its_log(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    """The writer goes on just before one of the reader's two openings."""
    system = machine.open()
    chat(system)
    plain: Callable[..., object] = getattr(__import__("ops.stores", fromlist=[slow]), slow)

    def late(*args: object, **options: object) -> object:
        say(system, 5, "I moved to Ghent yesterday.", "2031-05-20T10:00:00Z")
        system.flush()
        return plain(*args, **options)

    monkeypatch.setattr(f"ops.stores.{slow}", late)
    reader = machine.open(writer=False)
    monkeypatch.undo()
    assert reader.verify(SPACE).equal


def test_a_log_of_another_format_is_refused_with_what_to_do(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.open().close()
    monkeypatch.setattr("streams.log.rocks.FORMAT", 99)
    with pytest.raises(BadStoreError, match=r"has format 1, this release reads format 99: use the release that"):
        machine.open()


def test_a_view_of_another_log_or_format_is_refused_with_what_to_do(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = machine.open()
    chat(system)
    verified = system.verify(SPACE)
    system.close()
    monkeypatch.setattr("ops.stores.VIEW_FORMAT", 99)
    with pytest.raises(BadStoreError, match=r"layout \d+, this release reads layout 99: run \./stilltrue rebuild"):
        machine.open()
    monkeypatch.undo()
    other = Machine(tmp_path / "other")
    other.open().close()
    shutil.move(machine.store / "view", tmp_path / "kept")
    shutil.copytree(other.store / "view", machine.store / "view")
    for writer in (True, False):
        with pytest.raises(BadStoreError, match=r"a view of another log: run \./stilltrue rebuild"):
            machine.open(writer=writer)
    refold(machine.store, Settings(), vectors=False, now=lambda: 0)
    assert machine.open().verify(SPACE) == verified


# --- read your own write -------------------------------------------------------------------------------------------


def job(key: str, text: str, valid_from: str | None = None) -> EventIn:
    """A state a producer asserts."""
    return EventIn(
        key=key, type="state_change", text=text, subject="Ilse", participants=("Ilse",), attribute="employer",
        valid_from=valid_from,
    )  # fmt: skip


def assertion(batch_id: str, *events: EventIn, edges: tuple[EdgeIn, ...] = ()) -> AssertionsIn:
    """A batch of the payroll office."""
    return AssertionsIn(
        batch_id=batch_id, producer="payroll", asserted_at="2031-05-01T00:00:00Z", events=events, edges=edges
    )


def test_what_a_producer_asserts_is_there_when_the_call_returns(machine: Machine) -> None:
    system = machine.open()
    out = system.assert_events(SPACE, assertion("b1", job("k1", "Ilse works at the mole")))
    assert [entry.event.id for entry in state(system).entries] == [out.event_ids["k1"]]
    assert system.history(SPACE, out.event_ids["k1"], None, None).producers == ("payroll",)
    system.assert_events(SPACE, assertion("b1", job("k1", "Ilse works at the pier")))
    assert texts(state(system)) == "Ilse works at the pier", "the same batch id replaces"
    system.assert_events(SPACE, assertion("b1"))
    assert state(system).entries == ()


def test_waiting_ends_when_the_message_is_applied_and_not_before(machine: Machine) -> None:
    system = machine.open()
    say(system, 1, "I work at the mole.", "2031-03-01T10:00:00Z")
    system.run()
    offset = say(system, 2, "I live in Lecce.", "2031-03-01T10:01:00Z")
    system.run()
    assert not system.wait(SPACE, offset, timeout_s=0.0), "an open session is published every two seconds at most"
    machine.clock.now += 2_000_001
    system.run()
    assert system.wait(SPACE, offset, timeout_s=0.0)
    assert "Lecce" in texts(state(system))
    assert state(system).basis.messages >= offset


# --- two clocks ----------------------------------------------------------------------------------------------------


def test_a_late_correction_holds_all_along_once_it_is_known(machine: Machine) -> None:
    """On 1 April "the 12th", on 20 April "never the 12th, the 14th"."""
    system = machine.open()
    machine.clock.now = us("2031-04-01T10:00:00Z")
    party = EventIn(key="wrong", type="plan", modality="planned", text="the street party is on 12 May")
    first = msgspec.structs.replace(assertion("b1", party), asserted_at="2031-04-01T10:00:00Z")
    wrong = system.assert_events(SPACE, first).event_ids["wrong"]
    machine.clock.now = us("2031-04-20T10:00:00Z")
    party = EventIn(key="right", type="plan", modality="planned", text="the street party is on 14 May")
    edge = EdgeIn(src="right", dst="wrong", relation="updates", kind="correction")
    second = msgspec.structs.replace(assertion("b2", party, edges=(edge,)), asserted_at="2031-04-20T10:00:00Z")
    right = system.assert_events(SPACE, second).event_ids["right"]
    middle = us("2031-04-15T00:00:00Z")
    assert ids(state(system, middle)) == [right]
    assert ids(state(system, middle, known_at=middle)) == [wrong]
    assert ids(state(system, middle, known_at=us("2031-04-20T10:00:00Z"))) == [right]
    assert state(system, middle, known_at=middle).entries[0].superseded_by == ()


def test_a_late_correction_in_words_holds_all_along_once_it_is_known(machine: Machine) -> None:
    system = machine.open()
    say(system, 1, "My exam is on 12 May.", "2031-04-01T10:00:00Z", received_at="sent_at")
    right = "My exam was never on 12 May, my exam is on 14 May."
    say(system, 2, right, "2031-04-20T10:00:00Z", received_at="sent_at")
    system.flush()
    middle = us("2031-04-15T00:00:00Z")
    assert texts(state(system, middle, known_at=middle)) == "My exam is on 12 May"
    (entry,) = state(system, middle).entries
    assert (entry.event.text, entry.event.anchor.start) == (right.rstrip("."), us("2031-05-14T00:00:00Z"))
    assert (entry.valid_from, entry.valid_until) == (us("2031-04-01T10:00:00Z"), None)
    everything = state(system, middle, all_of_it=True).entries
    wrong = next(entry for entry in everything if entry.event.text == "My exam is on 12 May")
    assert wrong.valid_until == wrong.valid_from == us("2031-04-01T10:00:00Z")
    assert [by.kind for by in wrong.superseded_by] == ["correction"]


def test_what_was_known_is_what_the_records_known_by_then_define(machine: Machine) -> None:
    """Asserted, changed and withdrawn at known times: each cut equals a system that had heard no more."""
    steps: list[Callable[[Embedded], object]] = [
        lambda s: s.assert_events(SPACE, assertion("b1", job("k1", "Ilse works at the mole", "2031-01-01T00:00:00Z"))),
        lambda s: say(s, 1, "I live in Lecce.", "2031-03-01T10:00:00Z"),
        lambda s: s.assert_events(
            SPACE,
            assertion(
                "b2",
                job("k2", "Ilse works at the pier", "2031-02-01T00:00:00Z"),
                edges=(EdgeIn(src="k2", dst="k1", relation="updates", kind="change"),),
            ),
        ),
        lambda s: s.retract(SPACE, "harbour", "m1"),
        lambda s: s.assert_events(SPACE, assertion("b2")),
    ]
    system = machine.open()
    known: list[tuple[int, StateResult]] = []
    for step in steps:
        step(system)
        system.flush()
        known.append((machine.clock.now, state(system, all_of_it=True)))
        machine.clock.now += 60_000_000
    view = LiveView(machine.parts.log, machine.parts.tables, batch_records=1)
    for at, then in known:
        assert state(system, known_at=at, all_of_it=True).entries == then.entries
        by_then = recompute(entry for entry in view.entries(SPACE) if known_by(entry.record, at))
        assert first_difference(view.read(SPACE, at)[0].view, by_then) is None
    assert state(system, known_at=NOW - 1, all_of_it=True).entries == ()
    assert system.verify(SPACE).equal


# --- over HTTP -----------------------------------------------------------------------------------------------------


async def test_over_http_what_was_posted_can_be_read_and_asked(machine: Machine) -> None:
    system = machine.open()
    app = create_app(system, CollectorRegistry(), clock=machine.clock)
    says = [
        ("I live in Lecce.", "2031-03-01"),
        ("Hello!", "2031-05-01"),
        ("I moved to Kaunas last month.", "2031-05-10"),
    ]
    messages = [
        {
            "message_id": f"m{n}", "conversation_id": "harbour", "speaker": "Ilse", "content": content,
            "sent_at": f"{day}T10:00:00+02:00", "ends_session": True,
        }
        for n, (content, day) in enumerate(says)
    ]  # fmt: skip
    with Pump(system):
        async with listening(app, "127.0.0.1", 0) as url, aiohttp.ClientSession(url) as client:

            async def call(method: str, path: str, body: object = None) -> Any:
                async with client.request(method, path, json=body) as reply:
                    assert reply.status == 200, await reply.text()
                    return await reply.json()

            posted = await call("POST", "/v1/spaces/ilse/messages", {"messages": messages})
            assert (posted["accepted"], posted["refused"], posted["wait_for"]) == (3, 0, 3)
            state = await call("GET", f"/v1/spaces/ilse/state?wait_for={posted['wait_for']}")
            [home] = [entry for entry in state["entries"] if "Kaunas" in entry["event"]["text"]]
            assert home["status"] == "valid"
            assert home["citations"][0]["message_id"] == "m2"
            assert state["basis"]["messages"] == 3
            history = await call("GET", f"/v1/spaces/ilse/events/{home['event']['id']}")
            assert {"superseded", "valid"} == {entry["status"] for entry in history["entries"]}
            question = {"question": "Where does Ilse live?", "wait_for": posted["wait_for"]}
            asked = await call("POST", "/v1/spaces/ilse/query", question)
            assert asked["answer"]["known"]
            assert "Kaunas" in asked["answer"]["text"]
            again = await call("POST", "/v1/spaces/ilse/messages", {"messages": messages})
            assert (again["accepted"], again["duplicate"]) == (0, 3)
            assert (await call("GET", "/readyz")) == {"ready": True, "waiting": 0, "parked": 0}
            assert "/v1/spaces/{space}/query" in (await call("GET", "/openapi.json"))["paths"]
            async with client.get("/metrics") as reply:
                metrics = await reply.text()
            for line in ('messages_total{outcome="accepted"} 3.0', 'messages_total{outcome="duplicate"} 3.0'):
                assert f"stilltrue_{line}" in metrics
    assert system.verify(SPACE).equal


# --- with the real model -------------------------------------------------------------------------------------------


def test_with_the_real_model_a_question_finds_its_answer(tmp_path: Path) -> None:
    try:
        load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))
    system = open_system(tmp_path / "store", Settings())
    try:
        assert isinstance(system, Embedded)
        chat(system)
        result = system.query(question("Which town is Ilse's home?"))
        assert result.answer is not None
        assert result.answer.known
        assert "Kaunas" in result.answer.text
        assert system.verify(SPACE).equal
    finally:
        system.close()
