"""What words without a verb say: that something is so, or, by their date, that it is to come."""

from __future__ import annotations

from ..anchors.nodes import Context
from .kinds import Kind
from .parse import Parse
from .times import Times, dates_of, times_of, when_of
from .tokens import tokenize

_UNREAD = Parse((0, 1), 0, 0, "", "present", "verbless", "", negated=False)


def read_verbless(words: str, rule: str, context: Context, day_end: int) -> tuple[Kind, Times]:
    """Their kind and their times.

    Args:
        words: of the message.
        rule: why the confidence is what it is (``Kind.rule``).
        context: the message's clock.
        day_end: of the day it was sent, microseconds.
    """
    dates = dates_of(words, _UNREAD, context)
    if when_of(dates, context.clock.sent, day_end).ahead:
        kind = Kind("plan", "planned", "affirmed", rule)
    else:
        kind = Kind("state_change", "asserted", "affirmed", rule)
    return kind, times_of(dates, tokenize(words), _UNREAD, kind.modality, context)
