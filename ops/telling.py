"""The deltas of a space as readers of the stream get them, from the embedded log."""

from __future__ import annotations

from itertools import islice

from ops.viewing import LiveView
from query.api import DeltaPage, Told
from query.told import told
from schemas.codec import decode
from schemas.deltas import EdgeChanged, EventChanged
from schemas.ids import SpaceKey
from streams.log import Log, partition_of


class Telling:
    """Reads ``deltas``; what an event says is looked up in the view, where it may be newer than the delta."""

    def __init__(self, log: Log, view: LiveView) -> None:
        self._log = log
        self._view = view

    def end(self, space: SpaceKey) -> int:
        """The position the next delta will have at least."""
        return self._log.end("deltas", partition_of(space, self._log.partitions))

    def page(self, space: SpaceKey, following: int, limit: int) -> DeltaPage:
        """Deltas from a position on."""
        end = self.end(space)
        read = list(islice(self._log.read_space("deltas", space, following), limit))
        names = self._view.canonical(space)
        entries: list[Told] = []
        for raw in read:
            delta = decode("deltas", raw.value)
            assert isinstance(delta, EventChanged | EdgeChanged), "what deltas holds"
            entries.append(told(raw.offset, delta, lambda event_id: self._view.said(space, event_id), names))
        after = read[-1].offset + 1 if read else following
        return DeltaPage(entries=tuple(entries), following=after if len(read) == limit else max(after, end))
