"""Links between events by what they have in common: a session, or a theme of their sessions.

From each event of a session or theme, in the order found, to the next ones of it; through a theme to those of other
sessions alone. Two events that have several in common are linked through the first by name. A link runs from what was
stated first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.parts import whole_of

from .event_columns import NONE, SEVERAL

Ints = npt.NDArray[np.int64]

ThemeOf = Callable[[str], str | None]


class Common(NamedTuple):
    """Links, those through sessions first: from what to what by number, and the names of what they lead through."""

    srcs: Ints
    dsts: Ints
    names: list[str]
    sessions: int


def common_of_one(sessions: Ints, parts: Ints, names: Sequence[str], theme_of: ThemeOf, stated: Ints) -> Common | None:
    """To the next one each, where every event is of one session at most; None where one is of several.

    Args:
        sessions: of each event, a number or ``NONE``.
        parts: the same number for those of the same part of a session.
        names: of the sessions, by number.
        theme_of: of a session by its name.
        stated: places of the events by when they were stated.
    """
    if SEVERAL in sessions:
        return None
    members = np.flatnonzero(sessions != NONE)
    found, which = np.unique(sessions[members], return_inverse=True)
    own = [names[int(number)] for number in found]
    of_theme: dict[str, int] = {}
    told = [theme_of(name) for name in own]
    themes = np.array([-1 if name is None else of_theme.setdefault(name, len(of_theme)) for name in told])
    in_sessions = _grouped(members, which)
    ones, others, through = _neighbours(in_sessions, np.arange(len(members)))
    in_theme = np.flatnonzero(themes[which] >= 0) if len(members) else members
    in_themes = _grouped(members[in_theme], themes[which][in_theme] if len(members) else members)
    ones_apart, others_apart, through_themes = _neighbours(in_themes, parts[in_themes[0]])
    theme_names = list(of_theme)
    one, other = np.concatenate((ones, ones_apart)), np.concatenate((others, others_apart))
    back = stated[one] > stated[other]
    return Common(
        np.where(back, other, one),
        np.where(back, one, other),
        [own[number] for number in through.tolist()] + [theme_names[number] for number in through_themes.tolist()],
        len(ones),
    )


def _grouped(members: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """Members group by group, by where a group comes first; and the group of each."""
    first = np.empty(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]  # what is set last stays: where it comes first
    order = np.argsort(first[groups], kind="stable")
    return members[order], groups[order]


def _neighbours(grouped: tuple[Ints, Ints], kinds: Ints) -> tuple[Ints, Ints, Ints]:
    """Each with the next of its group that is of another kind, and the group."""
    members, groups = grouped
    if len(members) < 2:
        return members[:0], members[:0], groups[:0]
    changes = np.flatnonzero((groups[1:] != groups[:-1]) | (kinds[1:] != kinds[:-1]))
    after = np.append(changes + 1, len(members))[np.searchsorted(changes, np.arange(len(members)))]
    inside = np.flatnonzero(after < len(members))
    linked = inside[groups[after[inside]] == groups[inside]]
    return members[linked], members[after[linked]], groups[linked]


def in_common(sessions: Sequence[Sequence[str]], theme_of: ThemeOf, stated: Sequence[int], fan: int) -> Common:
    """To the ``fan`` next ones each, whatever sessions the events are of. ``sessions``: or their parts, by event."""
    members: dict[str, list[int]] = {}
    for number, names in enumerate(sessions):
        for name in dict.fromkeys(map(whole_of, names)):
            members.setdefault(name, []).append(number)
    themes: dict[str, set[int]] = {}
    for name, of in members.items():
        theme = theme_of(name)
        if theme is not None:
            themes.setdefault(theme, set()).update(of)
    near = _linked(((name, one, other) for name, of in members.items() for one, other in _next(of, fan)), stated)
    apart = ((name, one, other) for name, of in themes.items() for one, other in _apart(sessions, sorted(of), fan))
    far = _linked(apart, stated)
    ends = np.array([*near, *far], dtype=np.int64).reshape(-1, 2)
    return Common(ends[:, 0], ends[:, 1], [*near.values(), *far.values()], len(near))


def _linked(links: Iterable[tuple[str, int, int]], stated: Sequence[int]) -> dict[tuple[int, int], str]:
    """Each pair once, with the first of the names."""
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


def _apart(sessions: Sequence[Sequence[str]], members: Sequence[int], fan: int) -> Iterator[tuple[int, int]]:
    """Each with the next ones that are of no session it is of."""
    for position, one in enumerate(members):
        own, left = sessions[one], fan
        for other in map(members.__getitem__, range(position + 1, len(members))):
            of_other = sessions[other]
            if of_other != own and set(own).isdisjoint(of_other):
                yield one, other
                left -= 1
                if not left:
                    break
