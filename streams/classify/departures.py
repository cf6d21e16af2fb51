"""People who are what they are to somebody as long as they live or work there: the lodger who moved out."""

from __future__ import annotations

import re

from ..distil.lexicon.people import SERVING, STAYING
from . import cues
from .clause import Said, said
from .features import Features
from .protocol import Judgement, Pair
from .ruling import updates
from .signs import stems
from .subjects import about

_STAYS = re.compile(rf"\b(?:my|our|an?) (?:new )?(?:{'|'.join(STAYING)})\b")
_SERVES = re.compile(rf"\b(?:my|our|an?) (?:new )?(?:{'|'.join(SERVING)}|au pair|nanny)\b")
_FIRMS = stems("company firm school team practice clinic")


def departed(pair: Pair, f: Features) -> Judgement | None:
    """ "Sven moved out" after "we have a lodger called Sven"; "Mr Blom has retired" after "my boss is Mr Blom"."""
    new, old = pair.newer, pair.older
    clause, who = said(new.text), about(new).subject
    if clause is None or who is None or new.modality == "planned" or old.polarity == "negated" or not old.holds:
        return None
    if not f.same_speaker or clause.negated or clause.nearly or cues.TEMPORARY.search(f.newer):
        return None
    named = who in {name.casefold() for name in old.participants} and re.search(rf"\b{re.escape(who)}\b", f.older)
    if not named or clause.tense not in ("past", "perfect"):
        return None
    if (_STAYS.search(f.older) and _moved(clause)) or (_SERVES.search(f.older) and _stopped(clause)):
        return updates("change", 0.8, "Who was there has left.")
    return None


def _moved(c: Said) -> bool:
    out = c.verb in ("move", "go") and c.has("out", "away", "back", "to")
    return out or (c.verb == "leave" and not c.objects and not c.has("early", "late", "for", "at"))


def _stopped(c: Said) -> bool:
    left = c.verb == "leave" and not c.has("early", "late", "at", "for") and all(n.head in _FIRMS for n in c.objects)
    return left or c.verb in ("retire", "resign", "quit") or (c.passive and c.verb in ("fire", "sack", "transfer"))
