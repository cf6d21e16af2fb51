"""Whom or what two statements are about: the same subject, said in full or as somebody's thing."""

from __future__ import annotations

from schemas.events import Event
from schemas.ids import normal_text

from .words import content_stems, stem, words


def same_subject(left: Event, right: Event) -> bool:
    """The same known subject; or one is about "Ann" and names the thing, the other is about "Ann's thing".

    "I have an appointment at the bank" (Ann) and "my bank appointment is on Monday" (Ann's bank appointment) meet;
    "Ann" and "Ann's sister" do not, unless Ann's own statement speaks of her sister.
    """
    if left.subject is None or right.subject is None:
        return False
    first, second = _folded(left.subject), _folded(right.subject)
    return first == second or _names_thing_of(first, second, left) or _names_thing_of(second, first, right)


def _names_thing_of(owner: str, possessive: str, said: Event) -> bool:
    """Whether ``possessive`` is a thing of ``owner``'s that ``said`` (which is about the owner) speaks of."""
    if not possessive.startswith(f"{owner}'s "):
        return False
    thing = content_stems(possessive.removeprefix(f"{owner}'s "))
    return bool(thing) and thing <= content_stems(said.text)


def third_subject(event: Event) -> bool:
    """Whether it is about something or somebody else than its speaker: few statements are, so its name is a topic."""
    return event.subject is not None and (event.speaker is None or _folded(event.subject) != _folded(event.speaker))


def name_stems(*events: Event) -> frozenset[str]:
    """Stems of the people's names: in a talk of two, a shared name says nothing. Somebody's thing is no name."""
    names = [name for event in events for name in (*event.participants, event.speaker) if name is not None]
    return frozenset(stem(word) for name in names if "'s " not in _folded(name) for word in words(name))


def _folded(name: str) -> str:
    return normal_text(name).replace("’", "'")
