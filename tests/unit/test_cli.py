"""The commands, over a system that answers from canned results."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from ops.cli.__main__ import main
from ops.cli.show import state_lines, whose
from ops.cli.world import World
from ops.llm.questions import Standing
from ops.settings import Settings
from ops.system import Ingested, Refused, Verification
from query.api import (
    Answer,
    ChainLink,
    Citation,
    ContextItem,
    HistoryResult,
    QueryRequest,
    QueryResult,
    ReplacedBy,
    RulingsResult,
    StateEntry,
    StateRequest,
    StateResult,
    Step,
)
from query.api import Path as EvidencePath
from schemas.events import Event
from schemas.ids import SpaceKey
from schemas.times import format_time, parse_time
from schemas.wire import MessageIn, MessageStatus, Problem
from streams.llm.desk import Spent
from streams.log.errors import BadStoreError, StoreInUseError
from tests.kit.events import stated
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount
from views.rows import Status

ROOT = Path(__file__).resolve().parents[2]
NOW = parse_time("2026-03-20T12:00:00Z")[0]
BASIS = Basis(partition=0, messages=60, waiting=1, parked=2)
OLD = "e" + "a" * 24
NEW = "e" + "b" * 24
OTHER = "e" + "bb" + "c" * 22


def at(text: str) -> int:
    return parse_time(text)[0]


def event(event_id: str, text: str, subject: str, attribute: str | None, said: str) -> Event:
    return stated(
        event_id, text, at(said), subject=subject, participants=(subject,), speaker=subject, attribute=attribute,
        confidence=0.9,
    )  # fmt: skip


def citation(event_id: str, message_id: str, said: str, quote: str, offset_min: int = 0) -> Citation:
    return Citation(
        event_id=event_id, conversation_id="c", message_id=message_id, speaker="Lio", sent_at=at(said),
        utc_offset_min=offset_min, quote=quote,
    )  # fmt: skip


CURRENT = StateEntry(
    event=event(NEW, "Lio bakes at the mill.", "Lio", "employer", "2026-02-02T23:30:00Z"),
    status="valid",
    validity=1.0,
    valid_from=at("2026-02-02T23:30:00Z"),
    valid_until=None,
    contested_by=(OTHER,),
    superseded_by=(),
    citations=(citation(NEW, "4-1", "2026-02-02T23:30:00Z", "I bake at the mill now."),),
)
FORMER = StateEntry(
    event=event(OLD, "Lio bakes at home.", "Lio", "employer", "2026-01-10T08:00:00Z"),
    status="superseded",
    validity=0.0,
    valid_from=at("2026-01-10T08:00:00Z"),
    valid_until=at("2026-02-02T23:30:00Z"),
    contested_by=(),
    superseded_by=(
        ReplacedBy(event_id=NEW, kind="change", text="Lio bakes at the mill.", conversation_id="c", message_id="4-1"),
    ),
    citations=(citation(OLD, "1-1", "2026-01-10T08:00:00Z", "I bake at home."),),
)
LINK = ChainLink(
    edge_id="r1",
    src=NEW,
    dst=OLD,
    kind="change",
    effective=True,
    confidence=0.91,
    justification="same subject and attribute",
    producers=("rules-1",),
)
ANSWER = QueryResult(
    shape="factual",
    mode="hybrid",
    as_of=NOW,
    known_at=None,
    seeds=(),
    paths=(
        EvidencePath(
            events=(OLD, NEW),
            steps=(Step(src=NEW, dst=OLD, relation="updates", kind="change", confidence=0.91),),
            score=0.72,
            ns=0.8,
            pc=0.7,
            tc=0.6,
            uv=0.5,
        ),
    ),
    statements={OLD: FORMER.event.text, NEW: CURRENT.event.text},
    context=(
        ContextItem(
            kind="path",
            text="first at home\nthen at the mill",
            tokens=9,
            event_ids=(OLD, NEW),
            message_ids=(),
            marker="",
            score=0.72,
        ),
    ),
    context_tokens=9,
    scaffolding_tokens=2,
    token_counter="words",
    context_sha256="f" * 64,
    template_sha256="0" * 64,
    slice_sha256="0" * 64,
    answer=Answer(text="Lio bakes at the mill.", known=True, kind="extractive", event_ids=(NEW,)),
    citations=CURRENT.citations,
    basis=BASIS,
)


@dataclass
class CannedSystem:
    """Keeps what was posted, answers from the results above, and records what it was asked."""

    space_names: Sequence[str] = ("garden", "mill")
    equal: bool = True
    interrupt_in_post: bool = False
    posted: dict[str, MessageIn] = field(default_factory=dict)
    processed: int = 0
    flushed: bool = False
    closed: bool = False
    asked: list[StateRequest | QueryRequest] = field(default_factory=list)
    arguments: dict[str, object] = field(default_factory=dict)

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Ingested:
        self.arguments = {"space": space, "received_at": received_at, "default_tz": default_tz}
        if default_tz == "Nowhere/Land":
            raise Refused(Problem(code="bad_time_zone", message="no such zone", field="tz"))
        if self.interrupt_in_post:
            os.kill(os.getpid(), signal.SIGINT)
        statuses = [self._accept(msgspec.json.decode(raw, type=MessageIn)) for raw in messages]
        return Ingested(statuses=tuple(statuses), wait_for=len(self.posted))

    def _accept(self, message: MessageIn) -> MessageStatus:
        if not message.content:
            problem = Problem(code="empty", message="is empty", field="content")
            return MessageStatus(message_id=message.message_id, status="refused", error=problem)
        known = message.message_id in self.posted
        self.posted[message.message_id] = message
        return MessageStatus(message_id=message.message_id, status="duplicate" if known else "accepted")

    def run(self) -> int:
        self.processed = len(self.posted)
        return 0

    def flush(self, space: SpaceKey | None = None) -> None:
        self.flushed = True

    def settle(self) -> bool:
        return False

    def questions_of(self, space: SpaceKey) -> Standing:
        return Standing(
            model=None,
            open={"distil": 0, "link": 0, "answer": 0},
            spent_today=Spent(),
            budget=None,
            held_back=False,
            away=None,
        )

    def spaces(self, tenant: str) -> Iterable[str]:
        return self.space_names if tenant == "default" else ()

    def state(self, request: StateRequest) -> StateResult:
        self.asked.append(request)
        entries = (FORMER, CURRENT) if request.include_all else (CURRENT,)
        return StateResult(as_of=request.as_of, known_at=request.known_at, entries=entries, basis=BASIS)

    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult:
        if event_id not in (OLD, NEW):
            raise Refused(Problem(code="not_found", message="no such event", field="event_id"))
        return HistoryResult(
            event_id=event_id, entries=(FORMER, CURRENT), links=(LINK,), producers=("rules-1",), basis=BASIS
        )

    def query(self, request: QueryRequest) -> QueryResult:
        self.asked.append(request)
        return ANSWER

    def basis(self, space: SpaceKey) -> Basis:
        return BASIS

    def account(self, space: SpaceKey) -> MessageAccount:
        return MessageAccount(accepted=60, source_of_event=40, read_yielded_none=17, waiting=1, parked=2)

    def rulings(self, space: SpaceKey) -> RulingsResult:
        return RulingsResult(entries=(), orphaned=0, basis=BASIS)

    def event_account(self, space: SpaceKey) -> EventAccount:
        statuses: dict[Status, int] = {"valid": 3, "superseded": 2}
        return EventAccount(live=5, by_status=statuses, replaced=2, retracted=1, erased=1, ever=9)

    def verify(self, space: SpaceKey) -> Verification:
        return Verification(
            space=str(space),
            equal=self.equal,
            checksum="aa",
            recomputed="aa" if self.equal else "bb",
            events=9,
            edges=4,
            first_difference=None if self.equal else "event e1: valid_until",
        )

    def rebuild(self, space: SpaceKey) -> Verification:
        return self.verify(space)

    def close(self) -> None:
        self.closed = True


@dataclass
class Ran:
    """What a command printed and returned."""

    code: int
    out: str
    err: str


class Terminal:
    """Runs commands in-process against one canned system."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.system = CannedSystem()
        self.opened_writer: bool | None = None
        self.error: Exception | None = None

    def run(self, *arguments: str) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        world = World(open_system=self._open, now=lambda: NOW, out=out, err=err)  # pyright: ignore[reportArgumentType]
        code = main(["--store", str(self.store), *arguments], world)
        return Ran(code, out.getvalue(), err.getvalue())

    def _open(self, store: Path, settings: Settings, *, writer: bool = True) -> CannedSystem:
        if self.error is not None:
            raise self.error
        self.opened_writer = writer
        return self.system


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def lines(*messages: dict[str, str]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def message(message_id: str, content: str = "hello") -> dict[str, str]:
    return {
        "message_id": message_id,
        "conversation_id": "c",
        "speaker": "Lio",
        "content": content,
        "sent_at": "2026-01-01T10:00:00+01:00",
    }


# state


def test_state_lists_each_statement_with_since_when_and_its_evidence(terminal: Terminal) -> None:
    ran = terminal.run("state", "mill")
    assert ran.code == 0
    assert "Lio\n  employer       Lio bakes at the mill." in ran.out
    assert "since 2026-02-02  message 4-1 (2026-02-02)  ebbbbbbbb" in ran.out
    assert "! contested by ebbcccccc" in ran.out
    assert "1 waiting, 2 parked" in ran.out
    assert "bakes at home" not in ran.out
    assert terminal.opened_writer is False
    assert terminal.system.closed


@pytest.mark.parametrize(
    ("subject", "participants", "speaker", "heading"),
    [
        ("Ada", ("Ada", "Lio"), "Lio", "Ada"),
        ("Lio's knee", ("Lio",), "Lio", "Lio"),
        (None, ("Lio",), "Lio", "Lio"),
        ("the mill", (), None, "the mill"),
        (None, (), None, "(nobody named)"),
    ],
)
def test_a_statement_is_listed_under_the_person_it_is_about_or_who_said_it(
    subject: str | None, participants: tuple[str, ...], speaker: str | None, heading: str
) -> None:
    said = msgspec.structs.replace(CURRENT.event, subject=subject, participants=participants, speaker=speaker)
    assert whose(said) == heading


def test_state_all_says_what_replaced_what(terminal: Terminal) -> None:
    out = terminal.run("state", "mill", "--all").out
    assert "! superseded on 2026-02-02" in out
    assert '! by "Lio bakes at the mill." (change, message 4-1; ebbbbbbbb)' in out


def test_what_still_held_then_says_when_it_was_replaced() -> None:
    """As of a day before the change the statement holds; what came of it later is told as later."""
    then = msgspec.structs.replace(FORMER, status="valid", validity=1.0)
    [mark] = [line for line in state_lines([then], None) if "!" in line and "by " in line]
    assert f"replaced later on {format_time(then.valid_until or 0)[:10]}, by " in mark
    assert all("later" not in line for line in state_lines([FORMER], None))


def test_without_a_zone_days_are_those_of_the_message() -> None:
    """Said at 00:30 on 3 February at +01:00, which is still 2 February in UTC."""
    here = msgspec.structs.replace(
        CURRENT, citations=(citation(NEW, "4-1", "2026-02-02T23:30:00Z", "I bake at the mill now.", offset_min=60),)
    )
    assert any("since 2026-02-03  message 4-1 (2026-02-03)" in line for line in state_lines([here], None))
    assert any("since 2026-02-02  message 4-1 (2026-02-02)" in line for line in state_lines([here], ZoneInfo("UTC")))


def test_printed_days_are_those_of_the_zone(terminal: Terminal) -> None:
    assert "since 2026-02-03  message 4-1 (2026-02-03)" in terminal.run("--zone", "Asia/Tokyo", "state", "mill").out


def test_state_asks_for_now_unless_told_otherwise(terminal: Terminal) -> None:
    terminal.run("state", "mill", "--participant", "Lio", "--attribute", "employer")
    assert terminal.system.asked == [
        StateRequest(
            space=SpaceKey("default", "mill"),
            as_of=NOW,
            known_at=None,
            participant="Lio",
            attribute="employer",
            include_all=False,
        )
    ]


@pytest.mark.parametrize(
    ("given", "zone", "meant"),
    [
        ("2026-03-01T09:00:00+01:00", "UTC", "2026-03-01T08:00:00Z"),
        ("2026-03-01", "UTC", "2026-03-01T23:59:59.999999Z"),
        ("2026-03-01", "Asia/Tokyo", "2026-03-01T14:59:59.999999Z"),
        ("2026-03-29", "Europe/Madrid", "2026-03-29T21:59:59.999999Z"),
        ("9999-12-31", "UTC", "9999-12-31T23:59:59Z"),
        ("9999-12-31", "America/Lima", "9999-12-31T23:59:59Z"),
        ("0001-01-01", "Asia/Tokyo", "0001-01-01T14:41:00.999999Z"),
    ],
)
def test_a_bare_date_means_the_end_of_that_day(terminal: Terminal, given: str, zone: str, meant: str) -> None:
    terminal.run("state", "mill", "--as-of", given, "--known-at", given, "--zone", zone)
    [request] = terminal.system.asked
    assert isinstance(request, StateRequest)
    assert (request.as_of, request.known_at) == (at(meant), at(meant))


@pytest.mark.parametrize("given", ["yesterday", "2026-02-30", "2026-03-01T09:00:00", "0000-01-01", "2026-1-1"])
def test_a_time_that_cannot_be_used_is_refused_by_its_option(terminal: Terminal, given: str) -> None:
    ran = terminal.run("state", "mill", "--as-of", given)
    assert ran.code == 2
    assert ran.err.startswith("stilltrue: --as-of: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Lima"])
