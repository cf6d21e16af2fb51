"""The account of a space's events: each id ever distilled is somewhere, each live event has one status."""

from __future__ import annotations

import msgspec

from schemas.control import ConversationErased, MessageErased, SpaceErased
from schemas.events import Source
from schemas.messages import MessageEdited, MessageRetracted
from schemas.record import Record
from tests.kit.records import DAY, SPACE, distilled, edge, entries, event, inferred, posted
from views.conservation import EventAccount, account_of
from views.spec import recompute

ABOUT = {"tenant": SPACE.tenant, "space": SPACE.space, "conversation_id": "c1", "message_id": "m1"}
OTHER = (Source(conversation_id="c2", message_id="m9", start=0, end=1),)
SET = distilled(event("a", said=1), event("b", said=5), event("c", said=6, sources=OTHER))


def account(*records: Record, day: int = 9) -> EventAccount:
    log = entries([posted(), *records])
    return account_of(recompute(log), log, day * DAY)


def places(found: EventAccount) -> tuple[int, int, int, int, int]:
    assert found.holds
    return found.live, found.replaced, found.retracted, found.erased, found.ever


def test_live_events_have_one_status_each() -> None:
    found = account(SET, inferred(edge("b", "updates", "a", "change")))
    assert found.by_status == {"valid": 2, "superseded": 1}
    assert places(found) == (3, 0, 0, 0, 3)


def test_what_a_later_set_or_an_edit_took_out_was_replaced() -> None:
    assert places(account(SET, distilled(event("a", said=1), revision=5))) == (1, 2, 0, 0, 3)
    assert places(account(SET, MessageEdited(**ABOUT, content="new", received_at=1))) == (1, 2, 0, 0, 3)


def test_what_rested_on_a_retracted_message_is_counted_so_also_when_it_is_distilled_anew() -> None:
    retraction = MessageRetracted(**ABOUT, received_at=1)
    assert places(account(SET, retraction)) == (1, 0, 2, 0, 3)
    assert places(account(SET, retraction, distilled(event("c", said=6, sources=OTHER), revision=5))) == (1, 0, 2, 0, 3)


def test_what_rested_on_something_erased_is_counted_so_before_all() -> None:
    common = {"tenant": SPACE.tenant, "space": SPACE.space, "upto": 1, "at": 1}
    retraction = MessageRetracted(**ABOUT, received_at=1)
    assert places(account(SET, retraction, MessageErased(**ABOUT, upto=1, at=1))) == (1, 0, 0, 2, 3)
    assert places(account(SET, ConversationErased(**common, conversation_id="c1"))) == (1, 0, 0, 2, 3)
    assert places(account(SET, SpaceErased(**common)))[3] == 2, "the third rests on no posting: nothing of it is erased"


def test_the_law_is_broken_when_an_event_is_lost() -> None:
    log = entries([SET])
    view = recompute(log)
    lost = msgspec.structs.replace(view, events={name: row for name, row in view.events.items() if name != "a"})
    assert account_of(view, log, DAY).holds
    assert not account_of(lost, log, DAY).holds
