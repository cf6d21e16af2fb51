"""Links between events by what they have in common: a session, or a theme of their sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .cut import Cut
from .settings import Hierarchy
from .vertices import Vertex

_SESSION: Hierarchy = "session"
_THEME: Hierarchy = "theme"


class Common(NamedTuple):
    """Links: from what to what by number, and the session or theme that both have in common."""

    srcs: list[int]
    dsts: list[int]
    by: list[tuple[Hierarchy, str]]


def in_common(cut: Cut, vertices: Sequence[Vertex], stated: Sequence[int], fan: int) -> Common:
    """From each event of a session or theme, in the order found, to the ``fan`` next ones of it.

    Through a theme an event leads to those of other sessions alone. Two events that have several in common are linked
    through the first by name; a link runs from what was stated first.
    """
    if not fan:
        return Common([], [], [])
    sessions: dict[str, list[int]] = {}
    for number, vertex in enumerate(vertices):
        for name in vertex.sessions:
            sessions.setdefault(name, []).append(number)
    themes: dict[str, set[int]] = {}
    for name, members in sessions.items():
        theme = cut.reader.theme_of(name)
        if theme is not None:
            themes.setdefault(theme, set()).update(members)
    through_sessions = _linked(
        ((name, one, other) for name, of in sessions.items() for one, other in _next(of, fan)), stated
    )
    parts = [vertex.row.session_ids for vertex in vertices]
    through_themes = _linked(
        ((name, one, other) for name, of in themes.items() for one, other in _next_apart(parts, sorted(of), fan)),
        stated,
    )
    pairs = [*through_sessions, *through_themes]
    by = [(_SESSION, name) for name in through_sessions.values()] + [(_THEME, name) for name in through_themes.values()]
    return Common([one for one, _ in pairs], [other for _, other in pairs], by)


def _linked(links: Iterable[tuple[str, int, int]], stated: Sequence[int]) -> dict[tuple[int, int], str]:
    """Each pair once, from what was stated first, with the first of the names."""
    found: dict[tuple[int, int], str] = {}
    for name, one, other in links:
        pair = (one, other) if stated[one] <= stated[other] else (other, one)
        if found.setdefault(pair, name) > name:
            found[pair] = name
    return found


def _next(members: Sequence[int], fan: int) -> Iterator[tuple[int, int]]:
    """Each with the next ones."""
    for position, one in enumerate(members):
        for other in members[position + 1 : position + 1 + fan]:
            yield one, other


def _next_apart(parts: Sequence[tuple[str, ...]], members: Sequence[int], fan: int) -> Iterator[tuple[int, int]]:
    """Each with the next ones that are of no session it is of."""
    apart: list[list[int]] = []
    for position in range(len(members) - 1, -1, -1):
        own = parts[members[position]]
        if not apart or parts[members[position + 1]] != own:  # else what is apart from the next one is so from this
            apart.append(_first_apart(parts, own, members, position + 1, fan))
        else:
            apart.append(apart[-1])
    for one, others in zip(members, reversed(apart), strict=True):
        for other in others:
            yield one, other


def _first_apart(
    parts: Sequence[tuple[str, ...]], own: tuple[str, ...], members: Sequence[int], begin: int, fan: int
) -> list[int]:
    found: list[int] = []
    for position in range(begin, len(members)):
        other = members[position]
        if parts[other] != own and set(own).isdisjoint(parts[other]):
            found.append(other)
            if len(found) == fan:
                break
    return found
