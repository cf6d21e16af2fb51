"""What a stage needs from the outside and what it gives back. Stages are pure: they see the world only through this.

A stage folds records of its input topics, in log order per space, into its own small state and returns records to
append. The runtime (embedded or Faust) commits state, outputs and input position together, or repeats the step: a step
repeated from the same state gives the same outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from schemas.entry import Entry as Entry
from schemas.record import Record
from schemas.topics import TopicName

if TYPE_CHECKING:  # numpy takes as long to import as all of a worker's own start
    import numpy as np
    import numpy.typing as npt


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """A record to append to a topic; its partition follows from the record's space."""

    topic: TopicName
    record: Record


class StageState(Protocol):
    """A stage's own ordered key-value state. Keys and values are bytes; keys sort as bytes.

    Changes are visible at once to later reads of the same step and durable when the step commits.
    """

    def get(self, key: bytes) -> bytes | None: ...
    def put(self, key: bytes, value: bytes) -> None: ...
    def delete(self, key: bytes) -> None: ...
    def scan(self, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with ``start <= key < stop``, in key order (or backwards)."""
        ...


class Stage(Protocol):
    """One step of the flow."""

    name: str
    inputs: tuple[TopicName, ...]

    def apply(self, entry: Entry, state: StageState, now: int) -> Sequence[Output]:
        """Fold one record. ``now``: microseconds UTC, given by the runtime. Raises ``BadRecordError`` to park it."""
        ...

    def tick(self, state: StageState, now: int) -> Sequence[Output]:
        """Time passed. Publishes what is due; returns nothing for stages that wait for nothing."""
        ...


class Encoder(Protocol):
    """Text to unit vectors. The same text always gives the same bytes, whatever else is encoded."""

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dimension) float32, rows L2-normalised."""
        ...
