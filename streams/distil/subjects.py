"""The subject of a clause as a canonical name, and the people who take part in it."""

from __future__ import annotations

from typing import NamedTuple

from ..anchors.words import WEEKDAYS
from ..participants import Roster
from .acts import named_token
from .finite import Tokens
from .lexicon import grammar as g
from .lexicon.attributes import EVENTS
from .lexicon.grammar import ADVERBS
from .lexicon.people import BARE_KIN, KIN, NOT_NAMES, PERSON_VERBS, PLACE_PREPOSITIONS, ROLES
from .lexicon.verbs import BASES
from .parse import Parse
from .verbs import ing_base

_LINKING = frozenset({"and", "&", "with"})


class Said(NamedTuple):
    """Who speaks, to whom, and who was spoken of last in the message."""

    speaker: str
    roster: Roster
    person: str | None
    thing: str | None


class Subject(NamedTuple):
    """``name`` is None when unknown; ``people`` are those who take part by being the subject or its owner."""

    name: str | None
    people: tuple[str, ...]
    is_person: bool


def subject_of(tokens: Tokens, reading: Parse, text: str, said: Said) -> Subject:
    """The subject of a clause.

    "I", "my", "we" and a subject left out are the speaker; "you" is the addressee when two people talk; "he", "she",
    "they", "it" are whom or what the message spoke of last; "my sister" is "<Speaker>'s sister"; names resolve by the
    roster; anything else is named by its own words without the article.
    """
    words = tokens[reading.subject[0] : reading.subject[1]]
    if not words:
        return Subject(said.speaker, (said.speaker,), is_person=True)
    first = words[0].word
    joined = any(t.word in _LINKING for t in words)
    if words[-1].word in g.FIRST_PERSON or first in g.FIRST_PERSON or (joined and "me" in (first, words[-1].word)):
        others = tuple(
            said.roster.canonical(text[t.start : t.end])
            for t in words
            if named_token(t) and t.word not in g.SUBJECT_PRONOUNS
        )
        return Subject(said.speaker, (said.speaker, *others), is_person=True)
    if len(words) == 1 and first in g.SUBJECT_PRONOUNS | {"him", "her", "them"}:
        return _pronoun(first, said)
    return _noun_phrase(words, text, said)


def subject_without_verb(tokens: Tokens, text: str, said: Said) -> Subject:
    """What a clause without a verb is about: its words up to the first preposition or time ("choir practice")."""
    start = int(tokens[0].word == "no")
    stop = start
    while stop < len(tokens) and not _ends_noun(tokens[stop].word):
        stop += 1
    return _noun_phrase(tokens[start:stop], text, said) if stop > start else Subject(None, (), is_person=False)


def _ends_noun(word: str) -> bool:
    return (
        word in g.PREPOSITIONS
        or word in g.ADVERBS
        or word in g.TIME_NOUNS
        or word in WEEKDAYS
        or word in ("this", "yet")
    )


def _pronoun(word: str, said: Said) -> Subject:
    if word in ("you", "y'all"):
        other = said.roster.addressee(said.speaker)
        return Subject(other, (other,) if other else (), is_person=other is not None)
    if word == "they" and said.person is not None and not _may_be_several(said.person):
        return Subject(None, (), is_person=False)
    if word in ("he", "she", "they", "who") and said.person is not None:
        return Subject(said.person, (said.person,), is_person=True)
    if word in ("it", "they") and said.thing is not None:
        return Subject(said.thing, (), is_person=False)
    return Subject(None, (), is_person=False)


def _may_be_several(name: str) -> bool:
    """ "They" are people, or somebody known by a role only ("my boss", "the landlord"); of one with a name it says
    nothing: "Pixel is fine, but they now want more rent"."""
    last = name.split()[-1]
    return " and " in name or last in ROLES or last in KIN.values() or last.endswith("s")


def _noun_phrase(words: Tokens, text: str, said: Said) -> Subject:
    """Owned things and kin, names, and other noun phrases."""
    first = words[0].word
    if first in ("my", "our") and len(words) > 1:
        return _kin_and_others(words[1:], text, said) or _owned(said.speaker, words[1:], text)
    if first == "your" and len(words) > 1:
        owner = said.roster.addressee(said.speaker)
        return _owned(owner, words[1:], text) if owner else _plain(words, text, said)
    if first in ("his", "her", "their") and len(words) > 1 and said.person is not None:
        return _owned(said.person, words[1:], text)
    if len(words) > 2 and words[1].word == "'s" and named_token(words[0]) and not _common(words[:1]):
        return _owned(said.roster.canonical(text[words[0].start : words[0].end]), words[2:], text)
    if first in BARE_KIN:
        kin = f"{said.speaker}'s {KIN[first]}"
        if len(words) > 2 and words[1].word == "'s":
            return _owned(kin, words[2:], text)
        return Subject(kin, (kin,), is_person=True)
    return _plain(words, text, said)


