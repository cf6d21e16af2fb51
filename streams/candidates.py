"""The candidate gate A(e) (Eq. 10): which earlier statements a new one is compared with.

A gate that looked at validity would miss the first link of A → B → C once B superseded A; so it never does, and C is
compared with A as well. Where we differ from the paper: instead of "same or related theme" two statements are related
when they share an attribute, a rare word or a close text, because a pair can then be judged without knowing what else
arrived (ops/adr/0009).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from schemas.events import Event, Stated
from schemas.ids import normal_text

from .classify.attributes import canonical_attribute
from .classify.subjects import About, about, name_stems, same_subject
from .classify.words import rare_stems
from .unit_vectors import IntVector, cosine

THETA_P = 0.5
"""Least Jaccard of participants: of two people, one in common; of three, two."""

THETA_S = 0.35
"""Least cosine of texts that share neither attribute nor rare word. Measured with MiniLM: above 99 % of random pairs of
statements (0.33), below three quarters of pairs that update or contradict each other (0.38)."""

CAP = 15
"""Candidates of one statement beyond those with its attribute."""

ATTRIBUTE_CAP = 64
"""Candidates with its attribute. They get places of their own, so that a chain stays right when its middle is
withdrawn; the bound keeps an attribute that is stated daily from costing the square of its history. The latest are
kept: one older than these could only come back when all 64 that superseded it were withdrawn."""

OrderKey = tuple[Stated, str]


class Row(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An event with what the gate needs. ``producer``: the API producer that asserted it, None for distilled ones."""

    event: Event
    order: OrderKey
    about: About
    participants: frozenset[str]
    attribute: str | None
    stems: frozenset[str]
    vector: IntVector
    producer: str | None


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier statement that passed the gate, and the cosine of the two texts."""

    row: Row
    similarity: float


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate lets through for one statement: best first; ``left_out`` passed and were cut by a cap."""

    candidates: tuple[Candidate, ...]
    looked_at: int
    left_out: int


def make_row(event: Event, vector: IntVector, producer: str | None) -> Row:
    """The row of an event. People's names do not count as rare words: in a talk of two they say nothing."""
    return Row(
        event=event,
        order=(event.stated, event.id),
        about=about(event),
        participants=frozenset(normal_text(name) for name in event.participants),
        attribute=canonical_attribute(event.attribute),
        stems=rare_stems(event.text) - name_stems(event),
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
    one, other = left.event.speaker, right.event.speaker
    return one is not None and other is not None and normal_text(one) == normal_text(other)


def same_attribute(left: Row, right: Row) -> bool:
    """Both have the same known attribute."""
    return left.attribute is not None and left.attribute == right.attribute


def related(left: Row, right: Row, theta_s: float = THETA_S) -> bool:
    """Omega: the same attribute, a rare word in common, the same third subject, or close texts. Cheapest first."""
    if same_attribute(left, right) or not left.stems.isdisjoint(right.stems):
        return True
    if left.about.subject == right.about.subject and (left.about.third or right.about.third):
        return True
    return cosine(left.vector, right.vector) >= theta_s


def own_pair(left: Row, right: Row) -> bool:
    """Both asserted by the same API producer, which asserts the edges between them itself."""
    return left.producer is not None and left.producer == right.producer


def passes(newer: Row, older: Row) -> bool:
    """A(e) for one pair. Symmetric, and a function of the pair alone."""
    return not own_pair(newer, older) and same_people(newer, older) and related(newer, older)


def choose(newer: Row, earlier: Sequence[Row]) -> Chosen:
    """The candidates of a statement among all statements before it in stated order.

    Ranked by (same attribute, a plan it shares a word with, similarity), then the later stated, then id. Statements
    with its attribute come first and have a cap of their own. One pass over ``earlier``.
    """
    passed = [Candidate(row=row, similarity=cosine(newer.vector, row.vector)) for row in earlier if passes(newer, row)]
    passed.sort(key=lambda c: c.row.event.id)
    passed.sort(key=lambda c: c.row.event.stated, reverse=True)
    same = [c for c in passed if same_attribute(newer, c.row)][:ATTRIBUTE_CAP]
    other = [c for c in passed if not same_attribute(newer, c.row)]
    for kept in (same, other):
        kept.sort(key=lambda c: (_may_settle(newer, c.row), c.similarity), reverse=True)
    candidates = (*same, *other[:CAP])
    return Chosen(candidates=candidates, looked_at=len(earlier), left_out=len(passed) - len(candidates))


def _may_settle(newer: Row, older: Row) -> bool:
    """The older one is a plan that the newer one may report on."""
    return older.event.modality == "planned" and not newer.stems.isdisjoint(older.stems)
