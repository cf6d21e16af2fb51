"""Who is meant: the speakers of a session, and canonical names for the words that name people.

A canonical name is the speaker's own name string. A first name resolves to a speaker when exactly one bears it; two
people of the same first name stay apart, and so do names whose digits differ. Other names stay as they are written.
"""

from __future__ import annotations

import re

import msgspec

from schemas.sessions import SessionRevised

_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


class Roster(msgspec.Struct, frozen=True, kw_only=True):
    """The people who speak in a session.

    Attributes:
        speakers: canonical names, in order of first appearance.
        people: those of them who are not assistants, systems or tools.
        by_name: what each written form (case-folded) resolves to; None where it is ambiguous.
    """

    speakers: tuple[str, ...]
    people: tuple[str, ...]
    by_name: dict[str, str | None]

    def canonical(self, name: str) -> str:
        """The speaker a name stands for, else the name as written with white space made single."""
        plain = " ".join(name.split())
        return self.by_name.get(plain.casefold()) or plain

    def knows(self, name: str) -> bool:
        """Whether the name stands for exactly one speaker."""
        return self.by_name.get(" ".join(name.split()).casefold()) is not None

    def addressee(self, speaker: str) -> str | None:
        """The other one, when exactly two speak and one of them is ``speaker``."""
        if len(self.speakers) != 2 or speaker not in self.speakers:
            return None
        return self.speakers[1] if self.speakers[0] == speaker else self.speakers[0]


def roster_of(session: SessionRevised) -> Roster:
    """The roster of a session, from its messages' speakers and roles."""
    speakers: dict[str, bool] = {}
    for message in session.messages:
        name = " ".join(message.speaker.split())
        speakers[name] = speakers.get(name, False) or message.role in ("user", "analyst")
    names = tuple(n for n in speakers if n)
    return Roster(speakers=names, people=tuple(n for n in names if speakers[n]), by_name=_forms(names))


def _forms(names: tuple[str, ...]) -> dict[str, str | None]:
    """Every way to write a speaker's name: whole, or its first word when no other speaker shares it.

    A name with a number in it ("Agent 7") has no short form: the number is what tells it apart.
    """
    forms: dict[str, str | None] = {}
    for name in names:
        word = _WORD.match(name)
        if word is not None and word[0] != name and not _DIGITS.search(name):
            key = word[0].casefold()
            forms[key] = None if key in forms else name
    for name in names:
        key = name.casefold()
        others = [n for n in names if n != name and n.casefold() == key]
        first_of_other = forms.get(key) not in (None, name)
        forms[key] = None if others or first_of_other else name
    return forms
