"""Faults: a processor fails at a record that is not a bad one. The second time it fails there, the record is parked.

The first time the process ends, so that whatever was wrong with its memory is gone when it starts again. Only a fault
that survives this is the record's: of a bug in our code and a record that meets it. The count is kept with the
consumer's position, so it is the same count after a restart, and on whichever worker goes on.

A bug rarely meets one record only. Once a fault has survived a restart, others of the same origin (exception and line)
are parked at once, so that a bug costs one restart and not one for each record.
"""

from __future__ import annotations

import traceback
from typing import Protocol

import msgspec

from .parking import Raw

TAIL_CHARS = 2_000
"""Of a traceback: its end, the last calls and the error, is what tells most."""


class FaultRows(Protocol):
    """Where the counts are kept. What is put must be durable before the process ends."""

    def get(self, key: bytes) -> bytes | None: ...
    def put(self, key: bytes, value: bytes) -> None: ...


class Fault(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What happened at a record: how often, and the last time's error with the end of its traceback."""

    count: int
    told: str


class Faults:
    """The faults of one consumer."""

    def __init__(self, rows: FaultRows) -> None:
        self._rows = rows

    def note(self, raw: Raw, error: Exception) -> str | None:
        """A processor failed at the record; returns why to park it, or None: end the process, and try again."""
        origin = _origin(error)
        known = self._rows.get(origin) is not None
        raw_count = self._rows.get(_place(raw))
        count = 1 + (0 if raw_count is None else msgspec.msgpack.decode(raw_count, type=Fault).count)
        parks = known or count > 1
        fault = Fault(count=max(count, 2 if parks else 1), told=told(error))
        self._rows.put(_place(raw), msgspec.msgpack.encode(fault))
        if not parks:
            return None
        if not known:
            self._rows.put(origin, b"\x01")
        return fault.told

    def parked(self, raw: Raw) -> str | None:
        """Why the record was parked after faults; None when it was not."""
        found = self._rows.get(_place(raw))
        if found is None:
            return None
        fault = msgspec.msgpack.decode(found, type=Fault)
        return fault.told if fault.count > 1 else None


def can_be_the_records(error: Exception) -> bool:
    """Whether a fault can have come of the record: not one of disk or network, which a record cannot mend.

    RocksDB's errors come as plain ``Exception``.
    """
    return not isinstance(error, OSError) and type(error) is not Exception


def told(error: Exception) -> str:
    """The error, and the end of its traceback."""
    text = "".join(traceback.format_exception(error))
    return f"fault: {type(error).__name__}: {error}"[:TAIL_CHARS] + "\n" + text[-TAIL_CHARS:]


FAULT_PREFIXES = (b"\x94\xa5fault", b"\x93\xa6origin")
"""What the keys of the two kinds of rows begin with."""


def _place(raw: Raw) -> bytes:
    return msgspec.msgpack.encode(("fault", raw.topic, raw.partition, raw.offset))


def _origin(error: Exception) -> bytes:
    """Exception and the line it was raised at."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    where = "" if last is None else f"{last.filename.rpartition('/')[2]}:{last.name}:{last.lineno}"
    return msgspec.msgpack.encode(("origin", type(error).__qualname__, where))
