"""What analysts send over HTTP or by command, and what they get back."""

from __future__ import annotations

from typing import Literal

import msgspec

from .control import StageName
from .edges import Relation, UpdateKind
from .wire import Wire


class AcceptIn(Wire, frozen=True, kw_only=True, tag_field="action", tag="accept"):
    """An analyst vouches for an edge: a known one by ``edge_id``, or a new one from ``src`` to ``dst`` (event ids).

    For ``updates`` the source is the newer event; ``kind`` is then needed for a new edge and replaces that of a known.
    """

    analyst: str
    edge_id: str | None = None
    src: str | None = None
    dst: str | None = None
    relation: Relation = "updates"
    kind: UpdateKind | None = None
    reason: str = ""


class RuleOutIn(Wire, frozen=True, kw_only=True, tag_field="action", tag="rule_out"):
    """An analyst rules an edge out, whoever asserts it."""

    analyst: str
    edge_id: str
    reason: str = ""


class MergeIn(Wire, frozen=True, kw_only=True, tag_field="action", tag="merge"):
    """``alias`` is another name of ``canonical``."""

    analyst: str
    alias: str
    canonical: str
    evidence: str = ""


class SplitIn(Wire, frozen=True, kw_only=True, tag_field="action", tag="split"):
    """``alias`` stands for itself again."""

    analyst: str
    alias: str


class UndoIn(Wire, frozen=True, kw_only=True, tag_field="action", tag="undo"):
    """The analysts' rulings on an edge are taken back; the producers' assertions count again."""

    analyst: str
    edge_id: str


AdjudicationIn = AcceptIn | RuleOutIn | MergeIn | SplitIn | UndoIn


class AdjudicatedOut(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a ruling. ``duplicate``: it stands already, nothing was written. Once told, it is in the view.

    ``unknown``: merged names that no statement has so far; a typing error, or somebody who is yet to be spoken of.
    """

    status: Literal["accepted", "duplicate"]
    edge_id: str | None
    alias: str | None
    unknown: tuple[str, ...] = ()


class ActivateIn(Wire, frozen=True, kw_only=True):
    """From now on this producer's sets count; where it made none, the fallback's (default: who counted until now)."""

    stage: StageName
    producer: str
    fallback: str | None = None


class ActivatedOut(msgspec.Struct, frozen=True, kw_only=True):
    """What became of it. ``former``: whose sets counted until now; activate it to undo."""

    status: Literal["accepted", "duplicate"]
    stage: StageName
    producer: str
    fallback: str | None
    former: str | None
