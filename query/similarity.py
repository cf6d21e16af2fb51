"""How close events are to a question, by the notes they rest on and by their own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from schemas.ids import SpaceKey
from views.vectors.refs import note_ref

from .cut import Cut
from .ports import NoteSearch
from .score import event_similarity

if TYPE_CHECKING:
    from .ports import Vector


class Similarity:
    """To one vector: of a question, or of an answer."""

    def __init__(self, search: NoteSearch, space: SpaceKey, vector: Vector) -> None:
        self._search = search
        self._space = space
        self._vector = vector

    def of_notes(self, refs: Mapping[str, Sequence[str]], known: Mapping[str, float]) -> dict[str, float]:
        """``max over n in N(e) of cos(phi(q), phi(n))`` for each event (inner term of Eq. 17).

        An event asserted without a message has no note: its own vector stands in, or the paper's term would be empty.

        Args:
            refs: of the notes that each event rests on.
            known: cosines of notes that were found already, by ref.
        """
        cosines = dict(known)
        missing = {ref for listed in refs.values() for ref in listed if ref not in cosines}
        if missing:
            cosines |= self._search.cosines(self._space, "note", sorted(missing), self._vector)
        noteless = [event_id for event_id, listed in refs.items() if not listed]
        found = self._search.cosines(self._space, "event", noteless, self._vector) if noteless else {}
        for event_id, listed in refs.items():
            if len(listed) == 1:
                found[event_id] = cosines.get(listed[0], 0.0)
            elif listed:
                found[event_id] = event_similarity([cosines[ref] for ref in listed if ref in cosines])
            else:
                found.setdefault(event_id, 0.0)
        return found

    def of_statements(
        self, rows: Iterable[str], by_notes: Mapping[str, float], known: Mapping[str, float]
    ) -> dict[str, float]:
        """For the answer: an event's text is closer to a question than the whole message around it, so both count."""
        own = dict(known)
        own |= self._search.cosines(self._space, "event", [i for i in rows if i not in own], self._vector)
        return {i: max(by_notes.get(i, 0.0), own.get(i, 0.0)) for i in rows}


def note_refs(cut: Cut, event_ids: Iterable[str]) -> dict[str, Sequence[str]]:
    """Refs of the notes that events rest on, each once. Remembered."""
    known: dict[str, Sequence[str]] = cut.memo.of_events("note refs")
    found: dict[str, Sequence[str]] = {}
    for event_id in event_ids:
        refs = known.get(event_id)
        if refs is None:
            refs = known[event_id] = [note_ref(key) for key in cut.sources(event_id)]
        found[event_id] = refs
    return found
