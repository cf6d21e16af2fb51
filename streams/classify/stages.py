"""Stages of which one ends the one before: nursery, school, university; the second and the third grade."""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.events import Event

from . import cues
from .clause import Noun, said
from .features import Features, plain
from .protocol import Judgement, Pair
from .ruling import updates
from .words import stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_PRIMARY = _stems("primary elementary")
_STAGES = (
    _stems("nursery kindergarten daycare creche preschool playgroup"),
    _PRIMARY,
    _stems("secondary grammar high middle gymnasium comprehensive"),
    _stems("college university uni"),
)
_SCHOOL = stem("school")
_ATTENDS = frozenset({"be", "go", "attend", "start", "begin", "join", "move", "change", "visit"})
_WORKS = re.compile(r"\b(?:as an?|teach\w*|work\w*|job|colleague|staff)\b")
_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
)
_GRADE = re.compile(
    rf"\b(?P<name>{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th)) (?:grade|form)\b"
    r"|\b(?:grade|class|year|form) (?P<number>\d{1,2})[a-z]?\b"
)


def next_stage(pair: Pair, f: Features) -> Judgement | None:
    """ "Ida started school" after "Ida is at the kindergarten"; the fourth grade after the third."""
    if not f.same_subject or cues.ADDED.search(f.newer) or cues.TEMPORARY.search(f.newer):
        return None
    (now, grade), (before, former) = _stage(pair.newer), _stage(pair.older)
    later = (before and now > before) or (former and grade > former)
    return updates("change", 0.8, "The next stage has begun.") if later else None


@lru_cache(maxsize=16384)
def _stage(event: Event) -> tuple[int, int]:
    """Which kind of school, from 1, and which grade is attended; 0 where nothing is said of it."""
    text = plain(event.text)
    clause = said(event.text)
    if clause is None or event.modality == "planned" or event.polarity == "negated" or not event.holds:
        return 0, 0
    if clause.verb not in _ATTENDS or clause.nearly or clause.form == "modal" or _WORKS.search(text):
        return 0, 0
    if clause.tense == "past" and clause.verb not in ("start", "begin", "join", "move", "change"):
        return 0, 0
    return _school(clause.nouns[:2]), _grade(text)


def _school(nouns: tuple[Noun, ...]) -> int:
    for noun in nouns:
        for rank in range(len(_STAGES), 0, -1):
            if noun.stems & _STAGES[rank - 1]:
                return rank
        if noun.head == _SCHOOL:
            return _STAGES.index(_PRIMARY) + 1
    return 0


def _grade(text: str) -> int:
    match = _GRADE.search(text)
    if match is None:
        return 0
    name = match["name"]
    if name is None:
        return int(match["number"])
    return _ORDINALS.index(name) + 1 if name in _ORDINALS else int(re.sub(r"\D", "", name))
