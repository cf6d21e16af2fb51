"""The deployment's containers as processes: their exact commands and settings, on the broker of these tests.

What is changed is what an engine would provide: the name ``kafka``, the volume, and ports that are free here.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from confluent_kafka import Producer

from schemas.codec import encode
from schemas.ids import SpaceKey
from schemas.transport import space_key
from tests.kit.apache import fetch_jars
from tests.kit.brokers import wait_ready
from tests.kit.kafka import Broker
from tests.kit.messages import posted
from tests.kit.qdrant import qdrant_double

ROOT = Path(__file__).resolve().parents[3]
SERVICES: Any = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
ENTRYPOINT = ["-P", "-m", "ops.cli.start"]
SPACE = SpaceKey("default", "pier")


def environment(bootstrap: str, prefix: str, store: Path) -> dict[str, str]:
    """That of a container of ours: the file of settings, and what the image sets."""
    lines = (ROOT / "ops" / "compose" / "settings.env").read_text("utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    settings["STILLTRUE_KAFKA"] = settings["STILLTRUE_KAFKA"].replace("kafka:9092", bootstrap)
    settings["STILLTRUE_TOPIC_PREFIX"] = prefix
    settings["STILLTRUE_METRICS"] = f"127.0.0.1:{_free_port()}"
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "STILLTRUE_STORE": str(store), **settings}


HTTP_PORT = "8080"
"""Inside a container; here it may be taken."""


MOUNTED = "/config/"
"""Where the file mounts files of ``ops/compose``."""


def command(name: str, port: int | None = None) -> list[str]:
    """A container's entry point and command, with the interpreter that has our packages and the files as they lie."""
    words = [word.replace(MOUNTED, f"{ROOT}/ops/compose/") for word in SERVICES[name]["command"]]
    given = [str(port) if word == HTTP_PORT and port else word for word in words]
    return [str(ROOT / ".venv" / "bin" / "python"), *ENTRYPOINT, *given]


