"""What of the evidence goes into a context, and in which order it is shown. Relevance alone selects; time only orders.

Were the order of showing the order of taking, what is new but beside the point would push out what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from schemas.ids import MessageKey
from views.rows import EventRow

from .api import Path
from .cut import Cut
from .newest import newest_notes, newest_paths
from .rank import by_relevance, current_first, is_telling, take_turns
from .relevance import Note, as_notes
from .restated import Restated
from .settings import QuerySettings

_CAUSAL = ("causes", "enables", "prevents")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found, each best first: paths by S, notes by the fused ranking, events by similarity.

    ``shares``: how good each event is beside the best (``relevance.as_shares``).
    """

    paths: Sequence[Path]
    notes: Sequence[Note]
    events: Sequence[str]
    shares: Mapping[str, float]


class Showing:
    """The orders for one query.

    Args:
        found: what there is.
        restated: messages that say once more what a retired fact said stand behind what took its place, like the fact.
        cut: the space as read by this query.
        at: instant the question is about.
        newest: of how many of the most relevant items the newest are shown first; 0 where time does not order.
        settings: of the engine.
    """

    def __init__(
        self, found: Found, restated: Restated, cut: Cut, at: int, newest: int, settings: QuerySettings
    ) -> None:
        self._found = found
        self._restated = restated
        self._cut = cut
        self._at = at
        self._newest = newest
        self._settings = settings

    def taken_paths(self, beside: int, is_long: Callable[[MessageKey], bool]) -> list[Path]:
        """Paths in the order in which they are taken.

        Args:
            beside: how many of the best notes may stand beside the paths; 0 where none do. Beside notes a path is worth
                its tokens when it says more than they, who carry markers and dates as well: a chain that touches one of
                them and either brings something else or says what caused what (that one statement took another's place
                or contradicts it is in their markers), or an event that rests on no message or on one of them that is
                too long to be shown. By ``path_order = score``, the paper's, all are taken, as where no note was found.
            is_long: whether a message alone is more than the context can take.
        """
        if not beside or not self._found.notes or self._settings.path_order == "score":
            return self._ordered
        near = {note.key for note in self._found.notes[:beside]}
        is_near: dict[str, bool] = {}
        for event_id in dict.fromkeys(event_id for path in self._ordered for event_id in path.events):
            sources = self._cut.sources(event_id)
            is_near[event_id] = not sources or not near.isdisjoint(sources)

        def is_worth_it(path: Path) -> bool:
            here = [is_near[event_id] for event_id in path.events]
            if True not in here:
                return False
            if not path.steps:
                return all(map(is_long, near.intersection(self._cut.sources(path.events[0]))))
            relations = {step.relation for step in path.steps}
            return (False in here or not relations.isdisjoint(_CAUSAL)) and is_telling(path)

        return [path for path in self._ordered if is_worth_it(path)]

    @cached_property
    def _ordered(self) -> list[Path]:
        """All paths: by relevance, single events and chains by turns."""
        found, ordered = self._found, list(self._found.paths)
        if self._settings.path_order == "relevance":
            own = as_notes(found.shares, self._settings.relevance)
            ordered = by_relevance(ordered, {note.key: note.score for note in found.notes}, own, self._cut)
        return take_turns(ordered)

    def taken_notes(self) -> list[tuple[MessageKey, float]]:
        """Notes in the order in which they are taken."""
        return [(note.key, note.score) for note in self._found.notes]

    def shown_paths(self) -> list[Path]:
        """All paths in the order in which those that are taken are shown."""
        found, ordered = self._found, self._ordered
        if self._newest:
            ordered = newest_paths(ordered, found.notes, found.events, self._newest, self._cut)
        rows = [self._cut.rows(path.events) for path in ordered]
        shown = [
            [*path.events, *_ids(map(self._restated.of_event, of))] for path, of in zip(ordered, rows, strict=True)
        ]
        order = current_first(shown, [path.ns for path in ordered], self._cut, self._at, self._settings.answer_margin)
        return [ordered[position] for position in order]

    def shown_notes(self) -> list[tuple[MessageKey, float]]:
        """Notes in the order in which they are shown."""
        notes = self._found.notes
        ordered = newest_notes(notes, self._newest) if self._newest else list(notes)
        keys, fact_of = [note.key for note in ordered], self._restated.of
        told = zip(self._cut.events_of(keys), map(fact_of, keys), strict=True)
        shown = [events if fact is None else [*events, fact.event.id] for events, fact in told]
        cosines = [note.cosine or 0.0 for note in ordered]
        order = current_first(shown, cosines, self._cut, self._at, self._settings.answer_margin)
        return [(ordered[position].key, ordered[position].score) for position in order]


def _ids(rows: Iterable[EventRow | None]) -> list[str]:
    return [row.event.id for row in rows if row is not None]
