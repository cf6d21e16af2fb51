"""Which questions about pairs are open, by question and by statement, as rows of the stage's state.

A question is stale when a statement it shows is there no more, or reads otherwise: somebody edited or took back the
message, or its session went on. By statement, so that finding those costs by what changed and not by what is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

import msgspec

from schemas.ids import SpaceKey

from ...candidates import Row
from ...keys import prefix_range, state_key
from ...ports import StageState
from ..session import Pool
from .pending import PendingQuestion
from .question import AskedPair, pair_key


def put_question(key: SpaceKey, pending: PendingQuestion, state: StageState) -> None:
    """It is open from now on."""
    state.put(state_key("question", key, pending.ask_id), msgspec.msgpack.encode(pending))
    for event_id in _shown_in(pending):
        state.put(state_key("shown", key, event_id, pending.ask_id), pending.ask_id.encode())


def find_question(key: SpaceKey, ask_id: str, state: StageState) -> PendingQuestion | None:
    """An open question; None when it is not open."""
    raw = state.get(state_key("question", key, ask_id))
    return None if raw is None else msgspec.msgpack.decode(raw, type=PendingQuestion)


def take_question(key: SpaceKey, ask_id: str, state: StageState) -> PendingQuestion | None:
    """It is open no more; None when it was not."""
    pending = find_question(key, ask_id, state)
    if pending is not None:
        state.delete(state_key("question", key, ask_id))
        for event_id in _shown_in(pending):
            state.delete(state_key("shown", key, event_id, ask_id))
    return pending


def questions_showing(key: SpaceKey, event_ids: Iterable[str], state: StageState) -> list[str]:
    """Ids of the open questions that show any of the statements, in order."""
    found: set[str] = set()
    for event_id in event_ids:
        found.update(raw.decode() for _, raw in state.scan(*prefix_range("shown", key, event_id)))
    return sorted(found)


def changed(old: Pool, new: Pool) -> list[str]:
    """Ids of the statements of a pool that are not in another, or not as they were."""
    return [event_id for event_id, row in old.by_id.items() if new.by_id.get(event_id) is not row]


def still_so(pairs: Iterable[AskedPair], pool: Pool, final: AbstractSet[str], judge: str) -> tuple[AskedPair, ...]:
    """Those of the pairs whose two statements are there to stay, and read as they were asked about."""
    return tuple(pair for pair in pairs if _is_so(pair, pool.by_id, final, judge))


def _is_so(pair: AskedPair, rows: Mapping[str, Row], final: AbstractSet[str], judge: str) -> bool:
    newer, older = rows.get(pair.newer.id), rows.get(pair.older.id)
    if newer is None or older is None or not {pair.newer.id, pair.older.id} <= final:
        return False
    return pair_key(newer.event, older.event, judge) == pair.key


def _shown_in(pending: PendingQuestion) -> list[str]:
    return sorted({event.id for pair in pending.pairs for event in (pair.newer, pair.older)})