@pytest.mark.parametrize("given", ["0001-01-01", "0001-01-02", "2026-03-01", "9999-12-30", "9999-12-31"])
def test_the_day_that_was_asked_for_is_the_day_that_is_printed(terminal: Terminal, given: str, zone: str) -> None:
    """From the first of the calendar to the last, where no zone may lead out of it."""
    ran = terminal.run("state", "mill", "--as-of", given, "--zone", zone)
    shown = ran.out.split("\n")[0]
    assert f" at {given} " in shown


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (command, option)
        for command in (("state", "mill"), ("changes", "mill", "--since", "2026-01-01"))
        for option in ("--participant", "--attribute")
    ],
)
@pytest.mark.parametrize("value", ["", "  ", "\n"])
def test_an_empty_filter_is_refused(terminal: Terminal, command: tuple[str, ...], option: str, value: str) -> None:
    """A script whose variable is empty must not be told that nothing holds, or that nothing changed."""
    ran = terminal.run(*command, option, value)
    assert (ran.code, ran.err) == (2, f"stilltrue: {option}: is empty; leave it out instead\n")


@pytest.mark.parametrize("command", ["state", "status", "verify", "rebuild"])
def test_an_unknown_space_is_refused_with_those_there_are(terminal: Terminal, command: str) -> None:
    ran = terminal.run(command, "mil")
    assert (ran.code, ran.err) == (2, "stilltrue: no such space: 'mil'; spaces here: garden, mill\n")


