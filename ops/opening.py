"""Opens the embedded system on a directory, for writing or beside a running writer."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ops.backup.known import in_backups
from ops.llm.settings import LlmSettings
from ops.observing import SILENT, Observer
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from ops.stores import VECTORS, forget_space, open_stores, remedy
from ops.system import System
from streams.log import Log
from streams.log.errors import BadStoreError, NoStoreError, StoreInUseError
from streams.log.rocks import RocksLog
from views.store import RocksTables

if TYPE_CHECKING:
    from ops.llm.asker import Asker, Learned
    from ops.llm.bodies import Dialect
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex


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
    log, view = open_stores(store, writer=writer)
    return Parts(
        log=log,
        tables=RocksTables(view),
        encoder=_encoder(settings, observer),
        index=_index(store, log, writer=writer),
        clock=_now,
        observer=observer,
        asker=make_asker(log, settings.llm, observer) if writer else None,
        other_asker=lambda other: make_asker(log, other.llm, observer),
        forget_view=lambda space: forget_space(view, space),
        elsewhere=lambda: in_backups(store),
    )


def make_asker(log: Log, llm: LlmSettings, observer: Observer = SILENT) -> Asker | None:
    """What asks the endpoint of the settings; None without one. The client is loaded when there is something to ask."""
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


def _index(store: Path, log: RocksLog, *, writer: bool) -> Callable[[Encoder], VectorIndex]:
    def load(encoder: Encoder) -> VectorIndex:
        from ops.indexing import start_over
        from views.vectors.edge import is_made, open_edge
        from views.vectors.points import IndexAwayError, IndexLockedError, IndexMismatchError

        directory = store / VECTORS
        if not is_made(directory):
            if not writer:
                raise NoStoreError(f"{directory}: no vector index is there; run a command that writes, import or serve")
            start_over(log)
        try:
            return open_edge(directory, dimension=encoder.dimension, encoder=encoder.name)
        except IndexLockedError as error:
            raise StoreInUseError(f"{error}; ask the running service over HTTP instead") from error
        except IndexAwayError as error:
            raise BadStoreError(str(error)) from error
        except IndexMismatchError as error:
            raise BadStoreError(f"{error}; {remedy(store, vectors=True)}") from error

    return load
