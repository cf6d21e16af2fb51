"""Which way an edge runs that a model found. The model says what; time says which way."""

from __future__ import annotations

from schemas.events import Event, Stated

Order = tuple[int, Stated, str]


def vouched(event: Event) -> int:
    """Until when at least a statement was so, as far as it tells (design section 4), microseconds UTC.

    What holds is vouched for when it is said, or from when it begins; what is told as past, by its own time.
    """
    if event.holds:
        return max(event.stated.sent_at, event.stated.sent_at if event.valid_from is None else event.valid_from)
    ends = event.anchor.until if event.ends_at is None else min(event.anchor.until, event.ends_at)
    return min(ends, event.stated.sent_at)


def order(event: Event) -> Order:
    """The total order of valid time."""
    return vouched(event), event.stated, event.id


def later_first(one: Event, other: Event) -> tuple[Event, Event]:
    """The two, the later in valid time first: it is what ends the other."""
    return (one, other) if order(one) > order(other) else (other, one)


def earlier_first(one: Event, other: Event) -> tuple[Event, Event]:
    """The two by the time they are about, the earlier first: it is what leads to the other."""
    return (one, other) if _about(one) < _about(other) else (other, one)


def _about(event: Event) -> Order:
    return event.anchor.start, event.stated, event.id
