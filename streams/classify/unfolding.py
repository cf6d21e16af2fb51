"""What became of something: one statement tells of it as to come or under way, a later one tells it as done.

"I have an interview for a design course" and "I just got accepted for the course": no word says that the first is over,
and close texts are no sign either; most statements alike both hold. A sign is that of all that was said before hardly
anything else names the thing (``Pair.focus``): then the later statement can only be about that one. In six long chats a
shared word that one earlier statement holds, a step told as open, and news of a later step made 12 pairs, of which 8
were annotated as supersessions; with a word that two or three hold, one in four (ops/adr/0032).
"""

from __future__ import annotations

import re

from schemas.times import US_PER_HOUR

from .clause import said
from .features import plain
from .protocol import Judgement, Pair
from .ruling import updates
from .subjects import about
from .wording import same_author
from .words import rare_stems, stem, words

APART_US = 6 * US_PER_HOUR
"""What is said within one talk adds to what was said; news comes later."""

SURE_CLOSE = {1: 0.5, 2: 0.7}
"""Least cosine of an update, by how many statements hold the shared word; with more there is none."""

POSSIBLE_FOCUS, POSSIBLE_CLOSE = 3, 0.45
"""The same of a possible one."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?:{pattern})" for pattern in patterns))


OPEN = _any(
    r"\b(?:considering|researching|thinking (?:of|about)|dreaming (?:of|about))\b",
    r"\b(?:look|search|sav|wait|prepar|train|practi[sc]|rehears)ing (?:for|into|up)\b",
    r"\b(?:want|wanted|hope|hoping|plan|planning|planned|dream|aim|aiming|going|need|mean|intend|try|trying|love|like)"
    r" (?:of|to|on|for)\b",
    r"\b(?:gonna|wanna)\b",
    r"\b(?:signed up|registered|enrol?led|applied|submitted|sent in|interview(?:ed)?|invited (?:me|us)|failed)\b",
    r"\b(?:haven't|hasn't|have not|has not|didn't|couldn't) (?:\w+ )?"
    r"(?:had (?:a|the|any) |been able|gotten|got|managed|found|tried)",
    r"\bnext (?:week|month|year|weekend|spring|summer|autumn|fall|winter|\w+day)\b",
    r"\b(?:coming up|upcoming|soon|some ?day|one day)\b",
    r"\b(?:working (?:\w+ )?on|in talks|in the middle of|teaming up|writing|organi[sz]ing|preparing|just left for)\b",
    r"\b(?:get|getting) (?:\w+ ){1,3}going\b",
    r"\b(?:starting|started|began) (?:on|to)\b",
)
"""Something is to come, is tried, or is under way."""

DONE = _any(
    r"\b(?:i|we) (?:\w+ly |just |then |also )?(?:went|did|took|made|had|got|met|saw|won|ran|gave|held|bought|sold|"
    r"found|left|became|began|retook|\w{2,}ed)\b",
    r"\b(?:was|were|got) (?:\w+ ){0,2}\w+(?:ed|ing)\b",
    r"\b(?:was|were|had|went|took|got)\b",
    r"\b(?:is|are|'s) (?:now |finally )?(?:open|out|live|ready|done|over|finished|complete|up and running)\b",
    r"\b(?:i've|we've|have|has) been\b",
    r"\b(?:just|finally|recently|already) \w+ed\b",
)
"""Something has happened, or goes on now."""

NEWS = _any(
    r"\b(?:just|finally|recently|yesterday|ago|now|the other day|this (?:morning|week|weekend))\b",
    r"\blast (?:week|month|night|weekend|year|fri|\w+day)\b",
    r"\bsince (?:we|i) last\b",
    r"\b(?:is|are|'s) (?:open|out|live|ready|done|over|finished|complete|up and running)\b",
    r"\b(?:i've|we've) been\b",
    r"\bwas(?:n't)? (?:so |really |very )?(?:great|amazing|awesome|fun|lovely|a)\b",
    r"\bwere (?:\w+ )?\w+ing\b",
    r"\b(?:accepted|adopted|applied|booked|bought|enrol?led|finished|hired|joined|launched|moved|opened|passed|published|"
    r"registered|released|signed|submitted|won)\b",
)
"""It is told as new, or names a step that is taken once."""

UNABLE = re.compile(
    r"\b(?:haven't|hasn't|have not|has not|can't|cannot|couldn't) (?:\w+ )?"
    r"(?:been able|had (?:\w+ ){0,2}(?:chance|time|opportunity)|gotten|got round|managed) to (?P<what>\w+)"
)
"""What somebody has not come to do."""

DOES = re.compile(
    r"\b(?:i'm|we're|i've been|we've been|started|took up|finally|back to) (?:\w+ly )?(?P<what>\w+(?:ing|ed))\b"
)
"""What somebody does now."""

CLOSE_ENOUGH = 0.4
"""Least cosine where the words themselves tell that what was not done is done."""

_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_RANK = {word: rank for rank, word in enumerate(_ORDINALS.split(), start=1)}
_COUNTED_WITHIN = 3
"""An ordinal counts what one of so many words after it names: "my second street theatre prize"."""


def unfolded(pair: Pair) -> Judgement | None:
    """The newer statement tells what became of what the older one tells as open, or counts on; else None."""
    newer, older = pair.newer, pair.older
    if pair.focus == 0 or not same_author(newer, older) or newer.modality == "planned":
        return None
    if not said_apart(pair) or newer.polarity == "negated" or _another_did(pair):
        return None
    if of_another_thing(pair):
        return None
    if pair.similarity >= SURE_CLOSE[1] and _counts_on(newer.text, older.text):
        return updates("change", 0.7, "The newer statement counts on from the older one.")
    if pair.similarity >= CLOSE_ENOUGH and _does_at_last(newer.text, older.text):
        return updates("change", 0.7, "What the older statement had no chance of is done.")
    if not _is_open(pair) or not DONE.search(plain(newer.text)):
        return None
    news = NEWS.search(plain(newer.text)) is not None
    if news and pair.similarity >= SURE_CLOSE.get(pair.focus, 2.0):
        kind = "done" if older.modality == "planned" else "change"
        return updates(
            kind, 0.7, "The newer statement tells what became of it, and nothing else was said of it before."
        )
    if pair.focus <= POSSIBLE_FOCUS and pair.similarity >= POSSIBLE_CLOSE:
        reason = "The newer statement may tell what became of it."
        return Judgement(relation="possibly_updates", kind=None, confidence=0.6, reason=reason)
    return None


def _another_did(pair: Pair) -> bool:
    """ "My brother bought it": what somebody else did tells nothing of what the speaker had open."""
    newer, older = about(pair.newer), about(pair.older)
    person = newer.subject is not None and any(newer.subject == plain(name) for name in pair.newer.participants)
    return person and newer.third and not older.third


def of_another_thing(pair: Pair) -> bool:
    """ "I bought a motorbike helmet" is no news of a motorbike: what they share names another thing."""
    now, before = said(pair.newer.text), said(pair.older.text)
    if now is None or before is None:
        return False
    heads = {noun.head for noun in (*before.nouns, *before.subject)}
    shared = [noun for noun in (*now.nouns, *now.subject) if noun.stems & heads]
    return bool(shared) and all(noun.head not in heads and noun.article in ("a", "an") for noun in shared)


def said_apart(pair: Pair) -> bool:
    """The two were not said in one talk."""
    return pair.newer.stated.sent_at - pair.older.stated.sent_at >= APART_US


def _is_open(pair: Pair) -> bool:
    """The older statement tells of something open, and the newer one does not tell the same with the same words."""
    older, newer = plain(pair.older.text), plain(pair.newer.text)
    told = {match.group(0) for match in OPEN.finditer(older)}
    again = {match.group(0) for match in OPEN.finditer(newer)}
    return (pair.older.modality == "planned" or bool(told)) and told.isdisjoint(again)


def _does_at_last(newer: str, older: str) -> bool:
    """ "I haven't had time to paint", "I'm painting again"."""
    missed = {stem(match["what"]) for match in UNABLE.finditer(plain(older))}
    return not missed.isdisjoint(stem(match["what"]) for match in DOES.finditer(plain(newer)))


def _counts_on(newer: str, older: str) -> bool:
    """ "My first prize", "my third prize": a later one of the same."""
    now, before = _counted(newer), _counted(older)
    return any(rank > before.get(thing, rank) for thing, rank in now.items())


def _counted(text: str) -> dict[str, int]:
    """What a text counts by an ordinal: stem of the thing, its number."""
    rare, said = rare_stems(text), words(text)
    return {
        stem(thing): _RANK[word]
        for place, word in enumerate(said)
        if word in _RANK
        for thing in said[place + 1 : place + 1 + _COUNTED_WITHIN]
        if stem(thing) in rare
    }
