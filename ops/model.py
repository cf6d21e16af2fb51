"""The model in use: find it, load it, say which it is. The one place that reads the environment for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

import msgspec

from views.encoder import minilm, reference
from views.encoder.cached import CACHED_TEXTS, CachedEncoder
from views.encoder.protocol import Encoder
from views.encoder.resolve import Resolved, cache_folder, download_snapshot, resolve


class ModelDescription(msgspec.Struct, frozen=True, kw_only=True):
    """What ``./stilltrue model`` prints. ``graph`` is the cached ONNX file, None for the reference backend."""

    backend: str
    origin: str
    location: str
    sha256: str | None
    name: str
    dimension: int
    graph: str | None


def find(configured: str | None = None) -> Resolved:
    """Which model would be loaded; downloads it if that is the last resort. Errors as in ``views.encoder.resolve``."""
    return resolve(configured, os.environ, home=Path.home(), download=download_snapshot)


def load_encoder(
    configured: str | None = None,
    *,
    cached_texts: int = CACHED_TEXTS,
    observe: Callable[[int, int], None] = lambda remembered, computed: None,
) -> Encoder:
    """Resolve and load the model, with a bounded memory of vectors in front of it.

    Args:
        configured: path or name from the settings; None searches (``STILLTRUE_MODEL`` first).
        cached_texts: how many texts' vectors are remembered.
        observe: see ``CachedEncoder``.

    Raises:
        ModelUnavailableError, WrongModelError, ReferenceMissingError: refuse to start; each says what to do.
    """
    return CachedEncoder(_load(find(configured)), cached_texts, observe)


def describe(configured: str | None = None) -> ModelDescription:
    """Load the model and tell what it is."""
    found = find(configured)
    encoder = _load(found)
    graph = None if found.sha256 is None else str(minilm.graph_path(graph_cache(), found.sha256))
    return ModelDescription(
        backend=found.backend,
        origin=found.origin,
        location=found.location,
        sha256=found.sha256,
        name=encoder.name,
        dimension=encoder.dimension,
        graph=graph,
    )


def _load(found: Resolved) -> Encoder:
    match found.backend:
        case "minilm":
            assert found.sha256 is not None
            return minilm.load(Path(found.location), found.sha256, graph_cache())
        case "reference":
            return reference.load(found.location)
        case _:
            assert_never(found.backend)


def graph_cache() -> Path:
    """Where built graphs are kept."""
    return cache_folder(os.environ, Path.home())
