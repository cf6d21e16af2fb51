"""The budget of a day: what was spent, what was answered and is not booked yet, and the most that is on the way.

A question may begin while all of that together is below the budget. What it can take at most is then reserved until
its reply is there, so however many are asked at once, a budget is exceeded by one question at most. Without I/O.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from schemas.asking import ModelAsked, ModelReplied, Prompt
from schemas.ids import SpaceKey
from streams.llm.desk import EVERYWHERE, OpenAsk, Settled, find_ask, spent_on
from streams.log.protocol import TableReader

from .completion import CHARS_PER_TOKEN
from .settings import LlmSettings


class DeskRows(NamedTuple):
    """Where the rows of a desk are: of the embedded system, or of one partition."""

    tables: TableReader
    table: str
    prefix: bytes


class Budget:
    """Of everything that one process asks. Of one event loop.

    Args:
        settings: with the limits.
        clock: microseconds UTC.
    """

    def __init__(self, settings: LlmSettings, clock: Callable[[], int]) -> None:
        self._own = settings.space_tokens_per_day
        self._every = settings.tokens_per_day
        self._clock = clock
        self._unread: dict[str, tuple[DeskRows, ModelReplied]] = {}
        self._reserved: dict[str, tuple[SpaceKey, int]] = {}
        self._desks: dict[bytes, DeskRows] = {}

    def look(self, desk: DeskRows) -> None:
        """Its rows are read: a reply they have booked by now is no longer counted beside them."""
        self._desks[desk.prefix] = desk
        self._unread = {
            ask_id: (where, reply)
            for ask_id, (where, reply) in self._unread.items()
            if where.prefix != desk.prefix or _is_unread(find_ask(*desk, ask_id), reply)
        }

    def is_spent(self, desk: DeskRows, space: SpaceKey) -> bool:
        """Whether nothing is left of today's budget, of the space or of all, by what was answered."""
        return not self._is_left(desk, space, reserved=False)

    def has_room(self, desk: DeskRows, space: SpaceKey) -> bool:
        """Whether something is left even if what is on the way takes all that it may."""
        return self._is_left(desk, space, reserved=True)

    def reserve(self, name: str, ask: ModelAsked) -> None:
        """A question goes out. ``name``: to release it by."""
        self._reserved[name] = ask.key, tokens_at_most(ask.prompt)

    def release(self, name: str) -> None:
        """It came back, or never went out. Harmless for one that was released."""
        self._reserved.pop(name, None)

    def expect(self, desk: DeskRows, reply: ModelReplied) -> None:
        """Count a reply as spent until the desk has booked it."""
        self._unread[reply.ask_id] = desk, reply

    def _is_left(self, desk: DeskRows, space: SpaceKey, *, reserved: bool) -> bool:
        now, desks = self._clock(), self._desks | {desk.prefix: desk}
        if self._own is not None:
            own = spent_on(*desk, space, now).tokens + self._beside(space, reserved=reserved)
            if own >= self._own:
                return False
        if self._every is None:
            return True
        every = sum(spent_on(*one, EVERYWHERE, now).tokens for one in desks.values())
        return every + self._beside(None, reserved=reserved) < self._every

    def _beside(self, space: SpaceKey | None, *, reserved: bool) -> int:
        """Tokens that no desk has booked, of a space or of all."""
        replies = [reply for _, reply in self._unread.values() if space in (None, reply.key)]
        unread = [reply.prompt_tokens + reply.completion_tokens for reply in replies]
        on_the_way = [tokens for key, tokens in self._reserved.values() if reserved and space in (None, key)]
        return sum(unread) + sum(on_the_way)


def tokens_at_most(prompt: Prompt) -> int:
    """What a question can take, both ways: what is asked, by its length, and a reply as long as it may be."""
    asked = sum(len(message.content) for message in prompt.messages) + len(prompt.schema)
    return ceil(asked / CHARS_PER_TOKEN) + prompt.reply_max_tokens


def _is_unread(found: OpenAsk | Settled | None, reply: ModelReplied) -> bool:
    """Whether the desk has yet to book a reply. A question that somebody waits for comes to the desk with its reply."""
    return isinstance(found, OpenAsk) or found == "withdrawn" or (reply.stage == "answer" and found is None)
