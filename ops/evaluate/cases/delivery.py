"""Delivers a case: messages in arrival order by the normal API, operations as such, undecodable bytes as they are."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import groupby

import msgspec

from ops.system import Refused
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey
from schemas.wire import AssertionsIn, EventIn, MessageStatus

from ..memory import Memory
from .case import Case, CaseMessage, numbered

SHUFFLES = 3
"""Other arrival orders tried, besides the reverse."""

Statuses = dict[str, MessageStatus]
"""What became of every message, by its place and id: "0:m1"."""


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """What the API said while a case was delivered.

    ``yielded_none``: after each reply of the model, how many messages counted as read without any event.
    """

    statuses: Statuses
    receipts: tuple[ErasureOut, ...]
    yielded_none: tuple[int, ...]


def space_of(case: Case, tenant: str | None) -> SpaceKey:
    """The space of a case; every tenant has one of that name."""
    return SpaceKey(tenant or "cases", case.id)


def deliver(case: Case, memory: Memory, messages: Sequence[CaseMessage]) -> Delivered:
    """Post everything in this order and process it; operations come after what was posted before them is applied."""
    statuses: Statuses = {}
    receipts: list[ErasureOut] = []
    yielded_none: list[int] = []
    for tenant in sorted({message.tenant_id or "" for message in messages}):
        space = space_of(case, tenant or None)
        mine = [message for message in messages if (message.tenant_id or "") == tenant]
        for is_plain, group in groupby(enumerate(mine), key=lambda numbered: _is_plain(numbered[1])):
            for place, message in group:
                if is_plain:
                    raw = json.dumps(_wire(message)).encode()  # half a surrogate pair stays one
                    taken = memory.system.post(space, [raw], received_at="sent_at")
                    statuses[f"{place}:{message.message_id}"] = taken.statuses[0]
                else:
                    memory.system.flush(space)
                    receipts += _special(memory, space, message, case)
        memory.system.flush(space)
        yielded_none += memory.settle(space)
    return Delivered(statuses=statuses, receipts=tuple(receipts), yielded_none=tuple(yielded_none))


def orders(case: Case) -> list[list[CaseMessage]]:
    """Other orders of arrival, ``seq`` kept: the reverse and shuffled ones. Operations stay behind their target."""
    messages = numbered(case)
    found = [list(reversed(messages))]
    for seed in range(SHUFFLES):
        shuffled = list(messages)
        random.Random(seed).shuffle(shuffled)
        found.append(shuffled)
    return [sorted(order, key=lambda message: message.op is not None) for order in found]


def _is_plain(message: CaseMessage) -> bool:
    return message.op is None and message.raw is None and message.conversation_id is not None


def _wire(message: CaseMessage) -> dict[str, object]:
    known = {
        "message_id": message.message_id, "conversation_id": message.conversation_id, "speaker": message.speaker,
        "role": message.role, "content": message.text, "sent_at": message.sent_at, "session_id": message.session_id,
        "seq": message.seq, "tz": message.tz, "speaker_id": message.speaker_id,
    }  # fmt: skip
    return {name: value for name, value in known.items() if value is not None}


def _special(memory: Memory, space: SpaceKey, message: CaseMessage, case: Case) -> list[ErasureOut]:
    if message.raw is not None:
        memory.append_raw(space, message.raw.encode())
        return []
    if message.op is None:
        _assert(memory, space, message)
        return []
    receipts: list[ErasureOut] = []
    for target in _targets(message, case):
        conversation = message.conversation_id or ""
        try:
            if message.op == "retract":
                memory.system.retract(space, conversation, target)
            else:
                wanted = ErasureIn(scope="message", conversation_id=conversation, message_id=target)
                receipts.append(memory.system.erase(space, wanted))
        except Refused as refused:
            memory.say(f"{case.id}: {message.op} of {target}: {refused.problem.message}")
    return receipts


def _targets(message: CaseMessage, case: Case) -> list[str]:
    if message.target_message_id is not None:
        return [message.target_message_id]
    said = [m for m in case.messages if m.op is None and m.conversation_id == message.conversation_id]
    return [m.message_id for m in said if m.speaker == message.target_speaker]


def _assert(memory: Memory, space: SpaceKey, message: CaseMessage) -> None:
    """An analyst's record outside any conversation: an assertion."""
    event = EventIn(key=message.message_id, type="state_change", text=message.text, speaker=message.speaker)
    memory.system.assert_events(
        space,
        AssertionsIn(
            batch_id=message.message_id, producer=f"analyst:{message.speaker}", asserted_at=message.sent_at,
            events=(event,),
        ),
    )  # fmt: skip
