"""Examples for training: pairs of texts as a scorer reads them, with whether the newer one ends the older one."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from ops.evaluate.data import LabelledPair
from ops.evaluate.pairs import RETIRING, as_pair, fold_of
from schemas.times import US_PER_DAY
from streams.classify.wording import gap_words, worded_newer, worded_older, wording

TIMELINES = Path(__file__).with_name("timelines.jsonl")

FILLERS = Path(__file__).with_name("fillers.txt")

HARD, EASY, CROSS = 5, 1, 0
"""Of each timeline's pairs that end nothing: the closest of one speaker, others of one speaker, of two speakers."""

FILLER_PAIRS, MIXED_PAIRS, STRANGE_PAIRS = 220, 130, 200
"""Of two fillers, of a filler and a line, of lines from two timelines."""

GAP_WORDS = ("minutes", "hours", "days", "weeks", "months")

Vectors = Mapping[str, npt.NDArray[np.float32]]
"""Unit vectors by text."""


class Line(msgspec.Struct, frozen=True):
    """What one of two people says on a day. ``ends``: places of earlier lines that it ends."""

    by: str
    day: int
    text: str
    ends: tuple[int, ...] = ()


class Timeline(msgspec.Struct, frozen=True):
    """What two people tell each other over months."""

    id: str
    said: tuple[Line, ...]


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """``fold``: of a labelled pair, 0 to 4; None for what is our own."""

    id: str
    older: str
    newer: str
    ends: bool
    fold: int | None


def timelines(path: Path = TIMELINES) -> list[Timeline]:
    """Those of our own writing."""
    decoder = msgspec.json.Decoder(Timeline)
    return [decoder.decode(line) for line in path.read_bytes().splitlines()]


def own_examples(told: Sequence[Timeline], vectors: Vectors, seed: int) -> list[Example]:
    """Every pair that ends something, and some of the others: by far the most pairs of a timeline end nothing.

    Pairs joined by a chain of ends (A ends with B, B with C: A and C) are left out, as the data's rules have it.
    """
    chance = random.Random(seed)
    made: list[Example] = []
    for timeline in told:
        ended = {(older, newer) for newer, line in enumerate(timeline.said) for older in line.ends}
        joined = _closed(ended) - ended
        rest: list[tuple[int, int]] = []
        for newer in range(len(timeline.said)):
            for older in range(newer):
                if (older, newer) in ended:
                    made.append(_example(timeline, older, newer, ends=True))
                elif (older, newer) not in joined:
                    rest.append((older, newer))
        made += [_example(timeline, *pair, ends=False) for pair in _contrasts(timeline, rest, vectors, chance)]
    return made


def unrelated_examples(told: Sequence[Timeline], fillers: Sequence[str], seed: int) -> list[Example]:
    """Pairs that end nothing because they have nothing to do with each other, or say nothing by themselves."""
    chance = random.Random(seed)
    lines = [line.text for timeline in told for line in timeline.said]
    drawn = [tuple(chance.sample(fillers, 2)) for _ in range(FILLER_PAIRS)]
    drawn += [(chance.choice(lines), chance.choice(fillers)) for _ in range(MIXED_PAIRS)]
    drawn += [(chance.choice(fillers), chance.choice(lines)) for _ in range(MIXED_PAIRS)]
    for _ in range(STRANGE_PAIRS):
        one, other = chance.sample(told, 2)
        drawn.append((chance.choice(one.said).text, chance.choice(other.said).text))
    return [
        Example(
            id=f"unrelated-{number}", older=worded_older(older, same=True),
            newer=worded_newer(newer, chance.choice(GAP_WORDS)), ends=False, fold=None,
        )
        for number, (older, newer) in enumerate(drawn)
    ]  # fmt: skip


def labelled_examples(pairs: Sequence[LabelledPair]) -> list[Example]:
    """The hand-written pairs of the data, each with its fold."""
    worded = [(pair, wording(as_pair(pair))) for pair in pairs]
    return [
        Example(id=p.id, older=older, newer=newer, ends=p.label in RETIRING, fold=fold_of(p.id))
        for p, (older, newer) in worded
    ]


def sha256(path: Path) -> str:
    """Of a file, hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _contrasts(
    timeline: Timeline,
    rest: Sequence[tuple[int, int]],
    vectors: Vectors,
    chance: random.Random,
) -> list[tuple[int, int]]:
    def far(pair: tuple[int, int]) -> float:
        return -float(vectors[timeline.said[pair[0]].text] @ vectors[timeline.said[pair[1]].text])

    one = [pair for pair in rest if timeline.said[pair[0]].by == timeline.said[pair[1]].by]
    two = [pair for pair in rest if pair not in one]
    hard = sorted(one, key=far)[:HARD]
    easy = [pair for pair in one if pair not in hard]
    chance.shuffle(easy)
    chance.shuffle(two)
    return [*hard, *easy[:EASY], *two[:CROSS]]


def _closed(ended: set[tuple[int, int]]) -> set[tuple[int, int]]:
    closed = set(ended)
    while more := {(a, d) for a, b in closed for c, d in ended if b == c} - closed:
        closed |= more
    return closed


def _example(timeline: Timeline, older: int, newer: int, *, ends: bool) -> Example:
    first, second = timeline.said[older], timeline.said[newer]
    gap = gap_words((second.day - first.day) * US_PER_DAY + US_PER_DAY // 24)
    return Example(
        id=f"{timeline.id}-{older}-{newer}", older=worded_older(first.text, same=first.by == second.by),
        newer=worded_newer(second.text, gap), ends=ends, fold=None,
    )  # fmt: skip
