"""What the stage keeps while a session waits for replies, and how a reply moves it on. No state is touched here."""

from __future__ import annotations

import msgspec

from schemas.asking import ModelReplied, Prompt, ReadOutcome
from schemas.events import Event
from schemas.sessions import SessionRevised

from ...llm.asking import Model, ask_id
from .parts import Part, distil_producer, parts_of, question
from .reading import Reading, read_reply

ATTEMPTS = 2
"""Of a part: once, and once more with what was wrong."""


class PendingPart(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A part that was asked about.

    Attributes:
        part: which messages.
        ask_id: of the question.
        attempt: which one this is, from 1.
        problem: of the first answer, when this is the second attempt.
        kept: events of the first answer.
        whole: the first answer was complete but for some objects: what is kept of it counts whatever comes now.
    """

    part: Part
    ask_id: str
    attempt: int
    problem: str
    kept: tuple[Event, ...]
    whole: bool = False


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A closed session whose replies are not all there.

    ``events``: from the parts that are done. ``producer``: who was asked; the settings may name another by now. Rows
    of before it was kept have none.
    """

    session: SessionRevised
    waiting: tuple[PendingPart, ...]
    events: tuple[Event, ...]
    producer: str = ""


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """After a reply: what is pending now, and what came of the reply.

    Attributes:
        pending: None when the model's answer for the session is given up; the offline set goes on counting.
        asked: parts to ask about now.
        reading: what the reply held.
        outcome: see ``schemas.asking.ReadOutcome``.
    """

    pending: Pending | None
    asked: tuple[PendingPart, ...]
    reading: Reading
    outcome: ReadOutcome


def begin(model: Model, session: SessionRevised) -> Pending:
    """A session that was just closed, all its parts to be asked about."""
    waiting = tuple(_first(model, session, part) for part in parts_of(session))
    return Pending(session=session, waiting=waiting, events=(), producer=distil_producer(model))


def prompt_of(model: Model, pending: Pending, part: PendingPart) -> Prompt:
    """What is asked about a part."""
    return question(model, pending.session, part.part, part.problem)


def move_on(model: Model, pending: Pending, part: PendingPart, reply: ModelReplied) -> Moved:
    """Take in the reply about a part.

    Whole objects are kept whatever becomes of the rest. A reply that was cut off is asked for again in halves; one that
    is wrong in any other way once more, with what was wrong. When neither was one complete answer, or not one of their
    objects was right, the session is given up: it would hide what the rules had found.
    """
    reading = read_reply(reply, pending.session, part.part)
    halves = part.part.halves if reply.outcome == "length" else None
    rest = tuple(one for one in pending.waiting if one.ask_id != part.ask_id)
    if halves is not None:
        asked = tuple(_first(model, pending.session, half) for half in halves)
        return _moved(pending, (*rest, *asked), (), asked, reading, "split")
    if reading.problem and part.attempt < ATTEMPTS:
        again = _again(model, pending.session, part, reading)
        return _moved(pending, (*rest, again), (), (again,), reading, "retried")
    events = (*part.kept, *reading.events)
    if not (reading.whole or part.whole) or (reading.problem and not events):
        return Moved(pending=None, asked=(), reading=reading, outcome="parked")
    outcome: ReadOutcome = "parked" if reading.problem else "done"
    return _moved(pending, rest, events, (), reading, outcome)


def merged(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events of all parts and attempts: each once, in stated order. Of two of one id the later read one counts."""
    by_id = {event.id: event for event in events}
    return tuple(sorted(by_id.values(), key=lambda event: (event.stated, event.id)))


def _moved(
    pending: Pending,
    waiting: tuple[PendingPart, ...],
    events: tuple[Event, ...],
    asked: tuple[PendingPart, ...],
    reading: Reading,
    outcome: ReadOutcome,
) -> Moved:
    after = msgspec.structs.replace(pending, waiting=waiting, events=(*pending.events, *events))
    return Moved(pending=after, asked=asked, reading=reading, outcome=outcome)


def _first(model: Model, session: SessionRevised, part: Part) -> PendingPart:
    return _pending(model, session, part, attempt=1, problem="", kept=(), whole=False)


def _again(model: Model, session: SessionRevised, part: PendingPart, reading: Reading) -> PendingPart:
    kept = (*part.kept, *reading.events)
    return _pending(
        model, session, part.part, attempt=part.attempt + 1, problem=reading.problem, kept=kept, whole=reading.whole
    )


def _pending(
    model: Model,
    session: SessionRevised,
    part: Part,
    *,
    attempt: int,
    problem: str,
    kept: tuple[Event, ...],
    whole: bool,
) -> PendingPart:
    prompt = question(model, session, part, problem)
    asked = ask_id(session.key, session.session_id, prompt)
    return PendingPart(part=part, ask_id=asked, attempt=attempt, problem=problem, kept=kept, whole=whole)
