"""The definition of linking: every session's edges, from all live event sets at once. The stage must equal it."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.edges import Edge
from schemas.ids import SpaceKey

from ..classify.protocol import Classifier
from .live import HeldSet, pool_of
from .session import link_session


def edges_of(space: SpaceKey, live: Iterable[HeldSet], classifier: Classifier) -> dict[str, tuple[Edge, ...]]:
    """By session (or batch), the edges whose later end lies in it."""
    pool = pool_of(live)
    return {session_id: link_session(space, session_id, pool, classifier).edges for session_id in sorted(pool.members)}
