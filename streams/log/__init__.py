"""The durable local log of the embedded system, and its memory twin. Read ``protocol`` first."""

from __future__ import annotations

from .errors import BadStoreError, NoStoreError, ReadOnlyError, StoreError, StoreInUseError
from .memory import MemoryLog
from .partition import partition_of
from .protocol import Batch, Log, LogEntry, TableReader
from .rocks import RocksLog

__all__ = [
    "BadStoreError",
    "Batch",
    "Log",
    "LogEntry",
    "MemoryLog",
    "NoStoreError",
    "ReadOnlyError",
    "RocksLog",
    "StoreError",
    "StoreInUseError",
    "TableReader",
    "partition_of",
]
