"""A statement's clause as the rules of endings look at it: who or what, which verb, and the noun phrases around it.

The text of an event is one clause, mostly. Nothing here knows what words mean: see ``endings`` for what ends something
and ``holdings`` for what somebody has.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..distil.finite import Tokens
from ..distil.headlines import is_headline
from ..distil.lexicon import grammar as g
from ..distil.lexicon.verbs import BASES
from ..distil.parse import Form, Parse, parse, parse_going_on
from ..distil.tokens import Token, tokenize
from ..distil.verbs import ing_base, third_base
from .words import stem

READ_CHARS = 400
"""Characters of a text that are read: a longer one is no plain statement."""

_COUNTED = frozenset("two three four five six seven eight nine ten several many few both all".split())  # noqa: SIM905
_TIMES = g.TIME_NOUNS | frozenset(
    [
        "times",
        "minutes",
        "hours",
        "nights",
        "mornings",
        "evenings",
        "weekends",
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_OBJECTS = frozenset("me you him her it us them myself himself herself ourselves one ones mine".split())  # noqa: SIM905
_NEARLY = frozenset({"almost", "nearly"})
_ABOUT_TO = re.compile(r"\b(?:was|were|am|'m|is|'s|are|'re) (?:just )?about to\b|^(?:just )?about to\b")
_BARE = frozenset("early late again anymore ever far twice once".split()) | g.ADVERBS  # noqa: SIM905


_COLOURS = frozenset("red blue green yellow white black grey gray pink purple orange brown beige".split())  # noqa: SIM905


_OF_TIMES = _TIMES | frozenset("whole entire other same past busy few couple first second third one".split())  # noqa: SIM905


class Noun(NamedTuple):
    """A noun phrase.

    Attributes:
        head: the stem of its last word.
        stems: of all its words, the head's among them; the article is not.
        article: "the", "my", "a", a number; empty without one.
        before: the preposition before it; empty for an object or a subject; a comma before what was only added.
        many: counted, more than one.
        named: its last word has a capital.
        owned: it names its owner ("my sister's van").
        plural: its last word ends like one.
    """

    head: str
    stems: frozenset[str]
    article: str
    before: str
    many: bool
    named: bool
    owned: bool
    plural: bool = False

    @property
    def definite(self) -> bool:
        """It is known which one is meant: a name, or with an article that says so."""
        return self.named or self.article in _DEFINITE


_DEFINITE = frozenset("the my our this that both all".split())  # noqa: SIM905


class Said(NamedTuple):
    """A clause that was read.

    Attributes:
        subject: its noun phrases; empty for a pronoun and for one left out.
        pronoun: the subject's first word when it is a pronoun, else empty; "i" when it is left out.
        verb: base of the main verb, "be" without another one.
        gerund: the base of an -ing form right after it ("stopped *going*"), else empty.
        nouns: noun phrases after the verb.
        after: words after the verb, the gerund's with them.
        passive: something was done to the subject.
        negated: it is denied.
        nearly: it only almost was.
        tense: "past", "perfect", "present" or "future".
        form: see ``Parse``.
    """

    subject: tuple[Noun, ...]
    pronoun: str
    verb: str
    gerund: str
    nouns: tuple[Noun, ...]
    after: tuple[str, ...]
    passive: bool
    negated: bool
    nearly: bool
    tense: str
    form: Form

    @property
    def first(self) -> bool:
        """The speaker is the subject, alone or with others."""
        return self.pronoun in ("i", "we")

    @property
    def objects(self) -> tuple[Noun, ...]:
        """Noun phrases without a preposition."""
        return tuple(noun for noun in self.nouns if not noun.before)

    @property
    def about(self) -> frozenset[str]:
        """The stems of the subject's noun phrases."""
        return frozenset[str]().union(*(noun.stems for noun in self.subject))

    def has(self, *words: str) -> bool:
        """Whether one of the words comes after the verb."""
        return any(word in self.after for word in words)


@lru_cache(maxsize=16384)
def said(text: str) -> Said | None:
    """The clause of a statement's text; None when no verb is found in it."""
    if len(text) > READ_CHARS:
        return None
    tokens = tokenize(text)
    reading = parse(tokens)
    if reading is None or reading.form == "verbless":
        reading = parse_going_on(tokens)
    return None if reading is None else _said(text, tokens, reading)


