"""A real Prometheus for tests: Debian's package, on loopback, on a directory of its own."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MISSING = "no prometheus and promtool on PATH (Debian, Ubuntu: apt-get install --no-install-recommends prometheus)"
READY_S = 30.0


def is_installed() -> bool:
    """Whether a Prometheus can be started here."""
    return shutil.which("prometheus") is not None and shutil.which("promtool") is not None


class Prometheus:
    """A running one."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expr: str) -> list[float]:
        """Values of an instant query as of now. Raises ``urllib.error.HTTPError`` for one that is no PromQL."""
        return [float(sample["value"][1]) for sample in self._ask("query", query=expr)["result"]]

    def rules(self) -> dict[str, str]:
        """Health of the loaded rules, by name."""
        groups = self._ask("rules")["groups"]
        return {rule["name"]: rule["health"] for group in groups for rule in group["rules"]}

    def _ask(self, what: str, **parameters: str) -> Any:
        address = f"{self.url}/api/v1/{what}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(address, timeout=10) as reply:
            return json.load(reply)["data"]


def told_something(values: list[float]) -> bool:
    """Whether a panel would show something: a number, not the absence of one (0 / 0)."""
    return any(math.isfinite(value) for value in values)


@contextmanager
def prometheus(directory: Path, port: int, scrape: dict[str, str], rules: Path) -> Generator[Prometheus]:
    """Start one that scrapes every second.

    Args:
        directory: empty, for its configuration and data.
        port: to listen on, on loopback.
        scrape: HOST:PORT by name of the job.
        rules: a file of alert rules.
    """
    jobs = [{"job_name": job, "static_configs": [{"targets": [target]}]} for job, target in scrape.items()]
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": jobs,
    }
    file = directory / "prometheus.yml"
    file.write_text(json.dumps(config))  # JSON is YAML
    command = [
        "prometheus", f"--config.file={file}", f"--storage.tsdb.path={directory / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn",
    ]  # fmt: skip
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + READY_S
        while not _is_ready(url):
            assert process.poll() is None, (directory / "log").read_text()
            assert time.monotonic() < deadline, "Prometheus did not become ready"
            time.sleep(0.1)
        yield Prometheus(url)
    finally:
        process.terminate()
        process.wait(timeout=20)


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/-/ready", timeout=5):
            return True
    except OSError:  # nobody listens, or 503
        return False
