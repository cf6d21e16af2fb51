"""Says which broker was used, and what was not run here and why: what is skipped must not look like what passed.

Here and not beside the tests of the broker: what only hands tests out to other processes reads no conftest below this.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.kit.used import USED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a process that ran tests which broker it used."""
    used = getattr(node, "workeroutput", {}).get("kafka")
    if used is not None:
        node.config.stash[USED] = used


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line for the broker, and one per reason."""
    used = config.stash.get(USED, None)
    if used is not None:
        terminalreporter.write_line(f"Kafka tests ran on {used}")
    reasons = Counter(
        report.longrepr[2] for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)
    )
    for reason, tests in sorted(reasons.items()):
        terminalreporter.write_line(f"not run, {tests} tests: {reason.removeprefix('Skipped: ')}")