def _said(text: str, tokens: Tokens, reading: Parse) -> Said:
    words = [t.word for t in tokens]
    begin, end = reading.subject
    own = {"i", "we"} & set(words[begin:end])
    if not own and "me" in words[begin:end] and end - begin > 1:
        own = {"i"}  # "me and Jo"
    pronoun = (
        _left_out(words)
        if begin == end
        else min(own)
        if own
        else words[begin]
        if words[begin] in g.SUBJECT_PRONOUNS
        else ""
    )
    main = _had_to(words, reading) or reading.main
    after = _skipped(words, main + 1)
    stopped = ing_base(words[after]) if after < len(words) else None
    gerund = stopped or ""
    start = after + 1 if gerund else main + 1
    return Said(
        subject=() if pronoun and begin + 1 == end else _bare(nouns_of(text, tokens[begin:end])),
        pronoun=pronoun,
        verb=reading.base if main == reading.main else words[main],
        gerund=gerund,
        nouns=nouns_of(text, tokens[start:]),
        after=tuple(words[main + 1 :]),
        passive=_is_passive(words, reading) or is_headline(tokens, reading),
        negated=reading.negated or "no longer" in " ".join(words),
        nearly=_is_nearly(text, words[max(0, reading.finite - 2) : reading.main]),
        tense=reading.tense,
        form=reading.form,
    )


def _bare(subject: tuple[Noun, ...]) -> tuple[Noun, ...]:
    """ "Internet's back", "sofa is here": written in haste, one that both know; "flats" are any."""
    plain = len(subject) == 1 and not subject[0].article and not subject[0].named and not subject[0].plural
    return (subject[0]._replace(article="the"),) if plain else subject


def _is_nearly(text: str, words: list[str]) -> bool:
    """ "I almost sold it", "I was about to sell it"."""
    return any(word in _NEARLY for word in words) or _ABOUT_TO.search(text.casefold()) is not None


def _left_out(words: list[str]) -> str:
    """Who is meant where no subject is said: "works as a nurse" is another's, the rest the speaker's."""
    return "he" if third_base(words[0]) is not None and words[0] not in BASES else "i"


def _had_to(words: list[str], reading: Parse) -> int | None:
    """ "I had to sell it", "managed to sell it": the place of the verb that was done; None elsewhere."""
    achieved = reading.tense == "past" and words[reading.finite] in ("had", "managed", "got")
    at = reading.finite + 2
    if achieved and at < len(words) and words[at - 1] == "to" and words[at] in BASES:
        return at
    return None


def _skipped(words: list[str], at: int) -> int:
    """The place after adverbs and "up": "gave up smoking"."""
    while at < len(words) and (words[at] in g.ADVERBS or words[at] == "up"):
        at += 1
    return at


def _is_passive(words: list[str], reading: Parse) -> bool:
    if reading.main == reading.finite or ing_base(words[reading.main]) is not None:
        return False
    if reading.form == "perfect":
        return "been" in words[reading.finite : reading.main]
    return words[reading.finite] in g.BE_PRESENT | g.BE_PAST | {"got", "gets", "get", "'s"}


def nouns_of(text: str, tokens: Tokens) -> tuple[Noun, ...]:
    """The noun phrases of a stretch of words, in order; those of times are left out."""
    found: list[Noun] = []
    held: list[Token] = []
    article = before = ""
    owned = False

    def close() -> None:
        nonlocal article, owned
        noun = _noun(held, article, before, owned=owned)
        if noun is not None:
            found.append(noun)
        held.clear()
        article, owned = "", False

    for i, token in enumerate(tokens):
        word = token.word
        if i and any(mark in text[tokens[i - 1].end : token.start] for mark in ",;:.!?()–—"):
            close()
            before = "," if i and not (token.capital or word in g.DETERMINERS) else ""
        instead = word == "instead" and i + 1 < len(tokens) and tokens[i + 1].word == "of"
        if word in g.PREPOSITIONS or word in ("away", "forward") or instead:
            chained = not held and not article and before
            close()
            before = f"{before} {word}" if chained else word
        elif word in g.CONJUNCTIONS or (held and word in ("last", "next", "back")):
            close()
        elif word in g.DETERMINERS or word in _COUNTED or word[0].isdigit():
            close()
            article = word
        elif word in g.AUXILIARIES and word != "'s":
            break
        elif word in _OBJECTS or (word in _BARE and not token.capital):
            close()
            before = "" if word in _OBJECTS else before
        elif word == "'s":
            owned = bool(held)
        else:
            held.append(token)
    close()
    return tuple(found)


def _ends_in_s(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _noun(held: list[Token], article: str, before: str, *, owned: bool) -> Noun | None:
    if not held or (held[-1].word in _TIMES and (len(held) == 1 or held[-2].word in _OF_TIMES)):
        return None  # "a gap year" is one
    tail = len(held) > 1 and held[-1].word in _COLOURS  # "paint the kitchen yellow"
    head = stem(held[-2 if tail else -1].word)
    counted = article in _COUNTED or (article.isdigit() and article != "1")
    return Noun(
        head,
        frozenset(stem(t.word) for t in held),
        article,
        before,
        counted,
        held[-1].capital,
        owned,
        _ends_in_s(held[-1].word),
    )
