"""How somebody is reached: "this is my new number", "address is 3 Mill Lane" are of the speaker."""

from __future__ import annotations

from .lexicon.things import FRESH, LABELS, LABELS_OF_PEOPLE
from .subjects import Subject


def reached_at(attribute: str | None, subject: Subject, speaker: str) -> Subject:
    """Whose number, address or email a statement gives, where its subject does not say it."""
    label = LABELS_OF_PEOPLE.get(attribute or "")
    if attribute is None or label is None or subject.is_person or subject.people:
        return subject
    own = set(LABELS[attribute].split()) | FRESH
    if subject.name is None or set(subject.name.casefold().split()) <= own:
        return Subject(f"{speaker}'s {label}", (speaker,), is_person=False)
    return subject
