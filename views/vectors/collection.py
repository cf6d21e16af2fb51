"""The collection on a Qdrant server: its name, how it is made, and whether one that is there is ours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from qdrant_client import QdrantClient, models

from .points import (
    CONVERSATION_FIELD,
    DENSE,
    INDEX_FORMAT,
    KIND_FIELD,
    SPACE_FIELD,
    SPARSE,
    TERMS_FIELD,
    IndexMismatchError,
)

FieldIndex = models.KeywordIndexParams | models.IntegerIndexParams

FIELDS: Mapping[str, FieldIndex] = {
    SPACE_FIELD: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    KIND_FIELD: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    CONVERSATION_FIELD: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    TERMS_FIELD: models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False),
}
"""Payload indexes. The space's value names tenant and space: whoever filters by it filters by both."""

BAD_REQUEST = frozenset({400, 409, 413, 422})
"""What a server answers to something it will never take."""

_ENCODER, _FORMAT, _MADE = "stilltrue_encoder", "stilltrue_format", "stilltrue_made"


def collection_name(encoder: str, dimension: int, prefix: str = "") -> str:
    """One collection for each encoder and format: an index is never asked with vectors of another encoder.

    ``prefix``: that of the topics. Two systems may have spaces of the same name.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", encoder.casefold()).strip("-")
    return f"{prefix}stilltrue-{plain}-{dimension}-v{INDEX_FORMAT}"


def create_collection(client: QdrantClient, name: str, dimension: int, encoder: str, *, made: str) -> None:
    """Make it; what it was made for is kept with it. ``made``: names this one for ever."""
    client.create_collection(
        name,
        # Dot, not Cosine: rows are of length 1 already, and Cosine would store other bytes than it was given.
        vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.DOT)},
        sparse_vectors_config={SPARSE: models.SparseVectorParams()},
        # No graph is built: every search is exact within one space.
        hnsw_config=models.HnswConfigDiff(m=0),
        metadata={_ENCODER: encoder, _FORMAT: INDEX_FORMAT, _MADE: made},
    )


def check_collection(info: models.CollectionInfo, name: str, dimension: int, encoder: str) -> str:
    """Whether a collection is one of ours for this encoder; returns what names it for ever.

    Raises:
        IndexMismatchError: it is not.
    """
    found = _difference(info, dimension, encoder)
    if found is not None:
        raise IndexMismatchError(
            f"collection {name}: {found}. Delete the collection (DELETE /collections/{name}) and start the embed "
            "workers again: they make it anew and fill it; or correct STILLTRUE_QDRANT or the model"
        )
    metadata = info.config.metadata or {}
    return str(metadata[_MADE])


def missing_indexes(info: models.CollectionInfo) -> Mapping[str, FieldIndex]:
    """The payload indexes that are still to be made."""
    return {field: params for field, params in FIELDS.items() if field not in info.payload_schema}


def _difference(info: models.CollectionInfo, dimension: int, encoder: str) -> str | None:
    """The first thing that is not as it should be."""
    params, metadata = info.config.params, info.config.metadata or {}
    dense = params.vectors.get(DENSE) if isinstance(params.vectors, dict) else None
    sparse = (params.sparse_vectors or {}).get(SPARSE)
    if dense is None or dense.size != dimension or dense.distance != models.Distance.DOT:
        return f"expected vectors {DENSE} of {dimension} dimensions with Dot, found {params.vectors}"
    if sparse is None or sparse.modifier not in (None, models.Modifier.NONE):
        return f"expected vectors {SPARSE} without a modifier, found {params.sparse_vectors}"
    if _MADE not in metadata:
        return "it does not say that it is ours (its metadata are empty, or of others)"
    if metadata.get(_ENCODER) != encoder:
        return f"made by the encoder {metadata.get(_ENCODER)!r}, this is {encoder!r}"
    if metadata.get(_FORMAT) != INDEX_FORMAT:
        return f"of format {metadata.get(_FORMAT)}, this is {INDEX_FORMAT}"
    return _wrong_index(info)


def _wrong_index(info: models.CollectionInfo) -> str | None:
    """A payload index that is there, but of another kind than ours."""
    for field, wanted in FIELDS.items():
        found = info.payload_schema.get(field)
        if found is None:
            continue
        if found.data_type.value != wanted.type.value:
            return f"field {field} is indexed as {found.data_type.value}, expected {wanted.type.value}"
        told = found.params  # which a server may leave out
        told_tenant = isinstance(told, models.KeywordIndexParams) and bool(told.is_tenant)
        if field == SPACE_FIELD and told is not None and not told_tenant:
            return f"field {field} is not indexed with is_tenant"
    return None
