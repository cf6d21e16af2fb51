"""Opens the parts of the embedded system on a directory, for writing or beside a running writer."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ops.runtime import Parts
from ops.settings import Settings
from streams.log.database import Database
from streams.log.errors import BadStoreError, StoreInUseError
from streams.log.rocks import RocksLog
from views.store import RocksTables
from views.tables import TABLES

if TYPE_CHECKING:
    from views.encoder.protocol import Encoder
    from views.vectors.protocol import VectorIndex

VIEW_FORMAT = 1
"""Number of the view's layout. A change of keys or rows raises it and says so in the changelog."""

_META = b"\0view"


class _ViewMeta(msgspec.Struct, frozen=True, kw_only=True):
    """What a view says about itself: its layout, and the log it was made from."""

    format: int
    cluster_id: str


def open_parts(store: Path, settings: Settings, *, writer: bool) -> Parts:
    """Log, view, and the makers of encoder and index. Errors as in ``ops.runtime.open_system``."""
    log = RocksLog(store / "log", read_only=not writer)
    try:
        view = Database(store / "view", families=TABLES, read_only=not writer)
        try:
            _check_view(view, log.cluster_id)
        except BaseException:
            view.close()
            raise
    except BaseException:
        log.close()
        raise
    return Parts(
        log=log,
        tables=RocksTables(view),
        encoder=_encoder(settings),
        index=_index(store / "vectors"),
        clock=lambda: time.time_ns() // 1_000,
    )


def _check_view(view: Database, cluster_id: str) -> None:
    raw = view.get("positions", _META)
    ours = _ViewMeta(format=VIEW_FORMAT, cluster_id=cluster_id)
    if raw is None and not view.read_only:
        view.write([("positions", _META, msgspec.msgpack.encode(ours))], sync=True)
        return
    found = None if raw is None else msgspec.msgpack.decode(raw, type=_ViewMeta)
    if found != ours:
        what = "of another format" if found is None or found.format != VIEW_FORMAT else "of another log"
        raise BadStoreError(
            f"{view.directory} is a view {what}: delete that folder and run the command again with a writer "
            "(import or serve); the view is made anew from the log"
        )


def _encoder(settings: Settings) -> Callable[[], Encoder]:
    def load() -> Encoder:
        from ops.model import load_encoder

        return load_encoder(settings.model)

    return load


def _index(directory: Path) -> Callable[[Encoder], VectorIndex]:
    def load(encoder: Encoder) -> VectorIndex:
        from views.vectors.edge import open_edge
        from views.vectors.points import IndexLockedError, IndexMismatchError

        try:
            return open_edge(directory, dimension=encoder.dimension, encoder=encoder.name)
        except IndexLockedError as error:
            raise StoreInUseError(f"{error}; ask the running service over HTTP instead") from error
        except IndexMismatchError as error:
            raise BadStoreError(str(error)) from error

    return load
