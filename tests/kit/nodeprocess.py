"""``stilltrue serve --kafka`` in a process of its own, and what it answers."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[2]
READY_S = 60.0


class Reply(msgspec.Struct, frozen=True):
    """What came back. ``body`` is decoded JSON."""

    status: int
    headers: dict[str, str]
    body: Any


class NodeProcess:
    """A running node on a port of its own."""

    def __init__(self, store: Path, bootstrap: str, prefix: str, *options: str, settings: str = "") -> None:
        store.mkdir(exist_ok=True, parents=True)
        (store / "stilltrue.toml").write_text(settings)
        self._out, self._err = store / "node.out", store / "node.err"
        command = [str(ROOT / "stilltrue"), "--store", str(store), "serve", "--kafka", "--port", "0"]
        command += ["--bootstrap", bootstrap, "--prefix", prefix, *options]
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(command, stdout=out, stderr=err)
        self.url = ""

    def wait_listening(self) -> None:
        """Until it accepts requests."""
        deadline = time.monotonic() + READY_S
        while not (found := re.search(r"serving (http://\S+)", self._out.read_text())):
            assert self.process.poll() is None, self._err.read_text()
            assert time.monotonic() < deadline, self._err.read_text()
            time.sleep(0.05)
        self.url = found[1]

    def wait_ready(self) -> None:
        """Until it has caught up."""
        self.wait_listening()
        deadline = time.monotonic() + READY_S
        while self.ask("GET", "/readyz").status != 200:
            assert time.monotonic() < deadline, self._err.read_text()
            time.sleep(0.05)

    def ask(self, method: str, path: str, body: object = None, tenant: str = "default") -> Reply:
        """One request."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Tenant": tenant}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return Reply(reply.status, dict(reply.headers), _decoded(reply.read()))
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, dict(error.headers), _decoded(error.read()))

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(timeout=30)

    def stop(self) -> None:
        """SIGTERM; it must end well."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0, self._err.read_text()


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode()
