"""The analysts' rulings that stand, where they have effect now, and which are orphaned."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.adjudications import EdgeAccepted
from schemas.ids import SpaceKey
from views.reader import Basis
from views.rulings import Placed

from .api import RulingEntry, RulingsResult


def rulings(space: SpaceKey, placed: Iterable[Placed], basis: Basis) -> RulingsResult:
    """Rulings by the edge they were made on."""
    entries = tuple(_entry(space, one) for one in sorted(placed, key=lambda p: p.ruling.edge_id))
    return RulingsResult(entries=entries, orphaned=sum(entry.orphaned for entry in entries), basis=basis)


def _entry(space: SpaceKey, placed: Placed) -> RulingEntry:
    ruling = placed.ruling
    accepted = isinstance(ruling, EdgeAccepted)
    return RulingEntry(
        ruling="accepted" if accepted else "ruled_out", edge_id=placed.edge_id(space), ruled_on=ruling.edge_id,
        src=placed.src, dst=placed.dst, relation=ruling.relation, kind=ruling.kind if accepted else None,
        analyst=ruling.analyst, reason=ruling.reason, at=ruling.at, orphaned=placed.is_orphaned,
    )  # fmt: skip
