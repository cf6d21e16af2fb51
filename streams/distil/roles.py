"""Who has a role for somebody: "Ms Ritter is our new manager" is about the manager, whoever it is now."""

from __future__ import annotations

import re
from typing import NamedTuple

from .subjects import Said, Subject

_ROLE = re.compile(
    r"(?P<who>(?-i:[A-Z])[\w'’.-]*(?: (?-i:[A-Z])[\w'’.-]*){0,2}) (?:is|will be) (?:now )?(?:my|our) (?:new )?"
    r"(?P<role>girlfriend|boyfriend|partner|husband|wife|fiancée?|manager|boss|supervisor|doctor|gp|dentist|therapist"
    r"|vet|landlord|landlady|accountant|team lead|coach)"
    r"(?: now| from now on)?",
    re.IGNORECASE,
)


class Role(NamedTuple):
    """``who`` has the role ``name``, of ``subject``."""

    subject: Subject
    name: str
    who: str


def role_of(clause: str, said: Said) -> Role | None:
    """The role that a clause says somebody has for its speaker; None for another clause."""
    match = _ROLE.fullmatch(" ".join(clause.split()))
    if match is None:
        return None
    name, who = match["role"].lower(), said.roster.canonical(match["who"])
    return Role(Subject(f"{said.speaker}'s {name}", (said.speaker, who), is_person=True), name, who)
