"""The same said of the same thing with another figure: what it costs, when it opens, how many it holds.

"The entry fee is 12 euros", "the entry fee has gone up to 15 euros". The two must say the same but for the figure and
for words of change: "the fee for children is 6 euros" is about another fee.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.events import Event
from schemas.times import US_PER_DAY

from ..distil.lexicon.things import RESIZED, RESIZING
from . import cues
from .clause import Said, said
from .features import Features, only_hour
from .protocol import Judgement, Pair
from .ruling import updates
from .subjects import about
from .things import both_hold, same_thing, still_the_same
from .words import content_stems, stem

_FIGURE = re.compile(r"(?<![\w#.,])[€$£]?\d[\d.,:]*(?:k|m|am|pm)?(?![\w])")
_RESIZED = frozenset(stem(word) for word in RESIZED)


def another_figure(pair: Pair, f: Features) -> Judgement | None:
    """The newer statement says the same of the same thing with another figure."""
    new, old = pair.newer, pair.older
    every_day = _of_every_day(pair, f)
    if not same_thing(pair, f) or f.negated_flip or not (every_day or still_the_same(pair, f)):
        return None
    if both_hold(pair) or (not every_day and f.dates_differ and abs(new.anchor.start - old.anchor.start) >= US_PER_DAY):
        return None  # of another day
    if new.modality == "planned" and old.modality != "planned":
        return None
    if old.modality == "planned" and old.anchor.until <= new.stated.sent_at and not every_day:
        return None
    now, before = _figure(new), _figure(old)
    if now is None or before is None or now == before or not old.holds or not new.holds:
        return None
    if _rest(new) == _rest(old):
        return updates("change", 0.8, "The newer statement gives another figure for the same.")
    return None


def _of_every_day(pair: Pair, f: Features) -> bool:
    """ "Standup is at 9:15", "from now on standup is at 9:45": an hour without a day may be of every day."""
    return pair.newer.modality == "asserted" and cues.NOW.search(f.newer) is not None and only_hour(pair.older.anchor)


@lru_cache(maxsize=16384)
def _figure(event: Event) -> str | None:
    """The one figure of a statement about how things are, or were changed to be; None with none or several."""
    clause = said(event.text)
    if clause is None or clause.nearly or clause.first or cues.HABIT.search(event.text.casefold()):
        return None
    if not (clause.tense in ("present", "future") or _changes(clause)):
        return None
    name = (about(event).subject or "").casefold()
    text = event.text.casefold().replace(name, " ") if name else event.text.casefold()
    found = {match.rstrip(".,:") for match in _FIGURE.findall(text)}
    return found.pop() if len(found) == 1 else None


def _changes(clause: Said) -> bool:
    return clause.verb in RESIZING and (clause.tense == "perfect" or clause.passive or clause.has("to"))


def _rest(event: Event) -> frozenset[str]:
    return frozenset(stem for stem in content_stems(event.text) if not any(c.isdigit() for c in stem)) - _RESIZED
