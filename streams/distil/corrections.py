"""Corrections: words that admit a mistake, and what was denied to say what is so.

"I got the date wrong" states nothing: it is a cue, and the statement it is about takes it into its text, so that
whoever reads the event (the link step, or a person) sees that it corrects. In the same way "it was never the 12th" goes
into "it is the 14th": beside it, the denial would be a second statement about the same thing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ..admissions import OF_ANYTHING, OF_SPEECH
from .statement import Statement

_OPENERS = "wait|sorry|oops|whoops|ah|oh|no|actually|hmm|ugh|well|so|but|as|because"
_LEFT = rf"(?:^|[,.;:!?…(–—]\s*|\s-\s+)(?:(?:{_OPENERS})[,!\s]{{1,4}}){{0,4}}"
_RIGHT = r"(?=\s*(?:$|[,.;:!?…)–—]|\s-\s))"
_ADMISSION = re.compile(
    rf"{_LEFT}(?P<cue>(?P<of_speech>{OF_SPEECH})|{OF_ANYTHING}){_RIGHT}".replace(" ", r"\s+"),
    re.IGNORECASE,
)
_NEVER = re.compile(r"\b(?:was|were)\s+never\b|\bnever\s+(?:was|were|lived|worked)\b", re.IGNORECASE)
_NOT = re.compile(r"not\s", re.IGNORECASE)


MOST_CUES = 32
"""Admissions of one message that find their statement: each looks through all of them."""
FEW_WORDS = 2
"""Words beside an admission that still leave it alone: "sorry", "oh no"."""


class Cue(NamedTuple):
    """Words that admit a mistake and nothing else: sentence number ``place``, characters ``[start, end)``.

    ``opens``: where the words before it begin ("no wait, …"). ``of_speech``: the mistake was made in saying something.
    ``leads``: what is so comes after it ("my mistake: …").
    """

    place: int
    opens: int
    start: int
    end: int
    of_speech: bool
    leads: bool


Placed = tuple[int, Statement]
"""A statement and the number of the sentence it begins in."""


def admissions(text: str, place: int, start: int, end: int) -> list[Cue]:
    """The admissions in the sentence ``text[start:end]`` that stand between two marks, with nothing said about them.

    "I made a mistake at work" is none: it says more.
    """
    sentence = text[start:end].replace("’", "'")
    return [
        Cue(
            place,
            start + match.start(),
            start + match.start("cue"),
            start + match.end("cue"),
            match["of_speech"] is not None,
            sentence[match.end("cue") :].lstrip()[:1] in (":", "-", "–", "—")
            or not re.search(r"\w", sentence[: match.start()]),
        )
        for match in _ADMISSION.finditer(sentence)
    ]


def stands_alone(text: str, cue: Cue) -> bool:
    """Whether an admission is all that a message says, so that it takes back the statement right before.

    A mistake in deed must be alone but for a word or two ("sorry"); one in speech may have unread words beside it.
    """
    return cue.of_speech or len(re.findall(r"\w+", text[: cue.start] + text[cue.end :])) <= FEW_WORDS


def settle(found: Sequence[Placed], cues: Sequence[Cue], text: str, speaker: str) -> list[Statement]:
    """The statements of a message, each with the admission or the denial that belongs to it in its place.

    An admission is no statement, whether or not a statement takes it in. Order is kept. Where "it" names nothing in
    this message, the speaker takes part: whose mistake it was is all that is known of what is put right.
    """
    told = [(place, s) for place, s in found if not _is_admission(s, cues)]
    for cue in cues[:MOST_CUES]:
        at = _host(told, cue)
        if at is not None:
            place, s = told[at]
            told[at] = place, owned(s._replace(start=min(s.start, cue.start), end=max(s.end, cue.end)), speaker)
    settled: list[Placed] = []
    for place, s in told:
        if settled and place - settled[-1][0] <= 1:
            former = settled[-1][1]
            if _denies(s, former, text):
                settled[-1] = settled[-1][0], _joined(former, s)
                continue
            if _denies(former, s, text):
                settled[-1] = place, _joined(s, former)
                continue
        settled.append((place, s))
    return [s for _, s in settled]


def owned(s: Statement, speaker: str) -> Statement:
    """The statement, with its speaker taking part where nobody is known to."""
    return s if s.people or s.subject.name is not None else s._replace(people=(speaker,))


def _is_admission(s: Statement, cues: Sequence[Cue]) -> bool:
    """Whether the last admission that begins no later than the statement holds all of it."""
    at = bisect_right(cues, s.start, key=lambda cue: cue.opens)
    return at > 0 and s.end <= cues[at - 1].end


def _host(told: Sequence[Placed], cue: Cue) -> int | None:
    """Which statement an admission is about: in its sentence, else a definite one in the next or in the one before."""
    own = [i for i, (place, _) in enumerate(told) if place == cue.place]
    before = [i for i in own if told[i][1].start < cue.start]
    after = [i for i in own if told[i][1].start >= cue.start]
    if before and not (cue.leads and after) and (not after or told[before[-1]][1].kind.polarity == "affirmed"):
        return before[-1]
    if after:
        return after[0]
    ahead = [i for i, (place, s) in enumerate(told) if place == cue.place + 1 and _definite(s)]
    behind = [i for i, (place, s) in enumerate(told) if place == cue.place - 1 and _definite(s) and cue.of_speech]
    return ahead[0] if ahead else behind[-1] if behind else None


def _definite(s: Statement) -> bool:
    return s.attribute is not None or s.times.anchor.resolution != "message_time"


def _denies(denial: Statement, other: Statement, text: str) -> bool:
    """One denies a value of what the other names the true value of: "it was never the 12th", "not the 12th"."""
    if other.kind.polarity == "negated" or not _compatible(denial.subject.name, other.subject.name):
        return False
    words = text[denial.start : denial.end]
    new, old = other.times.anchor, denial.times.anchor
    dated = new.resolution != "message_time" and old.resolution != "message_time"
    differ = dated and (new.until <= old.start or old.until <= new.start)
    if _NOT.match(words):
        return differ
    if denial.kind.polarity != "negated" or not _NEVER.search(words):
        return False
    if denial.attribute is not None and denial.attribute == other.attribute:
        return not dated or differ
    return differ and _compatible(denial.attribute, other.attribute)


def _compatible(left: str | None, right: str | None) -> bool:
    return left is None or right is None or left == right


def _joined(s: Statement, denial: Statement) -> Statement:
    """The statement with the denial in its place; the denial may be the one that names the subject."""
    named = s.subject if s.subject.name is not None else denial.subject
    return s._replace(
        start=min(s.start, denial.start),
        end=max(s.end, denial.end),
        subject=named,
        people=tuple(sorted({*s.people, *denial.people})),
        attribute=s.attribute or denial.attribute,
    )
