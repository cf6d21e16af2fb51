"""Unit vectors as integers, so that a cosine is the same on every machine and in every order of summing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SCALE = 1 << 14
"""Steps per unit: an error of a cosine below 0.001 for a thousand dimensions, and a row fits int16."""

IntVector = npt.NDArray[np.int32]


def quantize(vector: npt.NDArray[np.float32]) -> IntVector:
    """A unit vector, or rows of them, in steps of 1 / ``SCALE``."""
    return np.rint(vector.astype(np.float64) * SCALE).astype(np.int32)


def to_bytes(vector: IntVector) -> bytes:
    """Two bytes a dimension, little endian."""
    return vector.astype("<i2").tobytes()


def from_bytes(raw: bytes) -> IntVector:
    """Inverse of ``to_bytes``."""
    return np.frombuffer(raw, dtype="<i2").astype(np.int32)


def dot(left: IntVector, right: IntVector) -> int:
    """An exact integer product: the cosine in steps of 1 / ``SCALE``².

    A partial sum is at most ``SCALE``² (Cauchy-Schwarz), so int32 does not overflow.
    """
    return int(np.dot(left, right))


def cosine(left: IntVector, right: IntVector) -> float:
    """Cosine of two quantised unit vectors: an exact integer product, scaled once."""
    return dot(left, right) / (SCALE * SCALE)
