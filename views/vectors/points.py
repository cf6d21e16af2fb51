"""What the implementations share: point ids, payload fields, and the checks on what is stored."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence

import numpy as np

from schemas.ids import SpaceKey

from .protocol import Point, PointKind

INDEX_FORMAT = 1
"""Format of ids, payload and sparse terms. Raise it when one of them changes: an index of another format is rebuilt."""

DENSE = "dense"
SPARSE = "sparse"

SPACE_FIELD = "space"
KIND_FIELD = "kind"
CONVERSATION_FIELD = "conversation"
TERMS_FIELD = "terms"
REF_FIELD = "ref"
AT_FIELD = "at"

_NAMESPACE = uuid.UUID("6f1c1f0e-9b0b-5c55-8a8e-3f0f4a1d2c77")
_UNIT_TOLERANCE = 1e-3


def space_value(space: SpaceKey) -> str:
    """The one keyword that keeps spaces apart. JSON, because a tenant's name may hold any separator."""
    return json.dumps([space.tenant, space.space], ensure_ascii=False, separators=(",", ":"))


def point_id(space: SpaceKey, kind: PointKind, ref: str) -> str:
    """UUIDv5 of tenant, space, kind and ref: the same note is the same point, however often it is written."""
    name = json.dumps([space.tenant, space.space, kind, ref], ensure_ascii=False, separators=(",", ":"))
    return str(uuid.uuid5(_NAMESPACE, name))


def payload(space: SpaceKey, point: Point) -> dict[str, str | int | list[int]]:
    """What is stored beside the vectors. The term ids are stored once more here so that they can be counted."""
    return {
        SPACE_FIELD: space_value(space),
        KIND_FIELD: point.kind,
        CONVERSATION_FIELD: point.conversation_id,
        REF_FIELD: point.ref,
        AT_FIELD: point.at,
        TERMS_FIELD: list(point.sparse.indices),
    }


def check_points(points: Sequence[Point], dimension: int) -> None:
    """Refuse vectors that would rank wrongly without anybody noticing.

    Raises:
        ValueError: another dimension than the index's, or a dense vector that is not of length 1 (cosine is computed
            as a dot product). The caller used the wrong encoder.
    """
    for point in points:
        if point.dense.shape != (dimension,):
            raise ValueError(f"{point.kind} {point.ref}: vector of shape {point.dense.shape}, index has {dimension}")
        length = float(np.linalg.norm(point.dense))
        if abs(length - 1.0) > _UNIT_TOLERANCE:
            raise ValueError(f"{point.kind} {point.ref}: vector of length {length:.4f}, expected 1")


class IndexMismatchError(ValueError):
    """The stored index was made by another encoder or format, or is damaged. Delete it and rebuild it from the log."""


class IndexLockedError(RuntimeError):
    """Another process (or another object of this one) has the index open. Stop it first; there is one writer."""


class IndexAwayError(RuntimeError):
    """The index cannot be asked, or does not take what is written, just now. Try again later; nothing is lost by it."""


class PointsRefusedError(ValueError):
    """The index will never take points as they are. Offer each alone to find out which; those are to be parked."""
