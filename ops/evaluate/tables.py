"""Results as people read them: a table on the screen, and one section per suite in a Markdown file."""

from __future__ import annotations

import re
from pathlib import Path

from ops.report import Report

_HEAD = "# Results\n\nWritten by `./stilltrue evaluate … --results FILE`, never by hand.\n"


def table(made: Report) -> str:
    """The numbers, a line each, with the 95 % interval of shares."""
    width = max(map(len, made.metrics), default=0)
    lines = [f"{name:<{width}}  {_number(value):>8}{_interval(made, name)}" for name, value in made.metrics.items()]
    if made.failed:
        lines.append(f"failed: {' '.join(made.failed)}")
    return "\n".join([made.suite, *lines])


def update_results(path: Path, made: Report, command: str) -> None:
    """Replace the suite's section of the file, or add it; the file is made when it is not there. Raises ``OSError``."""
    before = path.read_text("utf-8") if path.exists() else _HEAD
    sections = re.split(r"(?m)^(?=## )", before)
    head, kept = sections[0], {part.splitlines()[0]: part for part in sections[1:]}
    kept[f"## {command}"] = section(made, command)
    path.write_text(head.rstrip() + "\n\n" + "\n".join(kept[name].rstrip() + "\n" for name in sorted(kept)), "utf-8")


def section(made: Report, command: str) -> str:
    """One suite as Markdown."""
    rows = [f"| {name} | {_number(value)} |{_interval(made, name)} |" for name, value in made.metrics.items()]
    where = f"Commit {made.commit}, data {made.data_sha256[:16]}, settings {made.config_sha256[:16]}, {made.at}."
    failed = [f"Failed: {', '.join(made.failed)}.", ""] if made.failed else []
    return "\n".join(
        [
            f"## {command}",
            "",
            where,
            "",
            "| metric | value | 95 % interval |",
            "| --- | --- | --- |",
            *rows,
            "",
            *failed,
        ]
    )


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _interval(made: Report, name: str) -> str:
    found = (made.intervals or {}).get(name)
    return "" if found is None else f"  {found[0]:.3f} to {found[1]:.3f}"
