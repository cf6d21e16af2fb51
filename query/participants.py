"""Who takes part in a space: canonical names, with the other names that analysts merged into them, and why."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.adjudications import AliasMerged, AliasRecord
from views.reader import Basis, SpaceReader

from .api import AliasEntry, ParticipantEntry, ParticipantsResult


def participants(reader: SpaceReader, words: Iterable[AliasRecord], basis: Basis) -> ParticipantsResult:
    """The participants by canonical name; an alias whose canonical name no statement bears is listed under it too.

    Args:
        reader: the space; its names are canonical.
        words: the last word on every alias.
        basis: what the reader reflects.
    """
    merged = {word.alias.casefold(): word for word in words if isinstance(word, AliasMerged)}
    names = {name.casefold(): name for name in reader.participants()}
    aliases: dict[str, list[AliasEntry]] = {}
    for alias, word in sorted(merged.items()):
        under = _end_of(alias, merged)
        names.setdefault(under, merged[_last(alias, merged)].canonical)
        entry = AliasEntry(name=word.alias, analyst=word.analyst, evidence=word.evidence, at=word.at)
        if under != alias:
            aliases.setdefault(under, []).append(entry)
    return ParticipantsResult(
        entries=tuple(
            ParticipantEntry(
                name=names[folded],
                aliases=tuple(aliases.get(folded, ())),
                events=len(reader.events_of_participant(names[folded])),
            )
            for folded in sorted(names, key=lambda name: (name, names[name]))
        ),
        basis=basis,
    )


def _path(alias: str, merged: dict[str, AliasMerged]) -> list[str]:
    """The alias and what it stands for, in turn; a circle ends where it closes."""
    seen = [alias]
    while seen[-1] in merged and (following := merged[seen[-1]].canonical.casefold()) not in seen:
        seen.append(following)
    return seen


def _end_of(alias: str, merged: dict[str, AliasMerged]) -> str:
    """The canonical name, case-folded; of a circle of merges its smallest name, as ``views.aliases`` has it."""
    path = _path(alias, merged)
    return min(path) if path[-1] in merged else path[-1]


def _last(alias: str, merged: dict[str, AliasMerged]) -> str:
    """The alias whose merge names the canonical name as it is written."""
    path = _path(alias, merged)
    return path[-1] if path[-1] in merged else path[-2]
