"""What is counted, on a system in memory; and that dashboards and alerts ask for nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import prometheus_client
import pytest
import yaml
from prometheus_client import CollectorRegistry

from ops.cli.measured import address
from ops.dashboards.boards import BOARDS
from ops.dashboards.generate import DIRECTORY, render
from ops.dashboards.panels import Board
from ops.measuring import fleet_lags, tell_stage, tell_view
from ops.metrics import STAGES, Metrics
from ops.observing import Applied, Lag
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from query.api import QueryRequest
from query.service.metrics import Metrics as ServiceMetrics
from schemas.deltas import Cause, EdgeChanged, EventChanged, Validity
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.log.memory import MemoryLog
from streams.worker.runner import Ran
from tests.kit.encoders import HashingEncoder
from views.encoder.cached import CachedEncoder
from views.reached import Reached
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex
from views.worker import Applied as ViewApplied

ROOT = Path(__file__).resolve().parents[2]
ALERTS = ROOT / "ops" / "alerts" / "stilltrue.yml"
SPACE = SpaceKey("ottoline-ltd", "zephyrine")
BEGIN = 2_000_000_000_000_000
SECOND = 1_000_000


class Clock:
    """Set by hand."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> int:
        return self.now


class Measured:
    """A system in memory, and what is counted of it."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.clock = Clock()
        self.registry = CollectorRegistry()
        metrics = Metrics(self.registry, clock=self.clock)
        self.log = MemoryLog()
        parts = Parts(
            log=self.log, tables=MemoryTables(), encoder=lambda: CachedEncoder(HashingEncoder(), 4096, metrics.encoded),
            index=lambda encoder: MemoryIndex(encoder.dimension), clock=self.clock, observer=metrics,
        )  # fmt: skip
        self.system = Embedded(parts, settings or Settings())

    def say(self, number: int, content: str, sent_at: str) -> None:
        message = {
            "message_id": f"m{number}", "conversation_id": "c", "speaker": "Odile", "content": content,
            "sent_at": sent_at,
        }  # fmt: skip
        self.system.post(SPACE, [json.dumps(message).encode()])

    def value(self, name: str, **labels: str) -> float:
        """Of a sample; 0 where there is none."""
        return self.registry.get_sample_value(f"stilltrue_{name}", labels) or 0.0

    def lag(self, stage: str) -> float:
        return sum(self.value("stage_lag_records", stage=stage, partition=str(p)) for p in range(self.log.partitions))


@pytest.fixture
def measured() -> Measured:
    return Measured()


def chat(measured: Measured) -> None:
    """A move."""
    measured.say(1, "I live in Lecce.", "2031-03-01T10:00:00Z")
    measured.say(2, "I moved to Kaunas last month.", "2031-05-10T10:00:00Z")
    measured.system.flush()


def ask(measured: Measured, mode: Any = "hybrid") -> None:
    measured.system.query(
        QueryRequest(
            space=SPACE, question="Where does Odile live?", asked_at=BEGIN, as_of=None, known_at=None, mode=mode,
            budget_tokens=500, answer=True,
        )
    )  # fmt: skip


# --- the flow ---------------------------------------------------------------------------------------------------------


def test_every_stage_counts_what_it_read_and_wrote(measured: Measured) -> None:
    chat(measured)

    def end(topic: TopicName) -> int:
        return sum(measured.log.end(topic, partition) for partition in range(measured.log.partitions))

    assert measured.value("stage_records_in_total", stage="sessionize") == end("messages") == 2
    assert measured.value("stage_records_in_total", stage="distil") == end("sessions")
    written = sum(measured.value("stage_records_out_total", stage=stage) for stage in ("distil", "link"))
    assert written == end("events") + end("edges") + end("verdicts") + end("producers")
    assert measured.value("stage_records_out_total", stage="view") == end("deltas")
    assert measured.value("stage_records_in_total", stage="ask") == 0, "without a model nobody is asked"
    for stage in set(STAGES) - {"ask"}:
        assert measured.value("stage_records_in_total", stage=stage) > 0, stage
        assert measured.value("stage_step_seconds_count", stage=stage) > 0, stage
        assert measured.value("stage_records_parked_total", stage=stage) == 0, stage


def test_a_parked_record_is_counted_and_is_no_output(measured: Measured) -> None:
    with measured.log.batch() as batch:
        batch.append("sessions", SPACE, b"\xc1", BEGIN)
    measured.system.run()
    assert measured.value("stage_records_parked_total", stage="distil") == 1
    assert measured.value("stage_records_out_total", stage="distil") == 0


def test_lag_is_what_is_waiting_when_somebody_looks(measured: Measured) -> None:
    measured.system.run()
    measured.say(1, "I live in Lecce.", "2031-03-01T10:00:00Z")
    assert measured.lag("sessionize") == measured.lag("view") == measured.lag("embed") == 1
    measured.system.flush()
    assert [measured.lag(stage) for stage in STAGES] == [0] * len(STAGES)


def test_a_closed_system_has_no_lag(measured: Measured) -> None:
    chat(measured)
    measured.system.close()
    assert "stilltrue_stage_lag_records{" not in prometheus_client.generate_latest(measured.registry).decode()


def test_freshness_is_from_taking_a_message_in_to_its_being_applied(measured: Measured) -> None:
    measured.system.run()
    measured.say(1, "I live in Lecce.", "2031-03-01T10:00:00Z")
    measured.clock.now += 3 * SECOND
    measured.system.flush()
    assert measured.value("view_freshness_seconds_count") == 1
    assert measured.value("view_freshness_seconds_sum") == 3
    assert measured.value("view_newest_applied_timestamp_seconds") == BEGIN / SECOND


def test_a_message_of_an_open_session_is_not_applied_before_that_is_published(measured: Measured) -> None:
    measured.say(1, "I live in Lecce.", "2031-03-01T10:00:00Z")
    measured.system.run()
    measured.say(2, "I work at the mill.", "2031-03-01T10:00:01Z")
    measured.system.run()
    assert measured.value("view_freshness_seconds_count") == 1, "the second one waits"
    measured.clock.now += 2 * SECOND
    measured.system.run()
    assert measured.value("view_freshness_seconds_count") == 2


def test_what_was_applied_before_the_start_is_not_told_as_fresh(measured: Measured) -> None:
    chat(measured)
    told = measured.value("view_freshness_seconds_count")
    with measured.log.batch() as batch:
        batch.append("sessions", SPACE, b"\xc1", BEGIN)
    measured.system.run()
    assert measured.value("view_freshness_seconds_count") == told


# --- the view ---------------------------------------------------------------------------------------------------------


def test_deltas_are_counted_by_the_topic_they_came_of(measured: Measured) -> None:
    chat(measured)
    assert measured.value("deltas_total", kind="event", cause="events") >= 2
    assert measured.value("deltas_total", kind="event", cause="edges") >= 1
    assert measured.value("deltas_total", kind="edge", cause="edges") >= 1
    assert measured.value("view_batch_records_sum") == measured.value("stage_records_in_total", stage="view")
    assert measured.value("view_batch_seconds_count", phase="commit") > 0


def test_a_supersession_is_gained_and_lost_again_when_its_message_is_withdrawn(measured: Measured) -> None:
    chat(measured)
    assert measured.value("event_changes_total", status="live", change="gained") == 2
    assert measured.value("event_changes_total", status="superseded", change="gained") == 1
    measured.system.retract(SPACE, "c", "m2")
    measured.system.flush()
    assert measured.value("event_changes_total", status="superseded", change="lost") == 1
    assert measured.value("event_changes_total", status="live", change="lost") == 1


def validity(*, corrected: bool = False, superseded: bool = False, contested: bool = False) -> Validity:
    return Validity(
        valid_from=0, valid_until=None, demoted_from=None, corrected=corrected, withdrawal=False,
        superseded_by=("x",) if superseded else (), contested_by=("y",) if contested else (),
    )  # fmt: skip


def changed(old: Validity | None, new: Validity | None, topic: str = "edges") -> EventChanged:
    return EventChanged(
        tenant="t", space="s", event_id="e", old=old, new=new, learned_at=0,
        cause=Cause(topic=topic, partition=0, offset=0),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "gained", "lost"),
    [
        (None, validity(), {"live"}, set[str]()),
        (None, validity(contested=True), {"live", "contested"}, set[str]()),
        (validity(), validity(corrected=True, superseded=True), {"corrected", "superseded"}, set[str]()),
        (validity(contested=True), validity(superseded=True), {"superseded"}, {"contested"}),
        (validity(superseded=True), validity(superseded=True), set[str](), set[str]()),
        (validity(corrected=True), None, set[str](), {"live", "corrected"}),
    ],
)
def test_statuses_that_an_event_gains_and_loses(
    old: Validity | None, new: Validity | None, gained: set[str], lost: set[str]
) -> None:
    measured = Measured()
    metrics = Metrics(registry := CollectorRegistry(), clock=measured.clock)
    metrics.applied(Applied(read=1, parked=0, deltas=[changed(old, new)], fold_s=0.1, write_s=0.2, commit_s=0.3))
    for change, statuses in (("gained", gained), ("lost", lost)):
        for status in ("live", "superseded", "corrected", "contested"):
            labels = {"status": status, "change": change}
            assert registry.get_sample_value("stilltrue_event_changes_total", labels) == (status in statuses), labels


# --- queries ----------------------------------------------------------------------------------------------------------


def test_every_step_of_a_query_is_timed(measured: Measured) -> None:
    chat(measured)
    ask(measured)
    steps = ("read", "embed", "search", "seeds", "paths", "context", "answer")
    assert [measured.value("query_step_seconds_count", step=step) for step in steps] == [1] * len(steps)


def test_steps_last_since_the_one_before() -> None:
    ticks = iter((10.0, 10.5, 12.5))
    metrics = Metrics(registry := CollectorRegistry(), clock=lambda: 0, tick=lambda: next(ticks))
    steps = metrics.asked()
    steps.done("read")
    steps.done("embed")
    assert registry.get_sample_value("stilltrue_query_step_seconds_sum", {"step": "read"}) == 0.5
    assert registry.get_sample_value("stilltrue_query_step_seconds_sum", {"step": "embed"}) == 2.0


def test_contexts_are_counted_by_mode_with_their_scaffolding(measured: Measured) -> None:
    chat(measured)
    ask(measured, "hybrid")
    ask(measured, "flat")
    for mode in ("hybrid", "flat"):
        assert measured.value("query_context_tokens_count", mode=mode) == 1
        tokens = measured.value("query_context_tokens_sum", mode=mode)
        assert 0 < measured.value("query_scaffolding_tokens_sum", mode=mode) < tokens <= 500
    assert measured.value("query_context_tokens_count", mode="graph") == 0


def test_a_question_asked_again_is_remembered_by_the_encoder(measured: Measured) -> None:
    chat(measured)
    ask(measured)
    computed = measured.value("encoder_texts_total", source="model")
    remembered = measured.value("encoder_texts_total", source="memory")
    ask(measured)
    assert measured.value("encoder_texts_total", source="model") == computed > 0
    assert measured.value("encoder_texts_total", source="memory") == remembered + 1


# --- workers on a broker ----------------------------------------------------------------------------------------------


def test_workers_tell_the_same_metrics() -> None:
    metrics = Metrics(registry := CollectorRegistry(), clock=lambda: BEGIN + 2 * SECOND)
    tell_stage(
        metrics,
        Ran(stage="link", partition=3, records=5, outputs=3, parked=1, lag=7, fold_s=0.25, write_s=0.5),
    )
    edge = EdgeChanged(
        tenant="t", space="s", edge_id="x", was_live=False, live=True, old_invalid_from=None, invalid_from=None,
        learned_at=0, cause=Cause(topic="edges", partition=0, offset=0),
    )  # fmt: skip
    lags: Mapping[Any, int] = {("edges", 3): 2, ("events", 3): 4}
    tell_view(
        metrics,
        ViewApplied(
            records=9, deltas=[edge], parked=0, lags=lags, reached=[BEGIN], fold_s=0.1, acknowledge_s=0.1, commit_s=0.1
        ),
    )

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"stilltrue_{name}", labels)

    assert value("stage_records_in_total", stage="link") == 5
    assert value("stage_records_out_total", stage="link") == 3
    assert value("stage_records_parked_total", stage="link") == 1
    assert value("stage_step_seconds_sum", stage="link") == 0.75
    assert value("stage_records_in_total", stage="view") == 9
    assert value("deltas_total", kind="edge", cause="edges") == 1
    assert value("stage_lag_records", stage="view", partition="3") == 6
    assert value("view_freshness_seconds_sum") == 2


def test_a_fleets_lags_are_those_of_its_runners() -> None:
    class Held:
        def lags(self) -> list[tuple[str, int, int]]:
            return [("distil", 0, 4), ("link", 1, 0)]

    held: Any = Held()
    assert list(fleet_lags(held)) == [
        Lag(stage="distil", topic=None, partition=0, records=4),
        Lag(stage="link", topic=None, partition=1, records=0),
    ]


def test_reached_tells_the_newest_applied_message_once() -> None:
    reached = Reached()
    for offset, at in ((0, 100), (1, 110), (3, 130)):
        reached.read(2, offset, at)
    assert reached.applied(2, 0) is None
    assert reached.applied(2, 2) == 110
    assert reached.applied(2, 2) is None
    assert reached.applied(1, 9) is None
    assert reached.applied(2, 4) == 130


def test_reached_forgets_the_oldest_of_too_many() -> None:
    reached = Reached(kept=2)
    for offset in range(5):
        reached.read(0, offset, offset)
    assert reached.applied(0, 3) is None
    assert reached.applied(0, 5) == 4


@pytest.mark.parametrize(
    ("text", "parsed"),
    [("127.0.0.1:9464", ("127.0.0.1", 9464)), ("[::1]:0", ("::1", 0)), ("0.0.0.0:80", ("0.0.0.0", 80))],
)
def test_an_address_is_host_and_port(text: str, parsed: tuple[str, int]) -> None:
    assert address(text) == parsed


@pytest.mark.parametrize("text", ["9464", ":9464", "localhost", "localhost:", "localhost:99999", "localhost:-1"])
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(Exception, match="not HOST:PORT"):
        address(text)


# --- names ------------------------------------------------------------------------------------------------------------


def test_no_name_of_a_tenant_a_space_or_a_person_is_ever_exposed(measured: Measured) -> None:
    chat(measured)
    ask(measured)
    exposed = prometheus_client.generate_latest(measured.registry).decode().casefold()
    for name in ("ottoline", "zephyrine", "odile", "lecce", "kaunas"):
        assert name not in exposed


def test_nothing_goes_to_the_global_registry(measured: Measured) -> None:
    chat(measured)
    assert "stilltrue_" not in prometheus_client.generate_latest(prometheus_client.REGISTRY).decode()


def exposed_names() -> set[str]:
    """Every sample name that the service can expose."""
    registry = CollectorRegistry()
    Metrics(registry, clock=lambda: 0)
    ServiceMetrics(registry)
    names = {"up"}
    for family in registry.collect():
        suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(family.type, [""])
        names |= {family.name + suffix for suffix in suffixes}
    return names


def asked_for(expr: str) -> set[str]:
    """Metric names in a PromQL expression."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}', "", expr)
    return set(re.findall(r"\b(?:stilltrue_\w+|process_\w+|up\b)", bare))


