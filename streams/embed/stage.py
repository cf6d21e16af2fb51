"""The embed stage: records in, points of a vector index set. It writes no records but dead letters.

A record is folded into what the index shall hold (``Points``), and the points it changes are put into a queue: that is
the step, and it needs no index. As time passes, points are taken from the queue and set to what is wanted *by then*;
when the index has them, the step that takes them from the queue is decided. So

- whatever dies, points are set again, to the same or to what has become of them since, and nothing is left out;
- nothing is set for a step that was not decided: another worker may fold the same records in another order;
- an index that is away holds up no record, and no record is parked for it.

One danger is left: a worker that lost its partition, or a request that was given up, may still write what was true a
moment ago, after its successor wrote what is true now. Therefore what is set within ``SETTLE_US`` of a beginning or of
a failure is set once more when that time is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from schemas.codec import encode
from schemas.ids import SpaceKey
from schemas.parking import dead_letter
from schemas.topics import TopicName

from ..keys import state_key
from ..log.errors import StoreError
from ..ports import Entry, Output, StageState
from .ports import Done, IndexAwayError, Named, Points
from .queue import Queue, Row, Waiting

BATCH_POINTS = 256
"""Points set at once: about half a second of the encoder, and one request."""

SETTLE_US = 60_000_000
"""Longer than a silent worker keeps its partitions (10 s) and one request is tried (30 s), together."""

RETRY_US = 1_000_000
RETRY_MAX_US = 30_000_000
"""Pauses while the index is away: doubled from the first to the last."""

ROWS_FORMAT = 1
"""Number of the layout of the rows, the queue's and the points' included. A change of any of them raises it."""

_TARGET, _FORMAT = b"target", b"format"


class OtherRowsError(StoreError):
    """The stage's rows are of another version's layout. Nothing was changed.

    All it knows comes from the log: delete its steps topic and the worker's folder ``stages``, create the topic again
    (``./stilltrue topics create``), and it fills the index anew.
    """


class Indexed(msgspec.Struct, frozen=True, kw_only=True):
    """What one look at the queue led to, for metrics. ``waiting``: rows left; ``away``: why nothing could be done."""

    partition: int
    waiting: int
    written: int = 0
    deleted: int = 0
    refused: int = 0
    away: str | None = None


class EmbedStage:
    """Satisfies ``streams.ports.Stage``.

    Args:
        points: of this instance alone.
        observe: told after every attempt, from the stage's thread.
    """

    name = "embed"
    inputs: tuple[TopicName, ...] = ("messages", "events", "producers", "erasures")

    def __init__(self, points: Points, observe: Callable[[Indexed], None]) -> None:
        self._points = points
        self._observe = observe
        self._settled_at: int | None = None
        self._failures = 0
        self._retry_at = 0

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one record; what it changes waits for the next tick."""
        named = self._points.fold(entry, state)
        space = entry.record.key
        names = dict.fromkeys(named.changed) | dict.fromkeys(_refused(named, space, state))
        if names:
            Queue(state).put(
                Waiting(
                    topic=entry.topic, partition=entry.partition, offset=entry.offset, tenant=space.tenant,
                    space=space.space, value=encode(entry.record), names=tuple(names),
                )
            )  # fmt: skip
        return ()

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Set points that wait; returns dead letters of those that the index will never take.

        Raises:
            OtherRowsError: see there.
        """
        _check_rows(state)
        if now < self._retry_at:
            return ()
        if self._settled_at is None:
            self._settled_at = now + SETTLE_US
        queue = Queue(state)
        self._fill_if_new(queue, state)
        rows = queue.take(BATCH_POINTS, now)
        if not rows:
            return ()
        try:
            done = self._set(rows, state)
        except IndexAwayError as error:
            self._put_off(now)
            self._observe(Indexed(partition=rows[0].waiting.partition, waiting=queue.waiting, away=str(error)))
            return ()
        self._failures = 0
        for row in rows:
            queue.done(row, self._settled_at if now < self._settled_at else None)
        letters = _letters(self.name, rows, done, state, now)
        self._observe(
            Indexed(
                partition=rows[0].waiting.partition, waiting=queue.waiting,
                written=sum(d.written for d in done.values()), deleted=sum(d.deleted for d in done.values()),
                refused=sum(len(d.refused) for d in done.values()),
            )
        )  # fmt: skip
        return letters

    def _set(self, rows: Sequence[Row], state: StageState) -> dict[SpaceKey, Done]:
        """Each point once, however many rows name it."""
        by_space: dict[SpaceKey, dict[bytes, None]] = {}
        for row in rows:
            by_space.setdefault(row.waiting.key, {}).update(dict.fromkeys(row.waiting.names))
        return {space: self._points.set(space, list(names), state) for space, names in by_space.items()}

    def _put_off(self, now: int) -> None:
        """The index is away. A request that was given up may yet arrive, so what follows has to settle too."""
        self._retry_at = now + min(RETRY_US * 2**self._failures, RETRY_MAX_US)
        self._failures = min(self._failures + 1, 10)
        self._settled_at = self._retry_at + SETTLE_US

    def _fill_if_new(self, queue: Queue, state: StageState) -> None:
        """Queue every point when the index is not the one that was filled so far: somebody deleted that one."""
        ours, known = self._points.target.encode(), state.get(_TARGET)
        if ours == known:
            return
        state.put(_TARGET, ours)
        if known is None:
            return  # nothing was set anywhere so far; what is wanted is in the queue already
        by_space: dict[SpaceKey, list[bytes]] = {}
        for space, name in self._points.all(state):
            by_space.setdefault(space, []).append(name)
        for space, names in by_space.items():
            queue.put(
                Waiting(
                    topic="messages", partition=0, offset=0, tenant=space.tenant, space=space.space, value=b"",
                    names=tuple(names),
                )
            )  # fmt: skip


def _check_rows(state: StageState) -> None:
    """Here and not where a record is folded, which could take it for the record's fault: time passes first."""
    raw = state.get(_FORMAT)
    if raw is None:
        state.put(_FORMAT, str(ROWS_FORMAT).encode())
    elif raw != str(ROWS_FORMAT).encode():
        raise OtherRowsError(
            f"the embed stage's rows have layout {raw.decode()}, this version reads {ROWS_FORMAT}: delete its steps "
            "topic and the folder stages, and run ./stilltrue topics create; the index is filled anew from the log"
        )


