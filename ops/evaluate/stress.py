"""Suite ``stress``: questions whose answer changed. Is the current turn there, first, and the outdated one marked?"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from query.api import ContextItem

from .ablations import mode_of
from .data import number_of, sample_numbers
from .memory import after_last
from .suite import Scores, Task, share

BUDGET = 4_000


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What a context does with a stress item. Positions are item indices; None = not shown."""

    current: int | None
    outdated: int | None
    unmarked: bool

    @property
    def current_first(self) -> bool:
        """The current turn comes no later than the outdated one; a missing one loses, both missing fail."""
        if self.current is None:
            return False
        return self.outdated is None or self.current <= self.outdated


def run(task: Task) -> Scores:
    """Every item of the imported conversations."""
    samples = task.data.samples()
    items = task.data.stress()
    present = first = unmarked = total = with_outdated = 0
    details: list[str] = []
    for place in sample_numbers(samples, task.samples):
        mine = [item for item in items if item.sample == number_of(samples, place)]
        if not mine:
            continue
        space = task.memory.import_locomo(task.data.locomo, place)
        at = after_last(task.memory.statements(space, 0))
        for item in mine:
            context = task.memory.ask(space, item.question, at, BUDGET, mode=mode_of(task.variant)).context
            shown = look(context, item.current_dia_ids, item.outdated_dia_ids)
            total += 1
            present += shown.current is not None
            unmarked += shown.unmarked
            if item.outdated_dia_ids:
                with_outdated += 1
                first += shown.current_first
            details.append(
                f"{item.id}: current at {shown.current}, outdated at {shown.outdated}"
                f"{', unmarked' if shown.unmarked else ''}: {item.question}"
            )
    return Scores(
        metrics={
            "current_4k": share(present, total),
            "current_first": share(first, with_outdated),
            "outdated_unmarked": share(unmarked, total),
            "items": total,
            "items_with_outdated": with_outdated,
        },
        counts={
            "current_4k": (present, total),
            "current_first": (first, with_outdated),
            "outdated_unmarked": (unmarked, total),
        },
        details=details,
    )


def look(context: Sequence[ContextItem], current: Collection[str], outdated: Collection[str]) -> Shown:
    """Where a context shows the turns. A turn that states both counts as current."""
    old = set(outdated) - set(current)
    shown = [{message for _, message in item.message_ids} for item in context]
    return Shown(
        current=next((n for n, ids in enumerate(shown) if not ids.isdisjoint(current)), None),
        outdated=next((n for n, ids in enumerate(shown) if not ids.isdisjoint(old)), None),
        unmarked=any(not ids.isdisjoint(old) and not item.marker for item, ids in zip(context, shown, strict=True)),
    )
