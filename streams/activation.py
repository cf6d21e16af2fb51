"""A stage announces its producer in every space it works in; the one that worked there before becomes the fallback."""

from __future__ import annotations

import msgspec

from schemas.control import ProducerActivated, StageName
from schemas.ids import SpaceKey


class Announced(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The stage's last announcement in a space."""

    producer: str
    at: int


def announcement(
    space: SpaceKey, stage: StageName, producer: str, former: Announced | None, at: int
) -> ProducerActivated | None:
    """The record to publish before the producer's first set of a space; None when it was announced last.

    New rules or another model are a new producer. What the former one said of sessions that the new one has not read
    yet still counts, as the fallback: an upgrade empties nobody's memory. ``at`` (microseconds UTC) is never before
    the former announcement's, so that the newest one wins.
    """
    if former is not None and former.producer == producer:
        return None
    return ProducerActivated(
        tenant=space.tenant,
        space=space.space,
        stage=stage,
        producer=producer,
        fallback=None if former is None else former.producer,
        at=at if former is None else max(at, former.at + 1),
    )