def test_spaces_of_another_tenant_are_not_shown(terminal: Terminal) -> None:
    ran = terminal.run("--tenant", "other", "state", "mill")
    assert (ran.code, ran.err) == (2, "stilltrue: no such space: 'mill'; spaces here: none\n")


@pytest.mark.parametrize("error", [StoreInUseError("in use by process 7"), BadStoreError("format 9, not 1")])
def test_a_store_that_cannot_be_opened_is_exit_code_3(terminal: Terminal, error: Exception) -> None:
    terminal.error = error
    ran = terminal.run("state", "mill")
    assert (ran.code, ran.err) == (3, f"stilltrue: {error}\n")


def test_an_unknown_setting_starts_nothing(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "stilltrue.toml").write_text("prot = 1\n", "utf-8")
    ran = terminal.run("state", "mill")
    assert ran.code == 2
    assert "unknown key 'prot'" in ran.err
    assert terminal.opened_writer is None


# history


def test_history_shows_the_chain_with_its_producer(terminal: Terminal) -> None:
    ran = terminal.run("history", "mill", OLD[:6])
    assert ran.code == 0
    assert "> eaaaaaaaa  Lio bakes at home.  [Lio, employer]" in ran.out
    assert "superseded: from 2026-01-10 until 2026-02-02" in ran.out
    assert 'said: "I bake at home."  Lio, 2026-01-10, message 1-1' in ran.out
    assert 'replaced (change) by ebbbbbbbb "Lio bakes at the mill.", message 4-1 (2026-02-02)' in ran.out
    assert "says rules-1, confidence 0.91: same subject and attribute" in ran.out


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("eff", "no event begins with 'eff'"),
        ("e", "'e' is the beginning of 2 events"),
        ("e" + "f" * 24, "no such event"),
    ],
)
def test_history_refuses_an_id_that_names_no_single_event(terminal: Terminal, given: str, complaint: str) -> None:
    ran = terminal.run("history", "mill", given)
    assert ran.code == 2
    assert complaint in ran.err


