"""Attribute and value of a statement, by the table of patterns; None where none fits."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..anchors import find_phrases
from ..casual import spelled_out
from .finite import Tokens
from .lexicon.attributes import END, EVENTS, OF_PEOPLE, ROWS, SITES
from .parse import Parse
from .subjects import Subject

_EVENT_NOUN = re.compile(rf"\b(?:{'|'.join(EVENTS)})s?\b", re.IGNORECASE)
_POSSESSION = re.compile(
    r"\b(?:have|has|'ve got|got|own|owns) (?P<v>(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|no) "
    r"(?P<what>(?!(?:now|left|already|too|here)\b)[^\W\d_]+(?: [^\W\d_]+)?))"
    r"(?=\s+(?:in|at|on|now|and|but|since|from|for|to|with)\b|[,.;!?]|$)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:is|are|was|were|'s|'re)\s+(?:now |still |always |back |currently )?(?:located )?"
    r"(?:at|in|on|with|under|behind|near) "
    r"(?P<v>(?:the|my|our|his|her|their|your|an?) (?!way|go|move|works?|same|end\b)[^,.;!?]+?|(?-i:[A-Z])[^,.;!?]*?|"
    r"\d+[a-z]? (?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)(?-i:[A-Z])[^,.;!?]*?)"
    + END,
    re.IGNORECASE,
)
"""Where a thing is: at a named place or somebody's, in or on something of a kind; not "on hold", "in bloom"."""
_PARTS = (
    r"(?:, (?:building|room|floor|hall|wing|suite|gate|platform|level|unit|terminal|stage|block|entrance) "
    r"(?:\d+|[a-z])\b)*"
)
"""What goes on telling where after a comma: "the north office, building C, room 4"."""
_IS = re.compile(
    r"\b(?:is|are|was|were|will be|'s|'re)\s+(?:now |still |always |not |called )?"
    rf"(?P<v>(?:[^,;!?]|(?<=\d),(?=\d{{3}}))+{_PARTS})(?=[,;!?]|$)",
    re.IGNORECASE,
)


_NOW = re.compile(r" (?:right now|now|nowadays|these days|at the moment|currently)$", re.IGNORECASE)
_RELATIVE = re.compile(r"(?<=\w) (?:where|who|whose|whom|which)\b", re.IGNORECASE)
"""What follows tells of something beside: "a wedding where the couple split up"."""
LOOKED_AT = 400
"""Characters of a clause the patterns read: they look ahead, so an endless word or gap would cost its square."""


class About(NamedTuple):
    """What a statement is about; both None when that is not known. ``in_table``: the attribute is one of the table."""

    attribute: str | None
    value: str | None
    in_table: bool = False


def about(clause_text: str, tokens: Tokens, reading: Parse, subject: Subject) -> About:
    """Attribute and value. Order: the table, counted possessions, dated things, then the subject's own last word."""
    plain = spelled_out(" ".join(clause_text.split())[:LOOKED_AT].replace("’", "'"))
    own = _RELATIVE.split(plain, maxsplit=1)[0]
    for name, pattern in ROWS:
        match = pattern.search(own)
        if match is not None and (subject.is_person or name not in OF_PEOPLE or _of_speaker(name, tokens)):
            if name == "job" and not match.groupdict().get("v") and reading.base in ("move", "relocate"):
                continue  # "I moved to Oslo for my new job" tells the home
            if name == "home" and _is_site(tokens, reading):
                return About("location", _from_row(name, match).value)
            return _from_row(name, match)
    match = _POSSESSION.search(plain)
    if match is not None and reading.base == "have":
        return About(match["what"].lower(), match["v"].strip())
    noun = _EVENT_NOUN.search(plain)
    if noun is not None:
        return About(noun[0].lower(), _after_be(plain, reading))
    where = _PLACE.search(plain)
    if where is not None and reading.base in ("be", "locate") and not subject.is_person and subject.name is not None:
        return About("location", where["v"].strip())
    if reading.base == "be" and reading.subject[1] - reading.subject[0] >= 1 and subject.name is not None:
        head = _head(tokens[reading.subject[0] : reading.subject[1]])
        owned = tokens[reading.subject[0]].word in ("my", "our", "the", "his", "her", "their", "your")
        return About(head if owned and head.isalpha() else None, _after_be(plain, reading))
    return About(None, None)


def _is_site(tokens: Tokens, reading: Parse) -> bool:
    """ "Our office has moved to the harbour": a place where nobody lives."""
    subject = tokens[reading.subject[0] : reading.subject[1]]
    return len(subject) > 1 and subject[-1].word in SITES


def _head(subject: Tokens) -> str:
    """The last word of a noun phrase before what belongs to it: "the *budget* for the fair"."""
    words = [token.word for token in subject]
    stop = next((at for at, word in enumerate(words) if at > 1 and word in ("for", "of")), len(words))
    return words[stop - 1]


def _of_speaker(name: str, tokens: Tokens) -> bool:
    """ "They fired me", "my place is a room above the mill": of a person after all."""
    return (name in ("job", "shift") and any(token.word in ("me", "us") for token in tokens)) or (
        name == "home" and tokens[0].word in ("my", "our")
    )


def _from_row(name: str, match: re.Match[str]) -> About:
    groups = match.groupdict()
    if groups.get("what"):
        name = f"{name} {groups['what'].lower()}"
    value = groups.get("v") or groups.get("v2")
    return About(name, _without_time(value.strip()) or None if value else None, in_table=True)


def _without_time(value: str) -> str:
    """A value without the time that follows it: "Rome two weeks ago"; one that is a time stays."""
    phrases = find_phrases(value)
    if not phrases or phrases[-1].end < len(value):
        return value
    return value[: phrases[-1].start].rstrip(" ,") or value


def _after_be(plain: str, reading: Parse) -> str | None:
    if reading.base != "be":
        return None
    match = _IS.search(plain)
    return (_NOW.sub("", match["v"].strip()) or None) if match else None
