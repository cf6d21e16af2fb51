"""The two databases of a store, log and view, opened as they fit together; each says its format, and is held to it."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, closing
from pathlib import Path

from ops.pipeline import STAGES_FORMAT
from schemas.ids import SpaceKey
from streams.log.database import Database, peek
from streams.log.errors import BadStoreError, NoStoreError
from streams.log.rocks import RocksLog
from views.origin import ORIGIN_KEY, VIEW_FORMAT, Origin, claim, misfit, read_origin
from views.state import space_prefix
from views.store import RocksTables, prefix_end
from views.tables import TABLES

LOG, VIEW, VECTORS = "log", "view", "vectors"
"""Folders of a store. The first is the truth, the others are derived from it."""

_ON_KAFKA = ("node", "stages", "group", VIEW)
"""What query nodes, stage workers and the view worker keep in their ``--store``, without a log."""

_FORMATS, _STAGES = "formats", b"stages"


def open_stores(store: Path, *, writer: bool) -> tuple[RocksLog, Database]:
    """Log and view. A reader opens the view first: beside a writer that goes on, the log must not be older than it.

    Raises:
        StoreError: in use, of another format or log, or nothing there to read. Nothing was changed.
    """
    _check_kind(store)
    with ExitStack() as opened:
        if writer:
            log = opened.enter_context(closing(RocksLog(store / LOG)))
            _check_stages(log, writer=True)
            _check_layout(store)
            view = opened.enter_context(closing(Database(store / VIEW, families=TABLES, read_only=False)))
        else:
            _check_layout(store)
            view = opened.enter_context(closing(Database(store / VIEW, families=TABLES, read_only=True)))
            log = opened.enter_context(closing(RocksLog(store / LOG, read_only=True)))
            _check_stages(log, writer=False)
        _check_origin(store, view, log)
        opened.pop_all()
    return log, view


def _check_kind(store: Path) -> None:
    """A directory of processes on Kafka has no log: whoever opens it as a store would be told that nothing is there, or
    begin one beside it."""
    here = [name for name in _ON_KAFKA if (store / name).is_dir()]
    if here and not (store / LOG).exists():
        raise NoStoreError(
            f"{store} has no log beside {', '.join(here)}: it is a directory of processes on Kafka, where the records "
            "are. Ask a query node with --url; rebuild --kafka makes a node's view anew"
        )


def forget_space(view: Database, space: SpaceKey) -> None:
    """Returns when no file of the view holds a former row of the space."""
    prefix = space_prefix(space)
    for table in TABLES:
        view.forget(table, prefix, prefix_end(prefix))
    view.forget_files()


def drop_view(store: Path) -> None:
    """Remove the view, as a whole: a kill leaves it as it was, or not there."""
    folder, dropped = store / VIEW, store / f"{VIEW}.dropped"
    shutil.rmtree(dropped, ignore_errors=True)
    if folder.exists():
        folder.rename(dropped)
    shutil.rmtree(dropped, ignore_errors=True)


def remedy(store: Path, *, vectors: bool = False) -> str:
    """What to do about a part that is derived and of no use."""
    return f"run ./stilltrue rebuild{' --vectors' if vectors else ''} --store {store}: it is made anew from the log"


def _check_layout(store: Path) -> None:
    """Before the view is opened: a view of another layout has other families, and opening it would make ours in it."""
    found = read_origin(peek(store / VIEW, "positions", ORIGIN_KEY))
    if found is not None and found.format != VIEW_FORMAT:
        raise BadStoreError(
            f"{store / VIEW} is a view of layout {found.format}, this release reads layout {VIEW_FORMAT}: "
            f"{remedy(store)}"
        )


def _check_origin(store: Path, view: Database, log: RocksLog) -> None:
    ours = Origin(format=VIEW_FORMAT, cluster_id=log.cluster_id, partitions=log.partitions)
    found = read_origin(view.get("positions", ORIGIN_KEY))
    if found is None and not view.read_only:
        claim(RocksTables(view), ours)
    elif found is None or misfit(found, ours) is not None:
        raise BadStoreError(f"{view.directory} is a view of another log: {remedy(store)}")


def _check_stages(log: RocksLog, *, writer: bool) -> None:
    """The stages' rows cannot be made anew: what they decided, when, is in them and in the log, and nowhere else."""
    raw = log.get(_FORMATS, _STAGES)
    if raw is None:
        if writer:
            with log.batch() as batch:
                batch.put(_FORMATS, _STAGES, str(STAGES_FORMAT).encode("ascii"))
    elif raw != str(STAGES_FORMAT).encode("ascii"):
        raise BadStoreError(
            f"the stages' state in this store has format {raw.decode('ascii', 'replace')}, this release reads format "
            f"{STAGES_FORMAT}: use the release that wrote it, or import again into another directory with --store"
        )