def _refused(named: Named, space: SpaceKey, state: StageState) -> list[bytes]:
    """The record's own points that were refused before: it may have been sent again because the cause is gone."""
    return [name for name in named.own if state.get(_refused_key(space, name)) is not None]


def _refused_key(space: SpaceKey, name: bytes) -> bytes:
    return state_key("refused", space) + name


def _letters(
    stage: str, rows: Sequence[Row], done: dict[SpaceKey, Done], state: StageState, now: int
) -> Sequence[Output]:
    """One for each record with a refused point. Refused points are remembered with the record, so that settling writes
    no second letter; a point that is taken is forgotten."""
    refused = {(space, name): error for space, one in done.items() for name, error in one.refused}
    letters: list[Output] = []
    for row in rows:
        waiting = row.waiting
        place = msgspec.msgpack.encode((waiting.topic, waiting.offset))
        errors: list[str] = []
        for name in waiting.names:
            key, error = _refused_key(waiting.key, name), refused.get((waiting.key, name))
            known = state.get(key)
            if error is None and known is not None:
                state.delete(key)
            elif error is not None and known != place:
                state.put(key, place)
                errors.append(error)
        if errors and waiting.value:
            told = f"the vector index refused {len(errors)} of its points: {errors[0]}"
            letters.append(Output(topic="dead-letters", record=dead_letter(stage, waiting, told, now)))
    return tuple(letters)
