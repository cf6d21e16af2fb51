"""Judges a pair once: an open session is linked again with every revision, and most of its pairs are as before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from .protocol import Classifier, Judgement, Pair

REMEMBERED = 50_000
"""Pairs kept. Their statements are those the link stage holds anyway."""

_Key = tuple[int, int, float, bool, int, int]


class RememberedClassifier:
    """Satisfies ``Classifier``. One thread at a time.

    Args:
        inner: judges what is not remembered. It must judge a pair the same for ever.
        capacity: how many pairs are kept; the least recently used go first.
    """

    def __init__(self, inner: Classifier, capacity: int = REMEMBERED) -> None:
        self._inner = inner
        self._capacity = capacity
        # By the statements themselves, not by what they say: comparing these would cost as much as judging them. They
        # are kept with the judgement, so no other one comes to lie at the same address.
        self._known: OrderedDict[_Key, tuple[Pair, Judgement]] = OrderedDict()

    @property
    def producer(self) -> str:
        """See ``Classifier``."""
        return self._inner.producer

    @property
    def prompt_hash(self) -> str | None:
        """See ``Classifier``."""
        return self._inner.prompt_hash

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """See ``Classifier``."""
        keys = [
            (id(pair.newer), id(pair.older), pair.similarity, pair.adjacent, pair.met, pair.focus) for pair in pairs
        ]
        known = self._known
        fresh = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        if fresh:
            for (key, pair), judgement in zip(fresh.items(), self._inner.classify(list(fresh.values())), strict=True):
                known[key] = pair, judgement
        found: list[Judgement] = []
        for key in keys:
            known.move_to_end(key)
            found.append(known[key][1])
        while len(known) > self._capacity:
            known.popitem(last=False)
        return found
