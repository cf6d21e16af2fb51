"""The gate over many statements at once: the statements of a space in stated order, ready to be compared.

``candidates`` defines what passes and in which order, pair by pair; here the same is computed for a statement and all
others in a few array operations. Everything is an integer (cosines are exact sums), hence equal on every machine, and a
property test holds the two equal. A statement in a space of 10,000 costs about 10 ms, nearly all of it one product of a
matrix and a vector.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .candidates import (
    ATTRIBUTE_CAP,
    CAP,
    FOCUS_POINTS,
    FOCUS_UP_TO,
    GAP_POINTS,
    GAPS_US,
    POINT,
    SAME_SPEAKER,
    THETA_S,
    Candidate,
    Chosen,
    Row,
    same_people,
    takes_part,
)
from .unit_vectors import SCALE

Flags = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]

Coded = TypeVar("Coded", bound=Hashable)

_GAPS = np.array(GAPS_US, dtype=np.int64)
_GAP_POINTS = np.array(GAP_POINTS, dtype=np.int64)
_FOCUS_UP_TO = np.array(FOCUS_UP_TO, dtype=np.int64)
_FOCUS_POINTS = np.array(FOCUS_POINTS, dtype=np.int64)
_UNKNOWN = -1
_NOWHERE = np.array([], dtype=np.int64)


class GateIndex:
    """Statements in stated order, ties by id. Its cost is that of one pass over them; it is never changed."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        # Sums of products of these are whole numbers below 2**53: exact in float64, in whatever order they are added.
        self._vectors = np.array([row.vector for row in rows], dtype=np.float64)
        self._attributes, self._attribute = _coded(row.attribute for row in rows)
        self._subjects, self._subject = _coded(row.about.subject for row in rows)
        self._speakers, self._speaker = _coded(row.speaker for row in rows)
        self._things, self._thing = _coded(row.thing or None for row in rows)
        self._producers, self._producer = _coded(row.producer for row in rows)
        people, self._people = _coded((row.about.subject, row.participants, row.speaker) for row in rows)
        self._one_of = [rows[place] for place in _first_places(self._people, len(people))]
        self._third = np.array([row.about.third for row in rows], dtype=bool)
        self._planned = np.array([row.event.modality == "planned" for row in rows], dtype=bool)
        self._promise = np.array([row.promise for row in rows], dtype=np.int64)
        self._sent_at = np.array([row.event.stated.sent_at for row in rows], dtype=np.int64)
        self._tie = _ties(rows)
        holding: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            for stem in row.stems:
                holding.setdefault(stem, []).append(place)
        self._places = {stem: np.array(places, dtype=np.int64) for stem, places in holding.items()}

    def choose(self, newer: Row, end: int) -> Chosen:
        """The candidates of a statement among the first ``end``: ``candidates.choose`` of them."""
        if end == 0:
            return Chosen(candidates=(), looked_at=0, left_out=0)
        part = slice(0, end)
        dots, shared = self._dots(newer, part), self._shared(newer, part)
        passing = self._passing(newer, dots, shared, part)
        passed, focus = np.flatnonzero(passing), self._focus(newer, passing)
        same = passed[_is(self._attribute[passed], self._attributes, newer.attribute)]
        other = np.setdiff1d(passed, same, assume_unique=True)
        same = same[np.argsort(self._tie[same])][:ATTRIBUTE_CAP]
        points = dots + POINT * self._counted(newer, focus, part)
        settles = self._planned[part] & (shared > 0)
        kept = [
            int(place)
            for places, cap in ((same, ATTRIBUTE_CAP), (other, CAP))
            for place in places[np.lexsort((self._tie[places], -points[places], ~settles[places]))][:cap]
        ]
        found = [
            Candidate(row=self._rows[i], similarity=int(dots[i]) / (SCALE * SCALE), focus=int(focus[i])) for i in kept
        ]
        return Chosen(candidates=tuple(found), looked_at=end, left_out=len(passed) - len(found))

    def passing(self, row: Row, start: int) -> list[Row]:
        """Statements from place ``start`` on that pass with a statement, which need not be among these."""
        if start >= len(self._rows):
            return []
        part = slice(start, len(self._rows))
        passed = self._passing(row, self._dots(row, part), self._shared(row, part), part)
        return [self._rows[start + int(place)] for place in np.flatnonzero(passed)]

    # --- the rules of a pair, for all statements of a part ------------------------------------------------------------

    def _dots(self, row: Row, part: slice) -> Whole:
        return (self._vectors[part] @ row.vector.astype(np.float64)).astype(np.int64)

    def _shared(self, row: Row, part: slice) -> Whole:
        """How many rare words each has in common with a statement."""
        shared = np.zeros(len(self._rows), dtype=np.int64)
        for stem in row.stems:
            if stem in self._places:
                shared[self._places[stem]] += 1
        return shared[part]

    def _focus(self, row: Row, passing: Flags) -> Whole:
        """``candidates.focus`` with each of those that pass; of the others it means nothing."""
        fewest = np.zeros(len(passing), dtype=np.int64)
        for stem in row.stems:
            places = self._places.get(stem)
            if places is None:
                continue
            places = places[: int(np.searchsorted(places, len(passing)))]
            places = places[passing[places]]
            known = fewest[places]
            fewest[places] = np.where(known == 0, len(places), np.minimum(known, len(places)))
        return fewest

    def _passing(self, row: Row, dots: Whole, shared: Whole, part: slice) -> Flags:
        third = _is(self._subject[part], self._subjects, row.about.subject) & (row.about.third | self._third[part])
        related = (shared > 0) | (dots >= THETA_S * SCALE * SCALE) | third | self._taking_part(row, part)
        related |= _is(self._attribute[part], self._attributes, row.attribute)
        own = _is(self._producer[part], self._producers, row.producer)
        return (self._naming(row, part) | (self._same_people(row, part) & related)) & ~own

    def _naming(self, row: Row, part: slice) -> Flags:
        """``candidates.names_thing`` with each."""
        found = np.zeros(len(self._rows), dtype=bool)
        if row.thing:
            places = [self._places.get(stem, _NOWHERE) for stem in sorted(row.thing)]
            found[reduce(np.intersect1d, places)] = True
        named = [code for thing, code in self._things.items() if thing <= row.stems]
        if named:
            found |= np.isin(self._thing, named)
        return found[part] & _is(self._speaker[part], self._speakers, row.speaker)

    def _same_people(self, row: Row, part: slice) -> Flags:
        """One look for all with the same subject, participants and speaker; for "Ann's boat" at what they say."""
        found = np.array([same_people(row, other) for other in self._one_of], dtype=bool)[self._people[part]]
        if row.about.owner is not None:
            for place in np.flatnonzero(_is(self._subject[part], self._subjects, row.about.owner)):
                found[place] = same_people(row, self._rows[part.start + int(place)])
        return found

    def _taking_part(self, row: Row, part: slice) -> Flags:
        """One look for all with the same subject, participants and speaker, as above."""
        found = [takes_part(row, other) or takes_part(other, row) for other in self._one_of]
        return np.array(found, dtype=bool)[self._people[part]]

    def _counted(self, newer: Row, focus: Whole, part: slice) -> Whole:
        """``candidates.points`` without the product of the vectors, in hundredths of a cosine."""
        gaps = np.abs(newer.event.stated.sent_at - self._sent_at[part])
        counted = _GAP_POINTS[np.searchsorted(_GAPS, gaps, side="right")] + self._promise[part]
        speaker = _is(self._speaker[part], self._speakers, newer.speaker)
        return counted + SAME_SPEAKER * speaker + _FOCUS_POINTS[np.searchsorted(_FOCUS_UP_TO, focus, side="left")]


def _coded(values: Iterable[Coded | None]) -> tuple[dict[Coded, int], Whole]:
    """A number for each different value, and the numbers; None has none."""
    codes: dict[Coded, int] = {}
    numbers = [_UNKNOWN if value is None else codes.setdefault(value, len(codes)) for value in values]
    return codes, np.array(numbers, dtype=np.int64)


def _is(numbers: Whole, codes: Mapping[Coded, int], value: Coded | None) -> Flags:
    """Where the value is this one; nowhere when it is None."""
    code = None if value is None else codes.get(value)
    return np.zeros(len(numbers), dtype=bool) if code is None else numbers == code


def _first_places(numbers: Whole, count: int) -> list[int]:
    """By number, the place where it comes first."""
    places = [_UNKNOWN] * count
    for place in range(len(numbers) - 1, -1, -1):
        places[int(numbers[place])] = place
    return places


def _ties(rows: Sequence[Row]) -> Whole:
    """By place, its rank among equals: the later stated first, then by id."""
    order = sorted(range(len(rows)), key=lambda place: rows[place].event.id)
    order.sort(key=lambda place: rows[place].event.stated, reverse=True)
    ties = np.empty(len(rows), dtype=np.int64)
    ties[order] = np.arange(len(rows))
    return ties
