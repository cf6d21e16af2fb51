"""An encoder that is loaded when it is first needed: half a second that a worker's first step need not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from streams.ports import Encoder


class LazyEncoder:
    """Satisfies ``streams.ports.Encoder``. Loads once, whichever thread asks first; the others wait.

    Args:
        load: may raise: then whoever asked gets the error, and the next one asks again.
    """

    def __init__(self, load: Callable[[], Encoder]) -> None:
        self._load = load
        self._loaded: Encoder | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """See ``Encoder``."""
        return self._encoder().name

    @property
    def dimension(self) -> int:
        """See ``Encoder``."""
        return self._encoder().dimension

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See ``Encoder``."""
        return self._encoder().encode(texts)

    def _encoder(self) -> Encoder:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded
