"""A figure that puts right what was just written, as a statement: "*7:40", "sorry, Tuesday", "7:40 not 6:40".

It names nothing: of what it is so the link step finds, in the statement right before.
"""

from __future__ import annotations

from ..admissions import puts_right
from ..anchors.nodes import Context
from .kinds import Kind
from .parse import Parse
from .sentences import Sentence
from .statement import Statement
from .subjects import Subject
from .times import dates_of, times_of, when_of
from .tokens import tokenize

_UNREAD = Parse((0, 1), 0, 0, "", "present", "verbless", "", negated=False)


def fragment(text: str, sentence: Sentence, speaker: str, context: Context, day_end: int) -> Statement | None:
    """The sentence as a statement of what is so; None for one that says more or puts nothing right.

    Args:
        text: of the message.
        sentence: of it.
        speaker: who wrote it.
        context: the message's clock.
        day_end: of the day it was sent, microseconds.
    """
    found = puts_right(text[sentence.start : sentence.end])
    if found is None:
        return None
    dates = dates_of(found.new, _UNREAD, context)
    ahead = when_of(dates, context.clock.sent, day_end).ahead
    kind = (
        Kind("plan", "planned", "affirmed", "take_back")
        if ahead
        else Kind("state_change", "asserted", "affirmed", "take_back")
    )
    times = times_of(dates, tokenize(found.new), _UNREAD, kind.modality, context)
    subject = Subject(None, (speaker,), is_person=False)
    return Statement(sentence.start, sentence.end, kind, times, subject, (speaker,), None, None)
