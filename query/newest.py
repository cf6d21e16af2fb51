"""For questions about the present, or about how something changed: the newest of the relevant items first.

Relevance alone puts the outdated statement first more often than not, since both are about the same in the same words.
So relevance decides what is shown, and among the most relevant time decides the order; what is older points at what was
said later on the same. Nothing is dropped. The paper orders by S alone: ``newest_first`` switches this off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from schemas.ids import MessageKey

from .api import Path
from .cut import Cut
from .relevance import Note

if TYPE_CHECKING:
    from .ports import Vector


def newest_notes(notes: Sequence[Note], most: int) -> list[Note]:
    """The ``most`` most relevant ones, said last first; then the others as they were."""
    first = sorted(notes[:most], key=lambda note: (-note.text.sent_at, -note.text.seq, note.key))
    return [*first, *notes[most:]]


def newest_paths(
    paths: Sequence[Path], notes: Sequence[Note], events: Sequence[str], most: int, cut: Cut
) -> list[Path]:
    """Paths whose every event rests on one of the ``most`` most relevant notes, by their oldest event, newest first.

    Then the others as they were. By the oldest, or a chain would bring an old statement to the top with a new one. An
    event that rests on no message is near when it is one of the ``most`` best of ``events``.
    """
    near = {note.key for note in notes[:most]}
    near_events = set(events[:most])

    def is_near(path: Path) -> bool:
        keys = ((event_id, cut.sources(event_id)) for event_id in path.events)
        return all(not near.isdisjoint(sources) if sources else event_id in near_events for event_id, sources in keys)

    first = [path for path in paths if is_near(path)]
    chosen = {id(path) for path in first}
    first.sort(key=lambda path: max((-row.event.stated.sent_at for row in cut.rows(path.events)), default=0))
    return [*first, *(path for path in paths if id(path) not in chosen)]


def later_on_the_same(
    notes: Sequence[Note], most: int, vectors: Mapping[MessageKey, Vector], same_topic: float
) -> dict[MessageKey, Note]:
    """Of each of the ``most`` most relevant notes the last one its speaker said later on the same, where there is one.

    Args:
        notes: best first.
        most: how many are looked at.
        vectors: of these notes, of length 1.
        same_topic: cosine from which two are on the same.
    """
    by_time = sorted(notes[:most], key=lambda note: (note.text.sent_at, note.text.seq, note.key), reverse=True)
    found: dict[MessageKey, Note] = {}
    said: dict[str, list[tuple[Note, Vector]]] = {}
    for note in by_time:
        own = vectors.get(note.key)
        if own is None:
            continue
        of_speaker = said.setdefault(note.text.speaker, [])
        for later, other in of_speaker:
            if float(own @ other) >= same_topic:
                found[note.key] = later
                break
        of_speaker.append((note, own))
    return found
