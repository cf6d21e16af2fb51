"""What the query engine is without one of its parts, as settings: measured by ``evaluate … --ablate NAME``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from query.api import Mode
from query.settings import QuerySettings, Relevance

PLAIN = Relevance(
    sparse=0.0, nearby=(), events=0.0, runs=0.0, speaker=0.0, statements=0.0, recency=0.0, places_from=None
)
"""The paper's R_k(q): cosine alone."""


def _without(*families: str) -> Callable[[QuerySettings], QuerySettings]:
    def changed(s: QuerySettings) -> QuerySettings:
        return msgspec.structs.replace(s, families=tuple(f for f in s.families if f not in families))

    return changed


ABLATIONS: Mapping[str, Callable[[QuerySettings], QuerySettings]] = {
    "no_ent": _without("entity"),
    "no_upd": _without("update"),
    "no_hier": lambda s: msgspec.structs.replace(_without("hierarchy")(s), hierarchy_fan=0),
    "no_graph": lambda s: msgspec.structs.replace(s, families=("note",), max_hops=0, hierarchy_fan=0),
    "no_sparse": lambda s: msgspec.structs.replace(s, relevance=msgspec.structs.replace(s.relevance, sparse=0.0)),
    "dense_only": lambda s: msgspec.structs.replace(s, relevance=PLAIN),
    "no_plan": lambda s: msgspec.structs.replace(s, newest_first=False),
    "flat": lambda s: msgspec.structs.replace(s, families=("note",), max_hops=0, hierarchy_fan=0, newest_first=False),
    "paper": lambda s: msgspec.structs.replace(s, relevance=PLAIN, newest_first=False, path_order="score"),
}
"""By name, in the order of a table. ``no_plan``: what a question asks for does not order the context; without a model a
plan does nothing else. ``flat``: the arm of that name (``mode_of``)."""


def mode_of(variant: str | None) -> Mode:
    """The arm that a variant is asked in."""
    return "flat" if variant == "flat" else "hybrid"
