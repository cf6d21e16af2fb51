"""What a question asks: its shape, whom and which attribute it is about, and which instant."""

from __future__ import annotations

import re

import msgspec

from schemas.times import Interval
from views.vectors.sparse import STOP_WORDS, term_id, words

from .api import QueryRequest, Shape
from .cut import Cut
from .period import is_date_word, period_of
from .shapes import (
    asks_about_past,
    asks_for_newest,
    asks_for_several,
    asks_of_change,
    names_in,
    people_asked,
    proper_words,
    shape_of,
    tokens,
)

_PAST_TENSE = re.compile(r"\b(did|was|were|had)\b", re.I)

_LOOKED_AT = 256
"""Events of a participant that tell whether he or she speaks: ids are hashes, so they are a sample, and of whoever
speaks a good part is in their own words."""

_ATTRIBUTE_WORDS: dict[str, tuple[str, ...]] = {
    "home": ("live", "living", "reside", "home", "address", "city", "town", "moved"),
    "employer": ("work", "employer", "company", "workplace", "employed"),
    "job": ("job", "profession", "occupation", "living", "role", "work", "employed"),
    "relationship": ("married", "dating", "relationship", "partner", "single"),
    "relationship status": ("married", "dating", "relationship", "partner", "single", "engaged", "divorced"),
    "allergy": ("allergic", "allergy", "allergies"),
    "studies": ("study", "studying", "learning"),
    "appointment": ("appointment",),
    "diet": ("diet", "vegetarian", "vegan", "eat"),
    "school": ("school", "university", "college", "study"),
    "pet": ("pet", "dog", "cat"),
    "birthday": ("birthday", "born"),
    "manager": ("manager", "boss"),
    "rent": ("rent",),
    "phone": ("phone", "number"),
    "email": ("email",),
}
"""Words of everyday questions for common attributes. It only ranks: a missing word costs a little order, no answer."""

_ATTRIBUTES_OF_TERM: dict[int, frozenset[str]] = {
    term: frozenset(name for name, listed in _ATTRIBUTE_WORDS.items() if term in {term_id(word) for word in listed})
    for term in {term_id(word) for listed in _ATTRIBUTE_WORDS.values() for word in listed}
}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question understood from its words.

    Attributes:
        shape: see ``shapes``.
        newest: its answer is the newest of several statements.
        of_change: it asks what became of something.
        several: an answer may list statements.
        names: canonical participants it names, sorted.
        proper: the proper words of those that speak here, whose names others say to address them; they are left out of
            the question's vector. What else is named ("Juno", "dogs") is what the question is about.
        strangers: names in the place of a person whom no participant bears, case-folded.
        at: the instant its answer is about, microseconds UTC.
        later: when it is asked, or ``at`` where the request itself fixed the instant.
        period: the period its words name, when it lies in the past.
        former: it asks for a former state without a date ("before", "used to").
        past_tense: what has ended may answer it too ("where did …").
        terms: its content words without names and dates, as term ids.
        attributes: canonical attributes its words point at.
    """

    shape: Shape
    several: bool
    newest: bool
    of_change: bool
    names: tuple[str, ...]
    proper: tuple[str, ...]
    strangers: tuple[str, ...]
    at: int
    later: int
    period: Interval | None
    former: bool
    past_tense: bool
    terms: frozenset[int]
    attributes: frozenset[str]


def understand(request: QueryRequest, cut: Cut) -> Asked:
    """Read a question. An ``as_of`` in the request outranks a date in the words.

    A past period moves the instant to its last moment: "where did Mira live in March" is about the state at the end of
    March. A future one does not: what is known of the future is a plan, and plans are read from today.
    """
    question = request.question
    names, strangers = _people(question, cut)
    period = period_of(question, request.asked_at) if request.as_of is None else None
    if period is not None and period.start > request.asked_at:
        period = None
    at = request.as_of if request.as_of is not None else request.asked_at
    later = at
    if period is not None:
        at = min(period.until - 1, request.asked_at)
    proper = tuple(sorted({word for name in names if _speaks(name, cut) for word in proper_words(name)}))
    in_names = {word for name in names for part in proper_words(name) for word in words(part)}
    content = [word for word in words(question) if word not in STOP_WORDS and word not in in_names]
    if period is not None:
        content = [word for word in content if not is_date_word(word)]
    terms = frozenset(term_id(word) for word in content)
    shape = shape_of(question)
    return Asked(
        shape=shape,
        several=asks_for_several(question, shape),
        newest=asks_for_newest(question, shape),
        of_change=asks_of_change(question),
        names=names,
        proper=proper,
        strangers=strangers,
        at=at,
        later=later,
        period=period,
        former=period is None and asks_about_past(question),
        past_tense=_PAST_TENSE.search(question) is not None,
        terms=terms,
        attributes=frozenset(name for term in terms for name in _ATTRIBUTES_OF_TERM.get(term, ())),
    )


def _speaks(name: str, cut: Cut) -> bool:
    """Whether any of a participant's first events, by id, is in his or her own words. Remembered."""
    known: dict[str, bool] = cut.memo.of_cut("speaks")
    if name not in known:
        own = name.casefold()
        rows = cut.rows(cut.reader.events_of_participant(name)[:_LOOKED_AT])
        known[name] = any((row.event.speaker or "").casefold() == own for row in rows)
    return known[name]


def _people(question: str, cut: Cut) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Canonical names in the question, through the alias table where a word is nobody's name, and the strangers."""
    names = list(names_in(question, cut.reader.participants()))
    strangers: list[str] = []
    known = {word for name in names for word in tokens(name)}
    for person in people_asked(question):
        if set(tokens(person)) & known:
            continue
        rows = cut.rows(cut.reader.events_of_participant(person))
        if rows:
            shared = set(rows[0].event.participants).intersection(*(row.event.participants for row in rows))
            names += sorted(shared)
        else:
            strangers.append(person.casefold())
    return tuple(sorted(set(names))), tuple(strangers)
