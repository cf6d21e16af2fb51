"""The alias table: which names are one person. Merges and splits are rulings; the later wins, ties by record hash."""

from __future__ import annotations

import msgspec

from schemas.adjudications import AliasMerged, AliasSplit
from schemas.codec import encode
from schemas.ids import record_hash

from .state import AliasRuling, Control, ViewState, space_prefix


def fold_alias(state: ViewState, record: AliasMerged | AliasSplit) -> None:
    """Keep the ruling if it is the last word on its alias."""
    cell = space_prefix(record.key)
    control = state.control.get(cell)
    canonical = record.canonical if isinstance(record, AliasMerged) else None
    ruling = AliasRuling(at=record.at, hash=record_hash(encode(record)), canonical=canonical)
    alias = record.alias.casefold()
    known = control.aliases.get(alias)
    if known is None or (ruling.at, ruling.hash) > (known.at, known.hash):
        state.control.put(cell, msgspec.structs.replace(control, aliases={**control.aliases, alias: ruling}))


def resolved_aliases(control: Control) -> dict[str, str]:
    """Case-folded alias to case-folded canonical name, chains followed; a circle of merges gives its smallest name."""
    direct = {a: r.canonical.casefold() for a, r in control.aliases.items() if r.canonical is not None}
    out: dict[str, str] = {}
    for alias in direct:
        seen = [alias]
        while seen[-1] in direct and direct[seen[-1]] not in seen:
            seen.append(direct[seen[-1]])
        out[alias] = min(seen) if seen[-1] in direct else seen[-1]
    return out
