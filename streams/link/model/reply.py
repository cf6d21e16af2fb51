"""What the model answers about pairs: its form, as types. It says why before it says what."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from schemas.edges import Relation, UpdateKind

PairVerdictName = Literal[
    "change", "done", "cancelled", "correction", "withdrawn", "contradicts", "causes", "enables", "prevents", "none"
]


class PairVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One pair, by its number in the question; the fields are explained in the prompt."""

    pair: int
    reason: Annotated[str, msgspec.Meta(max_length=2_000)]
    verdict: PairVerdictName
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]


class LinkReply(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer."""

    verdicts: tuple[PairVerdict, ...]


FIELD = "verdicts"

MEANING: dict[PairVerdictName, tuple[Relation | None, UpdateKind | None]] = {
    "change": ("updates", "change"),
    "done": ("updates", "done"),
    "cancelled": ("updates", "cancelled"),
    "correction": ("updates", "correction"),
    "withdrawn": ("updates", "withdrawn"),
    "contradicts": ("contradicts", None),
    "causes": ("causes", None),
    "enables": ("enables", None),
    "prevents": ("prevents", None),
    "none": (None, None),
}
"""The relation, and the kind of an update, that a verdict stands for."""
