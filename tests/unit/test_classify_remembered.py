"""A pair that was judged is not judged again, and what is told of it is what was told before."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from streams.classify.offline import OfflineClassifier
from streams.classify.protocol import Judgement, Pair
from streams.classify.remembered import RememberedClassifier
from tests.kit.linking import lives


class Counting:
    """The rules, and how many pairs they were asked about."""

    producer = OfflineClassifier.producer
    prompt_hash: str | None = None

    def __init__(self) -> None:
        self.asked = 0

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.asked += len(pairs)
        return OfflineClassifier().classify(pairs)


ROME, GRAZ, TURKU = lives("Rome", 1), lives("Graz", 2), lives("Turku", 3)


def pair(newer: object, older: object, *, adjacent: bool = False) -> Pair:
    return Pair(newer=newer, older=older, similarity=0.5, adjacent=adjacent)  # pyright: ignore[reportArgumentType]


def test_each_pair_is_judged_once_and_told_in_the_order_asked() -> None:
    inner = Counting()
    remembered = RememberedClassifier(inner)
    pairs = [pair(GRAZ, ROME), pair(TURKU, ROME), pair(TURKU, GRAZ)]
    expected = OfflineClassifier().classify(pairs)
    assert remembered.classify(pairs) == expected
    assert remembered.classify([*reversed(pairs), pairs[0]]) == [*reversed(expected), expected[0]]
    assert inner.asked == 3


def test_what_differs_in_anything_is_another_pair() -> None:
    inner = Counting()
    remembered = RememberedClassifier(inner)
    remembered.classify([pair(GRAZ, ROME), pair(GRAZ, ROME, adjacent=True), pair(ROME, GRAZ)])
    remembered.classify([pair(msgspec.structs.replace(GRAZ, holds=False), ROME)])
    assert inner.asked == 4


def test_a_pair_that_differs_in_any_field_is_judged_anew() -> None:
    inner = Counting()
    remembered = RememberedClassifier(inner)
    other = {
        "newer": TURKU, "older": TURKU, "similarity": 0.6, "adjacent": True, "met": 7, "focus": 2,
    }  # fmt: skip
    assert other.keys() == set(Pair.__struct_fields__)
    asked = [pair(GRAZ, ROME), *(msgspec.structs.replace(pair(GRAZ, ROME), **{name: other[name]}) for name in other)]
    remembered.classify(asked)
    remembered.classify(asked)
    assert inner.asked == 1 + len(other)


def test_the_pairs_used_last_are_kept() -> None:
    inner = Counting()
    remembered = RememberedClassifier(inner, capacity=2)
    remembered.classify([pair(GRAZ, ROME), pair(TURKU, ROME)])
    remembered.classify([pair(GRAZ, ROME)])
    remembered.classify([pair(TURKU, GRAZ)])
    assert inner.asked == 3
    remembered.classify([pair(GRAZ, ROME)])
    assert inner.asked == 3
    remembered.classify([pair(TURKU, ROME)])
    assert inner.asked == 4
