"""The state of a space at an instant: state(T, K) of the view, with the evidence of every entry."""

from __future__ import annotations

from schemas.ids import MessageKey
from schemas.parts import whole_of
from views.reader import Basis, Messages, SpaceReader
from views.rows import EventRow, in_force, status_at, validity_at

from .api import ReplacedBy, StateEntry, StateRequest, StateResult
from .cut import Cut
from .markers import contesting
from .outcomes import plan_status
from .quotes import citations_of


def state(reader: SpaceReader, messages: Messages, request: StateRequest, basis: Basis) -> StateResult:
    """What holds at ``as_of``: states, preferences and open plans; with ``include_all`` actions and the rest too.

    A lapsed plan is not open: whether it was carried out is not known, so it is listed with ``include_all`` only.
    """
    cut = Cut(reader, messages)
    wanted = request.participant
    ids = reader.event_ids() if wanted is None else reader.events_of_participant(wanted)
    rows = [row for row in cut.rows(ids) if _listed(row, request) and _is_of_theme(row, reader, request.theme)]
    rows.sort(key=_place)
    return StateResult(
        as_of=request.as_of,
        known_at=request.known_at,
        entries=tuple(entry_of(row, cut, request.as_of) for row in rows),
        basis=basis,
    )


def entry_of(row: EventRow, cut: Cut, at: int) -> StateEntry:
    """A statement as it stands at an instant."""
    contested = contesting(row, cut, at) if in_force(row, at) else ()
    return StateEntry(
        event=row.event,
        status=status_at(row, at),
        validity=validity_at(row, at),
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        contested_by=tuple(other.event.id for other in contested),
        superseded_by=_replaced_by(row, cut),
        citations=citations_of(row.event, cut),
        plan=plan_status(row, cut, at),
    )


def _listed(row: EventRow, request: StateRequest) -> bool:
    wanted = request.attribute
    if wanted is not None and (row.event.attribute or "").casefold() != wanted.casefold():
        return False
    if request.include_all:
        return True
    return (
        row.event.type != "action"
        and in_force(row, request.as_of)
        and status_at(row, request.as_of) in ("valid", "partial")
    )


def _is_of_theme(row: EventRow, reader: SpaceReader, theme: str | None) -> bool:
    return theme is None or any(reader.theme_of(whole_of(session)) == theme for session in row.session_ids)


def _place(row: EventRow) -> tuple[str, str, int, str]:
    """Fixed order: participant (the subject, else the first), attribute, valid_from, id."""
    event = row.event
    first = event.subject or (event.participants[0] if event.participants else "")
    return (first.casefold(), (event.attribute or "").casefold(), row.valid_from, event.id)


def _replaced_by(row: EventRow, cut: Cut) -> tuple[ReplacedBy, ...]:
    """Every effective superseder with the first message it rests on, also one whose change is still to come.

    ``valid_until`` says when the change takes effect; the reader of an entry sees both.
    """
    found: list[ReplacedBy] = []
    for superseder in row.superseders:
        by = cut.row(superseder.event_id)
        if by is None:
            continue
        keys = [MessageKey(source.conversation_id, source.message_id) for source in by.event.sources]
        key = next((key for key in keys if cut.note(key) is not None), None)
        found.append(
            ReplacedBy(
                event_id=by.event.id,
                kind=superseder.kind,
                text=by.event.text,
                conversation_id=key.conversation_id if key else None,
                message_id=key.message_id if key else None,
            )
        )
    return tuple(found)
