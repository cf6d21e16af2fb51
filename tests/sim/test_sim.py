"""The whole pipeline under every order of arrival, every schedule and sudden death: the end is always the same.

``STILLTRUE_SIM_SEEDS=17,99`` runs these seeds, ``STILLTRUE_SIM_SEEDS=20000`` the first 20,000. A failing run names its
seed; one that found a fault stays in ``FOUND``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import msgspec
import pytest

from tests.kit.sim import digest_of
from tests.kit.simchecks import CHECKS, Run
from tests.kit.simrun import Told
from tests.kit.simstores import PLACES

ROOT = Path(__file__).resolve().parents[2]
FOUND = (31, 51, 121)
"""31: a parked record at the end of ``messages`` held the basis back. 121: the basis was ahead of the edits and
retractions that the view had folded. 51: it stayed behind an erasure of what had been retracted before."""

ON_DISK = 30
"""Of how many seeds log and view are RocksDB files as well."""

MANY = 400
"""From so many runs on everything that can go wrong has."""

SHARED_MEMORY = Path("/dev/shm")
"""Files without a disk, where there are: what a run proves rests on no fsync."""


def _seeds() -> list[int]:
    given = os.environ.get("STILLTRUE_SIM_SEEDS", "1000")
    if "," in given:
        return [int(seed) for seed in given.split(",") if seed]
    return list(range(int(given)))


def _told(worker: int, in_memory: list[int], on_disk: list[int]) -> list[Told]:
    """What a process of its own tells of these seeds; no two hash strings alike."""
    env = {**os.environ, "PYTHONHASHSEED": str(worker + 1)}
    if SHARED_MEMORY.is_dir():
        env["TMPDIR"] = str(SHARED_MEMORY)
    words = [*map(str, in_memory), "--disk", *map(str, on_disk)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.kit.simrun", *words], cwd=ROOT, env=env, stdout=subprocess.PIPE, check=True
    )
    return [msgspec.convert(json.loads(line), Told) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def told() -> list[Told]:
    """Every seed, by as many processes as may run at once. A seed on disk is run by another one than in memory."""
    seeds, workers = _seeds(), max(2, len(os.sched_getaffinity(0)))
    disk = seeds[:ON_DISK]
    with ThreadPoolExecutor(workers) as pool:
        shares = [
            pool.submit(_told, n, seeds[n::workers], disk[(n + 1) % workers :: workers]) for n in range(workers)
        ]  # fmt: skip
        return [one for share in shares for one in share.result()]


def test_every_run_ends_as_it_must(told: list[Told]) -> None:
    """Each with every check of ``tests/kit/simchecks.py``."""
    faults = [f"seed {one.seed}{' on disk' * one.disk}: {one.fault}" for one in told if one.fault is not None]
    assert not faults, f"{len(faults)} of {len(told)} runs: " + "\n".join(faults[:5])
    assert len(told) == len(_seeds()) + len(_seeds()[:ON_DISK])


def test_on_disk_the_same_seed_leaves_the_same_bytes_as_in_memory(told: list[Told]) -> None:
    """By two processes that hash strings differently."""
    in_memory = {one.seed: one.digest for one in told if not one.disk}
    on_disk = {one.seed: one.digest for one in told if one.disk}
    assert on_disk
    assert on_disk == {seed: in_memory[seed] for seed in on_disk}


@cache
def _kept(seed: int) -> Run:
    return Run(seed)


@pytest.mark.parametrize("seed", FOUND)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_seed_that_found_a_fault_is_kept(seed: int, check: Callable[[Run], None]) -> None:
    check(_kept(seed))


def test_the_same_seed_leaves_the_same_bytes(told: list[Told]) -> None:
    """In this process, after other runs, and in another one."""
    known = {one.seed: one.digest for one in told if not one.disk}
    for seed in _seeds()[:5]:
        assert digest_of(Run(seed).stores) == known[seed]


def test_the_runs_meet_what_they_are_for(told: list[Told]) -> None:
    """Deaths in every place, lost stores, ended, superseded and corrected statements: else the runs prove little."""
    if len(told) < MANY:
        pytest.skip("too few runs were asked for")
    deaths = Counter[str]()
    lost = Counter[str]()
    statuses = Counter[str]()
    for one in told:
        deaths.update(one.deaths)
        lost.update(one.lost)
        statuses.update(one.statuses)
    assert set(deaths) == set(PLACES)
    assert set(lost) == {"view", "index"}
    assert {"valid", "ended", "superseded", "corrected"} <= set(statuses)
