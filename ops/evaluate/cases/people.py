"""Checks of who takes part, and of who is whom."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from query.api import EdgeEntry

from .checks import Check, Checks, alternatives, mapping, texts
from .outcome import Outcome, item_text
from .text import contains


def participants(o: Outcome, value: object) -> Iterable[str]:
    speakers = {message.speaker for message in o.case.messages}
    for text, names in mapping(value).items():
        wanted = set(texts(names))
        found = [set(entry.event.participants) for entry in o.containing(text)]
        if not any(wanted <= names and not (names & speakers) - wanted for names in found):
            yield f"{text!r} has the participants {[sorted(names) for names in found]}, not {sorted(wanted)}"


def entities_same(o: Outcome, value: object) -> Iterable[str]:
    for names in alternatives(value):
        people = {o.memory.system.canonical(o.space, _speaker(o, name)) for name in names}
        if len(people) != 1:
            yield f"{names} are {sorted(people)}"


def _speaker(o: Outcome, name: str) -> str:
    return o.case.messages[0].speaker if name == "I" else name


def entities_distinct(o: Outcome, value: object) -> Iterable[str]:
    for names in alternatives(value):
        for one, other in combinations(names, 2):
            if o.memory.system.canonical(o.space, one) == o.memory.system.canonical(o.space, other):
                yield f"{one!r} and {other!r} are one participant"
            for edge in o.edges:
                if edge.relation == "updates" and (_names(o, edge, one, other) or _names(o, edge, other, one)):
                    yield f"an update joins {one!r} and {other!r}"


def _names(o: Outcome, edge: EdgeEntry, src: str, dst: str) -> bool:
    ends = ((o.entry(edge.src), src), (o.entry(edge.dst), dst))
    return all(entry is not None and contains(item_text(entry), name) for entry, name in ends)


def entity_count(o: Outcome, value: object) -> Iterable[str]:
    listed = o.memory.system.participants(o.space).entries
    for name, wanted in mapping(value).items():
        folded = name.casefold()
        found = sum(folded in (p.name.casefold(), *(alias.name.casefold() for alias in p.aliases)) for p in listed)
        if found != wanted:
            yield f"{found} participants are called {name!r}, not {wanted}"


_ALL: tuple[Check, ...] = (
    participants, entities_same, entities_distinct, entity_count,
)  # fmt: skip
PEOPLE: Checks = {check.__name__: check for check in _ALL}
