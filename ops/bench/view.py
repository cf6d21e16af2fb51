"""``bench view``: what applying a record costs, on a small view and on a large one, in one run.

Everything is the code of production: ``fold_batch`` on RocksDB in batches of ``BATCH_RECORDS``, with history, the
deltas encoded as they would be written, one commit and one sync for each batch. Only the records are synthetic
(``workload``). Times are of the one thread that maintains the view: its CPU time, which other processes disturb least,
and the wall clock beside it; RocksDB compacts in threads of its own, whose share is told too.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from schemas.codec import encode
from streams.log.database import Database
from views.batch import fold_batch
from views.maintain import Maintainer
from views.store import RocksTables
from views.tables import TABLES

from . import arrays
from .replay import Recorder, replay
from .workload import EVENTS_PER_SPACE, RawRecord, Workload

BATCH_RECORDS = 1_000
SMALL_SHARE = 10
"""Of the records measured on the large view this part is measured on the small one, so that it stays small."""
RECORDED_BATCHES = 10
"""Of what they read and wrote the raw limit is measured; all would be a good part of the memory that is told."""
LOOPS = 200_000
EDGES_PER_EVENT = 1.4
"""Of the workload, told in ``workload``."""
RECOMPUTES = 5


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be measured.

    Attributes:
        events: of the large view.
        seed: of the records.
        small_events: of the small view.
        records: how many are measured on the large view with locality; half as many at random.
    """

    events: int = 1_000_000
    seed: int = 1
    small_events: int = 10_000
    records: int = 40_000


class Spent(NamedTuple):
    """What a batch took, microseconds for each of its records."""

    cpu_us: float
    commit_us: float
    wall_us: float


