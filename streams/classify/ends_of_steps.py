"""Ends of what leads somewhere: learning to drive, carrying a child, a thesis, an order, a choice made otherwise."""

from __future__ import annotations

from .clause import Noun, Said
from .end import End, of_kinds
from .signs import stems
from .words import stem

_TESTS = stems("test exam")
_OF_DRIVING = stems("driving drive practical") | _TESTS
_LICENCE = stems("licence license")
_DRIVE = Noun(stem("drive"), frozenset({stem("drive")}), "", "to", many=False, named=False, owned=False)
_CHILD = stems("baby babies twins")
_HANDS_IN = frozenset({"submit", "hand", "turn", "send"})
_TOLD = ("past", "perfect")


def _may_drive(c: Said) -> list[End]:
    """ "Passed my test", "I've got my driving licence": of who was learning to drive."""
    if c.passive or c.tense not in _TOLD:
        return []
    passed = c.verb == "pass" and any(
        noun.head in _TESTS and noun.stems <= _OF_DRIVING and noun.article == "my" for noun in c.objects
    )
    got = c.verb == "get" and any(noun.head in _LICENCE and noun.article == "my" for noun in c.objects)
    return [End(of_kinds("habit"), _DRIVE, doing="learn")] if passed or got else []


def _child_is_here(c: Said) -> list[End]:
    """ "The baby is here", "our twins were born": a pregnancy has ended."""
    here = c.verb == "be" and c.after[:1] in (("here",), ("born",)) and c.tense in ("present", "past")
    came = c.verb in ("arrive", "come", "bear") and c.tense in _TOLD
    ours = any(noun.head in _CHILD and noun.article in ("the", "our", "my") and not noun.owned for noun in c.subject)
    return [End(of_kinds("pregnancy"), whose="speaker")] if ours and (here or came) else []


def _handed_in(c: Said) -> list[End]:
    """ "I handed in my thesis": it is written."""
    handed = c.verb in _HANDS_IN and c.tense in _TOLD and (c.verb == "submit" or c.has("in", "off"))
    named = [noun for noun in c.objects[:1] if handed and not c.passive and noun.article in ("my", "our", "the")]
    return [End(of_kinds("plan", "habit"), noun, done=True) for noun in named]


def _decided_against(c: Said) -> list[End]:
    """ "We've decided against the name Hugo", "I changed my mind about the kitchen"."""
    if c.passive or c.tense not in _TOLD:
        return []
    against = [noun for noun in c.nouns if c.verb in ("decide", "choose", "opt") and noun.before == "against"]
    minds = c.verb == "change" and c.has("mind", "minds")
    about = [noun for noun in c.nouns if minds and noun.before in ("about", "on")]
    return [End(of_kinds("plan", "habit"), noun, decided=True) for noun in (*against, *about)[:1]]


def _order_cancelled(c: Said) -> list[End]:
    """ "I've cancelled the armchair", "we sent the lamp back": it was ordered."""
    if c.passive or not c.first or c.tense not in _TOLD:
        return []
    cancels = c.verb in ("cancel", "return") or (c.verb == "send" and c.has("back"))
    return [End(of_kinds("order"), noun) for noun in c.objects[:1] if cancels and noun.definite]


READERS = (_may_drive, _child_is_here, _handed_in, _decided_against, _order_cancelled)
"""Each gives what a clause says has ended; mostly nothing."""
