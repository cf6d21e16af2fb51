"""``python -m ops.export_schemas [--check]``: write ``schemas/json/``, or say which files differ from the types."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from schemas.export import documents

DIRECTORY = Path(__file__).resolve().parent.parent / "schemas" / "json"


def write(directory: Path = DIRECTORY) -> list[str]:
    """Write every document and delete those of topics that are gone; names of the files that changed, sorted."""
    changed = differing(directory)
    wanted = documents()
    directory.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in wanted:
            (directory / name).write_text(wanted[name], encoding="utf-8")
        else:
            (directory / name).unlink()
    return changed


def differing(directory: Path = DIRECTORY) -> list[str]:
    """Names of files that are missing, differ from the types, or belong to no topic; sorted."""
    wanted = documents()
    present = {path.name: path.read_text(encoding="utf-8") for path in directory.glob("*.json")}
    return sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, or 1 when ``--check`` finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m ops.export_schemas", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file differs")
    parser.add_argument("--directory", type=Path, default=DIRECTORY, help="default: schemas/json")
    options = parser.parse_args(arguments)
    if not options.check:
        for name in write(options.directory):
            sys.stdout.write(f"wrote {name}\n")
        return 0
    stale = differing(options.directory)
    for name in stale:
        sys.stdout.write(f"{options.directory / name} is not what the types say; run python -m ops.export_schemas\n")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
