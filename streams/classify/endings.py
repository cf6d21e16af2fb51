"""What a statement says has come to an end, by the grammar of its clause: "I sold the van", "we broke up", "it is off".

By kinds, not by sentences: a few verbs for each kind of thing, with what they need beside them. What is denied, only
nearly happened or is still to come ends nothing here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.events import Event

from . import ends_of_bonds, ends_of_lives, ends_of_plans, ends_of_steps, ends_of_things, ends_of_troubles
from .clause import Said, said
from .end import ANY, End, of_kinds, whole
from .ends_of_lives import BRIEFLY, DISMISSED
from .ends_of_things import GONE, SOLD
from .holdings import Kind

_NO_LONGER = re.compile(
    r" (?:any more|anymore|any longer)"
    r"(?= (?:after|and|because|but|for|in|now|on|since|so|with|at|to|these|this)\b|\W*$)"
)
"""At the end, or before what is no noun: "not any more cake" is about cake."""
_IN_THAT_CASE = re.compile(r"(?:when|if|once|until|unless|as soon as|in case) ", re.IGNORECASE)
"""What follows is not so yet."""
_FOR_MONTHS = re.compile(
    r"\bsince (?:january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter"
    r"|new year|last (?:month|year|summer|winter|spring|autumn)|\d{4})\b"
    r"|\b(?:in|for) (?:\w+ )?(?:weeks|months|years)\b"
)
_MY_LAST_DAY = re.compile(r"(?:my|our) last day (?:at|in|as|of|with) ", re.IGNORECASE)
_PUT = frozenset({"at", "by", "in", "into", "on", "onto", "with"})
_HAVING = frozenset({"have", "own", "need", "use", "want"})
"""Who "doesn't need glasses any more" wears none."""
_IN_PASSING: frozenset[Kind] = frozenset({"wait", "company", "pregnancy", "jobless", "search"})
"""Who "got the job" waits no more, and has a job."""
_KNOWN = (
    SOLD
    | GONE
    | DISMISSED
    | frozenset("give get lose quit leave drop resign retire break split separate divorce pass".split())  # noqa: SIM905
)
_READERS = (
    *ends_of_things.READERS, *ends_of_lives.READERS, *ends_of_bonds.READERS, *ends_of_troubles.READERS,
    *ends_of_steps.READERS, *ends_of_plans.READERS,
)  # fmt: skip


@lru_cache(maxsize=16384)
def ends_of(event: Event) -> tuple[End, ...]:
    """What the statement says ended; mostly nothing."""
    clause = said(event.text)
    if clause is None or clause.nearly or not event.holds or _IN_THAT_CASE.match(event.text):
        return ()
    if clause.negated:
        return tuple(_no_more(clause, event))
    if clause.form in ("modal", "going_to") or clause.tense == "future":
        return ()
    last = _last_day(clause, event)
    return (*last, *(end for reads in _READERS for end in reads(clause)))


def tells_of_end(event: Event) -> bool:
    """Whether an end is what the statement tells, and nothing that is so instead."""
    return any(end.of - _IN_PASSING for end in ends_of(event))


def named_otherwise(event: Event) -> bool:
    """Whether the grammar tells what was decided against, so that a word in common is not enough."""
    return any("plan" in end.of and end.what is not None and end.decided for end in ends_of(event))


def _last_day(c: Said, event: Event) -> tuple[End, ...]:
    """ "My last day at the aquarium is Friday"."""
    if c.verb != "be" or not _MY_LAST_DAY.match(event.text) or not c.subject:
        return ()
    return (End(of_kinds("work", "studies", "membership"), c.subject[-1], "speaker"),)


def goes_on(event: Event) -> bool:
    """Words of an end that tell of none: "left the office at five", "dropped the kids at school"."""
    clause = said(event.text)
    if clause is None:
        return False
    first = said(event.text.partition(",")[0])
    if first is not None and first.verb == clause.verb:
        clause = first  # what follows a comma is beside it
    just = " just left" in f" {event.text.casefold()}"
    left = clause.verb == "leave" and (just or bool(BRIEFLY & set(clause.after)))
    put = clause.verb == "drop" and (clause.has("off") or any(noun.before in _PUT for noun in clause.nouns))
    return left or put or clause.nearly


def by_grammar(event: Event) -> bool:
    """The clause's verb is one that is judged here: if it ends nothing here, its words end nothing elsewhere."""
    clause = said(event.text)
    return clause is not None and clause.verb in _KNOWN


def _comes_off(c: Said) -> bool:
    """ "Lisbon isn't happening", "the fair won't go ahead": denied of what was planned."""
    first = c.after[:1]
    happens = (
        c.verb == "happen" or (c.verb == "go" and first == ("ahead",)) or (c.verb == "take" and first == ("place",))
    )
    return happens and not c.first and (c.form == "progressive" or c.tense == "future")


def _cannot_attend(c: Said) -> list[End]:
    """ "I won't be able to attend the conference", "we can't come to the wedding"."""
    able = c.verb == "be" and c.after[:2] == ("able", "to")
    verb = " ".join(c.after[2:3]) if able else c.verb
    if not c.first or c.form != "modal" or verb not in ("attend", "make", "come", "go"):
        return []
    to = verb in ("come", "go")
    nouns = [noun for noun in c.nouns if noun.definite and noun.before == ("to" if to else "")]
    return [End(of_kinds("plan"), noun) for noun in nouns[:1]]


def _not_for_long(c: Said, text: str) -> bool:
    """ "I haven't smoked since June", "haven't eaten meat in months"."""
    return c.tense == "perfect" and c.first and bool(c.verb) and _FOR_MONTHS.search(text) is not None


def _no_more(c: Said, event: Event) -> list[End]:
    """ "I'm not vegan any more", "I no longer go to yoga", "we're not going there after all"."""
    words = " ".join(("", *c.after, ""))
    text = event.text.casefold()
    if _comes_off(c) and c.subject:
        return [End(of_kinds("plan"), whole(c.subject), "owner")]
    apart = ends_of_bonds.no_more_together(c)
    if apart:
        return apart
    again = "no longer" in text or _NO_LONGER.search(words) is not None
    off = " after all " in words
    if c.tense == "past" and c.first and c.verb in ("get", "win") and c.objects and c.objects[0].article == "the":
        return [End(of_kinds("plan"), c.objects[0])]  # "we didn't get the house"
    missed = _cannot_attend(c)
    if missed:
        return missed
    if _not_for_long(c, text):
        return [End(of_kinds("habit"), next(iter(c.objects), None), doing=c.verb)]
    if not (again or off):
        return []
    nouns = tuple(noun for noun in c.nouns if noun.head not in ("more", "longer", "anymor"))
    what = whole(nouns)
    kinds = of_kinds("plan") if off and not again else ANY
    subject = whole(c.subject) if not c.first else None
    whose = "subject"
    if c.verb == "be" and what is None and not c.gerund:
        what, whose = subject, "owner"
    if c.verb in _HAVING and what is not None and not c.gerund:
        return [End(kinds, what, whose)]
    return [End(kinds, what, whose, doing=c.gerund or c.verb)] if what is not None or c.verb != "be" else []
