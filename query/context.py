"""Context assembly under budgets (Eq. 21-22): the graph block, what an analyst ruled out, then the notes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
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
    filled = _fill(offer, budget - int(note_share * budget), budget, renderer, counter)
    spare = budget - _tokens(filled, counter)
    if spare >= SPARE_MIN and offer.paths and offer.notes:
        graph = [one for one in filled if one.rendered.item.kind != "note"]
        filled = _fill(offer, _tokens(graph, counter) + spare, budget, renderer, counter)
    if offer.shown_paths is not None or offer.shown_notes is not None:
        filled = _fill(_as_shown(offer, filled), budget, budget, renderer, counter)
    items = tuple(one.rendered.item for one in filled)
    headings = sum(counter.count(HEADINGS[kind]) for kind in _kinds(items))
    return Context(
        items=items,
        tokens=_tokens(filled, counter),
        scaffolding=headings + sum(one.rendered.scaffolding for one in filled),
        sha256=hashlib.sha256(rendered_text(items).encode()).hexdigest(),
    )


def rendered_text(items: Sequence[ContextItem]) -> str:
    """The context as a model reads it: each block under its heading."""
    blocks = [
        "\n".join([HEADINGS[kind], *(item.text for item in items if item.kind == kind)]) for kind in _kinds(items)
    ]
    return "\n\n".join(blocks)


class _Taken(NamedTuple):
    """An item of a context, and the path that it shows."""

    rendered: Rendered
    path: Path | None


def _as_shown(offer: Offer, taken: Sequence[_Taken]) -> Offer:
    """Only what was taken, in the order in which it is shown; a statement of a chain may stand alone before it."""
    chosen = {id(one.path) for one in taken if one.path is not None}
    events = {event_id for one in taken if one.path is not None for event_id in one.path.events}
    keys = {MessageKey(*key) for one in taken if one.path is None for key in one.rendered.item.message_ids}
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


def _fill(offer: Offer, graph_budget: int, budget: int, renderer: Renderer, counter: TokenCounter) -> list[_Taken]:
    """Paths and ruled-out relations under ``graph_budget``, then notes under what is left of ``budget``."""
    shown = Shown(labels={}, messages={}, steps={})
    taken: list[_Taken] = []
    kinds: set[str] = set()
    used = misfits = 0

    def take(rendered: Rendered | None, within: int, path: Path | None = None) -> bool:
        """Take an item if it fits; False once the block is full."""
        nonlocal used, misfits
        if rendered is None:
            return True
        kind = rendered.item.kind
        cost = rendered.item.tokens + (0 if kind in kinds else counter.count(HEADINGS[kind]))
        fits = used + cost <= within
        misfits = 0 if fits else misfits + 1
        if fits:
            used += cost
            kinds.add(kind)
            shown.add(rendered, path)
            taken.append(_Taken(rendered, path))
        return misfits < MISFITS_MAX

    limit = graph_budget if offer.notes else budget
    for edge in offer.ruled_out:
        if not take(renderer.ruled_out(edge), limit):
            break
    misfits = 0
    for path in offer.paths:
        if not take(renderer.path(path, shown), limit, path):
            break
    misfits = 0
    for key, score in offer.notes:
        if key not in shown.messages and not take(renderer.note(key, score), budget):
            break
    return sorted(taken, key=lambda one: list(HEADINGS).index(one.rendered.item.kind))


def _tokens(taken: Sequence[_Taken], counter: TokenCounter) -> int:
    items = [one.rendered.item for one in taken]
    return sum(item.tokens for item in items) + sum(counter.count(HEADINGS[kind]) for kind in _kinds(items))


def _kinds(items: Sequence[ContextItem]) -> list[str]:
    present = {item.kind for item in items}
    return [kind for kind in HEADINGS if kind in present]
