"""By what clauses some kinds of things are told that can come to an end; see ``holdings`` for the kinds."""

from __future__ import annotations

from .clause import Said
from .words import stem


def stems(words: str) -> frozenset[str]:
    """The stems of words."""
    return frozenset(stem(word) for word in words.split())


WORN = stems("cast casts brace braces stitches bandage splint sling crutches plaster catheter")
"""What one wears until it comes off."""
PLACES = stems("place flat apartment house room studio")
"""Where one lives, alone or with others."""
_TIED = ("together", "official", "couple", "item", "engaged")
_DOWN = frozenset("closed shut down jammed stuck leaking locked blocked offline".split())  # noqa: SIM905
_REPAIRING = stems("garage workshop repair service")
_PASSING = stems(
    "flu cold fever cough chickenpox measles mumps covid bug virus infection tonsillitis bronchitis pneumonia"
)
_ILL = (("ill",), ("sick",), ("poorly",))
_STUDENTS = stems("student undergraduate undergrad pupil")
_ORDERS = frozenset({"order", "book", "reserve"})


_DAYS = stems("monday tuesday wednesday thursday friday saturday sunday")
ANIMALS = stems(
    "dog cat puppy kitten rabbit hamster parrot budgie horse pony goldfish tortoise gerbil lizard snake hen duck"
    " chicken"
)


def together(c: Said) -> bool:
    """ "We've been together for two years", "Jo and I are engaged": what the speaker and somebody are to each other."""
    return c.verb == "be" and c.tense in ("present", "perfect") and c.first and c.has(*_TIED)


def in_company(c: Said) -> bool:
    """ "I live with two flatmates", "I share a flat with friends"."""
    shares = c.verb in ("share", "rent") and any(noun.head in PLACES for noun in c.objects)
    return (c.verb == "live" or shares) and any(noun.before == "with" for noun in c.nouns)


def troubled(c: Said) -> bool:
    """ "The pool is closed", "the lift is stuck", "my van is in the garage"."""
    if c.verb == "be" and c.tense == "present" and not c.first:
        at = any(noun.before in ("in", "at") and noun.head in _REPAIRING for noun in c.nouns)
        return at or bool(_DOWN & set(c.after[:2])) or c.after[:1] == ("being",)
    closed = c.passive and c.verb in ("close", "shut", "lock", "block", "stick")
    return c.tense == "present" and (closed or c.verb in ("leak", "jam"))


def worn(c: Said) -> bool:
    """ "My arm is in a cast", "Leni wears braces"."""
    return c.tense in ("present", "perfect") and any(noun.head in WORN for noun in c.nouns)


def waiting(c: Said) -> bool:
    """ "I'm still waiting for my refund"."""
    return c.verb == "wait" and c.tense in ("present", "perfect") and any(noun.before == "for" for noun in c.nouns)


def ailing(c: Said) -> bool:
    """ "Nora has chickenpox", "I'm ill": passing."""
    has = c.verb in ("have", "catch") and any(noun.stems & _PASSING for noun in c.objects)
    ill = c.verb == "be" and c.after[:1] in _ILL
    down = c.verb == "be" and c.has("down") and any(noun.head in _PASSING for noun in c.nouns)
    return c.tense == "present" and (has or ill or down)


def studying(c: Said) -> bool:
    """ "I'm a master's student at the university"."""
    return c.verb == "be" and c.tense == "present" and any(noun.head in _STUDENTS for noun in c.objects)


def ordered(c: Said) -> bool:
    """ "I ordered an armchair": told as an act, and open until it is there."""
    return c.verb in _ORDERS and c.tense in ("past", "perfect") and not c.passive and not c.negated


def of_animal(c: Said) -> bool:
    """ "Our dog Pip sleeps on the sofa"."""
    return c.tense == "present" and any(noun.stems & ANIMALS and noun.article in ("my", "our") for noun in c.subject)


def teaching(c: Said) -> bool:
    """ "I'm still teaching": it is a job."""
    return c.verb == "teach" and c.tense == "present" and not c.has("myself")


def jobless(c: Said) -> bool:
    """ "I'm out of work", "she is unemployed"."""
    out = c.after[:3] in (("out", "of", "work"), ("out", "of", "a"), ("between", "jobs"))
    return c.verb == "be" and c.tense == "present" and (out or c.has("unemployed", "jobless"))


def missing(c: Said) -> bool:
    """ "I can't find my keys": of a denied clause."""
    return c.verb == "find" and c.form == "modal" and c.first


def not_yet_there(c: Said) -> bool:
    """ "My parcel still hasn't arrived", "I haven't got my refund yet": of a denied clause."""
    come = c.verb in ("arrive", "come", "get", "receive", "hear") and c.tense == "perfect"
    return come or (c.verb == "have" and c.has("yet"))


def weekly(c: Said) -> bool:
    """ "Thursdays are choir for me"."""
    return c.verb == "be" and c.tense == "present" and any(noun.head in _DAYS and noun.plural for noun in c.subject)
