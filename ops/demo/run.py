"""``python -m ops.demo.run``: a fresh store, the sample conversation, the tour, then the HTTP service until Ctrl-C."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry

from ops.cli.feed import feed
from ops.cli.serve import serve_until_stopped, served_at
from ops.cli.show import account_line
from ops.cli.world import BAD_INPUT, CommandError, clock_us
from ops.importers import open_source
from ops.metrics import Metrics
from ops.opening import open_system
from ops.settings import Settings
from schemas.ids import SpaceKey

from .tour import tour

STORE = Path(".stilltrue-demo")
CONVERSATION = Path(__file__).with_name("conversation.jsonl")
SPACE = SpaceKey("default", "demo")


def main() -> int:
    """Exit code 0, or 2 when the port cannot be had."""
    port = os.environ.get("PORT") or str(Settings().port)
    if not port.isdigit():
        sys.stderr.write(f"PORT must be a number, not {port!r}\n")
        return BAD_INPUT
    settings = Settings(port=int(port))
    shutil.rmtree(STORE, ignore_errors=True)
    registry = CollectorRegistry()
    system = open_system(STORE, settings, observer=Metrics(registry, clock=clock_us))
    try:
        source = open_source(CONVERSATION)
        # Transaction time is when it was sent: as if we had listened all along.
        *_, totals = feed(system, SPACE, source, batch=20, received_at="sent_at", tz=None)
        system.flush(SPACE)
        _say(f"Imported {totals.accepted} messages of Corin and Maren, January to March 2026, into {STORE}.")
        _say(f"{account_line(system.account(SPACE))}.\n")
        for line in tour(system, SPACE):
            _say(line)
        if os.environ.get("DEMO_ONESHOT") == "1":
            return 0
        _say(f"\nMore: ./stilltrue --store {STORE} state demo --all, or history demo EVENT, or ask demo QUESTION")
        serve_until_stopped(system, settings, registry, lambda url: _say(served_at(url)))
    except CommandError as error:
        sys.stderr.write(f"{error}: PORT=8081 make demo\n")
        return error.code
    finally:
        system.close()
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
