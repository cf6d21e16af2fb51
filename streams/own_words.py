"""What of a text is compared: what its author states, without what answers the other.

A whole message may be one statement: an importer's or a producer's. "Wow, that's great! Did you like it? I signed up
for a pottery class" is close to every other reaction and to every other question, and only its last sentence can be
ended by anything or end it. What a distiller states is a sentence of its own and stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .classify.promise import OWN, REACTION

_ATTACHED = re.compile(r"\s*\[[^\]]*\]\s*")
"""What a message brings with it, in words that are not its author's: "[Image: a boat]"."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")

_POINTS_AT_TALK = re.compile(
    r"\b(?:you|your|you're|you've|you'll|yours|it|it's|its|they|they're|them|this|that|that's|these|those|there|"
    r"there's|let's)\b"
)
"""Without a word about its author such a sentence is about the other, or about what was said before."""

_TEXTS = 16384
"""Texts that are remembered: a row is made of a statement more than once."""


@lru_cache(maxsize=_TEXTS)
def own_words(text: str) -> str:
    """The text as it is compared; a function of the text alone, and never empty where the text is not.

    Left out, where anything else is left: what is attached, questions, what only answers ("Sounds great!"), and
    sentences that point at the talk and do not speak of their author ("It must be lovely there."). "Lena moved to
    Oslo." and "Sold the boat." stay, and so does every statement in a language other than English.
    """
    attached = _ATTACHED.match(text)
    said = text[attached.end() :] if attached and attached.end() < len(text) else text
    sentences = _SENTENCE_END.split(said)
    if len(sentences) == 1:
        return said
    kept = [sentence for sentence in sentences if not _answers(_plain(sentence))] or sentences
    return " ".join([sentence for sentence in kept if not _points_at_talk(_plain(sentence))] or kept)


def _plain(sentence: str) -> str:
    return sentence.casefold().replace("’", "'").strip()


def _answers(plain: str) -> bool:
    """A question, or a reaction that says nothing of its speaker."""
    return plain.endswith("?") or (REACTION.match(plain) is not None and OWN.search(plain) is None)


def _points_at_talk(plain: str) -> bool:
    return OWN.search(plain) is None and _POINTS_AT_TALK.search(plain) is not None
