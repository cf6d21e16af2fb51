"""What the views need from an encoder. The same shape as ``streams.ports.Encoder``: the two meet in structure only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt


class Encoder(Protocol):
    """Text to unit vectors. The same text always gives the same bytes, whatever else is encoded.

    ``name`` tells vector spaces apart: two encoders of one name give interchangeable vectors.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dimension) float32, rows L2-normalised."""
        ...
