"""Ends of what was to come: called off, done, passed."""

from __future__ import annotations

from .clause import Said
from .end import End, of_kinds, whole
from .words import stem

_TESTS = frozenset(stem(word) for word in ("test", "exam", "quiz", "course", "class", "lesson", "shot", "jab"))
"""What is taken to be done with; a dog is taken for a walk."""
_COURSES = frozenset(stem(word) for word in ("class", "course"))
_CALLED_OFF = frozenset({"cancel", "scrap", "shelve", "abandon", "drop"})


def _off(c: Said) -> list[End]:
    """ "The trip is cancelled", "they called off the party", "I cancelled my subscription", "it fell through"."""
    off = c.verb == "be" and c.tense == "present" and c.after[:1] == ("off",) and not c.has("to", "work", "sick")
    called = (c.passive and (c.verb in _CALLED_OFF or (c.verb == "call" and c.has("off")))) or off
    if called or (c.verb == "fall" and c.has("through")):
        soon = c.has("today", "tonight", "tomorrow", "this", "next", "on")
        kinds = (
            of_kinds("plan") if soon or not _COURSES & {n.head for n in c.subject} else of_kinds("plan", "membership")
        )
        return [End(kinds, whole(c.subject), "owner")] if c.subject else []
    calls = not c.passive and (c.verb in _CALLED_OFF - {"drop"} or (c.verb == "call" and c.has("off")))
    if calls and c.nouns:
        whose = "speaker" if c.pronoun == "they" else "subject"
        return [End(of_kinds("plan", "membership", "thing"), whole(c.nouns), whose)]
    return []


def _over(c: Said) -> list[End]:
    """ "The dentist is done", "the course is over", "the interview went well"."""
    over = (c.verb == "be" and c.after[:1] in (("done",), ("over",), ("finished",))) or (
        c.passive and c.verb in ("do", "finish")
    )
    went = c.verb == "go" and c.tense == "past" and c.has("well", "fine", "great", "badly", "okay", "smoothly")
    if not (over or went) or not c.subject:
        return []
    kinds = of_kinds("plan", "habit", "studies", "state", "condition")
    return [End(kinds, whole(c.subject), "owner", done=True)]


def _attended(c: Said) -> list[End]:
    """ "I passed my driving test", "I had the operation"."""
    if c.passive or c.tense not in ("past", "perfect"):
        return []
    if c.verb not in ("pass", "fail", "have", "take", "finish", "complete", "do", "attend", "survive", "run"):
        return []
    named = [noun for noun in c.objects[:1] if noun.definite and noun.article]  # "..., Jon" is no object
    kinds = of_kinds("plan") if c.verb == "have" else of_kinds("plan", "habit")
    return [End(kinds, noun, done=True) for noun in named if c.verb != "take" or noun.head in _TESTS]


def _back_from(c: Said) -> list[End]:
    """ "We're back from Rome", "I got back from the conference yesterday"."""
    back = c.has("back") or (c.verb == "be" and c.form == "simple" and c.after[:1] == ("from",))
    came = c.verb in ("be", "come", "get", "fly") and c.tense != "future" and c.first and back
    return [End(of_kinds("plan"), noun, done=True) for noun in c.nouns if came and noun.before in ("from", "back from")]


READERS = (_off, _over, _attended, _back_from)
"""Each gives what a clause says has ended; mostly nothing."""