def _kin_and_others(words: Tokens, text: str, said: Said) -> Subject | None:
    """ "My sister and Karel": of the sister, with Karel taking part."""
    at = next((i for i, token in enumerate(words) if token.word in _LINKING), 0)
    others = words[at + 1 :]
    if not at or not others or not _is_kin(words[:at]) or not all(named_token(t) for t in others):
        return None
    one = _owned(said.speaker, words[:at], text)
    name = said.roster.canonical(" ".join(text[others[0].start : others[-1].end].split()))
    return one._replace(people=(*one.people, name))


def _owned(owner: str | None, words: Tokens, text: str) -> Subject:
    """ "<Owner>'s <thing>": a person when the thing is kin or a role ("aunt Mia"), else the owner takes part."""
    if owner is None:
        return Subject(None, (), is_person=False)
    parts = [KIN.get(t.word, text[t.start : t.end] if t.capital else t.word) for t in words]
    name = f"{owner}'s {' '.join(parts)}".replace(" 's", "'s")
    is_person = "'s" not in parts and _is_kin(words)
    return Subject(name, (name,) if is_person else (owner,), is_person=is_person)


def _is_kin(words: Tokens) -> bool:
    """Ends in a word for kin or a role, or in one with a name: "sister Rhea", but not "dentist appointment"."""
    named = len(words)
    while named > 1 and words[named - 1].capital:
        named -= 1
    head = words[named - 1].word
    return head in KIN or head in ROLES or (words[0].word in KIN and named < len(words))


def _plain(words: Tokens, text: str, said: Said) -> Subject:
    article = words[0].word in ("the", "a", "an")
    kept = (words[1:] if article else words) or words
    raw = " ".join(text[kept[0].start : kept[-1].end].split()).partition(" (")[0]
    if said.roster.knows(raw):
        name = said.roster.canonical(raw)
        return Subject(name, (name,), is_person=True)
    if not article and named_token(kept[0]) and not _common(kept) and _is_name(kept):
        names = _joined_names(kept, text, said)
        return Subject(names[0] if len(names) == 1 else " and ".join(names), tuple(names), is_person=True)
    named = any(t.capital for t in kept[1:2]) or not raw[1:2].islower()
    low = raw if named_token(kept[0]) and named else raw[:1].lower() + raw[1:]
    return Subject(low, (), is_person=False)


def _common(words: Tokens) -> bool:
    """A common noun or gerund that has its capital from the start of the sentence ("Dinner", "Rent", "Painting")."""
    word = words[0].word
    if word in NOT_NAMES:
        return True
    plain = word.removesuffix("s")
    return len(words) == 1 and (plain in EVENTS or word in BASES or word in ADVERBS or ing_base(word) is not None)


def _is_name(words: Tokens) -> bool:
    """All capitals, joined names, or a name with what tells it apart ("Ana from work")."""
    if all(t.capital or t.word in ("and", "'s", "von", "van", "de", "da") for t in words):
        return "'s" not in [t.word for t in words[:-1]]
    return len(words) > 2 and words[1].word in ("from", "of", "at")


def _joined_names(words: Tokens, text: str, said: Said) -> list[str]:
    parts: list[list[str]] = [[]]
    for token in words:
        if token.word == "and":
            parts.append([])
        elif token.word != "'s":
            parts[-1].append(text[token.start : token.end])
    return [said.roster.canonical(" ".join(p)) for p in parts if p]


def living_there(attribute: str | None, subject: Subject) -> Subject:
    """ "My place is a room above the mill" tells of whoever lives there."""
    if attribute != "home" or subject.is_person or len(subject.people) != 1:
        return subject
    return Subject(subject.people[0], subject.people, is_person=True)


def put_on_shift(attribute: str | None, subject: Subject, tokens: Tokens, said: Said) -> Subject:
    """ "They've put me back on days" tells of the speaker."""
    if attribute != "shift" or subject.is_person or all(t.word not in ("me", "us") for t in tokens):
        return subject
    return Subject(said.speaker, (said.speaker,), is_person=True)


def people_in(tokens: Tokens, reading: Parse, text: str, said: Said) -> tuple[str, ...]:
    """People named after the verb: speakers of the session anywhere, other names where no place is likely.

    "They fired me", "Ben moved in with us": the speaker takes part.
    """
    found: list[str] = []
    i = reading.subject[1]
    while i < len(tokens):
        token = tokens[i]
        if token.word in ("me", "us", "my", "our"):
            found.append(said.speaker)
        if named_token(token) and token.word not in NOT_NAMES:
            stop = i + 1
            while (
                stop < len(tokens)
                and named_token(tokens[stop])
                and text[tokens[stop - 1].end : tokens[stop].start] == " "
            ):
                stop += 1
            raw = " ".join(text[token.start : tokens[stop - 1].end].split())
            before = tokens[i - 1].word if i else ""
            if said.roster.knows(raw) or (
                before not in PLACE_PREPOSITIONS
                and ((before in _LINKING and reading.base not in ("be", "work", "start")) or _takes_person(reading))
                and before not in g.DETERMINERS
            ):
                found.append(said.roster.canonical(raw))
            i = stop
        else:
            i += 1
    return tuple(found)


def _takes_person(reading: Parse) -> bool:
    return reading.base in PERSON_VERBS
