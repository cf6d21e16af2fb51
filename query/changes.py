"""What changed in the state of a space between two instants of valid time: what began to hold, and what ceased to."""

from __future__ import annotations

from .api import ChangeEntry, ChangesResult, StateResult


def changes(everything: StateResult, since: int) -> ChangesResult:
    """The changes after ``since`` and up to the state's own instant, in the order in which they took effect.

    An action is no state, and what was never so (corrected, taken back) neither began nor ended.

    Args:
        everything: the state with what no longer holds (``include_all``).
        since: microseconds UTC.
    """
    found: list[ChangeEntry] = []
    for entry in everything.entries:
        until = entry.valid_until
        if entry.event.type == "action" or entry.status in ("corrected", "withdrawn"):
            continue
        if until is not None and until <= entry.valid_from:
            continue
        if since < entry.valid_from <= everything.as_of:
            found.append(ChangeEntry(at=entry.valid_from, change="began", entry=entry))
        if until is not None and since < until <= everything.as_of:
            found.append(ChangeEntry(at=until, change="ended", entry=entry))
    found.sort(key=lambda one: (one.at, one.change == "began", one.entry.event.id))
    return ChangesResult(since=since, until=everything.as_of, entries=tuple(found), basis=everything.basis)
