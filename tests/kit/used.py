"""Which broker the tests ran on, told at the end; several processes may run them."""

from __future__ import annotations

import pytest

USED = pytest.StashKey[str]()


def ran_on(config: pytest.Config, described: str) -> None:
    """Remember it for the summary: here, or where the one that began this process tells it."""
    config.stash[USED] = described
    if hasattr(config, "workeroutput"):
        config.workeroutput["kafka"] = described
