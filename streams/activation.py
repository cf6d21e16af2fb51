"""A stage announces its producer in every space it works in; the one that worked there before becomes the fallback."""

from __future__ import annotations

import msgspec

from schemas.control import ProducerActivated, StageName
from schemas.ids import SpaceKey


class Announced(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The stage's last announcement in a space. ``former``: producers that worked there before, the latest first."""

    producer: str
    at: int
    former: tuple[str, ...] = ()


def announcement(
    space: SpaceKey, stage: StageName, producer: str, known: Announced | None, at: int, beside: str | None = None
) -> ProducerActivated | None:
    """The record to publish before the producer's first set of a space; None when it was announced last.

    New rules or another model are a new producer. What the former ones said of sessions that the new one has not read
    yet still counts, as fallbacks, the latest first: an upgrade empties nobody's memory.

    Args:
        space: where it works.
        stage: of the producer.
        producer: who works there from now on.
        known: what was announced last.
        at: microseconds UTC; the record's is never before the former announcement's, so that the newest one wins.
        beside: a producer that reads every session at once, where the new one takes its time: the last fallback.
    """
    if known is not None and known.producer == producer:
        return None
    former = () if known is None else (known.producer, *known.former)
    names = [name for name in (*former, beside) if name is not None and name != producer]
    ranked = tuple(dict.fromkeys(names))
    return ProducerActivated(
        tenant=space.tenant,
        space=space.space,
        stage=stage,
        producer=producer,
        fallback=ranked[0] if ranked else None,
        at=at if known is None else max(at, known.at + 1),
        further=ranked[1:],
    )


def announced(record: ProducerActivated) -> Announced:
    """What to remember of an announcement."""
    former = () if record.fallback is None else (record.fallback, *record.further)
    return Announced(producer=record.producer, at=record.at, former=former)
