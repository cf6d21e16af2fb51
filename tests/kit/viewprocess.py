"""``stilltrue view`` in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

from tests.kit.jsonlines import json_lines

ROOT = Path(__file__).resolve().parents[2]


class ViewProcess:
    """A running worker; ``wait_ready`` reads its first line."""

    def __init__(self, store: Path, bootstrap: str, prefix: str, *options: str) -> None:
        command = [str(ROOT / "stilltrue"), "--store", str(store), "--json", "view"]
        command += ["--bootstrap", bootstrap, "--prefix", prefix, *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
        )

    def wait_ready(self) -> str:
        """What it maintains, as it says on its first line; empty when it refused."""
        assert self.process.stdout is not None
        told = json_lines(self.process.stdout.readline())
        return told[0]["maintaining"] if told else ""

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.communicate(timeout=30)

    def kill_after(self, seconds: float) -> None:
        """kill -9 in so long, counted from now; returns when it is dead."""
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        self.process.communicate(timeout=60)
        timer.join()

    def stop(self) -> dict[str, Any]:
        """SIGTERM; what it says it did."""
        self.process.send_signal(signal.SIGTERM)
        return self.finished()

    def finished(self) -> dict[str, Any]:
        """Wait until it ends by itself; what it says it did."""
        out, err = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, err
        return json_lines(out)[-1]

    def refused(self) -> str:
        """Wait until it gives up; why."""
        _, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 3, (self.process.returncode, err)
        return err
