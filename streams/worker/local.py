"""The stages' state in a worker's directory: a cache of the steps topics, at a known offset of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from schemas.topics import TopicName

from ..log.database import Change, Database
from ..log.errors import BadStoreError
from .fold import STATE
from .step import Step

_CURSORS = "cursors"
_ORIGIN = b"\0origin"
_MEMBER = b"\0member"
_FORMAT = 1


class Cursor(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where a stage stands in a partition: ``steps`` follows the last step in the state, ``positions`` its inputs."""

    steps: int
    positions: dict[TopicName, int]


class _Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The layout of the cache and the log it was made from."""

    format: int
    log: str
    partitions: int


class LocalStates:
    """The states of all stages and partitions this worker ever held. Thread-safe; one writer per stage and partition.

    Raises:
        StoreInUseError: another worker uses the directory: give each its own.
        BadStoreError: made from another log. Delete the folder; it is made anew from the steps.
    """

    def __init__(self, directory: Path, *, log: str, partitions: int) -> None:
        self._db = Database(directory, families=(STATE, _CURSORS), read_only=False)
        ours = _Origin(format=_FORMAT, log=log, partitions=partitions)
        raw = self._db.get(_CURSORS, _ORIGIN)
        if raw is None:
            self._db.write([(_CURSORS, _ORIGIN, msgspec.msgpack.encode(ours))], sync=True)
        elif (found := msgspec.msgpack.decode(raw, type=_Origin)) != ours:
            self._db.close()
            raise BadStoreError(
                f"{directory} was made from {_told(found)}, the broker offers {_told(ours)}: correct --bootstrap, "
                "--prefix or --store, or delete that folder: it is made anew from the steps"
            )

    def member(self, make: Callable[[], str]) -> str:
        """The name of the worker that this directory belongs to; ``make`` is asked for one, once.

        A copy of the directory has the same name: two workers that use both take the partitions from each other.
        """
        raw = self._db.get(_CURSORS, _MEMBER)
        if raw is not None:
            return raw.decode()
        name = make()
        self._db.write([(_CURSORS, _MEMBER, name.encode())], sync=True)
        return name

    def cursor(self, prefix: bytes, inputs: tuple[TopicName, ...]) -> Cursor:
        """Where the state under the prefix stands; at the beginning of everything when there is none."""
        raw = self._db.get(_CURSORS, prefix)
        if raw is None:
            return Cursor(steps=0, positions=dict.fromkeys(inputs, 0))
        return msgspec.msgpack.decode(raw, type=Cursor)

    def commit(self, prefix: bytes, step: Step, steps: int) -> Cursor:
        """State and cursor in one write; ``steps``: the offset that follows the step."""
        cursor = Cursor(steps=steps, positions=step.positions)
        changes: list[Change] = [(STATE, prefix + key, value) for key, value in step.changes]
        changes.append((_CURSORS, prefix, msgspec.msgpack.encode(cursor)))
        self._db.write(changes, sync=False)
        return cursor

    def get(self, table: str, key: bytes) -> bytes | None:
        """See ``log.protocol.TableReader``."""
        return self._db.get(table, key)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """See ``log.protocol.TableReader``."""
        return self._db.scan(table, start, stop, reverse=reverse)

    def close(self) -> None:
        """Let go of the directory."""
        self._db.flush()
        self._db.close()


def state_prefix(stage: str, partition: int) -> bytes:
    """Of the rows of a stage and partition."""
    return f"{stage}/{partition:06d}/".encode()


def _told(origin: _Origin) -> str:
    return f"log {origin.log} ({origin.partitions} partitions, layout {origin.format})"
