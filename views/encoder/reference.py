"""sentence-transformers: the reference backend, and the one for every other model. Needs requirements-reference.txt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt


class _SentenceModel(Protocol):
    """The part of ``SentenceTransformer`` we use."""

    def encode(
        self, sentences: list[str], *, batch_size: int, normalize_embeddings: bool, show_progress_bar: bool
    ) -> npt.NDArray[np.float32]: ...


class ReferenceMissingError(RuntimeError):
    """sentence-transformers is not installed. Install it, or use all-MiniLM-L6-v2, which does without."""


class ReferenceEncoder:
    """Satisfies ``Encoder``. Made by ``load``; texts go one by one, for the same reason as in ``minilm``."""

    def __init__(self, model: _SentenceModel, name: str) -> None:
        self._model = model
        self.name = name
        self.dimension = self._rows(["dimension"]).shape[1]

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dimension) float32, rows L2-normalised."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._rows(list(texts))

    def _rows(self, texts: list[str]) -> npt.NDArray[np.float32]:
        rows = self._model.encode(texts, batch_size=1, normalize_embeddings=True, show_progress_bar=False)
        return rows.astype(np.float32, copy=False)


def load(model: str) -> ReferenceEncoder:
    """Open a sentence-transformers model by path or hub name, on the CPU, with one thread.

    Raises:
        ReferenceMissingError: the library is not installed; names the command to install it.
    """
    try:
        import torch  # pyright: ignore[reportMissingImports] (an optional install)
        from sentence_transformers import (  # pyright: ignore[reportMissingImports] (an optional install)
            SentenceTransformer,
        )
    except ImportError as error:
        raise ReferenceMissingError(
            f"model {model!r} needs sentence-transformers: pip install -r requirements-reference.txt"
        ) from error
    torch.set_num_threads(1)
    opened = cast(_SentenceModel, SentenceTransformer(model, device="cpu"))
    return ReferenceEncoder(opened, f"reference:{model}")
