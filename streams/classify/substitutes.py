"""One named as taking the place of another: "Lumo replaces Karto", "we're going with Falter instead of Kiesel"."""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.events import Event

from ..distil.lexicon.things import SUBSTITUTING, USING
from . import cues
from .clause import said
from .features import Features, plain
from .protocol import Judgement, Pair
from .ruling import updates
from .subjects import about
from .words import COMMON_STEMS, content_stems

_TO = r"(?= (?:for|in|at|on|from|as|with|because|since|to|and|but|this|next|after|by)\b|[,.;!?]|$)"
_DOING = r"(?:(?:taking|using|having|eating|drinking|driving|doing|going to|going by) )?"
_OLD = rf"{_DOING}(?:the |our |my )?(?P<old>[\w'& -]{{2,40}}?){_TO}"
_INSTEAD = re.compile(
    rf"\b(?:instead of|rather than|in place of|no longer with) {_OLD}"
    rf"|\breplac(?:es|ed|ing) (?:the |our |my )?(?P<old2>[\w'& -]{{2,40}}?){_TO}"
    rf"|\b(?:switch(?:ed|ing)|chang(?:ed|ing)|mov(?:ed|ing)|migrat(?:ed|ing)) (?:over )?from (?:the |our |my )?"
    rf"(?P<old3>[\w'& -]{{2,40}}?) to\b"
)
_BEING_REPLACED = re.compile(r"\breplaced (?:by|with)\b")


def replaced_by_name(pair: Pair, f: Features) -> Judgement | None:
    """The newer statement names what the older one says is used, as what something else takes the place of."""
    new, old = pair.newer, pair.older
    former = _replaced(new)
    if not former or old.polarity == "negated" or not old.holds or not (f.same_subject or f.same_speaker):
        return None
    if new.modality == "planned" and old.modality != "planned":
        return None
    if cues.ONE_OFF.search(f.newer) or cues.TEMPORARY.search(f.newer) or cues.ADDED.search(f.newer):
        return None
    if not _of_the_same(new, old, f):
        return None
    before = said(old.text)
    if before is None or before.verb not in USING or before.tense == "past":
        return None
    used = [noun for noun in before.nouns if former <= noun.stems]
    if not used:
        return None
    beside = frozenset[str]().union(*(noun.stems for noun in before.nouns if noun not in used)) - COMMON_STEMS
    told = content_stems(new.text)
    if beside and beside.isdisjoint(told):
        return None  # "for the posters" and "for the brochures"
    return updates("change", 0.8, "The newer statement names what takes its place.")


def _of_the_same(new: Event, old: Event, f: Features) -> bool:
    """Of one subject; or the newer one is about what takes the place, and nobody else's."""
    if f.same_subject:
        return True
    clause = said(new.text)
    return clause is not None and clause.verb == "replace" and about(new).owner in (None, about(new).speaker)


@lru_cache(maxsize=16384)
def _replaced(event: Event) -> frozenset[str]:
    """Stems of what something else takes the place of; empty when nothing does."""
    clause = said(event.text)
    text = plain(event.text)
    match = _INSTEAD.search(text)
    if match is None or clause is None or clause.negated or clause.nearly or _BEING_REPLACED.search(text):
        return frozenset()
    if clause.tense == "past" and clause.verb not in SUBSTITUTING:
        return frozenset()  # "I had tea instead of coffee"
    return content_stems(match["old"] or match["old2"] or match["old3"] or "")
