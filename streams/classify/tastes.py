"""Likings that have gone: "I've gone off sushi" after "my favourite food is sushi" or "I love sushi"."""

from __future__ import annotations

import re

from schemas.events import Event

from . import cues
from .clause import said
from .features import Features
from .protocol import Judgement, Pair
from .ruling import MOST, updates
from .signs import stems
from .subjects import about
from .words import rare_stems

_GONE = re.compile(
    r"\b(?:gone|went|going) (?:right |completely |totally |quite |a bit )?off (?P<what>[\w' -]{2,40})"
    r"|\b(?:(?:'m|am|are|'re) (?:so |totally |completely )?over|had enough of|fed up (?:with|of)|bored (?:of|with)"
    r"|lost interest in|fell out of love with|can't stand) (?P<what2>[\w' -]{2,40})"
    r"|\b(?:don't|do not|doesn't) (?:really )?(?:like|love|enjoy|care for|want) (?P<what3>[\w' -]{2,40}?)"
    r" (?:any ?more|any longer)"
    r"|\b(?:not|no longer) (?:really )?(?:into|a fan of|keen on|crazy about) (?P<what4>[\w' -]{2,40})"
)
_LIKING = stems("like love hate dislike enjoy adore loathe detest stand actually really")
_SURELY = stems("definitely probably still now")
_LIKES = frozenset({"like", "love", "enjoy", "adore", "prefer"})
_FAVOURITE = ("favourite ", "favorite ")


def gone_off(pair: Pair, f: Features) -> Judgement | None:
    """The newer statement says that the speaker no longer likes what the older one names as liked."""
    new, old = pair.newer, pair.older
    if (
        about(new).third
        or not (f.same_subject or f.same_speaker)
        or old.type != "preference"
        or old.polarity == "negated"
    ):
        return None
    match = _GONE.search(f.newer)
    if match is None or new.modality == "planned" or cues.ONE_OFF.search(f.newer) or cues.TEMPORARY.search(f.newer):
        return None
    what = rare_stems(next(group for group in match.groups() if group))
    liked = _liked(pair)
    if liked and liked <= what:
        return updates("change", 0.8, "What was liked is liked no more.")
    return None


def _liked(pair: Pair) -> frozenset[str]:
    """Rare stems of what the older statement says is liked; of a favourite its value."""
    old, clause = pair.older, said(pair.older.text)
    if (old.attribute or "").startswith(_FAVOURITE):
        return rare_stems(old.value or "") - _SURELY
    if clause is None or clause.verb not in _LIKES or not clause.first:
        return frozenset()
    return rare_stems(" ".join(clause.after))


def all_but_liking(f: Features, old: Event) -> bool:
    """What is liked or disliked is the same: "I hate olives", "I like olives now"."""
    what = rare_stems(old.text) - _LIKING
    alone = rare_stems(f.newer) - _LIKING <= f.shared  # "running water" is no running
    return f.covered >= MOST or (bool(what) and what <= f.shared and (alone or cues.NOW.search(f.newer) is not None))
