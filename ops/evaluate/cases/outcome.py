"""What the system says after a case: statements, edges, answer and context, as the checks look at them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property

import msgspec

from query.api import ContextItem, EdgeEntry, HistoryResult, QueryResult, StateEntry, StateRequest
from schemas.ids import SpaceKey
from schemas.times import from_us, parse_time
from schemas.wire import ScopeIn
from views.rows import Status

from ..memory import Memory
from ..statebench import statements
from .case import Case, CaseMessage
from .delivery import Delivered
from .text import contains, matches

CURRENT: tuple[Status, ...] = ("valid", "partial")
BUDGET = 2_000


class Outcome:
    """A delivered case.

    Args:
        case: the story.
        memory: where it was delivered.
        space: the space of the tenant who asks.
        delivered: what the API said meanwhile.
    """

    def __init__(self, case: Case, memory: Memory, space: SpaceKey, delivered: Delivered) -> None:
        self.case = case
        self.memory = memory
        self.space = space
        self.delivered = delivered

    @cached_property
    def at(self) -> int:
        """T: when the question is asked, else just after the last message."""
        if self.case.asked_at is not None:
            return parse_time(self.case.asked_at)[0]
        return 1 + max(sent for message in self.case.messages if (sent := sent_at(message)) is not None)

    @cached_property
    def entries(self) -> tuple[StateEntry, ...]:
        """Every live statement, as it stands at T."""
        return self.memory.statements(self.space, self.at)

    def entries_at(self, at: int, known_at: int | None) -> tuple[StateEntry, ...]:
        """Every statement known at ``known_at``, as it stands at an instant."""
        request = StateRequest(
            space=self.space, as_of=at, known_at=known_at, participant=None, attribute=None, include_all=True
        )
        return self.memory.system.state(request).entries

    @cached_property
    def reply(self) -> QueryResult:
        """The question, answered."""
        scope = None if self.case.scope is None else msgspec.convert(self.case.scope, ScopeIn)
        return self.memory.ask(self.space, self.case.question, self.at, BUDGET, answer=True, scope=scope)

    @property
    def answer(self) -> str:
        """The answer's text."""
        return self.reply.answer.text if self.reply.answer is not None else ""

    @property
    def known(self) -> bool:
        """Whether the answer is one, and not "not known"."""
        return self.reply.answer is not None and self.reply.answer.known

    @cached_property
    def edges(self) -> tuple[EdgeEntry, ...]:
        """All live edges."""
        found = self.memory.system.edges(self.space, None, None).entries
        return tuple(edge for edge in found if edge.live)

    def entry(self, event_id: str) -> StateEntry | None:
        """A statement by id."""
        return next((entry for entry in self.entries if entry.event.id == event_id), None)

    def history(self, entry: StateEntry) -> HistoryResult:
        """The chain of a statement."""
        return self.memory.system.history(self.space, entry.event.id, self.at, None)

    def matching(self, wanted: str) -> list[StateEntry]:
        """Statements that match."""
        return [entry for entry in self.entries if matches(item_text(entry), wanted)]

    def containing(self, wanted: str) -> list[StateEntry]:
        """Statements that contain."""
        return [entry for entry in self.entries if contains(item_text(entry), wanted)]

    def current_entries(self, wanted: str) -> list[StateEntry]:
        """Current statements that contain it."""
        return [entry for entry in self.containing(wanted) if entry.status in CURRENT]

    def current_notes(self, wanted: str) -> list[str]:
        """Unmarked lines of the context that contain it; not where the only statements of it that do are past."""
        found: list[str] = []
        for item in self.reply.context:
            for line, _ in statements([item]):
                if line.endswith("}") or not contains(line, wanted):
                    continue
                said = [entry for entry in self.containing(wanted) if entry.event.id in item.event_ids]
                if not said or any(entry.status in CURRENT for entry in said):
                    found.append(line)
        return found

    def says_now(self, wanted: str) -> bool:
        """The answer or a current item contains it."""
        return contains(self.answer, wanted) or bool(self.current_entries(wanted) or self.current_notes(wanted))

    def message(self, message_id: str) -> CaseMessage:
        """A message of the case."""
        return next(message for message in self.case.messages if message.message_id == message_id)

    def day_of(self, us: int, entry: StateEntry) -> date:
        """An instant as a day in the offset of the statement's message."""
        offset = entry.citations[0].utc_offset_min if entry.citations else 0
        return from_us(us, offset).date()


def item_text(entry: StateEntry) -> str:
    """What a statement says: text, attribute, value, participants, quotes."""
    event = entry.event
    parts = [event.text, event.attribute or "", event.value or "", *event.participants]
    return " · ".join([*parts, *(citation.quote for citation in entry.citations)])


def context_texts(items: Sequence[ContextItem]) -> list[str]:
    """Everything the context shows."""
    return [item.text for item in items]


def rests_on(entry: StateEntry, message_id: str) -> bool:
    """Whether a message is among its sources."""
    return any(source.message_id == message_id for source in entry.event.sources)


def sent_at(message: CaseMessage) -> int | None:
    """When it was sent, if that is a time with a zone."""
    try:
        return parse_time(message.sent_at)[0]
    except ValueError:
        return None
