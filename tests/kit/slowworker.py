"""A worker process of one stage, whose errands take a while: ``python -m tests.kit.slowworker`` with its arguments.

What is asked, and when its reply is there, is written to ``calls`` in its store, a line each.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ops.distributed import Work, run_worker
from schemas.asking import ModelAsked, ModelReplied
from schemas.entry import Entry
from schemas.topics import TopicName
from streams.log.protocol import TableReader
from streams.ports import Output, StageState
from streams.worker.errands import Errand

ROOT = Path(__file__).resolve().parents[2]
SESSION_S = 6.0


class SlowDesk:
    """A stage whose questions lie in its rows until a reply takes them off."""

    name = "ask"
    inputs: tuple[TopicName, ...] = ("asks", "replies")

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        record = entry.record
        if isinstance(record, ModelAsked):
            row = b"open/%09d" % entry.offset
            state.put(b"id/" + record.ask_id.encode(), row)
            state.put(row, msgspec.json.encode(record))
        elif isinstance(record, ModelReplied):
            row = state.get(b"id/" + record.ask_id.encode())
            assert row is not None, "a reply nobody asked for"
            state.delete(row)
        return ()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """See ``Stage``."""
        return ()


class SlowModel:
    """Answers after some seconds."""

    def __init__(self, limit: int, seconds: float, calls: Path) -> None:
        self.limit = limit
        self._seconds = seconds
        self._calls = calls

    def open(self, tables: TableReader, table: str, prefix: bytes) -> Iterator[Errand]:
        """See ``Errands``."""
        for key, raw in tables.scan(table, prefix + b"open/", prefix + b"open0"):
            yield Errand(id=key.decode(), lane=msgspec.json.decode(raw, type=ModelAsked).session_id, data=raw)

    def begin(self, errand: Errand) -> bool:
        """See ``Errands``."""
        return True

    def end(self, errand_id: str) -> None:
        """See ``Errands``."""

    async def run(self, errand: Errand) -> Output:
        """See ``Errands``."""
        ask = msgspec.json.decode(errand.data, type=ModelAsked)
        self._note("asked", ask.ask_id)
        await asyncio.sleep(self._seconds)
        self._note("answered", ask.ask_id)
        reply = ModelReplied(
            tenant=ask.tenant, space=ask.space, stage=ask.stage, ask_id=ask.ask_id, session_id=ask.session_id, about=(),
            outcome="stop", text="", error="", model="slow", via="live", calls=1, prompt_tokens=0,
            completion_tokens=0, cost_usd=0.0, at=1,
        )  # fmt: skip
        return Output(topic="replies", record=reply)

    def _note(self, what: str, ask_id: str) -> None:
        with self._calls.open("a") as calls:
            calls.write(f"{time.monotonic():.3f} {what} {ask_id}\n")


class SlowWorker:
    """Such a process. Use the same store again after a kill."""

    def __init__(self, store: Path, bootstrap: str, prefix: str, *, limit: int, seconds: float) -> None:
        store.mkdir(exist_ok=True)
        self._calls, self._out = store / "calls", store / "out"
        self._calls.touch()
        arguments = [bootstrap, prefix, str(store), str(limit), str(seconds)]
        with self._out.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-m", "tests.kit.slowworker", *arguments], cwd=ROOT, stdout=out, stderr=out
            )

    def calls(self, what: str) -> list[tuple[float, str]]:
        """When which question was "asked", or "answered", in order."""
        lines = [line.split() for line in self._calls.read_text().splitlines()]
        return [(float(at), name) for at, told, name in lines if told == what]

    @property
    def assignments(self) -> int:
        """How often it was assigned something."""
        assert self.process.poll() is None, self._out.read_text()
        return self._out.read_text().count("assigned")

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(timeout=30)

    def stop(self) -> float:
        """SIGTERM; how long it took to end."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0, self._out.read_text()
        return time.monotonic() - begun


async def _main(bootstrap: str, prefix: str, store: str, limit: str, seconds: str) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    work = Work(bootstrap=bootstrap, prefix=prefix, stages=("ask",), store=Path(store), session_s=SESSION_S)
    model = SlowModel(int(limit), float(seconds), Path(store) / "calls")
    await run_worker(
        work, {"ask": SlowDesk}, stop=stop, clock=lambda: time.time_ns() // 1_000, observe=lambda _: None,
        on_assigned=lambda _: sys.stdout.write("assigned\n"), errands={"ask": model},
    )  # fmt: skip


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
