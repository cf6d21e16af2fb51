"""The small file of weights: what was added to MiniLM in training, and what it was trained for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import msgspec
import numpy as np
import numpy.typing as npt

Tensors = Mapping[str, npt.NDArray[np.float32]]

SHIPPED = Path(__file__).with_name("updates.safetensors")
"""The weights in use."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says of itself.

    Attributes:
        base_sha256: of the weights it adds to; with others it means nothing.
        wording: ``streams.classify.wording.WORDING`` at training.
        scale: of the adapters' products.
        max_tokens: longer pairs are cut, the longer text first.
        sure: probability from which on a pair is an update.
        possible: from which on it may be one.
        training_sha256: of the training data, by file name.
    """

    base_sha256: str
    wording: int
    scale: float
    max_tokens: int
    sure: float
    possible: float
    training_sha256: dict[str, str]


class AddedWeights(msgspec.Struct, frozen=True, kw_only=True):
    """Adapters and head, float32, with their card and the SHA-256 of the file."""

    card: Card
    sha256: str
    tensors: Tensors


def read_weights(path: Path = SHIPPED) -> AddedWeights:
    """Read the file; half precision on disk."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        card = msgspec.json.decode(file.metadata()["card"], type=Card)
        names: list[str] = sorted(file.keys())
        tensors = {name: cast("npt.NDArray[np.float16]", file.get_tensor(name)).astype(np.float32) for name in names}
    return AddedWeights(card=card, sha256=hashlib.sha256(path.read_bytes()).hexdigest(), tensors=tensors)


def merged(base: Tensors, added: AddedWeights) -> dict[str, npt.NDArray[np.float32]]:
    """The base with every adapter's product added to its matrix: W + scale · B A."""
    whole = dict(base)
    for name, down in added.tensors.items():
        if name.endswith(".a"):
            matrix = f"{name.removesuffix('.a')}.weight"
            up = added.tensors[f"{name.removesuffix('.a')}.b"]
            whole[matrix] = (base[matrix] + added.card.scale * (up @ down)).astype(np.float32)
    return whole
