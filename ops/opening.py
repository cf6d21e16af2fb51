"""Opens the embedded system on a directory, for writing or beside a running writer."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ops.llm.settings import LlmSettings
from ops.observing import SILENT, Observer
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.system import System
from streams.log import Log
from streams.log.database import Database
from streams.log.errors import BadStoreError, NoStoreError, StoreInUseError
from streams.log.rocks import RocksLog
from views.origin import ORIGIN_KEY, VIEW_FORMAT, Origin
from views.state import space_prefix
from views.store import RocksTables, prefix_end
from views.tables import TABLES

if TYPE_CHECKING:
    from ops.llm.asker import Asker, Learned
    from ops.llm.bodies import Dialect
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex

_MADE_ANEW = "run a command that writes (import or serve): {what} is made anew from the log"
"""What to do about a part that is missing or of no use."""


def open_system(store: Path, settings: Settings, *, writer: bool = True, observer: Observer = SILENT) -> System:
    """Open the embedded system of a directory.

    Args:
        store: holds ``log/`` (the truth), ``view/`` and ``vectors/`` (both derived from it).
        settings: see ``ops.settings``.
        writer: False opens for reading only, beside a running writer, as of now.
        observer: measures.

    Raises:
        StoreError: in use, of another format, or nothing there to read. Nothing was changed.
    """
    return Embedded(open_parts(store, settings, writer=writer, observer=observer), settings)


def open_parts(store: Path, settings: Settings, *, writer: bool, observer: Observer = SILENT) -> Parts:
    """Log, view, and the makers of encoder and index."""
    log, view = _open_stores(store, writer=writer)
    return Parts(
        log=log,
        tables=RocksTables(view),
        encoder=_encoder(settings, observer),
        index=_index(store / "vectors", log, writer=writer),
        clock=_now,
        observer=observer,
        asker=_asker(log, settings.llm, observer) if writer else None,
        forget_view=lambda space: _forget(view, space_prefix(space)),
    )


def _forget(view: Database, prefix: bytes) -> None:
    for table in TABLES:
        view.forget(table, prefix, prefix_end(prefix))


def _open_stores(store: Path, *, writer: bool) -> tuple[RocksLog, Database]:
    """A reader opens the view first: beside a writer that goes on, the log must not be older than the view."""
    with ExitStack() as opened:
        if writer:
            log = opened.enter_context(closing(RocksLog(store / "log")))
            view = opened.enter_context(closing(Database(store / "view", families=TABLES, read_only=False)))
        else:
            view = opened.enter_context(closing(Database(store / "view", families=TABLES, read_only=True)))
            log = opened.enter_context(closing(RocksLog(store / "log", read_only=True)))
        _check_view(view, log)
        opened.pop_all()
    return log, view


def _check_view(view: Database, log: Log) -> None:
    raw = view.get("positions", ORIGIN_KEY)
    ours = Origin(format=VIEW_FORMAT, cluster_id=log.cluster_id, partitions=log.partitions)
    if raw is None and not view.read_only:
        view.write([("positions", ORIGIN_KEY, msgspec.msgpack.encode(ours))], sync=True)
        return
    found = None if raw is None else msgspec.msgpack.decode(raw, type=Origin)
    if found != ours:
        what = "of another format" if found is None or found.format != VIEW_FORMAT else "of another log"
        raise BadStoreError(
            f"{view.directory} is a view {what}: delete that folder, then {_MADE_ANEW.format(what='the view')}"
        )


def _asker(log: Log, llm: LlmSettings, observer: Observer) -> Asker | None:
    """Asks the endpoint of the settings. The client behind it is loaded when there is something to ask."""
    if llm.model is None or llm.endpoint is None:
        return None
    from ops.llm.asker import Asker
    from ops.llm.errands import ModelErrands

    def make(dialect: Dialect | None, learned: Learned) -> ModelErrands:
        return ModelErrands(llm, clock=_now, observer=observer, dialect=dialect, learned=learned)

    return Asker(log, make, f"{llm.endpoint} {llm.model} {llm.format} {llm.limit}", _now)


def _now() -> int:
    return time.time_ns() // 1_000


def _encoder(settings: Settings, observer: Observer) -> Callable[[], Encoder]:
    def load() -> Encoder:
        from ops.model import load_encoder

        return load_encoder(settings.model, observe=observer.encoded)

    return load


def _index(directory: Path, log: RocksLog, *, writer: bool) -> Callable[[Encoder], VectorIndex]:
    def load(encoder: Encoder) -> VectorIndex:
        from ops.indexing import start_over
        from views.vectors.edge import is_made, open_edge
        from views.vectors.points import IndexLockedError, IndexMismatchError

        if not is_made(directory):
            if not writer:
                raise NoStoreError(f"{directory}: no vector index is there; {_MADE_ANEW.format(what='it')}")
            start_over(log)
        try:
            return open_edge(directory, dimension=encoder.dimension, encoder=encoder.name)
        except IndexLockedError as error:
            raise StoreInUseError(f"{error}; ask the running service over HTTP instead") from error
        except IndexMismatchError as error:
            raise BadStoreError(str(error)) from error

    return load
