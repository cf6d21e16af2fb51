"""The candidate gate A(e) (Eq. 10): which earlier statements a new one is compared with.

A gate that looked at validity would miss the first link of A → B → C once B superseded A; so it never does, and C is
compared with A as well. Where we differ from the paper: instead of "same or related theme" two statements are related
when they share an attribute, a rare word or a close text, because a pair can then be judged without knowing what else
arrived (ops/adr/0009).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

import msgspec

from schemas.events import Event, Stated
from schemas.ids import normal_text
from schemas.times import US_PER_DAY

from .classify.attributes import matter
from .classify.promise import promise
from .classify.subjects import About, about, is_called, name_stems, same_subject
from .classify.words import rare_stems
from .own_words import own_words
from .unit_vectors import SCALE, IntVector, cosine, dot

THETA_P = 0.5
"""Least Jaccard of participants: of two people, one in common; of three, two."""

THETA_S = 0.2
"""Least cosine of texts that share neither attribute nor rare word. What changed is often told in other words: of 86
supersessions annotated in six conversations 0.80 were among the best 60 messages with 0.35, 0.87 with 0.25, 0.92 with
no bound. The order is left to ``points``; the bound only keeps a late statement from touching everything after it."""

CAP = 15
"""Candidates of one statement beyond those with its attribute."""

ATTRIBUTE_CAP = 64
"""Candidates with its attribute. They get places of their own, so that a chain stays right when its middle is
withdrawn; the bound keeps an attribute that is stated daily from costing the square of its history. The latest are
kept: one older than these could only come back when all 64 that superseded it were withdrawn."""

POINT = SCALE * SCALE // 100
"""A hundredth of a cosine, in the units of ``dot``."""

SAME_SPEAKER = 30
"""Points for the same author."""

FOCUS_UP_TO = (0, 1, 3, 7, 15, 31)
FOCUS_POINTS = (0, 20, 17, 14, 11, 8, 5)
"""Points by ``Candidate.focus``: a word that hardly anything else was said with counts most."""

GAPS_US = tuple(days * US_PER_DAY for days in (1, 4, 10, 25, 60, 150, 400))
GAP_POINTS = (0, -4, -8, -12, -15, -19, -23, -27)
"""Points by the time between the two: the longer, the fewer. What is reported on was mostly said lately."""

OrderKey = tuple[Stated, str]


class Row(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An event with what the gate needs. ``producer``: the API producer that asserted it, None for distilled ones.

    ``speaker`` is folded; ``promise`` as in ``classify.promise``. ``thing``: the rare stems of a subject that is nobody
    and nobody's ("the wedding"), empty for others.
    """

    event: Event
    order: OrderKey
    about: About
    participants: frozenset[str]
    attribute: str | None
    stems: frozenset[str]
    speaker: str | None
    thing: frozenset[str]
    promise: int
    vector: IntVector
    producer: str | None


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier statement that passed the gate.

    ``similarity``: cosine of the two texts (``own_words``). ``focus``: of the rare words that both hold, the one that
    the fewest of all earlier statements that pass hold: in how many it is, this one included; 0 without such a word.
    """

    row: Row
    similarity: float
    focus: int = 0


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate lets through for one statement: best first; ``left_out`` passed and were cut by a cap."""

    candidates: tuple[Candidate, ...]
    looked_at: int
    left_out: int

    @property
    def passed(self) -> int:
        """How many earlier statements it may be about."""
        return len(self.candidates) + self.left_out


def make_row(event: Event, vector: IntVector, producer: str | None) -> Row:
    """The row of an event; ``vector``: of ``own_words``. People's names do not count as rare words: in a talk of two
    they say nothing.

    "The trip is off" tells of a thing and names nobody: it is of the one who says so.
    """
    own = () if event.speaker is None or event.subject is None else (event.speaker,)
    named = event.participants or own
    subject, names = about(event), name_stems(event)
    participants = frozenset(normal_text(name) for name in named)
    is_thing = subject.third and subject.owner is None and subject.subject not in participants
    return Row(
        event=event,
        order=(event.stated, event.id),
        about=subject,
        participants=participants,
        attribute=matter(event.attribute),
        stems=rare_stems(event.text) - names,
        speaker=None if event.speaker is None else normal_text(event.speaker),
        thing=rare_stems(subject.subject or "") - names if is_thing else frozenset(),
        promise=promise(own_words(event.text)),
        vector=vector,
        producer=producer,
    )


def same_people(left: Row, right: Row, theta_p: float = THETA_P) -> bool:
    """The same known subject, or participants that overlap enough."""
    if same_subject(left.about, right.about):
        return True
    union = len(left.participants | right.participants)
    return union > 0 and len(left.participants & right.participants) >= theta_p * union


