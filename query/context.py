"""Context assembly under budgets (Eq. 21-22): the graph block, what an analyst ruled out, then the notes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from schemas.edges import Edge
from schemas.ids import MessageKey

from .api import ContextItem, Mode, Path
from .ports import TokenCounter
from .render import HEADINGS, Rendered, Renderer, Shown

MISFITS_MAX = 20
"""After so many items in a row that do not fit, a block is full: rendering hundreds more to fit one is not worth it."""

SPARE_MIN = 8
"""Tokens below which no statement with its day and speaker fits, so a second filling cannot add anything."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What may go into a context, each list in the order in which it is taken: relevance alone selects.

    ``shown_paths``, ``shown_notes``: the order in which what was taken is shown, where that is another one; that of
    paths is only asked for when one was taken.
    """

    paths: Sequence[Path]
    notes: Sequence[tuple[MessageKey, float]]
    ruled_out: Sequence[Edge]
    shown_paths: Callable[[], Sequence[Path]] | None = None
    shown_notes: Sequence[tuple[MessageKey, float]] | None = None


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """An assembled context. ``tokens`` counts headings and items, ``scaffolding`` headings, labels and markers."""

    items: tuple[ContextItem, ...]
    tokens: int
    scaffolding: int
    sha256: str


def arm(mode: Mode, offer: Offer) -> Offer:
    """What a mode sees of an offer: the arms differ in nothing else, so their contexts can be compared."""
    match mode:
        case "flat":
            return msgspec.structs.replace(offer, paths=(), shown_paths=None, ruled_out=())
        case "graph":
            return msgspec.structs.replace(offer, notes=(), shown_notes=None, ruled_out=())
        case "hybrid":
            return msgspec.structs.replace(offer, ruled_out=())
        case "graph+ruled_out":
            return msgspec.structs.replace(offer, notes=(), shown_notes=None)


def assemble(offer: Offer, budget: int, note_share: float, renderer: Renderer, counter: TokenCounter) -> Context:
    """Fill a context. Items are whole or left out, and no message is paid for twice.

    Eq. 21: ``B'_path = B_path + max(0, B_note - |C_note|)``; Eq. 22: ``|C_note| + |C_path| <= B_total``. We let the
    budget flow the other way as well: what the paths leave goes to the notes. A message that the graph block shows in
    full is not offered again as a note. What was taken is written out once more in the order in which it is shown.

    Args:
        offer: of one arm.
        budget: B_total in tokens.
        note_share: B_note / B_total.
        renderer: of this query.
        counter: counts headings; the renderer counts items with it too.
    """
    costs = {kind: counter.count(heading) for kind, heading in HEADINGS.items()}
    filled = _fill(offer, budget - int(note_share * budget), budget, renderer, costs)
    spare = budget - filled.used
    if spare >= SPARE_MIN and filled.is_short and offer.paths and offer.notes:
        graph = sum(costs[kind] + sum(one.rendered.tokens for one in taken) for kind, taken in filled.graph())
        filled = _fill(offer, graph + spare, budget, renderer, costs)
    if offer.shown_paths is not None or offer.shown_notes is not None:
        filled = _fill(_as_shown(offer, filled), budget, budget, renderer, costs)
    items = tuple(one.rendered.item(one.score) for taken in filled.taken.values() for one in taken)
    scaffolding = sum(one.rendered.scaffolding for taken in filled.taken.values() for one in taken)
    return Context(
        items=items,
        tokens=filled.used,
        scaffolding=scaffolding + sum(costs[kind] for kind, taken in filled.taken.items() if taken),
        sha256=hashlib.sha256(rendered_text(items).encode()).hexdigest(),
    )


def rendered_text(items: Sequence[ContextItem]) -> str:
    """The context as a model reads it: each block under its heading."""
    blocks = [
        "\n".join([HEADINGS[kind], *(item.text for item in items if item.kind == kind)]) for kind in _kinds(items)
    ]
    return "\n\n".join(blocks)


class _Taken(NamedTuple):
    """An item of a context, its score, and the path that it shows."""

    rendered: Rendered
    score: float
    path: Path | None


class _Filling:
    """A context that is being filled.

    Attributes:
        taken: the items of each kind, in the order in which they were taken.
        shown: what they show.
        used: tokens of items and headings.
        is_short: something of the graph block did not fit.
    """

    def __init__(self, costs: Mapping[str, int]) -> None:
        self._costs = costs
        self._misfits = 0
        self.taken: dict[str, list[_Taken]] = {kind: [] for kind in HEADINGS}
        self.shown = Shown(labels={}, messages={}, steps={})
        self.used = 0
        self.is_short = False

    def graph(self) -> list[tuple[str, list[_Taken]]]:
        """What stands beside the notes, by kind."""
        return [(kind, taken) for kind, taken in self.taken.items() if taken and kind != "note"]

    def take(self, rendered: Rendered | None, within: int, score: float, path: Path | None) -> bool:
        """Take an item of the graph block if it fits; False once the block is full."""
        if rendered is None:
            return True
        taken = self.taken[rendered.kind]
        used = self.used + rendered.tokens + (0 if taken else self._costs[rendered.kind])
        if used > within:
            self.is_short = True
            self._misfits += 1
            return self._misfits < MISFITS_MAX
        self._misfits, self.used = 0, used
        self.shown.add(rendered, path)
        taken.append(_Taken(rendered, score, path))
        return True

    def take_notes(self, notes: Sequence[tuple[MessageKey, float]], within: int, renderer: Renderer) -> None:
        """Take the notes that fit, in this order, until the block is full."""
        messages, taken, render = self.shown.messages, self.taken["note"], renderer.note
        used, misfits = self.used + self._costs["note"], 0
        for key, score in notes:
            if key in messages:
                continue
            rendered = render(key)
            if rendered is None:
                continue
            if used + rendered.tokens <= within:
                used, misfits = used + rendered.tokens, 0
                messages[key] = None
                taken.append(_Taken(rendered, score, None))
            else:
                misfits += 1
                if misfits == MISFITS_MAX:
                    break
        if taken:
            self.used = used

    def next_block(self) -> None:
        """Another block begins."""
        self._misfits = 0


def _as_shown(offer: Offer, filled: _Filling) -> Offer:
    """Only what was taken, in the order in which it is shown; a statement of a chain may stand alone before it."""
    paths = [one.path for one in filled.taken["path"] if one.path is not None]
    chosen = set(map(id, paths))
    events = {event_id for path in paths for event_id in path.events}
    keys = {key for one in filled.taken["note"] for key in one.rendered.message_ids}
    return Offer(
        paths=[
            path
            for path in _in_shown_order(offer, chosen)
            if id(path) in chosen or (not path.steps and path.events[0] in events)
        ],
        notes=[note for note in offer.shown_notes or offer.notes if note[0] in keys],
        ruled_out=offer.ruled_out,
    )


def _in_shown_order(offer: Offer, chosen: Collection[int]) -> Sequence[Path]:
    """The paths of an offer in the order in which they are shown; none where none was chosen."""
    if not chosen:
        return ()
    return (offer.shown_paths() if offer.shown_paths else ()) or offer.paths


def _fill(offer: Offer, graph_budget: int, budget: int, renderer: Renderer, costs: Mapping[str, int]) -> _Filling:
    """Paths and ruled-out relations under ``graph_budget``, then notes under what is left of ``budget``.

    ``costs``: of the headings.
    """
    filling = _Filling(costs)
    limit = graph_budget if offer.notes else budget
    for edge in offer.ruled_out:
        if not filling.take(renderer.ruled_out(edge), limit, edge.confidence, None):
            break
    filling.next_block()
    for path in offer.paths:
        if not filling.take(renderer.path(path, filling.shown), limit, path.score, path):
            break
    filling.take_notes(offer.notes, budget, renderer)
    return filling


def _kinds(items: Sequence[ContextItem]) -> list[str]:
    present = {item.kind for item in items}
    return [kind for kind in HEADINGS if kind in present]
