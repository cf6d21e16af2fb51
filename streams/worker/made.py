"""What a step writes, while it is being made."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.asking import AskWithdrawn, ReplyRead

from ..llm.desk import about_model
from ..parts import left_out
from ..ports import Output
from ..sessions.publish import newest_only
from .newest import last_claims, newest_edges
from .step import Out, out_of

STEP_OUTPUT_BYTES = 4 * 1024 * 1024
"""Records are left for the next step once this one's outputs are so large; the last record may go beyond it."""


class Made:
    """Outputs and letters: of each session's revisions, and sets of edges, only the newest."""

    def __init__(self) -> None:
        self.records = self.parked = self.faulted = 0
        self._found: list[tuple[Output, Out]] = []
        self._letters: list[Out] = []
        self._size = 0

    def add(self, found: Sequence[tuple[Output, Out]]) -> None:
        """What came of a record."""
        self._found += found
        self._size += sum(len(out.value) for _, out in found)

    def park(self, letter: Out, *, faulted: bool) -> None:
        """A record was of no use."""
        self._letters.append(letter)
        self.parked += 1
        self.faulted += faulted
        self._size += len(letter.value)

    @property
    def left_out(self) -> int:
        """See ``fold.Decided``."""
        return left_out([output for output, _ in self._found])

    @property
    def told(self) -> tuple[ReplyRead | AskWithdrawn, ...]:
        """See ``fold.Decided``."""
        return about_model(output for output, _ in self._found)

    def is_full(self) -> bool:
        """Whether it is time to write, also without what is replaced."""
        if self._size >= STEP_OUTPUT_BYTES:
            self._keep(self._newest())
        return self._size >= STEP_OUTPUT_BYTES

    def outputs(self, *, claims_last: bool) -> list[Out]:
        """All of it. ``claims_last``: see ``last_claims``."""
        kept = self._newest()
        self._keep(last_claims(kept) if claims_last else kept)
        return [*self._letters, *(out for _, out in self._found)]

    def _newest(self) -> list[Output]:
        return newest_edges(newest_only([output for output, _ in self._found]))

    def _keep(self, outputs: Sequence[Output]) -> None:
        encoded = {id(output): out for output, out in self._found}
        self._found = [(output, encoded.get(id(output)) or out_of(output)) for output in outputs]
        self._size = sum(len(out.value) for out in (*self._letters, *(out for _, out in self._found)))