class View:
    """A view in a directory, and the workload that feeds it."""

    def __init__(self, directory: Path, asked: Asked, events: int, *, history: bool = True) -> None:
        self.directory = directory
        self.events = events
        self.workload = Workload(asked.seed, max(1, events // EVENTS_PER_SPACE))
        self.recorder = Recorder(_database(directory))
        self._maintainer = Maintainer(RocksTables(self.recorder), history=history)

    def fill(self, say: Callable[[str], None]) -> None:
        """Bring it to its size."""
        told = 0
        for records in _batches(self.workload.fill(self.events)):
            self.fold(records)
            if (done := self.workload.events * 10 // self.events) > told:
                told = done
                say(f"  {self.workload.events:,} events")

    def fold(self, records: Sequence[RawRecord]) -> Spent:
        """One batch, made durable."""
        wall, begun = time.perf_counter(), time.thread_time()
        folded = fold_batch(self._maintainer, records, 0)
        for delta in folded.deltas:
            encode(delta)
        folded_at = time.thread_time()
        self._maintainer.commit()
        self.recorder.flush()
        ended = time.thread_time()
        each = 1e6 / len(records)
        return Spent((ended - begun) * each, (ended - folded_at) * each, (time.perf_counter() - wall) * each)

    def measure(self, records: Iterable[RawRecord]) -> list[Spent]:
        """Fold batch after batch; the records are made before the clock starts. The last batches are recorded."""
        batches = list(_batches(records))
        spent: list[Spent] = []
        for left, batch in zip(range(len(batches), 0, -1), batches, strict=True):
            self.recorder.on = left <= RECORDED_BATCHES
            spent.append(self.fold(batch))
        self.recorder.on = False
        return spent

    def close(self) -> None:
        """Let go of the files."""
        self.recorder.close()


def measure(asked: Asked, say: Callable[[str], None]) -> Mapping[str, float]:
    """Measure; nothing else should run meanwhile.

    Args:
        asked: see there.
        say: told how far it is.

    Returns:
        Numbers by name. Names that end in the size of the large view say ``1m`` for a million.
    """
    size = "1m" if asked.events == 1_000_000 else str(asked.events)  # as the report names it
    with TemporaryDirectory(prefix="stilltrue-bench-") as folder:
        found = dict(_small(Path(folder), asked, say))
        found |= _large(Path(folder) / "large", asked, size, say)
    say("recomputing everything from arrays")
    found[f"full_recompute_ms_{size}"] = full = _recompute_ms(asked)
    small, large = found["us_per_record_10k"], found[f"us_per_record_{size}"]
    found["growth_local"] = large / small
    found["growth_random"] = found[f"us_per_record_random_{size}"] / small
    found["recompute_ratio"] = full * 1e3 / large
    return found


def _small(folder: Path, asked: Asked, say: Callable[[str], None]) -> Iterator[tuple[str, float]]:
    """The small view, with and without history."""
    found: dict[bool, float] = {}
    disk: dict[bool, float] = {}
    for history in (True, False):
        say(f"a view of {asked.small_events:,} events, {'with' if history else 'without'} history")
        view = View(folder / f"small-{history}", asked, asked.small_events, history=history)
        view.fill(say)
        found[history] = _cpu(view.measure(view.workload.local(asked.records // SMALL_SHARE)))
        view.close()
        disk[history] = _disk_mb(view.directory)
    yield "us_per_record_10k", found[True]
    yield "history_share", 1 - found[False] / found[True]
    yield "history_disk_share", 1 - disk[False] / disk[True]


def _large(directory: Path, asked: Asked, size: str, say: Callable[[str], None]) -> dict[str, float]:
    say(f"a view of {asked.events:,} events")
    view = View(directory, asked, asked.events)
    view.fill(say)
    say("measuring with locality, then at random")
    loop_ns = _loop_ns()
    process = time.process_time()
    thread = time.thread_time()
    local = view.measure(view.workload.local(asked.records))
    traffic = view.recorder.take()
    beside = (time.process_time() - process) / (time.thread_time() - thread) - 1
    random = view.measure(view.workload.random(asked.records // 2))
    rss = _rss_mb()
    view.close()
    disk = _disk_mb(directory)
    say("the same reads and writes, with nothing around them")
    database = _database(directory)
    raw = median(replay(database, traffic)) * 1e6 / BATCH_RECORDS
    database.close()
    recorded = len(traffic) * BATCH_RECORDS
    return {
        f"us_per_record_{size}": _cpu(local),
        f"us_per_record_random_{size}": _cpu(random),
        "apply_per_s": 1e6 / _cpu(local),
        "apply_random_per_s": 1e6 / _cpu(random),
        "apply_per_s_wall": 1e6 / median(s.wall_us for s in local),
        "apply_random_per_s_wall": 1e6 / median(s.wall_us for s in random),
        "commit_share": median(s.commit_us for s in local) / _cpu(local),
        "raw_share": raw / _cpu(local),
        "reads_per_record": sum(len(t.reads) for t in traffic) / recorded,
        "writes_per_record": sum(len(t.writes) for t in traffic) / recorded,
        "other_threads_share": max(0.0, beside),
        f"rss_mb_{size}": rss,
        f"disk_mb_{size}": disk,
        "loop_ns": loop_ns,
    }


def _cpu(spent: Sequence[Spent]) -> float:
    """CPU microseconds a record: the median over batches."""
    return median(s.cpu_us for s in spent)


def _recompute_ms(asked: Asked) -> float:
    world = arrays.synthetic(asked.events, EDGES_PER_EVENT, EVENTS_PER_SPACE, asked.seed)
    spent: list[float] = []
    for _ in range(RECOMPUTES):
        begun = time.thread_time()
        arrays.recompute(world)
        spent.append((time.thread_time() - begun) * 1e3)
    return median(spent)


def _loop_ns() -> float:
    """What this machine takes for a turn of a simple loop, before measuring: about 40 where nothing disturbs it."""
    begun, total = time.thread_time(), 0
    for n in range(LOOPS):
        total += n & 3
    return (time.thread_time() - begun) * 1e9 / LOOPS


def _database(directory: Path) -> Database:
    return Database(directory, families=TABLES, read_only=False)


def _batches(records: Iterable[RawRecord]) -> Iterator[list[RawRecord]]:
    source = iter(records)
    while batch := list(islice(source, BATCH_RECORDS)):
        yield batch


def _disk_mb(directory: Path) -> float:
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file()) / 1e6


def _rss_mb() -> float:
    """The most memory the process has had, the workload's own included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
