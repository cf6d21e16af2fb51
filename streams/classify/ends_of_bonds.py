"""Ends of being together and of living together."""

from __future__ import annotations

from .clause import Said
from .end import End, of_kinds
from .signs import PLACES, stems

_BOND = stems("engagement marriage relationship")


def _parted(c: Said) -> list[End]:
    """ "We broke up", "Jo and I split up", "I'm divorced", "Jo and I called it quits"."""
    apart = not any(noun.before not in ("with", "up with") or not noun.named for noun in c.nouns) and (
        (c.verb in ("break", "split") and c.has("up"))
        or (c.verb == "part" and c.has("ways"))
        or c.verb in ("divorce", "separate")
        or (c.verb == "be" and c.tense == "present" and c.has("divorced", "separated"))
    )
    quits = c.verb == "call" and c.first and c.has("it") and c.has("quits")
    two = c.verb == "be" and c.tense == "present" and c.first and bool(c.subject) and all(n.named for n in c.subject)
    over = two and c.after in (
        ("over",),
        ("through",),
        ("finished",),
        ("history",),
        ("over", "now"),
        ("done", "for", "good"),
    )
    ended = c.verb == "end" and c.first and c.after[:1] in (("things",), ("it",))
    ended = ended and any(noun.before == "with" and noun.named for noun in c.nouns)
    return [End(of_kinds("bond"))] if apart or quits or over or ended else []


def _left_by(c: Said) -> list[End]:
    """ "He left me", "Jude dumped me", "it's over between us", "the engagement is off"."""
    left = c.tense in ("past", "perfect") and c.verb in ("leave", "dump") and c.after[:1] == ("me",) and not c.objects
    over = c.verb == "be" and c.pronoun == "it" and c.after[:2] == ("over", "between") and c.has("me", "us")
    if (left and not c.first) or over:
        return [End(of_kinds("bond"), whose="speaker")]
    off = c.verb == "be" and c.tense == "present" and c.after[:1] in (("off",), ("over",), ("broken",))
    ours = len(c.subject) == 1 and c.subject[0].head in _BOND and c.subject[0].article in ("the", "our", "my")
    called = c.verb == "call" and c.first and c.has("off") and any(n.head in _BOND for n in c.objects)
    return [End(of_kinds("bond"), whose="owner")] if (off and ours and not c.subject[0].owned) or called else []


def no_more_together(c: Said) -> list[End]:
    """ "We aren't together any more": of a denied clause."""
    apart = c.verb == "be" and c.tense == "present" and c.has("together", "couple", "engaged", "married")
    return [End(of_kinds("bond"))] if apart else []


def _alone(c: Said) -> list[End]:
    """ "I live alone now", "I've got my own place": whoever lived with others does so no more."""
    alone = c.verb == "live" and c.tense == "present" and (c.has("alone", "myself") or c.has("own"))
    own = c.verb in ("have", "get", "find", "rent") and any(
        noun.head in PLACES and "own" in noun.stems and noun.article in ("my", "our") for noun in c.objects
    )
    out = (
        c.verb == "move"
        and c.tense in ("past", "perfect")
        and any(noun.before in ("into", "to") and noun.head in PLACES and "own" in noun.stems for noun in c.nouns)
    )
    return [End(of_kinds("company"))] if alone or own or out else []


READERS = (_parted, _left_by, _alone)
"""Each gives what a clause says has ended; mostly nothing."""
