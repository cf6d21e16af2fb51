"""Who is in charge of a thing: a statement about the thing, whoever it is now.

"Henrike is in charge of the seed bank" and "Tamsin takes over the seed bank" name two people and are about one thing;
told of the people they would never meet.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .parse import Parse
from .subjects import Said, Subject

ATTRIBUTE = "lead"
"""Of a thing: who leads or looks after it. One at a time."""

_THING = r"(?:the|our) (?P<thing>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*){0,3}?)"
_STOP = r"(?= (?:now|from|since|until|as|for|on|in|at|after|again|instead|and|but|today|this|next|last)\b|[,.;!?]|$)"
_IN_CHARGE = re.compile(
    rf"\b(?:in charge of|responsible for|(?:takes?|took|taken|taking) over) {_THING}{_STOP}"
    r"(?: from (?P<former>(?-i:[A-Z])[\w'’-]*))?",
    re.IGNORECASE,
)
_LED_BY = re.compile(
    r"\b(?:led|run|managed|headed|chaired|coordinated|organi[sz]ed|handled|owned|maintained) by "
    r"(?P<who>(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*){0,2})(?= |[,.;!?]|$)",
    re.IGNORECASE,
)


class Charge(NamedTuple):
    """``who`` is in charge of ``subject``; ``people`` are all who are named."""

    subject: Subject
    who: str


def charge_of(clause: str, reading: Parse, subject: Subject, said: Said) -> Charge | None:
    """Who a clause says is in charge of what; None where it says that of nobody."""
    if subject.is_person and subject.name is not None and reading.base in ("be", "take"):
        match = _IN_CHARGE.search(clause)
        if match is None:
            return None
        thing = match["thing"]
        low = thing if thing[1:2].isupper() or (" " in thing and thing.split()[1][0].isupper()) else thing.lower()
        former = () if match["former"] is None else (said.roster.canonical(match["former"]),)
        return Charge(Subject(low, (subject.name, *former), is_person=False), subject.name)
    match = None if subject.is_person or subject.name is None or reading.auxiliary == "" else _LED_BY.search(clause)
    if match is None or reading.tense != "present":
        return None
    who = said.roster.canonical(match["who"])
    return Charge(subject._replace(people=(*subject.people, who)), who)
