"""What a rule says: an update of some kind, a contradiction, or nothing."""

from __future__ import annotations

from schemas.edges import UpdateKind

from .protocol import Judgement

MOST = 0.6
"""Part of a statement's rare words that makes nearly all of it."""

NONE = Judgement(relation=None, kind=None, confidence=0.5, reason="Nothing says that the older statement changed.")


def updates(kind: UpdateKind, confidence: float, reason: str) -> Judgement:
    """The newer statement updates the older one."""
    return Judgement(relation="updates", kind=kind, confidence=confidence, reason=reason)


def contradicts(reason: str) -> Judgement:
    """Both are said of the same time and cannot both be so."""
    return Judgement(relation="contradicts", kind=None, confidence=0.7, reason=reason)
