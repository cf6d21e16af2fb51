"""Says what was not run here, and why: a test that is skipped must not look like one that passed."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line per reason."""
    reasons = Counter(
        report.longrepr[2] for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)
    )
    for reason, tests in sorted(reasons.items()):
        terminalreporter.write_line(f"not run, {tests} tests: {reason.removeprefix('Skipped: ')}")
