"""Checks of what joins two statements: relations, contradictions, circles, chains."""

from __future__ import annotations

from collections.abc import Iterable

from query.api import EdgeEntry

from .checks import Check, Checks, alternatives, mapping, objects, texts
from .outcome import CURRENT, Outcome, item_text
from .text import contains, matches


def both_sides_kept(o: Outcome, value: object) -> Iterable[str]:
    for text in texts(value):
        if not o.matching(text):
            yield f"no statement matches {text!r}"


def relation_one_of(o: Outcome, value: object) -> Iterable[str]:
    one, other = texts(o.case.expect["both_sides_kept"])
    joined = {edge.relation for edge in o.edges if _joins(o, edge, one, other) or _joins(o, edge, other, one)}
    if joined.isdisjoint(texts(value)):
        yield f"joined by {sorted(joined)}, none of {value}"


def contradiction(o: Outcome, value: object) -> Iterable[str]:
    for one, other in alternatives(value):
        sides = ((one, other), (other, one))
        if not any(edge.relation == "contradicts" and _joins(o, edge, *side) for edge in o.edges for side in sides):
            yield f"no contradiction joins {one!r} and {other!r}"


def edges(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        if not _edges(o, wanted):
            yield f"no edge {wanted}"


def edge_invalidated(o: Outcome, value: object) -> Iterable[str]:
    for wanted in objects(value):
        if not any(edge.invalid_from is not None for edge in _edges(o, wanted)):
            yield f"no invalidated edge {wanted}"


def _edges(o: Outcome, wanted: object) -> list[EdgeEntry]:
    edge = mapping(wanted)
    ends = str(edge["from"]), str(edge["to"])
    return [found for found in o.edges if found.relation == edge["type"] and _joins(o, found, *ends)]


def _joins(o: Outcome, edge: EdgeEntry, src: str, dst: str) -> bool:
    ends = ((o.entry(edge.src), src), (o.entry(edge.dst), dst))
    return all(entry is not None and matches(item_text(entry), wanted) for entry, wanted in ends)


def max_updates_edges(o: Outcome, value: object) -> Iterable[str]:
    yield from _at_most(o, "updates", value)


def max_contradicts_edges(o: Outcome, value: object) -> Iterable[str]:
    yield from _at_most(o, "contradicts", value)


def _at_most(o: Outcome, relation: str, most: object) -> Iterable[str]:
    found = [edge for edge in o.edges if edge.relation == relation]
    if len(found) > int(str(most)):
        ends = [[getattr(o.entry(end), "event", None) for end in (edge.src, edge.dst)] for edge in found]
        yield f"{len(found)} {relation} edges: {[[getattr(event, 'text', '?') for event in pair] for pair in ends]}"


def no_cycle(o: Outcome, value: object) -> Iterable[str]:
    following: dict[str, list[str]] = {}
    for edge in o.edges:
        if edge.effective:
            following.setdefault(edge.src, []).append(edge.dst)
    for start in following:
        queue, seen = list(following[start]), set[str]()
        while queue:
            event_id = queue.pop()
            if event_id == start:
                yield f"effective updates run in a circle through {start}"
                return
            if event_id not in seen:
                seen.add(event_id)
                queue += following.get(event_id, [])


def chain_length(o: Outcome, value: object) -> Iterable[str]:
    wanted = [text for one_of in alternatives(o.case.expect.get("current_must_mention", [])) for text in one_of]
    current = [entry for entry in o.entries if entry.status in CURRENT]
    told = [entry for entry in current if any(contains(item_text(entry), text) for text in wanted)] or current
    lengths = [len(o.history(entry).entries) for entry in told]
    if value not in lengths:
        yield f"chains of the current value have {lengths} statements, not {value}"


_ALL: tuple[Check, ...] = (
    both_sides_kept, relation_one_of, contradiction, edges, edge_invalidated, max_updates_edges,
    max_contradicts_edges, no_cycle, chain_length,
)  # fmt: skip
RELATED: Checks = {check.__name__: check for check in _ALL}
