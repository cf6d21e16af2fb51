"""The conservation law of the view: nothing that was ever distilled is lost, and every live event has one status.

not yet + valid + partial + ended + superseded + corrected + withdrawn + lapsed = live, and
live + replaced + retracted + erased = ids ever distilled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import get_args

import msgspec

from schemas.control import ConversationErased, MessageErased, SpaceErased
from schemas.deltas import Status
from schemas.entry import Entry
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import MessageKey
from schemas.messages import MessageRetracted

from .rows import status_at
from .spec import View
from .spec_live import Live


class EventAccount(msgspec.Struct, frozen=True, kw_only=True):
    """Where the events of a space are.

    Attributes:
        live: events of the view.
        by_status: of these, how many have each status at the instant asked about; statuses that none has are left out.
        erased: ids that rest on something erased, and are not live.
        retracted: of the others, those that rest on a retracted message.
        replaced: of the others, those that no set that counts holds as its sources now stand. An id that the definition
            has and the view has not is in none of the four: it is lost, and the law broken.
        ever: ids in any set of the log, as far as it still names them: erasing takes ids out too.
    """

    live: int
    by_status: dict[Status, int]
    replaced: int
    retracted: int
    erased: int
    ever: int

    @property
    def holds(self) -> bool:
        """Whether the law does."""
        gone = self.replaced + self.retracted + self.erased
        return sum(self.by_status.values()) == self.live and self.live + gone == self.ever


def account_of(view: View, entries: Iterable[Entry], at: int) -> EventAccount:
    """The account of a space.

    Args:
        view: its rows.
        entries: every record they were folded from.
        at: valid time of the statuses, microseconds UTC.
    """
    rests_on: dict[str, set[MessageKey]] = {}
    retracted: set[MessageKey] = set()
    conversations: set[str] = set()
    messages: set[MessageKey] = set()
    everything = False
    known = list(entries)
    for entry in known:
        match entry.record:
            case EventsDistilled(events=events) | EventsAsserted(events=events):
                for event in events:
                    keys = (MessageKey(s.conversation_id, s.message_id) for s in event.sources)
                    rests_on.setdefault(event.id, set()).update(keys)
            case MessageRetracted() as record:
                retracted.add(record.message)
            case SpaceErased():
                everything = True
            case ConversationErased() as record:
                conversations.add(record.conversation_id)
            case MessageErased() as record:
                messages.add(MessageKey(record.conversation_id, record.message_id))
            case _:
                pass
    gone = Counter[str]()
    absent = rests_on.keys() - view.events.keys()
    for event_id in absent - Live(known).events.keys() if absent else absent:
        keys = rests_on[event_id]
        if any(everything or key.conversation_id in conversations or key in messages for key in keys):
            gone["erased"] += 1
        else:
            gone["replaced" if retracted.isdisjoint(keys) else "retracted"] += 1
    by_status = Counter[Status](status_at(row, at) for row in view.events.values())
    statuses = {status: by_status[status] for status in get_args(Status) if by_status[status]}
    return EventAccount(
        live=len(view.events), by_status=statuses, replaced=gone["replaced"],
        retracted=gone["retracted"], erased=gone["erased"], ever=len(rests_on),
    )  # fmt: skip
