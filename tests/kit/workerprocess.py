"""``stilltrue worker`` in a process of its own."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.kit.jsonlines import json_lines

ROOT = Path(__file__).resolve().parents[2]


class WorkerProcess:
    """A running stage worker; what it says goes to files in its store."""

    def __init__(self, store: Path, bootstrap: str, prefix: str, *options: str, settings: str = "") -> None:
        store.mkdir(exist_ok=True)
        (store / "stilltrue.toml").write_text(settings)
        self._out, self._err = store / "out", store / "err"
        command = [str(ROOT / "stilltrue"), "--store", str(store), "--json", "worker"]
        command += ["--bootstrap", bootstrap, "--prefix", prefix, *options]
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(command, stdout=out, stderr=err)

    @property
    def running(self) -> bool:
        """Whether it was assigned partitions."""
        assert self.process.poll() is None, self._err.read_text()
        return bool(self._told())

    @property
    def held(self) -> list[str]:
        """Stages and partitions, as it said last."""
        told = self._told()
        return told[-1] if told else []

    @property
    def assignments(self) -> int:
        """How often it was assigned something."""
        return len(self._told())

    def _told(self) -> list[list[str]]:
        return [line["running"] for line in json_lines(self._out.read_text()) if "running" in line]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(timeout=30)

    def stop(self) -> dict[str, dict[str, Any]]:
        """SIGTERM; what each stage did."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        assert code == 0, self._err.read_text()
        return {total["stage"]: total for total in json_lines(self._out.read_text())[-1]["stages"]}
