"""Results as plain text for people. Pure: results in, lines out.

Ids are shortened to ``SHORT_ID`` characters; ``history`` takes the short form.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from ops.system import Verification
from query.api import Citation, ReplacedBy, StateEntry
from schemas.events import Event
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount

from .times import Zone, local_zone, show_day

SHORT_ID = 9
"""The letter of the kind and 8 hex digits: 32 bits tell thousands of events of one space apart."""

_ATTRIBUTE_WIDTH = 13
_STATEMENT_WIDTH = 54


def short(event_id: str) -> str:
    """An id as people see it."""
    return event_id[:SHORT_ID]


def whose(event: Event) -> str:
    """The heading a statement is listed under: the person it is about, else who said it, else what it is about."""
    if event.subject is not None and event.subject in event.participants:
        return event.subject
    return event.speaker or event.subject or "(nobody named)"


def state_lines(entries: Sequence[StateEntry], zone: Zone) -> Iterator[str]:
    """Statements grouped by whom they are about, each with since when, its evidence and its marks."""
    ordered = sorted(enumerate(entries), key=lambda pair: (whose(pair[1].event), pair[0]))
    for heading, group in groupby((entry for _, entry in ordered), key=lambda entry: whose(entry.event)):
        yield heading
        for entry in group:
            yield from entry_lines(entry, zone)


def entry_lines(entry: StateEntry, zone: Zone) -> Iterator[str]:
    """One statement: attribute, text, since when, evidence and short id; below it what qualifies it."""
    event, local = entry.event, local_zone(entry.citations, zone)
    attribute = event.attribute or event.type.replace("_", " ")
    first, *rest = textwrap.wrap(event.text, _STATEMENT_WIDTH) or [""]
    tail = f"since {show_day(entry.valid_from, local)}  {evidence(entry.citations, zone)}  {short(event.id)}"
    yield f"  {attribute:<{_ATTRIBUTE_WIDTH}}  {first:<{_STATEMENT_WIDTH}}  {tail}".rstrip()
    indent = " " * (_ATTRIBUTE_WIDTH + 4)
    yield from (indent + line for line in rest)
    yield from (f"{indent}! {mark}" for mark in marks(entry, zone))


def evidence(citations: Sequence[Citation], zone: Zone) -> str:
    """The messages a statement rests on, with their days."""
    if not citations:
        return "no message"
    return ", ".join(f"message {c.message_id} ({show_day(c.sent_at, local_zone((c,), zone))})" for c in citations)


def marks(entry: StateEntry, zone: Zone) -> Iterator[str]:
    """What a reader must know before believing the statement; nothing when it simply holds."""
    local = local_zone(entry.citations, zone)
    until = "" if entry.valid_until is None else f" on {show_day(entry.valid_until, local)}"
    match entry.status:
        case "valid":
            pass
        case "not_yet":
            yield f"not yet: holds from {show_day(entry.valid_from, local)}"
        case "partial":
            yield "in doubt: something it rests on no longer holds"
        case "ended":
            yield f"ended{until}"
        case "superseded":
            yield f"superseded{until}"
        case "corrected":
            yield "corrected: it never held"
        case "withdrawn":
            yield "a withdrawal, no statement of its own"
        case "lapsed":
            yield "lapsed: its time has passed, outcome unknown"
    later = "" if entry.status in ("superseded", "corrected") else f"replaced later{until}, "
    yield from (later + replacement(by) for by in entry.superseded_by)
    if entry.contested_by:
        yield f"contested by {', '.join(short(event_id) for event_id in entry.contested_by)}"


def replacement(by: ReplacedBy) -> str:
    """What replaced a statement, how, and in which message."""
    message = "" if by.message_id is None else f", message {by.message_id}"
    return f'by "{by.text}" ({by.kind}{message}; {short(by.event_id)})'


def interval(entry: StateEntry, zone: Zone) -> str:
    """When a statement holds, half-open: the second day is the first on which it no longer does."""
    local = local_zone(entry.citations, zone)
    if entry.valid_until is None:
        return f"since {show_day(entry.valid_from, local)}"
    if entry.valid_until <= entry.valid_from:
        return "never in force"
    return f"from {show_day(entry.valid_from, local)} until {show_day(entry.valid_until, local)}"


def citation_line(citation: Citation, zone: Zone) -> str:
    """Who said it, when, and where it stands."""
    day = show_day(citation.sent_at, local_zone((citation,), zone))
    return f"{citation.speaker}, {day}, message {citation.message_id}"


def quote_line(citation: Citation, zone: Zone) -> str:
    """The same after the words."""
    return f'"{citation.quote}"  {citation_line(citation, zone)}'


def basis_line(basis: Basis) -> str:
    """What a result reflects."""
    return f"basis: messages below offset {basis.messages} applied, {basis.waiting} waiting, {basis.parked} parked"


def verification_lines(result: Verification) -> Iterator[str]:
    """Whether view and definition agree, and where they first differ."""
    if result.equal:
        yield f"equal: {result.events} events, {result.edges} edges, checksum {result.checksum}"
        yield from event_account_lines(result.account)
        return
    yield f"NOT equal: the view has checksum {result.checksum}, the records give {result.recomputed}"
    if result.first_difference is not None:
        yield f"first difference: {result.first_difference}"


def event_account_lines(account: EventAccount | None) -> Iterator[str]:
    """Where every event is that was ever distilled."""
    if account is None:
        return
    statuses = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in account.by_status.items())
    yield f"live {account.live}" + (f" ({statuses})" if statuses else "")
    law = "adds up" if account.holds else "does NOT add up"
    yield (
        f"{account.live} live + {account.replaced} replaced + {account.retracted} retracted + {account.erased} erased "
        f"= {account.ever} ever distilled: {law}"
    )


def account_line(account: MessageAccount) -> str:
    """Where a space's messages are: four places that add up to what was accepted."""
    return (
        f"{account.accepted} messages: {account.source_of_event} source of an event, "
        f"{account.read_yielded_none} read and yielded none, {account.waiting} waiting, {account.parked} parked"
    )
