"""The alias table: which names are one person. Merges and splits are rulings; the later wins, ties by record hash."""

from __future__ import annotations

import msgspec

from schemas.adjudications import AliasMerged, AliasSplit, canonical_names
from schemas.codec import encode
from schemas.ids import record_hash

from .held import AliasRuling, Control, space_prefix
from .state import ViewState


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


def names_of(control: Control) -> dict[str, str]:
    """Every alias, case-folded, with its canonical name as that is written."""
    return canonical_names({a: r.canonical for a, r in control.aliases.items() if r.canonical is not None})


def resolved_aliases(control: Control) -> dict[str, str]:
    """Case-folded alias to case-folded canonical name, chains followed; a circle of merges gives its smallest name."""
    return {alias: name.casefold() for alias, name in names_of(control).items()}
