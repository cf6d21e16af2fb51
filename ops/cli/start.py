"""Starts the command line: what ``./stilltrue`` runs."""

from __future__ import annotations

import gc
import signal

COLLECT_AFTER = (50_000, 20, 20)
"""How seldom Python looks for garbage in circles. Folding makes none, and on a view of 60,000 events looking took 28 of
the 211 µs of a record, and the more the larger the view's caches were (ADR 0031)."""


def run() -> int:
    """Load the commands and run one; returns the exit code.

    Ctrl-C while they are loading ends the process as it ends a program in C, with no word: there is nothing to tidy up,
    and Python would print where in the loading it was. A shell sees 130, as later. Where SIGINT was ignored from the
    start (a job in the background), it stays so.
    """
    former = signal.getsignal(signal.SIGINT)
    if former is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .__main__ import main

    signal.signal(signal.SIGINT, former)
    gc.freeze()  # what is loaded now stays
    gc.set_threshold(*COLLECT_AFTER)
    return main()


if __name__ == "__main__":
    raise SystemExit(run())
