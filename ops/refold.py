"""Makes the whole view anew: for one of another layout, of another log, damaged, or lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ops.settings import Settings
from ops.stores import LOG, VECTORS, drop_view, open_stores
from ops.viewing import LiveView
from streams.log.database import Database
from streams.log.rocks import FAMILIES
from views.store import RocksTables
from views.vectors.edge import forget_made


def refold(store: Path, settings: Settings, *, vectors: bool, now: Callable[[], int]) -> int:
    """Drop the view and fold every record of the log; returns how many. ``vectors``: drop the vector index as well; the
    next command that works messages off makes it anew. ``now``: microseconds UTC.

    Killed half way, the view is behind the log, and the next command that writes goes on. Deltas go out again.

    Raises:
        StoreError: there is no log, another process writes to the store, or the log cannot be used.
    """
    with closing(Database(store / LOG, families=FAMILIES, read_only=True)):
        pass  # a store without a log is not made by asking for its view
    with closing(Database(store / LOG, families=FAMILIES, read_only=False)):  # nobody writes while it is dropped
        drop_view(store)
        if vectors:
            forget_made(store / VECTORS)
    log, database = open_stores(store, writer=True)
    view = LiveView(log, RocksTables(database), settings.stage_batch_records)
    done = 0
    try:
        while step := view.step(now()):
            done += step
    finally:
        view.close()
        log.close()
    return done
