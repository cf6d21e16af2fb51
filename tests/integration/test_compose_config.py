"""Docker Compose itself reads the deployment's file, and a shell its health checks. No engine runs here."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.kit.compose import NoComposeError, compose

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def config() -> Any:
    """The file as Compose understands it, with every profile."""
    try:
        command = compose()
    except NoComposeError as error:
        pytest.skip(str(error))
    asked = ["--project-directory", str(ROOT), "--profile", "*", "config", "--format", "json"]
    done = subprocess.run(
        [*command, "-f", str(ROOT / "docker-compose.yml"), *asked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "a warning"
    return json.loads(done.stdout)


def test_compose_accepts_the_file_without_a_warning(config: Any) -> None:
    assert set(config["services"]) == {
        "kafka", "qdrant", "topics", "worker", "embed", "ask", "view", "query", "serve", "prometheus", "grafana",
    }  # fmt: skip


def test_the_settings_reach_all_of_ours(config: Any) -> None:
    for name in ("topics", "worker", "embed", "ask", "view", "query", "serve"):
        assert config["services"][name]["environment"]["STILLTRUE_KAFKA"] == "kafka:9092"


def test_up_without_a_profile_starts_neither_the_embedded_service_nor_who_asks_a_model(config: Any) -> None:
    profiles = {name: service["profiles"] for name, service in config["services"].items() if "profiles" in service}
    assert profiles == {"ask": ["model"], "serve": ["embedded"]}


def test_every_bind_mount_is_a_path_of_the_repository(config: Any) -> None:
    mounts = [m for s in config["services"].values() for m in s.get("volumes", []) if m["type"] == "bind"]
    assert mounts
    for mount in mounts:
        assert mount["read_only"]
        assert Path(mount["source"]).is_relative_to(ROOT)
        assert Path(mount["source"]).exists()


class Probed(BaseHTTPRequestHandler):
    """Answers as it is told."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """A server that answers with ``Probed.status``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Probed)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("name", "listens_on"),
    [
        ("qdrant", 6333),
        ("query", 8080),
        ("serve", 8080),
        ("view", 9464),
        ("worker", 9464),
        ("embed", 9464),
        ("ask", 9464),
    ],
)
@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False), (None, False)])
def test_a_health_check_tells_a_healthy_container(
    config: Any,
    port: int,
    name: str,
    listens_on: int,
    status: int | None,
    healthy: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of our image and of Qdrant's: their programs (python, bash) are here too. None: nobody listens."""
    if status is None:
        port = 1
    else:
        monkeypatch.setattr(Probed, "status", status)
    kind, *command = config["services"][name]["healthcheck"]["test"]
    assert kind == "CMD"
    done = subprocess.run(
        [_here(word).replace(str(listens_on), str(port)) for word in command],
        capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    assert (done.returncode == 0) == healthy, done.stderr


def _here(word: str) -> str:
    """A word of a command as the container sees it, with our interpreter as its python."""
    return sys.executable if word == "python" else word.replace("$$", "$")
