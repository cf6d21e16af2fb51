"""Sentences that are not meant: jokes, fiction, hearsay, suppositions; and what takes back something said before."""

from __future__ import annotations

import re

from .cues import cue_pattern, lowered
from .lexicon import acts as words

_UNSERIOUS = cue_pattern(
    c for c in (*words.FICTION_CUES, *words.JOKE_CUES, *words.HYPOTHETICAL_PHRASES) if c[-1].isalnum()
)
_FICTION = re.compile(words.FICTION_OPENING)
_HEARSAY = re.compile(
    r"^(?:(?:and|but|so|well),? )?(?:people|folks|everyone|everybody|they|some(?: people)?) (?:all |still )?"
    r"(?:(?:keep|keeps|kept) )?(?:say(?:s|ing)?|said|think(?:s|ing)?|believes?|assumes?|claims?)\b"
)
"""What people say is nobody's statement; "the doctors say" and "Ben says" are somebody's."""
_IRONIC = re.compile(r"^(?:oh,? )?(?:sure|aye|riiight|yeah right),? and\b|breaking:")
_OBVIOUSLY = re.compile(r",? obviously[.! ]*$")
_CALLED_OFF = re.compile(r"\b(?:cancell?ed|off|over|postponed|not happening|gone|done|can't|won't|no longer|not)\b")
"""Bad news with "obviously" is no irony: "the trip is cancelled, obviously"."""
_SUPPOSED = re.compile(r"(?:so |and |ok |okay )?(?:in case|say (?:the|my|our|your|a|an|i|we|you|he|she|they|it)\b)")
_JOKE_END = cue_pattern(c for c in words.JOKE_TAKEN_BACK if c[-1].isalnum())
_ONLY_JOKED = re.compile(
    r"\W*(?:(?:ha)+,? |lol,? |no,? )?(?:i'm |i am )?(?:(?:just |only )?(?:kidding|joking)|jk)"
    r"(?:,? (?:of course|obviously|lol|(?:ha)+))?\W*"
)
JOKED_CHARS = 60
"""A longer text says more than that it was a joke."""
_TAKE_BACK = cue_pattern(words.TAKE_BACKS)


def unserious(sentence: str) -> bool:
    """The whole sentence is a joke by its cue, fiction, a supposition, or what people say."""
    low = lowered(sentence)
    if _OBVIOUSLY.search(low) and not _CALLED_OFF.search(low):
        return True
    return any((_UNSERIOUS.search(low), _FICTION.match(low), _IRONIC.search(low), _HEARSAY.match(low)))


def supposes(sentence: str) -> bool:
    """A sentence that opens with a supposition: "say the boiler breaks: …", "in case it rains we'd …"."""
    return _SUPPOSED.match(lowered(sentence)) is not None


def takes_back(sentence: str) -> bool:
    """It takes an earlier statement back ("I was joking", "scratch that")."""
    return bool(_TAKE_BACK.search(lowered(sentence)))


def disowned_before(text: str) -> int:
    """Where the last "just kidding" of a message begins when statements come before it in the same message, else 0."""
    hits = list(_JOKE_END.finditer(lowered(text)))
    return hits[-1].start() if hits else 0


def only_joked(text: str) -> bool:
    """A message that says "just kidding" and no more: it takes back what was said right before it."""
    return len(text) <= JOKED_CHARS and _ONLY_JOKED.fullmatch(lowered(text)) is not None