# ask


def test_ask_gives_the_answer_first_then_the_evidence(terminal: Terminal) -> None:
    ran = terminal.run("ask", "mill", "Where does Lio bake?")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == [
        "Lio bakes at the mill.",
        '  "I bake at the mill now."  Lio, 2026-02-02, message 4-1',
    ]
    assert "  score 0.72: node 0.80, path 0.70, time 0.60, validity 0.50\n" in ran.out
    assert (
        '    "Lio bakes at the mill." [ebbbbbbbb] updates (change, 0.91) "Lio bakes at home." [eaaaaaaaa]\n' in ran.out
    )


def test_ask_passes_on_mode_budget_and_times(terminal: Terminal) -> None:
    terminal.run(
        *("ask", "mill", " Where? ", "--mode", "flat", "--budget", "50"),
        *("--as-of", "2026-01-20", "--asked-at", "2026-02-01T00:00:00Z"),
    )
    assert terminal.system.asked == [
        QueryRequest(
            space=SpaceKey("default", "mill"),
            question="Where?",
            asked_at=at("2026-02-01T00:00:00Z"),
            as_of=at("2026-01-20T23:59:59.999999Z"),
            known_at=None,
            mode="flat",
            budget_tokens=50,
            answer=True,
        )
    ]


@pytest.mark.parametrize("arguments", [("ask", "mill", "  "), ("ask", "mill", "x", "--budget", "0")])
def test_ask_refuses_an_empty_question_and_an_empty_budget(terminal: Terminal, arguments: tuple[str, ...]) -> None:
    assert terminal.run(*arguments).code == 2


