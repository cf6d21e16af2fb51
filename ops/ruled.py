"""The part of ``ops.system.System`` that analysts use, and what the edge refuses as the callers know it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ops.adjudicating import Adjudicating
from ops.system import Refused
from query.api import ParticipantsResult, ProducersResult, RulingsResult
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
from streams.checks import RefusedError


@contextmanager
def refusals() -> Generator[None]:
    """Turns ``RefusedError`` of the streams into ``Refused``."""
    try:
        yield
    except RefusedError as error:
        raise Refused(error.problem) from error


class Ruled:
    """See ``ops.system.System`` for what each method means. ``analysts`` does the work."""

    analysts: Adjudicating

    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut:
        """Append an analyst's ruling and apply it."""
        with refusals():
            return self.analysts.adjudicate(space, wanted)

    def activate(self, space: SpaceKey, wanted: ActivateIn) -> ActivatedOut:
        """Choose whose sets count, and apply it."""
        with refusals():
            return self.analysts.activate(space, wanted)

    def participants(self, space: SpaceKey) -> ParticipantsResult:
        """Canonical names with their aliases."""
        return self.analysts.participants(space)

    def rulings(self, space: SpaceKey) -> RulingsResult:
        """The analysts' rulings that stand."""
        return self.analysts.rulings(space)

    def producers(self, space: SpaceKey) -> ProducersResult:
        """Who made sets, and whose count."""
        return self.analysts.producers(space)

    def conversations(self, space: SpaceKey, message_id: str) -> Sequence[str]:
        """The conversations that hold a message of this id."""
        return self.analysts.conversations(space, message_id)