def panel_expressions() -> Iterable[str]:
    return (s.expr for board in BOARDS for row in board.rows for panel in row.panels for s in panel.series)


def alerts() -> list[Any]:
    return [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("expr", [*panel_expressions(), *(rule["expr"] for rule in alerts())])
def test_panels_and_alerts_ask_for_metrics_that_exist(expr: str) -> None:
    names = asked_for(expr)
    assert names
    assert names <= exposed_names()


@pytest.mark.parametrize("name", sorted(name for name in exposed_names() if name.startswith("stilltrue_")))
def test_every_metric_is_shown_somewhere(name: str) -> None:
    """Of a histogram one of its three series is enough."""
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    shown = {asked for expr in panel_expressions() for asked in asked_for(expr)}
    assert any(asked == name or re.sub(r"_(bucket|sum|count)$", "", asked) == base for asked in shown)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.uid)
def test_the_dashboards_are_what_the_code_generates(board: Board) -> None:
    assert (DIRECTORY / f"{board.uid}.json").read_text("utf-8") == render(board), "python -m ops.dashboards.generate"


def test_every_dashboard_file_is_generated() -> None:
    assert sorted(path.stem for path in DIRECTORY.glob("*.json")) == sorted(board.uid for board in BOARDS)


def test_every_alert_has_its_place_in_the_runbook() -> None:
    headings = re.findall(r"^## (\w+)$", (ROOT / "ops" / "runbook.md").read_text("utf-8"), re.MULTILINE)
    assert headings == [rule["alert"] for rule in alerts()]
    for rule in alerts():
        assert rule["annotations"]["runbook"] == f"ops/runbook.md#{rule['alert'].lower()}"
