"""Whom or what two statements are about: the same subject, said in full or as somebody's thing."""

from __future__ import annotations

import re

import msgspec

from schemas.events import Event
from schemas.ids import normal_text

from ..distil.lexicon.people import KIN, ROLES
from ..distil.lexicon.things import LABELS
from .clause import said
from .signs import ANIMALS
from .words import content_stems, stem, words

_FRESH = frozenset({"new", "current", "present"})
"""Of "my new address" these say nothing about whose or which: it is the address."""


_PUT_RIGHT = re.compile(r"^(?:correct|right|actual|updated|revised) ")
"""So with "the correct price"."""
_REACHED = {"phone": "phone", "email": "email"}
_PHONE, _EMAIL = (
    frozenset(stem(word) for word in words.split())
    for words in ("phone mobile cell number telephone", "email mail address")
)


def _reached(thing: frozenset[str]) -> frozenset[str]:
    """One name for "phone number" and "number", for "email address" and "email"."""
    if thing and thing <= _PHONE:
        return frozenset({"phone"})
    return frozenset({"email"}) if "email" in thing and thing <= _EMAIL else thing


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement is about, ready to be compared.

    Attributes:
        subject: folded; None when unknown.
        owner: of "Ann's boat", "ann"; None for other subjects.
        thing: of "Ann's boat", the stems of "boat".
        said: content stems of the text.
        third: something or somebody else than the speaker. Few statements are, so its name is a topic.
        speaker: who said it, folded.
    """

    subject: str | None
    owner: str | None
    thing: frozenset[str]
    said: frozenset[str]
    third: bool
    speaker: str | None


def about(event: Event) -> About:
    """What the statement is about."""
    subject = _PUT_RIGHT.sub("", _folded(event.subject)) if event.subject is not None else None
    attribute = event.attribute or ""
    if subject is not None and attribute in LABELS and "'s " not in subject and subject.endswith(f" {attribute}"):
        subject = subject.removesuffix(f" {attribute}")  # "wifi password: …" is told of the wifi
    owner, possessive, thing = (subject or "").partition("'s ")
    return About(
        subject=subject,
        owner=owner if possessive else None,
        thing=_reached(content_stems(thing) - _FRESH),
        said=content_stems(event.text) | ({_REACHED[attribute]} if attribute in _REACHED else frozenset()),
        third=subject is not None and (event.speaker is None or subject != _folded(event.speaker)),
        speaker=_folded(event.speaker) if event.speaker is not None else None,
    )


def same_subject(left: About, right: About) -> bool:
    """The same known subject; or one is about "Ann" and names the thing, the other is about "Ann's thing".

    "I have an appointment at the bank" (Ann) and "my bank appointment is on Monday" (Ann's bank appointment) meet;
    "Ann" and "Ann's sister" do not, unless Ann's own statement speaks of her sister. "The knee" is Ann's knee when she
    said both.
    """
    if left.subject is None or right.subject is None:
        return False
    return (
        left.subject == right.subject
        or (left.owner is not None and left.owner == right.owner and bool(left.thing) and left.thing == right.thing)
        or _names_thing_of(left, right)
        or _names_thing_of(right, left)
        or _is_own(left, right)
        or _is_own(right, left)
        or is_called(left, right)
        or is_called(right, left)
    )


def _names_thing_of(owner: About, owned: About) -> bool:
    return owned.owner == owner.subject and bool(owned.thing) and owned.thing <= owner.said


def _is_own(thing: About, owned: About) -> bool:
    """ "The knee", said by Ann, beside "Ann's knee", which she said as well."""
    if thing.owner is not None or not thing.third or thing.subject is None or not owned.thing:
        return False
    mine = owned.owner is not None and owned.owner == owned.speaker == thing.speaker
    return mine and content_stems(thing.subject) == owned.thing


def is_called(named: About, owned: About) -> bool:
    """ "Vera" beside "Ann's sister Vera", both said by Ann."""
    if named.subject is None or named.owner is not None or owned.owner is None or named.speaker != owned.speaker:
        return False
    who, _, name = (owned.subject or "").partition("'s ")[2].partition(" ")
    return (
        named.third
        and owned.owner == owned.speaker
        and (who in KIN or who in ROLES or stem(who) in ANIMALS)
        and name == named.subject
    )


def of_others(new: Event, old: Event) -> bool:
    """Both say of what their subject is, and it is not the same: "the rent of our flat", "the rent for the studio"."""
    left, right = _of_what(new), _of_what(old)
    return bool(left) and bool(right) and left.isdisjoint(right)


def _of_what(event: Event) -> frozenset[str]:
    clause = said(event.text)
    nouns = () if clause is None else clause.subject
    return frozenset(noun.head for noun in nouns[1:] if noun.before in ("of", "for", "at", "in"))


def name_stems(*events: Event) -> frozenset[str]:
    """Stems of the people's names: in a talk of two, a shared name says nothing. Somebody's thing is no name."""
    names = [name for event in events for name in (*event.participants, event.speaker) if name is not None]
    return frozenset(stem(word) for name in names if "'s " not in _folded(name) for word in words(name))


def _folded(name: str) -> str:
    return normal_text(name).replace("’", "'")