# verify, rebuild, status


def test_verify_is_exit_code_1_when_unequal(terminal: Terminal) -> None:
    assert terminal.run("verify", "mill").code == 0
    terminal.system.equal = False
    ran = terminal.run("verify", "mill")
    assert ran.code == 1
    assert "NOT equal" in ran.out
    assert "first difference: event e1: valid_until" in ran.out


def test_rebuild_writes_and_compares_with_before(terminal: Terminal) -> None:
    ran = terminal.run("rebuild", "mill")
    assert (ran.code, terminal.opened_writer) == (0, True)
    assert "same checksum as before" in ran.out


def test_status_shows_where_every_message_is(terminal: Terminal) -> None:
    rows = dict(line.rsplit(maxsplit=1) for line in terminal.run("status", "mill").out.splitlines()[:5])
    places = ("source of an event", "read, yielded none", "waiting", "parked")
    assert sum(int(rows[place]) for place in places) == int(rows["accepted"]) == 60


def test_status_shows_where_every_event_is_and_whether_it_adds_up(terminal: Terminal) -> None:
    ran = terminal.run("status", "mill").out
    assert "live 5 (3 valid, 2 superseded)" in ran
    assert "5 live + 2 replaced + 1 retracted + 1 erased = 9 ever distilled: adds up" in ran


# import


