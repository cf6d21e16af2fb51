"""What a classifier of pairs is: two statements in, one typed relation or none out (section II-C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from schemas.edges import Relation, UpdateKind
from schemas.events import Event


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two statements, the newer one later in stated order.

    ``similarity``: cosine of their texts. ``adjacent``: the older one is the statement right before the newer one in
    the same session, so that "I was joking" has something to point at. ``met``: how many earlier statements the newer
    one may be about, this one included. ``focus``: how many of these hold the rarest word that both share; 0 = none.
    """

    newer: Event
    older: Event
    similarity: float
    adjacent: bool
    met: int = 1
    focus: int = 0


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict on a pair; ``relation`` None = none. ``kind`` is set for ``updates`` only. ``reason``: a sentence.

    ``judge`` names who said so, where a classifier has several; ``by_time``: which end is the later one follows from
    valid time and not from the order in which the two were stated.
    """

    relation: Relation | None
    kind: UpdateKind | None
    confidence: float
    reason: str
    judge: str = ""
    by_time: bool = False


class Classifier(Protocol):
    """Judges pairs. The same pair always gets the same judgement, whatever else is in the batch.

    ``producer`` names the model or rules with their version; ``prompt_hash`` is None where there is no prompt.
    """

    @property
    def producer(self) -> str: ...
    @property
    def prompt_hash(self) -> str | None: ...

    def classify(self, pairs: Sequence[Pair]) -> Sequence[Judgement]:
        """One judgement per pair, in order."""
        ...


class Scorer(Protocol):
    """A trained model over pairs as ``wording`` tells them, in [0, 1]: how likely the newer text ends the older one.

    A pair's score depends on the pair alone. From ``sure`` on it is an update, from ``possible`` on it may be one; both
    were chosen on pairs that the model had not seen. ``name`` tells its weights by their hash.
    """

    @property
    def name(self) -> str: ...
    @property
    def sure(self) -> float: ...
    @property
    def possible(self) -> float: ...

    def score(self, texts: Sequence[tuple[str, str]]) -> Sequence[float]:
        """One score per (older, newer), in order."""
        ...
