"""Other names that a text itself gives: "the parish tower committee (PTK)", "everybody calls me Bibi".

Only where the words say that the two are one: letters in brackets that the words before them begin with, "X, also known
as Y", "Y is short for X", and what somebody says that he or she is called. A name that a speaker of the session bears
is nobody else's alias.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from schemas.sessions import SessionMessage, SessionRevised

from ..participants import roster_of
from .lexicon.people import NOT_NAMES
from .sentences import split_sentences

_NAME = r"(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*){0,3}"
_SHORT = r"(?-i:[A-Z]{2,6})"
_BRACKETS = re.compile(rf"(?P<words>[^\W\d_][\w'’-]*(?:[ ][^\W\d_][\w'’-]*){{1,6}}) \((?P<short>{_SHORT})\)")
_KNOWN_AS = re.compile(
    rf"(?P<name>{_NAME})(?:,| \()? ?(?:also known as|a\.?k\.?a\.?|better known as) (?P<alias>{_NAME})", re.IGNORECASE
)
_SHORT_FOR = re.compile(
    rf"\b(?P<alias>{_SHORT}) (?:is short for|stands for|means) (?:the )?"
    r"(?P<words>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){1,6})",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:(?:everyone|everybody) calls|(?:my )?(?:friends|family|colleagues|people) (?:all |just )?call) me "
    rf"(?P<alias>{_NAME})(?=\W*$|,| (?:for short|anyway)\b)|\bi go by (?P<alias2>{_NAME})(?=\W*$|,)",
    re.IGNORECASE,
)
_LETTERS = 2
"""Least letters that words begin with; all but one must."""


class Alias(NamedTuple):
    """``alias`` is another name of ``canonical``: the message says so."""

    alias: str
    canonical: str
    conversation_id: str
    message_id: str


def aliases_in(session: SessionRevised) -> tuple[Alias, ...]:
    """What a session's people say of names, in order, each alias once; one that is given two names is left out."""
    roster = roster_of(session)
    found: dict[str, Alias] = {}
    unclear: set[str] = set()
    for message in session.messages:
        if message.role not in ("user", "analyst"):
            continue
        for alias, name in _told(message):
            folded = alias.casefold()
            canonical = roster.canonical(name)
            if folded == canonical.casefold() or roster.knows(alias):
                continue
            told = Alias(alias, canonical, session.conversation_id, message.message_id)
            known = found.setdefault(folded, told)
            if known.canonical.casefold() != canonical.casefold():
                unclear.add(folded)
    return tuple(alias for folded, alias in found.items() if folded not in unclear)


def _told(message: SessionMessage) -> Iterator[tuple[str, str]]:
    for sentence in split_sentences(message.content):
        text = message.content[sentence.start : sentence.end]
        if sentence.question:
            continue
        for match in _BRACKETS.finditer(text):
            yield from _spelled(match["short"], match["words"].split())
        for match in _SHORT_FOR.finditer(text):
            yield from _spelled(match["alias"], match["words"].split())
        for match in _KNOWN_AS.finditer(text):
            yield match["alias"], match["name"]
        for match in _CALLED.finditer(text):
            alias = match["alias"] or match["alias2"]
            if message.speaker and alias.split()[0].casefold() not in NOT_NAMES:
                yield alias, " ".join(message.speaker.split())


def _spelled(short: str, words: list[str]) -> Iterator[tuple[str, str]]:
    """The letters with the words that begin with them: the last ones before brackets, the first ones after "is short
    for". Nothing where they begin otherwise."""
    letters = short.casefold()
    for some in (words[-len(letters) :], words[: len(letters)]):
        initials = "".join(word[0] for word in some).casefold()
        fitting = sum(one == other for one, other in zip(letters, initials, strict=False))
        if len(initials) == len(letters) and initials[0] == letters[0] and fitting >= max(_LETTERS, len(letters) - 1):
            yield short, " ".join(some)
            return