def test_import_counts_accepted_duplicate_and_parked_with_line_and_reason(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1"), message("2"), message("1"), message("3", "")) + b"{oops\n")
    ran = terminal.run("import", str(file), "--space", "mill")
    assert ran.code == 0
    assert "accepted 2, duplicate 1, parked 2" in ran.out
    assert "  parked line 4 (message 3): content: is empty" in ran.out
    assert "  parked line 5: not JSON" in ran.out
    assert terminal.system.processed == 2
    assert terminal.system.flushed


def test_importing_again_changes_nothing(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1"), message("2")))
    terminal.run("import", str(file), "--space", "mill")
    assert "accepted 0, duplicate 2, parked 0" in terminal.run("import", str(file), "--space", "mill").out


def test_import_passes_on_zone_and_transaction_time(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1")))
    terminal.run("import", str(file), "--space", "mill", "--tz", "Europe/Madrid", "--received-at", "sent_at")
    assert terminal.system.arguments == {
        "space": SpaceKey("default", "mill"),
        "received_at": "sent_at",
        "default_tz": "Europe/Madrid",
    }


def test_import_shows_progress_only_when_asked_off_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1")))
    assert terminal.run("import", str(file), "--space", "mill").err == ""
    assert "1/1" in terminal.run("import", str(file), "--space", "mill", "--progress").err


def test_ctrl_c_finishes_the_batch_and_says_how_to_go_on(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "stilltrue.toml").write_text("import_batch_messages = 2\n", "utf-8")
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(*(message(str(n)) for n in range(5))))
    terminal.system.interrupt_in_post = True
    ran = terminal.run("import", str(file), "--space", "mill")
    assert ran.code == 130
    assert "accepted 2, duplicate 0, parked 0" in ran.out
    assert "2 of 5 are safe" in ran.err
    assert terminal.system.processed == 2
    assert not terminal.system.flushed
    assert terminal.system.closed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("content", [b"{oops\n", lines(message("1", ""))])
def test_a_file_of_which_nothing_can_be_taken_is_refused(terminal: Terminal, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(content)
    assert terminal.run("import", str(file), "--space", "mill").code == 2


def test_a_file_that_cannot_be_read_opens_no_store(terminal: Terminal, tmp_path: Path) -> None:
    ran = terminal.run("import", str(tmp_path / "missing.jsonl"), "--space", "mill")
    assert ran.code == 2
    assert "no such file" in ran.err
    assert terminal.opened_writer is None


def test_what_the_system_refuses_is_one_line_with_the_field(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1")))
    ran = terminal.run("import", str(file), "--space", "mill", "--tz", "Nowhere/Land")
    assert (ran.code, ran.err) == (2, "stilltrue: tz: no such zone\n")


# for machines


def test_json_output_has_the_shape_of_the_http_replies_and_utc_times(terminal: Terminal) -> None:
    state = json.loads(terminal.run("--zone", "Asia/Tokyo", "state", "mill", "--json").out)
    assert state["as_of"] == "2026-03-20T12:00:00Z"
    assert state["entries"][0]["valid_from"] == "2026-02-02T23:30:00Z"
    assert state["entries"][0]["citations"][0]["sent_at"] == "2026-02-02T23:30:00Z"
    assert state["basis"] == {"partition": 0, "messages": 60, "waiting": 1, "parked": 2}
    assert json.loads(terminal.run("ask", "mill", "Where?", "--json").out)["answer"]["known"] is True
    assert json.loads(terminal.run("history", "mill", NEW, "--json").out)["links"][0]["producers"] == ["rules-1"]
    assert json.loads(terminal.run("status", "mill", "--json").out)["account"]["accepted"] == 60
    assert json.loads(terminal.run("verify", "mill", "--json").out)["equal"] is True


def test_the_totals_of_an_import_are_one_json_document(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1"), message("2", "")))
    assert json.loads(terminal.run("import", str(file), "--space", "mill", "--json").out) == {
        "accepted": 1,
        "duplicate": 0,
        "parked": 1,
        "reasons": [{"where": "line 2", "message_id": "2", "reason": "content: is empty"}],
    }


# the command line


@pytest.mark.parametrize(("tenant", "space"), [("default", " "), ("default", "a\nb"), ("", "mill")])
def test_a_name_that_cannot_be_one_is_refused(terminal: Terminal, tmp_path: Path, tenant: str, space: str) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(lines(message("1")))
    ran = terminal.run("--tenant", tenant, "import", str(file), "--space", space)
    assert ran.code == 2
    assert terminal.system.posted == {}


@pytest.mark.parametrize("arguments", [(), ("unknown",), ("state",), ("--zone", "Mars/Base", "state", "mill")])
def test_bad_usage_is_exit_code_2(terminal: Terminal, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        terminal.run(*arguments)
    assert caught.value.code == 2


def test_shared_options_may_stand_before_or_after_the_command(terminal: Terminal) -> None:
    before = terminal.run("--zone", "Asia/Tokyo", "state", "mill").out
    assert terminal.run("state", "mill", "--zone", "Asia/Tokyo").out == before
