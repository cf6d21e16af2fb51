"""Ids as people type them: the beginning of one is enough when no other begins so. Nothing at all is a mistake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .world import CommandError

if TYPE_CHECKING:
    from schemas.ids import SpaceKey

    from .world import Asked, Changed

_FULL_ID = 25
"""The letter of the kind and 24 hex digits (``schemas.ids``)."""


def full_event_id(system: Asked, space: SpaceKey, given: str, now: int, known_at: int | None) -> str:
    """The one event id that begins as given; a ``CommandError`` when there is none or more than one."""
    if len(given) >= _FULL_ID:
        return given
    from query.api import StateRequest

    request = StateRequest(
        space=space, as_of=now, known_at=known_at, participant=None, attribute=None, include_all=True
    )
    known = [entry.event.id for entry in system.state(request).entries]
    return _one("event", given, known, f"./stilltrue state {space.space} --all lists them")


def full_edge_id(system: Changed, space: SpaceKey, given: str) -> str:
    """The same of an edge, one that is ruled out included."""
    if len(given) >= _FULL_ID:
        return given
    known = [entry.edge_id for entry in system.edges(space, None, None).entries]
    return _one("edge", given, known, f"./stilltrue history {space.space} EVENT shows them")


def _one(what: str, given: str, known: Sequence[str], where: str) -> str:
    if not given:
        raise CommandError(f"the {what}'s id is empty; {where}")
    found = sorted(name for name in known if name.startswith(given))
    if len(found) == 1:
        return found[0]
    if not found:
        raise CommandError(f"no {what} begins with {given!r}; {where}")
    raise CommandError(f"{given!r} is the beginning of {len(found)} {what}s: {', '.join(found[:5])}")