def same_speaker(left: Row, right: Row) -> bool:
    """The same known author said both."""
    return left.speaker is not None and left.speaker == right.speaker


def names_thing(left: Row, right: Row) -> bool:
    """One author says what a thing is like, and names it again with another subject: "the wedding", "they moved the
    wedding"."""
    named = (left.thing and left.thing <= right.stems) or (right.thing and right.thing <= left.stems)
    return bool(named) and same_speaker(left, right)


def same_attribute(left: Row, right: Row) -> bool:
    """Both have the same known attribute."""
    return left.attribute is not None and left.attribute == right.attribute


def takes_part(left: Row, right: Row) -> bool:
    """The left one is about somebody who takes part in the right one and speaks in neither: "Tinker died".

    Or the right one says whose and who that is: "Vera is here", "my sister Vera".
    """
    subject = left.about.subject
    if is_called(left.about, right.about):
        return True
    return left.about.third and subject in right.participants and subject not in (right.speaker, right.about.subject)


def related(left: Row, right: Row, theta_s: float = THETA_S) -> bool:
    """Omega: the same attribute, a rare word in common, the same third subject, one that takes part, or close texts."""
    if same_attribute(left, right) or not left.stems.isdisjoint(right.stems):
        return True
    if left.about.subject == right.about.subject and (left.about.third or right.about.third):
        return True
    if takes_part(left, right) or takes_part(right, left):
        return True
    return cosine(left.vector, right.vector) >= theta_s


def own_pair(left: Row, right: Row) -> bool:
    """Both asserted by the same API producer, which asserts the edges between them itself."""
    return left.producer is not None and left.producer == right.producer


def passes(newer: Row, older: Row) -> bool:
    """A(e) for one pair. Symmetric, and a function of the pair alone."""
    if own_pair(newer, older):
        return False
    return names_thing(newer, older) or (same_people(newer, older) and related(newer, older))


def company(newer: Row, passed: Sequence[Row]) -> dict[str, int]:
    """By rare word of a statement, how many of those that pass hold it.

    Counted among these alone: what arrives changes the counts of no statement that is not linked again anyway.
    """
    return {stem: sum(stem in row.stems for row in passed) for stem in newer.stems}


def focus(newer: Row, older: Row, held: Mapping[str, int]) -> int:
    """See ``Candidate``; ``held`` as ``company`` counts."""
    return min((held[stem] for stem in newer.stems & older.stems), default=0)


def points(newer: Row, older: Row, focused: int) -> int:
    """How much a pair is worth comparing: close texts, a word that little else was said with, one author, an older
    statement that promised something, not long ago. An integer, in the units of ``dot``."""
    gap = bisect_right(GAPS_US, abs(newer.event.stated.sent_at - older.event.stated.sent_at))
    counted = GAP_POINTS[gap] + older.promise + SAME_SPEAKER * same_speaker(newer, older)
    counted += FOCUS_POINTS[bisect_left(FOCUS_UP_TO, focused)]
    return dot(newer.vector, older.vector) + POINT * counted


def may_settle(newer: Row, older: Row) -> bool:
    """The older one is a plan that the newer one may report on."""
    return older.event.modality == "planned" and not newer.stems.isdisjoint(older.stems)


def choose(newer: Row, earlier: Sequence[Row]) -> Chosen:
    """The candidates of a statement among all statements before it in stated order, in any order: the definition.

    Ranked by (same attribute, a plan it shares a word with, ``points``), then the later stated, then id. Statements
    with its attribute come first and have a cap of their own. ``gate_index`` computes the same for many at once.
    """
    passed = [row for row in earlier if passes(newer, row)]
    passed.sort(key=lambda row: row.event.id)
    passed.sort(key=lambda row: row.event.stated, reverse=True)
    same = [row for row in passed if same_attribute(newer, row)][:ATTRIBUTE_CAP]
    other = [row for row in passed if not same_attribute(newer, row)]
    held = company(newer, passed)
    focused = {row.event.id: focus(newer, row, held) for row in passed}
    for kept in (same, other):
        kept.sort(key=lambda row: (may_settle(newer, row), points(newer, row, focused[row.event.id])), reverse=True)
    kept = [
        Candidate(row=row, similarity=cosine(newer.vector, row.vector), focus=focused[row.event.id])
        for row in (*same, *other[:CAP])
    ]
    return Chosen(candidates=tuple(kept), looked_at=len(earlier), left_out=len(passed) - len(kept))