@contextmanager
def running(name: str, env: dict[str, str], cwd: Path, port: int | None = None) -> Generator[str]:
    """A container that stays up; gives its first line. It ends with 0 when it is stopped."""
    out, err = subprocess.PIPE, subprocess.STDOUT
    process = subprocess.Popen(command(name, port), env=env, cwd=cwd, stdout=out, stderr=err, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline()
    finally:
        process.terminate()
        rest = process.communicate(timeout=60)[0]
        assert process.returncode == 0, rest


def metrics(env: dict[str, str]) -> str:
    """What a worker's port answers."""
    with urllib.request.urlopen(f"http://{env['STILLTRUE_METRICS']}/metrics", timeout=10) as reply:
        return reply.read().decode()


def wait_for(env: dict[str, str], sample: str) -> str:
    """Until the metrics have a line that matches."""
    deadline = time.monotonic() + 60
    while True:
        text = metrics(env)
        if re.search(sample, text, re.MULTILINE):
            return text
        assert time.monotonic() < deadline, text
        time.sleep(0.2)


def ask(port: int, path: str) -> tuple[int, str]:
    """What the query container answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except urllib.error.URLError as error:
        return 0, str(error)


def wait_answer(port: int, path: str, status: int) -> str:
    """Until it answers so."""
    deadline = time.monotonic() + 60
    while (found := ask(port, path))[0] != status:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    return found[1]


def test_a_message_passes_through_the_deployment(full_kafka: Broker, prefix: str, tmp_path: Path) -> None:
    """topics, then worker, view, embed and query: each reports what it did, and the last one answers."""
    worker_env = environment(full_kafka.bootstrap, prefix, tmp_path / "worker")
    view_env = environment(full_kafka.bootstrap, prefix, tmp_path / "view")
    embed_env = environment(full_kafka.bootstrap, prefix, tmp_path / "embed")
    query_env, port = environment(full_kafka.bootstrap, prefix, tmp_path / "query"), _free_port()
    made = subprocess.run(
        command("topics"), env=worker_env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert made.returncode == 0, made.stdout + made.stderr
    with (
        qdrant_double() as qdrant,
        running("worker", worker_env, tmp_path) as said,
        running("view", view_env, tmp_path),
        running("embed", {**embed_env, "STILLTRUE_QDRANT": qdrant.url}, tmp_path),
        running("query", {**query_env, "STILLTRUE_QDRANT": qdrant.url}, tmp_path, port),
    ):
        assert "running" in said
        record = posted("m1", 1_900_000_000_000_000, space=SPACE, content="I live in Lecce.", ends=True)
        producer = Producer({"bootstrap.servers": full_kafka.bootstrap, "partitioner": "murmur2"})
        producer.produce(prefix + "messages", key=space_key(SPACE), value=encode(record))
        producer.flush(30)
        wait_for(worker_env, r'^stilltrue_stage_records_out_total\{stage="distil"\} [1-9]')
        wait_for(view_env, r'^stilltrue_deltas_total\{cause="events",kind="event"\} 1\.0$')
        wait_for(view_env, r"^stilltrue_view_freshness_seconds_count 1\.0$")
        wait_for(worker_env, r'^stilltrue_stage_lag_records\{partition="\d",stage="link"\} 0\.0$')
        wait_for(embed_env, r'^stilltrue_index_points_total\{change="written"\} 2\.0$')
        wait_for(embed_env, r'^stilltrue_stage_lag_records\{partition="\d",stage="embed"\} 0\.0$')
        sent = {point.payload["kind"]: point for body in qdrant.sent("PUT", "/points") for point in body.points}
        assert sent["note"].payload["ref"] == '["c","m1"]'
        assert sent["event"].payload["space"] == '["default","pier"]'
        wait_answer(port, "/readyz", 200)
        state = f"/v1/spaces/{SPACE.space}/state?as_of=2031-01-01T00:00:00Z&wait_for=1"
        assert "I live in Lecce" in wait_answer(port, state, 200)
        qdrant.failing.extend([503] * 1_000)
        assert "Qdrant" in wait_answer(port, "/readyz", 503)
        qdrant.failing.clear()
        wait_answer(port, "/readyz", 200)


def test_a_second_process_on_the_metrics_port_is_refused(full_kafka: Broker, prefix: str, tmp_path: Path) -> None:
    env = environment(full_kafka.bootstrap, prefix, tmp_path / "view")
    full_kafka.make_topics(prefix)
    with running("view", env, tmp_path):
        second = subprocess.run(
            command("view"), env={**env, "STILLTRUE_STORE": str(tmp_path / "other")}, cwd=tmp_path,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert second.returncode == 2
        assert "--metrics: cannot listen" in second.stderr


def test_the_brokers_settings_start_apache_kafka(mortal_kafka: Broker) -> None:
    """As the image does it: every KAFKA_A_B is the property a.b. Only the addresses and the directory are ours."""
    jars = fetch_jars()
    env = SERVICES["kafka"]["environment"]
    with tempfile.TemporaryDirectory(prefix="stilltrue-compose-") as directory:
        port, controller = _free_port(), _free_port()
        lines = [
            f"{name.removeprefix('KAFKA_').lower().replace('_', '.')}={value}"
            for name, value in env.items()
            if name.startswith("KAFKA_")
        ]
        text = "\n".join(lines).replace("PLAINTEXT://:", "PLAINTEXT://127.0.0.1:")
        text = text.replace("CONTROLLER://:", "CONTROLLER://127.0.0.1:").replace("kafka:", "127.0.0.1:")
        text = text.replace("9092", str(port)).replace("9093", str(controller))
        config = Path(directory) / "server.properties"
        config.write_text(text.replace(env["KAFKA_LOG_DIRS"], f"{directory}/data") + "\n")
        java = ["java", "-Xmx256M", "-cp", f"{jars}/*"]
        format_log = [*java, "kafka.tools.StorageTool", "format", "-t", env["CLUSTER_ID"], "-c", str(config)]
        done = subprocess.run(format_log, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        with (Path(directory) / "log").open("wb") as log:
            process = subprocess.Popen([*java, "kafka.Kafka", str(config)], stdout=log, stderr=log)
        try:
            wait_ready(f"127.0.0.1:{port}", lambda: _is_alive(process, Path(directory) / "log"))
        finally:
            process.terminate()
            process.wait(timeout=60)


def _is_alive(process: subprocess.Popen[bytes], log: Path) -> None:
    assert process.poll() is None, log.read_text()[-2000:]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
