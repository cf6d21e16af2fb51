"""Lines of a batch's results, recorded one by one: none is in another's way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ops.system import System
    from schemas.ids import SpaceKey


@dataclass(kw_only=True)
class Answers:
    """What became of the lines.

    Attributes:
        recorded: answers that are new.
        answered: to questions that have an answer.
        withdrawn: recorded, but nobody waits for them: what they were asked about is otherwise by now.
        failed: results without an answer; their questions stay open.
        unknown: ids nobody here has asked, in order.
        broken: places and reasons of lines that are no results.
        spaces: those that answers were recorded of.
    """

    recorded: int = 0
    answered: int = 0
    withdrawn: int = 0
    failed: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    spaces: set[SpaceKey] = field(default_factory=set["SpaceKey"])

    def told(self) -> dict[str, object]:
        """For machines."""
        return {
            "recorded": self.recorded, "answered": self.answered, "withdrawn": self.withdrawn,
            "failed": tuple(self.failed), "unknown": tuple(self.unknown), "broken": tuple(self.broken),
        }  # fmt: skip

    def lines(self, most: int) -> Iterator[str]:
        """For people: the counts, then up to ``most`` of each kind of trouble."""
        yield (
            f"recorded {self.recorded}, answered before {self.answered}, out of date {self.withdrawn}, "
            f"failed {len(self.failed)}, unknown {len(self.unknown)}, broken {len(self.broken)}"
        )
        for name, found in (("failed", self.failed), ("unknown", self.unknown), ("broken", self.broken)):
            yield from (f"  {name}: {one}" for one in found[:most])
            if len(found) > most:
                yield f"  ... and {len(found) - most} more {name}"


def record(system: System, lines: Iterable[tuple[str, bytes]]) -> Answers:
    """Record every answer whose question is open here. ``lines``: each with its place, for people."""
    from ops.llm.batch import BadLineError, read_result

    totals = Answers()
    for place, line in lines:
        try:
            result = read_result(line)
        except BadLineError as error:
            totals.broken.append(f"{place}: {error}")
            continue
        if result.answer is None:
            totals.failed.append(f"{result.custom_id}: {result.problem}")
            continue
        space, outcome = system.record_reply(result.custom_id, result.answer)
        if space is not None:
            totals.spaces.add(space)
        match outcome:
            case "recorded":
                totals.recorded += 1
            case "answered":
                totals.answered += 1
            case "withdrawn":
                totals.withdrawn += 1
            case "unknown":
                totals.unknown.append(result.custom_id)
    return totals
