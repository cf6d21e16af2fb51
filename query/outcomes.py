"""What became of a plan: derived from what updated it, and from time; never stored."""

from __future__ import annotations

from schemas.edges import UpdateKind
from views.rows import EventRow

from .api import PlanStatus
from .cut import Cut

_OUTCOME: dict[UpdateKind, PlanStatus] = {
    "done": "done",
    "change": "changed",
    "cancelled": "cancelled",
    "correction": "changed",
    "withdrawn": "cancelled",
}


def plan_status(row: EventRow, cut: Cut, at: int) -> PlanStatus | None:
    """The outcome of a plan at an instant; None for what is no plan.

    Of the updates in effect the earliest counts, ties by id, as in ``valid_until``; a correction or withdrawal is in
    effect from the start. Without one, a plan whose expected time or own end has passed has lapsed: outcome unknown.
    """
    event = row.event
    if event.modality != "planned":
        return None
    found: list[tuple[int, str, str, UpdateKind]] = []
    for superseder in row.superseders:
        by = cut.row(superseder.event_id)
        since = row.valid_from if superseder.kind in ("correction", "withdrawn") else by and by.valid_from
        if since is not None and (since <= at or row.corrected):
            found.append((since, superseder.event_id, superseder.edge_id, superseder.kind))
    if found and (row.corrected or row.superseded):
        return _OUTCOME[min(found)[3]]
    ends = [end for end in (event.expected_until, row.valid_until) if end is not None]
    return "lapsed" if any(at >= end for end in ends) else "planned"
