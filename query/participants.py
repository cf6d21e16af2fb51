"""Who takes part in a space: canonical names, with the other names that were merged into them, and why."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.adjudications import AliasMerged, AliasRecord, canonical_names, merges
from views.reader import Basis, SpaceReader

from .api import AliasEntry, ParticipantEntry, ParticipantsResult


def participants(reader: SpaceReader, words: Iterable[AliasRecord], basis: Basis) -> ParticipantsResult:
    """The participants by canonical name; an alias whose canonical name no statement bears is listed under it too.

    Args:
        reader: the space; its names are canonical.
        words: the last word on every alias.
        basis: what the reader reflects.
    """
    known = list(words)
    merged = canonical_names(merges(known))
    names = {name.casefold(): name for name in reader.participants()}
    aliases: dict[str, list[AliasEntry]] = {}
    for word in sorted(known, key=lambda word: (word.alias.casefold(), word.at)):
        canonical = merged.get(word.alias.casefold())
        if canonical is None or not isinstance(word, AliasMerged):
            continue
        names.setdefault(canonical.casefold(), canonical)
        at = None if word.sources else word.at
        entry = AliasEntry(name=word.alias, analyst=word.analyst, evidence=word.evidence, at=at)
        aliases.setdefault(canonical.casefold(), []).append(entry)
    return ParticipantsResult(
        entries=tuple(
            ParticipantEntry(
                name=names[folded],
                aliases=tuple(aliases.get(folded, ())),
                events=len(reader.events_of_participant(names[folded])),
            )
            for folded in sorted(names)
        ),
        basis=basis,
    )
