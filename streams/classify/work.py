"""Jobs: with whom and as what. Another employer ends the former job, a promotion the former title."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from schemas.events import Event

from . import cues
from .attributes import canonical_attribute
from .endings import tells_of_end
from .features import Features, plain
from .holdings import holding
from .protocol import Judgement, Pair
from .ruling import updates
from .words import content_stems

_AT = re.compile(r"^(?P<title>.+?) (?:at|for|with) (?P<employer>.+)$")
_PROMOTED = re.compile(r"\b(?:promoted|promotion|made (?:me )?(?:the )?(?:head|lead|senior|partner))\b")
_BESIDE = re.compile(r"\b(?:also|as well|too|second|other|part[- ]time|on the side|weekends|besides|volunteer\w*)\b")


class Work(NamedTuple):
    """Stems of the employer's name and of the title; empty where they are not told."""

    employer: frozenset[str]
    title: frozenset[str]


@lru_cache(maxsize=16384)
def work_of(event: Event) -> Work | None:
    """The job a statement tells of; None when it tells of none that is held."""
    attribute = canonical_attribute(event.attribute)
    if event.value is None or event.polarity == "negated" or not event.holds or event.modality == "planned":
        return None
    if tells_of_end(event):
        return None
    if attribute == "employer":
        return Work(content_stems(event.value), frozenset())
    if attribute != "job":
        return None
    both = _AT.match(event.value)
    if both is None:
        return Work(frozenset(), content_stems(event.value))
    return Work(content_stems(both["employer"]), content_stems(both["title"]))


def new_work(pair: Pair, f: Features) -> Judgement | None:
    """A job with another employer, or a promotion, replaces the one before, unless it is said to come beside it."""
    if not f.same_subject or cues.ADDED.search(f.newer) or cues.TEMPORARY.search(f.newer):
        return None
    if _BESIDE.search(f.newer) or _BESIDE.search(f.older):
        return None
    new, old = work_of(pair.newer), work_of(pair.older)
    if new is not None and (new.employer or new.title) and "jobless" in holding(pair.older):
        return updates("change", 0.85, "Who had no work has some.")
    if new is None or old is None:
        return None
    if new.employer and old.employer and not (new.employer <= old.employer or old.employer <= new.employer):
        return updates("change", 0.85, "Another employer replaces the former one.")
    if _PROMOTED.search(plain(pair.newer.text)) and old.title and new.title != old.title:
        return updates("change", 0.85, "Another position replaces the former one.")
    return None
