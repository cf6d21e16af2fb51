"""How people admit a mistake: phrases as patterns, with single spaces, for lower-case text with plain apostrophes.

The distiller makes no statement of them and the classifier reads them as cues, so there is one list.
"""

from __future__ import annotations

import re
from typing import NamedTuple

OF_SPEECH = "|".join(
    (
        r"i (?:just |must have )?(?:mistyped|misspoke|misremembered|miscounted|misread|misheard)"
        r"(?: (?:that|it|this|(?:the|my) \w+))?(?: earlier| before)?",
        r"i (?:got|had|have) (?:that|it|this|(?:the|my) \w+) (?:all )?(?:wrong|mixed up)",
        r"i (?:mixed|muddled) (?:that|it|this|them|things|the \w+) up",
        r"i (?:mixed|muddled) up the (?:date|day|time|name|number|year|month)s?",
        r"i was (?:wrong|mistaken)(?: about (?:that|it|the \w+))?",
        r"(?:that was a )?typo",
        r"(?:small |quick )?correction",
    )
)
"""Admit that something was said wrong."""

OF_ANYTHING = "|".join(
    (
        r"(?:(?:that|it|this)(?:'s| is| was) )?my (?:mistake|error|bad)",
        r"i(?:'ve| have)? made an? (?:\w+ )?(?:mistake|error)",
    )
)
"""Admit a mistake that may as well have been made in deed. More words than these tell of something else."""

FRAGMENT_CHARS = 60
"""A longer sentence says more."""
_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december"
)
_FIGURE = (
    rf"(?:(?:at|on|in|by|the|room|gate|platform) ){{0,2}}"
    rf"(?:[€$£]?\d[\d.:/]*(?:st|nd|rd|th| ?(?:am|pm|k|kg|km|euros?|pounds?|quid|dollars?|%))?|{_DAY})(?: (?:{_DAY}))?"
)
_BEFORE = r"(?:sorry|oops|whoops|ah|oh|ugh|no|wait|i mean|i meant|make (?:that|it)|should be|actually|typo)"
FRAGMENT = re.compile(
    rf"(?P<star>\*)?\s?(?P<opens>(?:{_BEFORE}[,:.]? ){{0,3}})(?P<new>{_FIGURE})(?P<star2>\*)?"
    rf"(?:,? (?:not|and not|instead of) (?P<old>{_FIGURE}))?[,.!]*(?: (?:sorry|typo|obviously|ofc))?[.! ]*"
)
"""A figure, a day or an hour and nothing else, as people put right what they have just written: "*7:40",
"sorry, Tuesday", "7:40 not 6:40", "make that 40 euros"."""


class PutRight(NamedTuple):
    """What is so, and what was said instead where that is told; folded, without "at" or "the"."""

    new: str
    old: str | None


def puts_right(text: str) -> PutRight | None:
    """What a sentence puts right that names nothing but a figure; None for another sentence."""
    found = (
        FRAGMENT.fullmatch(" ".join(text.casefold().replace("’", "'").split())) if len(text) <= FRAGMENT_CHARS else None
    )
    if found is None or not (found["star"] or found["star2"] or found["opens"] or found["old"]):
        return None
    return PutRight(_bare(found["new"]), None if found["old"] is None else _bare(found["old"]))


def _bare(figure: str) -> str:
    return re.sub(r"^(?:(?:at|on|in|by|the|room|gate|platform) )+", "", figure).rstrip(".:/").replace(".", ":")
