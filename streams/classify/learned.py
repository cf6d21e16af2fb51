"""Rules first, then what became of what, then a trained scorer for what is left: most changes are told without a word
that says so.

The rules' verdicts stand: a correction, a call-off or a taken-back word is known by its words, and what a rule decides
can be explained. ``unfolding`` finds news of what one earlier statement told as open. Of the rest the scorer reads
those where an end is possible at all. What it says is how likely an end is when half of all pairs are one. In a long
chat, where a statement meets dozens and ends none, its surest verdicts are wrong nine times in ten: there it links the
two as ``possibly_updates`` at most, which changes no validity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.edges import UpdateKind
from schemas.events import Event

from . import cues
from .attributes import canonical_attribute
from .clause import said
from .endings import goes_on
from .features import plain
from .offline import OfflineClassifier
from .places import may_both_be, place_of
from .protocol import Judgement, Pair, Scorer
from .standing import standing
from .subjects import about, of_others, same_subject
from .told import is_due
from .unfolding import of_another_thing, said_apart, unfolded
from .wording import same_author, wording
from .words import rare_stems, stem, words

CLOSE = 0.5
"""Least cosine of a pair that is scored."""

FEW = 5
"""Most statements that a statement meets where a sure score makes an update. In six long chats (3,700 statements) one
update came of it; without this bound 29 did, and one of those was right. Within one talk, whose first statements meet
few as well, a score makes none: all three that came of it there were wrong."""

SURE = 0.93
"""Least score of an update. Of small chats by several hands, nine of ten above it and one of six between it and the
scorer's own bound were right, once what ``is_plain_news`` looks at was left out."""

FOCUS = 3
"""Where it meets more, most statements that may hold the rarest word that a scored pair shares. Of 2,900 pairs that are
close enough 750 are left, and most of what was right among the high scores."""

SPECIFIC = 2
"""Least number of rare words on either side."""

REPEATED = re.compile(
    r"\bas (?:i|we)?(?:'ve| have)? ?(?:said|written|wrote|told|mentioned)\b"
    r"|\bfor the (?:nth|umpteenth|hundredth|thousandth|last) time\b"
    r"|\bnothing(?:'s| has)? changed\b|\b(?:hasn't|haven't|has not|have not) (?:changed|gone away)\b"
    r"|\bsame (?:as|old) (?:ever|always|before|story)\b"
    r"|^and\b"
)
"""The newer text says itself that all is as it was, or only adds to it."""

_STILL = re.compile(r"\bstill\b|\bas before\b|\bhalf ?way\b")
_IN_GENERAL = re.compile(r"\b(?:usually|generally|on average|most people)\b")
_LASTING = frozenset({"home", "employer", "job", "relationship", "phone", "email"})
"""How these end the rules know: a row ends no engagement."""
_OWNED = re.compile(
    r"(\w{2,})'s (?!(?:an?|the|my|our|your|his|her|their|on|off|in|out|up|down|over|at|from|with|for|to|by|under|here|"
    r"there|back|now|not|no|never|still|just|already|all|gone|done|been|being|got|going)\b)\w"
)
"""Whose something is: "Pip's basket"; not "Pip's in the basket", "Pip's a beagle", which tell how Pip is."""

REASONS: dict[UpdateKind, str] = {
    "change": "Read together, the newer statement replaces the older one.",
    "done": "Read together, the newer statement tells what became of the plan.",
    "cancelled": "Read together, the newer statement drops the plan.",
}
POSSIBLY = "Read together, the newer statement may end the older one; that is not certain enough."
UNLIKELY = "Read together, both statements may hold."


