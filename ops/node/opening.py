"""Opens a query node on a store, and keeps it going: what ends it, and what replaces the view it serves."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ops.measuring import tell_view
from ops.metrics import Metrics
from ops.settings import Settings
from views.source import Source
from views.worker import Applied

from .generation import Around, Generation
from .generations import Generations
from .loop import BrokerLoop
from .node import Node, Served

if TYPE_CHECKING:
    from views.encoder.protocol import Encoder
    from views.vectors.server import ServerIndex

NODE_BATCH_RECORDS = 200
"""Smaller batches than a view worker's: a read waits for one at most."""

LOOK_S = 0.5
"""How often a node looks whether a rebuilt view is there."""


def node_source(bootstrap: str, prefix: str) -> Source:
    """The log as a node reads it."""
    return Source(bootstrap=bootstrap, prefix=prefix, emits=False, batch_records=NODE_BATCH_RECORDS)


def encoder_of(settings: Settings, metrics: Metrics | None = None) -> Callable[[], Encoder]:
    """Loads the model, when it is first needed."""

    def load() -> Encoder:
        from ops.model import load_encoder

        if metrics is None:
            return load_encoder(settings.model)
        return load_encoder(settings.model, observe=metrics.encoded)

    return load


class Faults:
    """The first thing that went wrong for good. It ends the service: nobody is served from a view that has stopped."""

    def __init__(self) -> None:
        self.first: BaseException | None = None

    def tell(self, fault: BaseException) -> None:
        """From any thread."""
        if self.first is None:
            self.first = fault
            os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def open_node(
    store: Path, settings: Settings, source: Source, metrics: Metrics, *, qdrant: str | None
) -> Generator[Node]:
    """A node inside the block; on leaving it is closed, and what ended it is raised.

    Args:
        store: its own: ``node/`` holds a replica of the view, and an index where no server is shared.
        settings: as everywhere.
        source: the log.
        metrics: told everything.
        qdrant: URL of the server whose index the embed stage fills; None keeps an index here.

    Raises:
        StoreError: the store cannot be used.
        ViewRefusedError: log and view do not fit together.
    """
    generations, faults = Generations(store), Faults()

    def clock() -> int:
        return time.time_ns() // 1_000

    def observe(applied: Applied) -> None:
        tell_view(metrics, msgspec.structs.replace(applied, deltas=()))  # the view that emits them counts them

    with ExitStack() as opened:
        opened.enter_context(generations.serving())
        loop = BrokerLoop()
        opened.callback(loop.close)
        encoder = encoder_of(settings, metrics)
        around = Around(
            loop=loop, source=source, encoder=None if qdrant else encoder, clock=clock, observer=metrics,
            observe=observe, fault=faults.tell,
        )  # fmt: skip
        generation = Generation(generations.current, around)
        served = Served(
            source=source, loop=loop, generation=generation, encoder=encoder,
            shared=None if qdrant is None else _on_server(qdrant, source.prefix), clock=clock, observer=metrics,
        )  # fmt: skip
        node = Node(served, settings)
        opened.callback(node.close)
        generation.start()
        opened.enter_context(_switching(node, generations, around, faults))
        yield node
    if faults.first is not None:
        raise faults.first


def _on_server(url: str, prefix: str) -> Callable[[Encoder], ServerIndex]:
    def load(encoder: Encoder) -> ServerIndex:
        from ops.qdrant import open_index

        return open_index(url, prefix, encoder)

    return load


@contextmanager
def _switching(node: Node, generations: Generations, around: Around, faults: Faults) -> Generator[None]:
    """Inside the block a rebuilt view is taken over as soon as a reader loses nothing by it."""
    stop = threading.Event()

    def look() -> None:
        try:
            while not stop.wait(LOOK_S):
                proposed = generations.proposed
                if proposed is not None:
                    _take_over(node, generations, Generation(proposed, around), stop)
        except BaseException as fault:  # noqa: BLE001 - carried to the main thread, which raises it
            faults.tell(fault)

    thread = threading.Thread(target=look, name="switching")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _take_over(node: Node, generations: Generations, successor: Generation, stop: threading.Event) -> None:
    """No request fails meanwhile: those that began on the former view end on it."""
    successor.start()
    while not successor.is_as_good_as(node.serving):
        if stop.wait(LOOK_S):
            successor.close()
            return
    former = node.swap(successor)
    generations.switch(successor.directory)
    former.close()
    generations.remove(former.directory)
