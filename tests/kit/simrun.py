"""Many runs, checked, and told as a line of JSON each.

``python -m tests.kit.simrun SEED ... --disk SEED ...``: those after ``--disk`` on RocksDB files; ``100-199`` names all
of these.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tests.kit.sim import digest_of
from tests.kit.simchecks import CHECKS, Run, statuses_of


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run. ``fault``: of the run itself or of a check, with its name; None when all is well.

    ``digest``: of everything the run left behind, before it was checked.
    """

    seed: int
    disk: bool
    digest: str
    fault: str | None
    deaths: dict[str, int]
    lost: dict[str, int]
    statuses: dict[str, int]


def run_and_check(seed: int, *, disk: bool) -> Told:
    """One run; with ``disk`` on RocksDB files that are gone afterwards."""
    if not disk:
        return _checked(seed, None)
    with tempfile.TemporaryDirectory() as directory:
        return _checked(seed, Path(directory))


def _checked(seed: int, directory: Path | None) -> Told:
    fault: str | None = None
    digest, run, name = "", None, "run"
    try:
        run = Run(seed, directory)
        digest = digest_of(run.stores)
        for check in CHECKS:
            name = check.__name__
            check(run)
    except Exception:  # noqa: BLE001 - told, with its seed; the next seed goes on
        fault = f"{name}: {traceback.format_exc(limit=-4)}"
    if run is None:
        return Told(
            seed=seed, disk=directory is not None, digest="", fault=fault, deaths={}, lost={}, statuses={}
        )  # fmt: skip
    statuses: Counter[str] = statuses_of(run)
    run.stores.close()
    return Told(
        seed=seed, disk=directory is not None, digest=digest, fault=fault, deaths={**run.simulation.fate.deaths},
        lost=dict(run.simulation.lost), statuses=dict(statuses),
    )  # fmt: skip


def seeds_in(words: Sequence[str]) -> Iterator[int]:
    """Numbers, and ranges of them with both ends: ``17 100-199``."""
    for word in words:
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    gc.freeze()  # what is imported stays, and need not be looked through again with every seed
    words = sys.argv[1:]
    end = words.index("--disk") if "--disk" in words else len(words)
    for on_disk, named in ((False, words[:end]), (True, words[end + 1 :])):
        for number in seeds_in(named):
            told = run_and_check(number, disk=on_disk)
            sys.stdout.write(json.dumps(msgspec.to_builtins(told)) + "\n")
            sys.stdout.flush()
