"""The open questions of a store, from outside: what is open, what was spent, and replies that were given elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from schemas.asking import AskingStage, ModelAsked, ModelReplied
from schemas.codec import encode
from schemas.ids import SpaceKey
from streams.llm.desk import EVERYWHERE, Desk, Spent, find_ask, find_withdrawn, open_asks, spent_on
from streams.log import Log

from .completion import Completion, answered
from .settings import LlmSettings

if TYPE_CHECKING:
    from .asker import Asker

DESK_TABLE = "stages"
DESK_PREFIX = Desk.name.encode() + b"/"
"""Where ``ops.pipeline`` keeps the desk's rows."""

Recorded = Literal["recorded", "answered", "withdrawn", "unknown"]
"""What became of a reply: recorded; of no use, for there is one; recorded though nobody waits for it, for what it was
asked about is otherwise by now; or to a question that nobody here has asked."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where a space stands with its model.

    Attributes:
        model: who is asked; None: nobody, the rules alone read.
        open: by stage, questions without a reply. Until there is one, the rules' answers count.
        spent_today: tokens and cost of the space since midnight UTC.
        budget: tokens of the space and day; None: no limit.
        held_back: the budget of the space, or that of all spaces, is spent: what the endpoint was to be asked waits for
            the next day. Files wait for nothing.
        away: why the endpoint is not asked just now; None when it is, or when there is none.
    """

    model: str | None
    open: dict[AskingStage, int]
    spent_today: Spent
    budget: int | None
    held_back: bool
    away: str | None


class Questions:
    """Thread-safe.

    Args:
        log: holds the desk's rows.
        settings: who is asked.
        asker: asks while the system runs; None where nobody does.
        clock: microseconds UTC.
    """

    def __init__(self, log: Log, settings: LlmSettings, asker: Asker | None, *, clock: Callable[[], int]) -> None:
        self._log = log
        self._settings = settings
        self._asker = asker
        self._now = clock
        self._recorded: set[str] = set()

    def open(self, space: SpaceKey, stage: AskingStage | None = None) -> Iterator[ModelAsked]:
        """Open questions of the space, oldest first."""
        for item in open_asks(self._log, DESK_TABLE, DESK_PREFIX):
            if item.ask.key == space and stage in (None, item.ask.stage):
                yield item.ask

    def standing(self, space: SpaceKey) -> Standing:
        """See ``Standing``."""
        counts: dict[AskingStage, int] = dict.fromkeys(get_args(AskingStage), 0)
        for ask in self.open(space):
            counts[ask.stage] += 1
        now, own, every = self._now(), self._settings.space_tokens_per_day, self._settings.tokens_per_day
        spent, all_spent = (spent_on(self._log, DESK_TABLE, DESK_PREFIX, s, now) for s in (space, EVERYWHERE))
        is_spent = (own is not None and spent.tokens >= own) or (every is not None and all_spent.tokens >= every)
        return Standing(
            model=self._settings.model,
            open=counts,
            spent_today=spent,
            budget=own,
            held_back=is_spent and self._settings.endpoint is not None,
            away=None if self._asker is None else self._asker.away,
        )

    def record(self, ask_id: str, answer: Completion) -> tuple[SpaceKey | None, Recorded]:
        """Record a reply that was given elsewhere, when its question is not answered; the question's space, then.

        Of a question that was withdrawn, what it says of pairs that still are asked about counts.
        """
        found = find_ask(self._log, DESK_TABLE, DESK_PREFIX, ask_id)
        if ask_id in self._recorded or found == "answered":
            return None, "answered"
        item = find_withdrawn(self._log, DESK_TABLE, DESK_PREFIX, ask_id) if found == "withdrawn" else found
        if item is None:
            return None, "unknown"
        self._recorded.add(ask_id)
        got = answered(answer, calls=1).counted(item.ask.prompt)
        now = self._now()
        reply = ModelReplied(
            tenant=item.ask.tenant,
            space=item.ask.space,
            stage=item.ask.stage,
            ask_id=ask_id,
            session_id=item.ask.session_id,
            about=item.ask.about,
            outcome=got.outcome,
            text=got.text,
            error=got.error,
            model=got.model or item.ask.prompt.model,
            via="batch",
            calls=1,
            prompt_tokens=got.prompt_tokens,
            completion_tokens=got.completion_tokens,
            cost_usd=self._settings.cost_usd(got.prompt_tokens, got.completion_tokens),
            at=now,
        )
        with self._log.batch() as batch:
            batch.append("replies", reply.key, encode(reply), now)
        return reply.key, "withdrawn" if found == "withdrawn" else "recorded"
