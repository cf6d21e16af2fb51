"""A bounded memory of vectors by text: questions and messages are asked for more than once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from .protocol import Encoder

CACHED_TEXTS = 4096
"""About 6 MB of 384-dimensional vectors, plus the texts."""


class CachedEncoder:
    """Wraps an encoder; least recently used texts go first. Satisfies ``Encoder``, safe with several threads.

    Args:
        inner: encodes what is not remembered.
        capacity: how many texts' vectors are kept.
        observe: told after each call how many texts were remembered, and how many were encoded.
    """

    def __init__(
        self,
        inner: Encoder,
        capacity: int = CACHED_TEXTS,
        observe: Callable[[int, int], None] = lambda remembered, computed: None,
    ) -> None:
        self._inner = inner
        self._capacity = capacity
        self._observe = observe
        self._rows: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        self.name = inner.name
        self.dimension = inner.dimension

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dimension) float32, rows L2-normalised; the same bytes as without the cache."""
        known: dict[str, npt.NDArray[np.float32]] = {}
        with self._lock:
            for text in texts:
                if text in self._rows:
                    self._rows.move_to_end(text)
                    known[text] = self._rows[text]
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            # Copies: a row of the encoder's array would keep the whole array alive.
            fresh = {text: row.copy() for text, row in zip(missing, self._inner.encode(missing), strict=True)}
            known.update(fresh)
            with self._lock:
                self._rows.update(fresh)
                while len(self._rows) > self._capacity:
                    self._rows.popitem(last=False)
        self._observe(len(texts) - len(missing), len(missing))
        out = np.empty((len(texts), self.dimension), dtype=np.float32)
        for number, text in enumerate(texts):
            out[number] = known[text]
        return out
