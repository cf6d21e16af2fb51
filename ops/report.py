"""The result file of every ``evaluate`` and ``bench`` command: flat numbers, and where they come from."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from schemas.times import format_time


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was measured, on what.

    Attributes:
        suite: name of the command, "evaluate supersession" or "bench view".
        commit: of the checkout, ``+`` at the end when it had uncommitted changes; "unknown" outside a checkout.
        data_sha256: of the test data that was read; empty where a bench makes its own.
        config_sha256: of the settings.
        at: when, RFC 3339.
        metrics: numbers by name.
        failed: ids of failed cases, where there are cases.
        intervals: 95 % intervals of shares, by name.
    """

    suite: str
    commit: str
    data_sha256: str
    config_sha256: str
    at: str
    metrics: Mapping[str, float]
    failed: Sequence[str] | None = None
    intervals: Mapping[str, tuple[float, float]] | None = None


def report(
    suite: str,
    metrics: Mapping[str, float],
    *,
    data_sha256: str,
    config_sha256: str,
    now: int,
    failed: Sequence[str] | None = None,
    intervals: Mapping[str, tuple[float, float]] | None = None,
) -> Report:
    """A report of this checkout, made ``now`` (microseconds UTC)."""
    return Report(
        suite=suite, commit=checkout(), data_sha256=data_sha256, config_sha256=config_sha256, at=format_time(now),
        metrics=metrics, failed=failed, intervals=intervals,
    )  # fmt: skip


def write_report(path: Path, made: Report) -> None:
    """Write the JSON file. Raises ``OSError``."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")


def checkout() -> str:
    """The commit that is run."""
    here = Path(__file__).parent
    head = _git(here, "rev-parse", "HEAD")
    if head is None:
        return "unknown"
    return head + ("+" if _git(here, "status", "--porcelain", "--untracked-files=no") else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
