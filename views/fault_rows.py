"""Where the view keeps its faults."""

from __future__ import annotations

from schemas.faults import FAULT_PREFIXES

from .tables import Tables


class FaultRows:
    """``schemas.faults.FaultRows`` among the positions; a fault is written at once, whatever is not committed yet.

    There are few, and every record is looked up: they are kept in memory too.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = dict(pair for prefix in FAULT_PREFIXES for pair in tables.scan("positions", prefix))

    def any(self) -> bool:
        """Whether there ever was a fault."""
        return bool(self._rows)

    def get(self, key: bytes) -> bytes | None:
        """See ``FaultRows``."""
        return self._rows.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """See ``FaultRows``."""
        self._tables.commit([("positions", key, value)])
        self._rows[key] = value
