"""What a process that keeps a view does about an erasure, beside hiding what is erased: it takes the text out of its
files.

The view obeys the record at once, but its rows keep what they were made from. So once everything was derived anew, the
space's rows are folded again from the broker's records as they would be without the text (``ops.erasing.standing``),
and the files are written anew. A row says for which erasures that was done, so that it is done after a kill, in a view
that was folded from the log's beginning, and only once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256

import msgspec

from ops.erasing.standing import without_erased
from ops.stores import forget_space
from schemas.codec import BadRecordError
from schemas.entry import Entry
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.parking import decoded
from schemas.topics import TopicName
from streams.log import LogEntry
from streams.log.database import Database
from views.held import Control, space_prefix
from views.known import in_time_order
from views.maintain import VIEW_TOPICS, Maintainer
from views.outgoing import Place
from views.source import Source
from views.worker import Worker

from .coverage import Coverage
from .reading import AwayError, read_entries
from .spaces import split_key

_DONE = b"\0forgotten/"
"""In the table ``positions``, before a space's prefix: which erasures its rows hold nothing of."""


class Forgetting:
    """Of one view. Call ``note`` before every commit and ``turn`` after it, from the loop that follows the log.

    Args:
        database: the view's.
        source: the log.
        clean: called again and again once the rows hold nothing; whether whatever else is kept of the space does not
            either.
        lock: see ``Worker``.
    """

    def __init__(
        self,
        database: Database,
        source: Source,
        *,
        clean: Callable[[SpaceKey], bool] = lambda _: True,
        lock: AbstractContextManager[object] | None = None,
    ) -> None:
        self._database = database
        self._source = source
        self._clean = clean
        self._lock = lock or nullcontext()
        self._due: dict[SpaceKey, dict[Place, int] | None] = {}
        self._rows_done: dict[SpaceKey, bytes] = {}
        self._worker: Worker | None = None

    def keep(self, worker: Worker) -> None:
        """Whose view it is; what an earlier process left undone is due again."""
        self._worker = worker
        for key, control in worker.maintainer.state.control.scan(b""):
            space = split_key(key)[0]
            if control.erases and not self.is_done(space):
                self._due[space] = None

    @property
    def _maintainer(self) -> Maintainer:
        assert self._worker is not None, "keep comes first"
        return self._worker.maintainer

    def note(self, batch: Sequence[Fetched]) -> None:
        """A batch is about to be committed."""
        for raw in batch:
            if raw.topic == "erasures":
                self._due[SpaceKey(raw.tenant, raw.space)] = None

    def is_done(self, space: SpaceKey) -> bool:
        """Whether nothing is left here of what is erased of the space, by the erasures the view has read."""
        control = self._maintainer.state.control.get(space_prefix(space))
        return not control.erases or self._maintainer.tables.get("positions", _row(space)) == _digest(control)

    async def turn(self) -> None:
        """Do what is due and possible now. The view stands still meanwhile; it is read on."""
        for space in sorted(self._due):
            if self.is_done(space):
                del self._due[space]
            elif self._is_ready(space):
                try:
                    await self._forget(space)
                except AwayError:
                    return  # the next turn tries again

    def _is_ready(self, space: SpaceKey) -> bool:
        """Whether all was derived anew, and what the log held then is read: a replay meets it out of order."""
        worker, maintainer = self._worker, self._maintainer
        assert worker is not None, "keep comes first"
        partition = worker.partition_of(space)
        targets = self._due[space]
        if targets is None:
            places: list[Place] = [(topic, partition) for topic in VIEW_TOPICS]
            upto = _upto(maintainer.state.control.get(space_prefix(space)))
            if Coverage(maintainer).covers(partition) < upto or not all(place in worker.heard for place in places):
                return False
            targets = self._due[space] = {place: worker.heard[place][0] for place in places}
        return all(maintainer.position(*place) >= end for place, end in targets.items())

    async def _forget(self, space: SpaceKey) -> None:
        maintainer = self._maintainer
        digest = _digest(maintainer.state.control.get(space_prefix(space)))
        if self._rows_done.get(space) != digest:
            await self._fold_anew(space)
            await asyncio.to_thread(forget_space, self._database, space)
            self._rows_done[space] = digest
        if self._clean(space):
            with self._lock:
                maintainer.tables.commit([("positions", _row(space), digest)])
            del self._due[space], self._rows_done[space]

    async def _fold_anew(self, space: SpaceKey) -> None:
        assert self._worker is not None, "keep comes first"
        maintainer, partition = self._maintainer, self._worker.partition_of(space)
        ends: dict[TopicName, int] = {topic: maintainer.position(topic, partition) for topic in VIEW_TOPICS}
        raws = await read_entries(self._source, space, partition, ends)
        entries = in_time_order(_decoded(maintainer, raws))
        with self._lock:
            maintainer.drop(space)
            for entry in entries:
                maintainer.fold_anywhere(entry)
            maintainer.commit()


def _decoded(maintainer: Maintainer, raws: Sequence[LogEntry]) -> list[Entry]:
    """The records without the text, but for those the view has parked."""
    entries: list[Entry] = []
    for raw, clean in zip(raws, without_erased(raws), strict=True):
        if not maintainer.passes_over(raw):
            try:
                entries.append(decoded(clean))
            except BadRecordError:
                continue  # parked when it was folded
    return entries


def _row(space: SpaceKey) -> bytes:
    return _DONE + space_prefix(space)


def _upto(control: Control) -> int:
    return max((control.erased_below, *control.erased_conversations.values(), *control.erased_messages.values()))


def _digest(control: Control) -> bytes:
    bounds = (
        control.erased_below, sorted(control.erased_conversations.items()), sorted(control.erased_messages.items()),
    )  # fmt: skip
    return sha256(msgspec.msgpack.encode(bounds)).digest()
