"""The embedded timer: writes to ``clock`` what time alone has changed. The only place of a store that does."""

from __future__ import annotations

from ops.viewing import LiveView
from schemas.codec import encode
from streams.log import Log
from views.pending import clock_records

MOST = 1_000
"""Instants of one look: a downtime is caught up in as many looks as it takes, between which others have their turn."""


class Timer:
    """Looks at the view's next instants; one seek when there is nothing to do."""

    def __init__(self, log: Log, view: LiveView) -> None:
        self._log = log
        self._view = view

    def step(self, now: int) -> int:
        """Write what has become due; returns how many records."""
        records = clock_records(self._view.due(now, MOST))
        if records:
            with self._log.batch() as batch:
                for record in records:
                    batch.append("clock", record.key, encode(record), now)
        return len(records)
