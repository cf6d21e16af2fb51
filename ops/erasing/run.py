"""The steps of an erasure, in order. Each may be repeated: a process that is killed goes on where it was, when the next
one writes to the store.

1. recorded: the record and the retractions are in the log, in one write. It will be done, whatever dies.
2. derived: the ordinary flow has made anew what depended on it: sessions, events, edges, the view, the index. From
   here on no reader gets the text.
3. purged: no store holds it: stages, log, view, vectors, in this order, each before what tells what is left to do.
4. done: no file holds it either, and the receipt says what is left elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ops.parts import Parts
from ops.system import Refused
from ops.viewing import LiveView
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey
from schemas.wire import Problem
from streams.erasure import Begun, Extent, begin, standing
from streams.log import Batch

from . import stores, work
from .remains import always_left
from .work import Work

if TYPE_CHECKING:
    from ops.processing import Processors
    from views.vectors.protocol import VectorIndex

_TABLES = ("stages", "ingest")
"""Tables of the log whose rows held text."""


class Erasing:
    """Erases, one at a time; what others accept and read meanwhile goes on.

    Args:
        parts: what the system is made of.
        view: maintained from the log.
        processors: not running while stores are purged.
        index: opened when it is needed.
    """

    def __init__(
        self, parts: Parts, view: LiveView, *, processors: Callable[[], Processors], index: Callable[[], VectorIndex]
    ) -> None:
        self._parts = parts
        self._log = parts.log
        self._now = parts.clock
        self._view = view
        self._processors = processors
        self._index = index
        self._checked = False

    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int:
        """How many messages an erasure would reach now. Raises ``Refused`` as ``erase`` does, but for nothing to do."""
        return standing(self._log, space, extent_of(wanted))

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """Erase, and return when it is done. The same again tells the same receipt.

        Raises:
            Refused: its ids do not fit its scope, or there is no such message, conversation or space; nothing was
                written.
        """
        extent = extent_of(wanted)
        with self._processors().held():
            self.resume()
            found = self._begin(space, extent) or self._last(space, extent)
            if found is None:
                raise Refused(not_found(extent))
            return work.receipt(self._finish(found))

    def receipt(self, space: SpaceKey, erasure_id: str) -> ErasureOut:
        """What came of an erasure; ``finished_at`` is None while stores are still worked off."""
        found = work.load(self._log, space, erasure_id)
        if found is None:
            problem = Problem(code="not_found", message=f"no such erasure in this space: {erasure_id!r}", field="id")
            raise Refused(problem)
        return work.receipt(found)

    def resume(self) -> None:
        """Finish what a killed process left. Looks once: nobody else writes to the store."""
        if self._checked:
            return
        with self._processors().held():
            for left in work.unfinished(self._log):
                self._finish(left)
            self._checked = True

    def _begin(self, space: SpaceKey, extent: Extent) -> Work | None:
        if space.space not in self._log.spaces(space.tenant):
            return None
        now = self._now()
        made: list[Work] = []

        def remember(batch: Batch, begun: Begun) -> None:
            made.append(Work(space=space, extent=extent, begun=begun, at=now))
            work.save(batch, made[0])

        begun = begin(self._log, space, extent, now=now, remember=remember)
        return None if begun is None else made[0]

    def _last(self, space: SpaceKey, extent: Extent) -> Work | None:
        """The last erasure of the same extent: whoever lost the reply asks again."""
        same = [one for one in work.of_space(self._log, space) if one.extent == extent]
        return max(same, key=lambda one: one.begun.offset, default=None)

    def _finish(self, found: Work) -> Work:
        while found.step != "done":
            match found.step:
                case "recorded":
                    found = self._saved(self._derive(found))
                case "derived":
                    found = self._saved(self._purge(found))
                case "purged":
                    found = self._saved(self._forget(found))
        return found

    def _derive(self, found: Work) -> Work:
        """Let the flow follow: sessions without the messages, then API batches without what rested on them."""
        indexed = stores.indexed(self._index(), found.space)
        self._processors().flush(found.space)
        gone = stores.gone_of(self._log, found)
        stores.replace_batches(self._log, found, gone, self._now())
        self._processors().run()
        found = found.counting("view", "events", len(stores.gone_of(self._log, found).events))
        for kind, before in indexed.items():
            left = set(self._index().refs(found.space, kind))
            found = found.counting("vectors", f"{kind}s", len(before - left))
        return msgspec.structs.replace(found, step="derived")

    def _purge(self, found: Work) -> Work:
        gone = stores.gone_of(self._log, found)
        found = stores.scrub_stages(self._log, found, gone)
        found = stores.scrub_log(self._log, found, gone)
        found = stores.scrub_view(self._view, found, self._now())
        found = stores.scrub_index(self._view, self._index(), found)
        return msgspec.structs.replace(found, step="purged")

    def _forget(self, found: Work) -> Work:
        self._log.forget(found.space, _TABLES)
        self._parts.forget_view(found.space)
        left = self._index().forget_deleted()
        remains = (*always_left(found), *left, *self._parts.elsewhere())
        return msgspec.structs.replace(found, step="done", remains=remains, finished_at=self._now())

    def _saved(self, found: Work) -> Work:
        with self._log.batch(sync=True) as batch:
            work.save(batch, found)
        return found


def extent_of(wanted: ErasureIn) -> Extent:
    """What is meant. Raises ``Refused`` when ids are missing, or given where they would be passed over."""
    needed = {"space": (False, False), "conversation": (True, False), "message": (True, True)}[wanted.scope]
    given = {"conversation_id": wanted.conversation_id, "message_id": wanted.message_id}
    for (field, value), need in zip(given.items(), needed, strict=True):
        if (value is not None) != need:
            rule = "is required" if need else "must not be given"
            raise Refused(Problem(code="invalid", message=f"{rule} for scope {wanted.scope}", field=field))
    return Extent(conversation_id=wanted.conversation_id, message_id=wanted.message_id)


def not_found(extent: Extent) -> Problem:
    """Nothing of an extent is there."""
    if extent.whole_space:
        return Problem(code="not_found", message="no such space", field="space")
    field = "conversation_id" if extent.message_id is None else "message_id"
    return Problem(code="not_found", message="nothing of that is here: not taken in, or erased before", field=field)
