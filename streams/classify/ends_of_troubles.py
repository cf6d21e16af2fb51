"""Ends of what is not as it should be for a while: broken, shut, away, worn after an accident, waited for, lost."""

from __future__ import annotations

from .clause import Said
from .end import End, of_kinds
from .signs import WORN
from .words import stem

_COMES = frozenset({"arrive", "come", "land"})
_GETS = frozenset({"get", "receive", "have", "collect"})
_OFF = ("off", "out", "removed")
_TAKES_OFF = frozenset({"take", "remove", "cut"})
_OPENS = frozenset({"open", "reopen", "unlock"})


def _works_again(c: Said) -> list[End]:
    """ "The lift works again", "the pool is open again", "they reopened the pool"."""
    again = c.has("again", "back") or c.after[:3] == ("like", "a", "dream")
    works = c.verb in ("work", "run", "go") and c.tense == "present" and c.has("again")
    up = c.verb == "be" and c.tense == "present" and again and c.has("open", "up", "running", "working", "online")
    opened = c.verb in _OPENS and c.tense != "future" and (c.verb == "reopen" or c.has("again"))
    if works or up or (opened and not c.objects):
        return [End(of_kinds("condition"), noun, "owner") for noun in c.subject[:1] if noun.definite]
    if opened and not c.first:
        return [End(of_kinds("condition"), noun, "owner") for noun in c.objects[:1] if noun.definite]
    return []


def _got_back(c: Said) -> list[End]:
    """ "Got the van back today", "the van is back from the garage"."""
    if c.passive or c.tense == "future":
        return []
    got = c.verb in ("get", "collect", "fetch") and c.tense in ("past", "perfect") and c.has("back")
    if got:
        return [End(of_kinds("condition", "loss", "wait"), noun) for noun in c.objects[:1] if noun.definite]
    back = c.verb == "be" and c.tense == "present" and c.after[:1] == ("back",)
    return [End(of_kinds("condition", "loss"), noun, "owner") for noun in c.subject[:1] if back and noun.definite]


def _came_off(c: Said) -> list[End]:
    """ "The cast came off", "Leni got her braces off", "I'm off crutches"."""
    if c.tense == "future" or not c.has(*_OFF):
        return []
    off = (c.verb == "come" and c.tense in ("past", "perfect")) or (
        c.verb == "be" and c.after[:1] in (("off",), ("out",))
    )
    if (off or (c.passive and c.verb in _TAKES_OFF)) and c.subject:
        return [End(of_kinds("worn"), noun, "owner") for noun in c.subject if noun.head in WORN]
    named = [noun for noun in c.nouns if noun.head in WORN]
    had = c.verb in ("get", "have") and c.tense in ("past", "perfect") and any(not noun.before for noun in named)
    came = off and any(noun.before == "off" for noun in named)
    took = c.verb in _TAKES_OFF and not c.first and c.tense in ("past", "perfect")
    if had or came:
        return [End(of_kinds("worn"), named[0])]
    return [End(of_kinds("worn"), noun, "speaker") for noun in named[:1] if took]


def _arrived(c: Said) -> list[End]:
    """ "The refund has arrived", "the sofa is here", "I got my results": it is waited for no more."""
    if c.passive or c.tense == "future" or c.form == "progressive":
        return []
    here = c.verb == "be" and c.tense == "present" and c.after[:1] in (("here",), ("there",))
    came = c.verb in _COMES and c.tense in ("past", "perfect")
    turned_up = c.verb in ("turn", "show") and c.has("up") and c.tense in ("past", "perfect")
    if (here or came or turned_up) and not c.first:
        return [End(of_kinds("wait"), noun, "owner") for noun in c.subject[:1]]
    heard = c.verb == "hear" and c.has("back") and c.tense in ("past", "perfect")
    if heard:
        return [End(of_kinds("wait"), noun) for noun in c.nouns[:1] if noun.before == "from"]
    got = c.verb in _GETS and c.tense in ("past", "perfect")
    return [End(of_kinds("wait"), noun) for noun in c.objects[:1] if got and noun.definite]


def _well_again(c: Said) -> list[End]:
    """ "Nora is all better", "I'm over the flu", "he's fully recovered": of whoever was ill."""
    well = (
        c.verb == "be"
        and c.tense == "present"
        and (
            c.after[:2] in (("all", "better"), ("completely", "better"), ("fully", "recovered"), ("well", "again"))
            or c.after[:2] in (("healthy", "again"), ("better", "again"))
        )
    )
    if not well:
        return []
    return [End(of_kinds("illness"))]


def _outgrown(c: Said) -> list[End]:
    """ "He has outgrown his milk allergy", "my allergy is gone"."""
    grown = c.verb in ("outgrow", "overcome", "lose") and c.tense in ("past", "perfect") and not c.passive
    allergy = [noun for noun in (c.objects if grown else c.subject) if noun.head == stem("allergy")]
    gone = c.verb in ("go", "disappear", "vanish") and c.tense in ("past", "perfect", "present")
    return [End(of_kinds("condition"), noun, "subject" if grown else "owner") for noun in allergy if grown or gone]


READERS = (_works_again, _got_back, _came_off, _arrived, _well_again, _outgrown)
"""Each gives what a clause says has ended; mostly nothing."""
