"""Attributes: which names mean the same one, and which can hold only one value at a time."""

from __future__ import annotations

from functools import lru_cache

from ..distil.lexicon.people import PARTNERS

_SINGLE: dict[str, tuple[str, ...]] = {
    "home": ("residence", "place of residence", "lives in", "living in", "city", "town", "address", "housing"),
    "employer": ("company", "workplace", "works at", "works for", "employment"),
    "job": ("job title", "occupation", "profession", "role"),
    "relationship": ("relationship status", "marital status", "partner", "spouse"),
    "phone": ("phone number", "mobile number", "telephone"),
    "email": ("email address", "mail address"),
    "appointment": ("appointment time", "appointment date"),
    "date": ("event date", "due date", "deadline", "start date", "end date"),
    "time": ("start time", "departure time", "arrival time", "opening time"),
    "school": ("university", "college"),
    "major": ("field of study", "course of study"),
    "age": (),
    "height": (),
    "weight": (),
    "salary": ("income", "pay", "wage"),
    "rent": ("monthly rent", "yearly rent"),
    "price": ("cost", "fee"),
    "status": ("progress",),
    "count": ("number", "amount", "quantity"),
    "owner": ("holder", "owning team"),
    "manager": ("boss", "supervisor"),
    "lead": ("person in charge", "team lead", "coordinator"),
    "supplier": ("vendor", "provider", "caterer"),
    "version": (),
    "capacity": (),
    "priority": (),
    "password": (),
    "birthday": ("date of birth",),
    "location": ("whereabouts", "place", "venue"),
    "bedtime": (),
    "shift": ("working hours",),
    "hours of work": (),
    "tariff": ("price plan",),
    "budget": (),
}
"""Single-valued attributes: a person has one of them at a time, so a second value replaces the first.

Short on purpose. What is not listed (pets, hobbies, friends, favourites, trips, names of this and that) may hold many
values, and a second value alone retires nothing: a wrong retirement hides a true fact, a missed one shows an old fact
with its date.
"""

_CANONICAL = {alias: name for name, aliases in _SINGLE.items() for alias in (name, *aliases)}


@lru_cache(maxsize=4096)
def canonical_attribute(attribute: str | None) -> str | None:
    """The attribute's canonical name; unknown ones as given, case-folded, ``_`` and ``-`` as spaces."""
    if attribute is None:
        return None
    plain = " ".join(attribute.casefold().replace("_", " ").replace("-", " ").split())
    return _CANONICAL.get(plain, plain) or None


_MATTERS = {"employer": "work", "job": "work", "job hunt": "work"} | dict.fromkeys(PARTNERS, "relationship")
"""Attributes that one change may end together: a new employer ends the former job, a parting what was said of her."""


def matter(attribute: str | None) -> str | None:
    """What the gate takes for one attribute: the canonical one, or what it has in common with others."""
    name = canonical_attribute(attribute)
    return None if name is None else _MATTERS.get(name, name)


_DIETS = frozenset(
    "vegan vegetarian pescatarian keto halal kosher paleo carnivore omnivore gluten-free dairy-free".split()  # noqa: SIM905
)


_STATUSES = frozenset(
    "single dating girlfriend boyfriend relationship engaged married separated divorced widowed".split()  # noqa: SIM905
) | {"fiancé", "fiancée", "fiance", "fiancee"}


def is_single_valued(attribute: str | None, *values: str | None) -> bool:
    """Whether a second value of the (canonical) attribute excludes the first.

    Of what somebody eats only a named way of eating does: porridge does not end fish. So with how somebody is tied: a
    name says nothing of that.
    """
    if attribute == "diet":
        return all(value is not None and value.casefold() in _DIETS for value in values)
    if attribute == "relationship":
        return all(value is not None and value.casefold() in _STATUSES for value in values)
    return attribute in _SINGLE