class LearnedClassifier:
    """Satisfies ``Classifier``. Its producer names the rules and the weights.

    Args:
        rules: asked first.
        scorer: asked of what the rules leave open.
        sure: least score of an update, where that is more than the scorer's own bound.
    """

    prompt_hash: str | None = None

    def __init__(self, rules: OfflineClassifier, scorer: Scorer, *, sure: float = SURE) -> None:
        self._rules = rules
        self._scorer = scorer
        self._sure = max(sure, scorer.sure)
        self.producer = f"{rules.producer}+unfolding/1+{scorer.name}"

    def classify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair, in order; a judgement depends on its pair only."""
        judged = list(self._rules.classify(pairs))
        open_ = [place for place, rule in enumerate(judged) if rule.relation is None]
        news = {
            place: found
            for place in open_
            if (found := unfolded(pairs[place])) is not None and not _too_soon(found, pairs[place])
        }
        judged = [_updates(news.get(place)) or rule for place, rule in enumerate(judged)]
        unsettled = [place for place in open_ if judged[place].relation is None and may_end(pairs[place])]
        scores = self._scorer.score([wording(pairs[place]) for place in unsettled])
        for place, score in zip(unsettled, scores, strict=True):
            judged[place] = self._verdict(pairs[place], score)
        return [news.get(place, rule) if rule.relation is None else rule for place, rule in enumerate(judged)]

    def _verdict(self, pair: Pair, score: float) -> Judgement:
        if score >= self._sure and is_plain_news(pair):
            kind = kind_of(pair)
            return Judgement(relation="updates", kind=kind, confidence=score, reason=REASONS[kind])
        if score >= self._scorer.possible:
            return Judgement(relation="possibly_updates", kind=None, confidence=score, reason=POSSIBLY)
        return Judgement(relation=None, kind=None, confidence=1 - score, reason=UNLIKELY)


def _updates(found: Judgement | None) -> Judgement | None:
    return found if found is not None and found.relation == "updates" else None


def _too_soon(found: Judgement, pair: Pair) -> bool:
    """It tells that a plan was carried out whose day has not come."""
    return found.kind == "done" and not is_due(pair)


def may_end(pair: Pair) -> bool:
    """Whether the newer statement can end the older one at all: what is asked of the scorer.

    Of one author or about one subject, in another message; a plan ends plans only; what was over already ends no more;
    what is said again in the same words ends nothing. "It went well" may be about anything: both must say enough to be
    judged alone, about something alike that little else was said of.
    """
    newer, older = pair.newer, pair.older
    if pair.met > FEW and not 1 <= pair.focus <= FOCUS:
        return False
    if pair.similarity < CLOSE or newer.stated.message_id == older.stated.message_id or not older.holds:
        return False
    if min(len(rare_stems(newer.text)), len(rare_stems(older.text))) < SPECIFIC:
        return False
    if newer.modality == "planned" and older.modality != "planned":
        return False
    if of_others(newer, older) or goes_on(newer) or (kind_of(pair) == "done" and not is_due(pair)):
        return False
    if (newer.subject or "").count("'s ") > 1 and not same_subject(about(newer), about(older)):
        return False  # "my colleague's trip" is none of mine
    if REPEATED.search(plain(newer.text)) or plain(newer.text) == plain(older.text) or _other_attributes(newer, older):
        return False
    return same_author(newer, older) or same_subject(about(newer), about(older))


def is_plain_news(pair: Pair) -> bool:
    """Whether nothing in the pair itself speaks against a sure score.

    A thing is the same thing ("permit deadline" is no "grant deadline", invoice 31 not 32); what ends how a thing stood
    ("approved") the rules know; the newer one tells neither of what was before nor that it is still so.
    """
    newer, older = pair.newer, pair.older
    text = plain(newer.text)
    if pair.met > FEW or not said_apart(pair):
        return False
    if about(older).third and not same_subject(about(newer), about(older)):
        return False
    placed = place_of(newer) is not None and place_of(older) is not None
    if (placed and may_both_be(newer, older)) or standing(older) is not None:
        return False
    if _STILL.search(text) or _IN_GENERAL.search(text) or _of_its(newer, older):
        return False
    lasting = canonical_attribute(older.attribute) in _LASTING
    if lasting and canonical_attribute(newer.attribute) != canonical_attribute(older.attribute):
        return False
    if of_another_thing(pair) or _steps(newer, older):
        return False
    return newer.anchor.resolution == "message_time" or newer.anchor.until > older.stated.sent_at


def _steps(newer: Event, older: Event) -> bool:
    """ "Order 7 shipped", "order 7 delivered": what was done was done; which step ends which, rules know."""
    now, before = said(newer.text), said(older.text)
    return now is not None and before is not None and now.passive and before.passive


def _of_its(newer: Event, older: Event) -> bool:
    """ "Pip's old basket" is not Pip."""
    owned = {stem(name) for name in _OWNED.findall(plain(newer.text))}
    own = {stem(word) for name in (newer.subject, newer.speaker) if name is not None for word in words(name)}
    return not (owned - own).isdisjoint(rare_stems(older.text))


def _other_attributes(newer: Event, older: Event) -> bool:
    """Both are known to be about something, and not about the same."""
    now, before = canonical_attribute(newer.attribute), canonical_attribute(older.attribute)
    return now is not None and before is not None and now != before


def kind_of(pair: Pair) -> UpdateKind:
    """Of a plan: moved, dropped or carried out; of what was so: changed."""
    newer, older = pair.newer, pair.older
    if older.modality != "planned":
        return "change"
    if newer.polarity == "negated" or cues.CANCELLED.search(plain(newer.text)):
        return "cancelled"
    return "change" if newer.modality == "planned" else "done"
