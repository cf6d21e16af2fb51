"""A real Prometheus scrapes ``./stilltrue serve`` under a small load: every panel and every alert has data."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from ops.dashboards.boards import BOARDS
from ops.dashboards.panels import Panel
from tests.kit.prometheus import MISSING, Prometheus, is_installed, prometheus, told_something

ROOT = Path(__file__).resolve().parents[2]
ALERTS = ROOT / "ops" / "alerts" / "stilltrue.yml"
WINDOW = "20s"
"""Stands for Grafana's ``$__rate_interval``; the load below goes on for longer."""

PANELS = [(board, panel) for board in BOARDS for row in board.rows for panel in row.panels]
RULES: list[Any] = [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]

needs_prometheus = pytest.mark.skipif(not is_installed(), reason=MISSING)


def test_promtool_accepts_rules_and_configuration() -> None:
    if not is_installed():
        pytest.skip(MISSING)
    for command in (
        ["check", "rules", str(ALERTS)],
        ["check", "config", "--syntax-only", str(ROOT / "ops" / "compose" / "prometheus.yml")],
    ):
        done = subprocess.run(["promtool", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def scraping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus that has scraped a service at work, which goes on working."""
    if not is_installed():
        pytest.skip(MISSING)
    directory = tmp_path_factory.mktemp("prometheus")
    with (
        serving(tmp_path_factory.mktemp("store")) as service,
        working(service),
        prometheus(directory, free_port(), {"serve": service.removeprefix("http://")}, ALERTS) as found,
    ):
        pause = threading.Event()
        for _ in range(60):
            if len(found.query("stilltrue_query_step_seconds_count > 2")) >= 7 and found.query("up offset 5s"):
                break
            pause.wait(1)
        yield found


@needs_prometheus
@pytest.mark.parametrize(("board", "panel"), PANELS, ids=[f"{board.uid}: {panel.title}" for board, panel in PANELS])
def test_every_panel_has_data(scraping: Prometheus, board: Any, panel: Panel) -> None:
    for series in panel.series:
        values = scraping.query(series.expr.replace("$__rate_interval", WINDOW))
        assert told_something(values), (series.expr, values)


@needs_prometheus
@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_every_alert_has_data_without_its_threshold(scraping: Prometheus, rule: Any) -> None:
    expr = without_thresholds(rule["expr"])
    assert told_something(scraping.query(expr)), expr


@needs_prometheus
def test_all_rules_are_loaded_and_evaluated(scraping: Prometheus) -> None:
    assert scraping.rules() == {rule["alert"]: "ok" for rule in RULES}


@needs_prometheus
def test_a_service_at_work_alerts_nobody(scraping: Prometheus) -> None:
    """But for the workers, which the embedded service does without. How fast it is depends on the machine."""
    for rule in RULES:
        if rule["alert"] not in ("StillTrueNoWorkers", "StillTrueNotFresh", "StillTrueSlowQueries"):
            assert scraping.query(rule["expr"]) == [], rule["alert"]


@pytest.mark.parametrize(
    ("expr", "bare"),
    [
        ("up == 0", "up"),
        ("(sum(a) > 0) and (rate(b[5m]) == 0)", "(sum(a)) and (rate(b[5m]))"),
        ('a{status=~"5.."} / b > 0.01', 'a{status=~"5.."} / b'),
        ('absent(up{job="worker"})', 'absent(up{job="worker"})'),
    ],
)
def test_a_threshold_is_taken_off(expr: str, bare: str) -> None:
    assert without_thresholds(expr) == bare


def without_thresholds(expr: str) -> str:
    """An alert's expression without the comparisons that make it an alert."""
    return re.sub(r"\s+(==|>|<)\s+[\d.]+", "", expr)


# --- a service at work ------------------------------------------------------------------------------------------------


@contextmanager
def serving(store: Path) -> Generator[str]:
    """``./stilltrue serve``; gives its URL."""
    command = [str(ROOT / "stilltrue"), "--store", str(store), "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        said = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert said is not None
        yield said.group()
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextmanager
def working(service: str) -> Generator[None]:
    """Messages and questions, a few a second, at most 200 rounds."""
    stop = threading.Event()

    def work() -> None:
        for number in range(200):
            if stop.is_set():
                return
            _round(service, number)
            stop.wait(0.2)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _round(service: str, number: int) -> None:
    """A person moves, in a session of its own, and is asked about; one message of two is refused."""
    day = f"2031-{1 + number // 28 % 12:02}-{1 + number % 28:02}"
    message = {
        "message_id": f"m{number}", "conversation_id": "c", "speaker": "Odile", "sent_at": f"{day}T10:00:00Z",
        "content": f"I live in Quarter {number} of Kaunas now.", "ends_session": True,
    }  # fmt: skip
    _post(f"{service}/v1/spaces/odile/messages", {"messages": [message, {**message, "content": "I live on a boat."}]})
    for mode in ("hybrid", "flat"):
        _post(f"{service}/v1/spaces/odile/query", {"question": "Where does Odile live?", "mode": mode, "answer": True})


def _post(url: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        reply.read()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
