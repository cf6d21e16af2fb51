"""A figure that puts right what was just written, as a statement: "*7:40", "sorry, Tuesday", "7:40 not 6:40".

It names nothing: of what it is so the link step finds, in the statement right before.
"""

from __future__ import annotations

from ..admissions import puts_right
from ..anchors.nodes import Context
from .sentences import Sentence
from .statement import Statement
from .subjects import Subject
from .verbless import read_verbless


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
    kind, times = read_verbless(found.new, "take_back", context, day_end)
    subject = Subject(None, (speaker,), is_person=False)
    return Statement(sentence.start, sentence.end, kind, times, subject, (speaker,), None, None)
