"""What the embedded system is made of; ``opening`` makes it from a directory, tests from memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from ops.observing import SILENT, Observer
from schemas.erasure_wire import Remains
from schemas.ids import SpaceKey
from streams.log import Log
from views.encoder.protocol import Encoder
from views.tables import Tables
from views.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    from ops.llm.asker import Asker
    from ops.settings import Settings


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """``encoder`` and ``index`` are opened when they are first needed: reading the state needs no model.

    Attributes:
        observer: measures; nobody does unless one is given.
        forget_view: returns when no file of the view holds a former row of the space.
        asker: asks a model, when the settings name one; the thread is not running yet.
        other_asker: makes an asker for other settings; None where they name no endpoint.
        elsewhere: what an erasure does not reach outside the store, as far as it is known: backups.
    """

    log: Log
    tables: Tables
    encoder: Callable[[], Encoder]
    index: Callable[[Encoder], VectorIndex]
    clock: Callable[[], int]
    observer: Observer = SILENT
    forget_view: Callable[[SpaceKey], None] = lambda _: None
    elsewhere: Callable[[], Sequence[Remains]] = tuple
    asker: Asker | None = None
    other_asker: Callable[[Settings], Asker | None] = lambda _: None
