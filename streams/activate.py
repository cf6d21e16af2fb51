"""Choosing by command whose sets count: a request as a record, and nothing when it is so already. Pure."""

from __future__ import annotations

from collections.abc import Collection

from schemas.control import ProducerActivated
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivateIn

from .checks import RefusedError, check_id, check_space


def activate(
    space: SpaceKey, wanted: ActivateIn, producers: Collection[str], ruling: ProducerActivated | None, now: int
) -> ProducerActivated | None:
    """The record that makes a producer the active one of its stage; None when it is that already.

    Args:
        space: its tenant and space.
        wanted: the request; without a fallback, who counted until now stays as the fallback, so that no session is
            emptied by it.
        producers: those that made a set in the space, for the stage.
        ruling: the activation that stands.
        now: microseconds UTC.

    Raises:
        RefusedError: ``not_found`` for a producer that made no set there: to activate it would empty the view.
    """
    check_space(space)
    for field, name in (("producer", wanted.producer), ("fallback", wanted.fallback)):
        if name is not None and name not in producers:
            known = ", ".join(sorted(producers)) or "none"
            check_id(field, name)
            message = f"no producer {name!r} has made sets for {wanted.stage} in this space; known: {known}"
            raise RefusedError("not_found", message, field)
    ranked = _fallbacks(wanted, producers, ruling)
    fallback, further = (ranked[0] if ranked else None), ranked[1:]
    if ruling is not None and (ruling.producer, ruling.fallback, ruling.further) == (
        wanted.producer, fallback, further,
    ):  # fmt: skip
        return None
    return ProducerActivated(
        tenant=space.tenant, space=space.space, stage=wanted.stage, producer=wanted.producer, fallback=fallback,
        at=now if ruling is None else max(now, ruling.at + 1), further=further,
    )  # fmt: skip


def _fallbacks(wanted: ActivateIn, producers: Collection[str], ruling: ProducerActivated | None) -> tuple[str, ...]:
    """The one asked for, then who counted until now and its own fallbacks; the same names in the same order again for
    who counts already."""
    if ruling is None:
        former = (min(producers),) if producers else ()
    elif ruling.producer == wanted.producer:
        former = _named(ruling.fallback, *ruling.further)
    else:
        former = _named(ruling.producer, ruling.fallback, *ruling.further)
    names = (*_named(wanted.fallback), *former)
    return tuple(dict.fromkeys(name for name in names if name != wanted.producer))


def _named(*names: str | None) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)
