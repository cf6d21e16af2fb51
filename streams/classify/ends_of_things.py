"""Ends of what somebody has: sold, stolen, dead, broken, replaced, found, moved out of."""

from __future__ import annotations

from .clause import Said
from .end import ANY, End, of_kinds
from .words import stem

SOLD = frozenset({"sell", "flog", "donate", "scrap", "return", "wreck", "pawn", "auction", "ditch"})
_TAKEN = frozenset({"steal", "wreck", "sell", "scrap", "total", "demolish", "tow", "destroy", "lose"})
GONE = frozenset({"die", "disappear", "expire", "burn"})
_ONE_OF = frozenset("number address email password pin".split())  # noqa: SIM905
"""Stems of what one has one of at a time: a new one takes the place of the old."""
_SERVING = "boss manager supervisor dentist doctor gp therapist landlord landlady vet accountant"
_WHO_SERVES = frozenset(stem(role) for role in _SERVING.split())
"""So with these people."""
_HOUSES = frozenset(stem(word) for word in ("house", "home", "flat"))
_REPAIRS = frozenset({"fix", "repair", "mend"})
_RISES = frozenset({"rise", "increase", "drop", "fall"})
_RAISES = frozenset({"raise", "increase", "lower", "reduce", "cut"})


def _given_up(c: Said) -> list[End]:
    """ "Sold the van", "got rid of it", "gave the piano away"."""
    away = c.verb == "give" and not c.passive and (c.has("away", "back") or any(n.before == "to" for n in c.nouns))
    rid = c.verb == "get" and c.after[:2] == ("rid", "of")
    traded = (c.verb == "trade" and c.has("in", "for")) or (c.verb in ("throw", "chuck") and c.has("away", "out"))
    lost = c.verb in ("lose", "replace")
    goodbye = c.verb == "say" and c.has("goodbye") and any(noun.before == "to" for noun in c.nouns)
    asleep = c.verb == "put" and " ".join(c.after[-2:]) in ("to sleep", "down")
    if goodbye or asleep:
        what = [noun for noun in c.nouns if noun.before == "to"] if goodbye else c.objects
        return [End(of_kinds("being"), noun) for noun in what[:1] if noun.definite]
    if not (c.verb in SOLD or away or rid or traded or lost) or c.passive:
        return []
    named = [noun for noun in c.nouns if noun.before == "of"] if rid else c.nouns if traded else c.objects
    kinds = of_kinds("thing") if lost else of_kinds("thing", "home", "being")
    own = ("his", "her", "their") if not c.first else ()
    return [End(kinds, noun) for noun in named[:1] if noun.definite or noun.article in own]


def _taken(c: Said) -> list[End]:
    """ "My bike got stolen", "Tinker died", "the lease expired"."""
    gone = (
        c.verb in GONE
        or (c.verb == "break" and c.has("down") and c.has("good"))
        or (c.verb == "pass" and c.has("away"))
        or (c.verb == "go" and (c.passive or (c.form == "perfect" and not set(c.after) - {"now", "too"})))
    )
    if not (gone or (c.passive and c.verb in _TAKEN)):
        return []
    kinds = of_kinds("thing", "being", "home", "condition")
    if c.verb == "die" and (c.nouns or c.has("again", "me")):
        kinds = of_kinds("being")  # "my car died on the motorway"
    return [End(kinds, noun, "owner") for noun in c.subject[:1] if noun.definite]


def _robbed(c: Said) -> list[End]:
    """ "Somebody stole my tent"."""
    robs = c.verb in _TAKEN - {"sell", "lose", "scrap"} and not c.first and not c.passive and c.tense != "present"
    return [End(of_kinds("thing"), noun, "speaker") for noun in c.objects[:1] if robs and noun.article in ("my", "our")]


def _moved_out(c: Said) -> list[End]:
    """ "We moved out of the flat", "I moved from there to here", "I switched from law to history"."""
    if c.passive or c.tense not in ("past", "perfect"):
        return []
    if c.verb in ("switch", "change"):
        return [End(ANY - {"plan"}, noun) for noun in c.nouns if noun.before == "from"]
    if c.verb not in ("move", "relocate"):
        return []
    house = [noun for noun in c.objects if noun.head in _HOUSES and not noun.article]
    if house and not c.has("twice", "times", "often"):
        return [End(of_kinds("home"))]
    return [End(of_kinds("home"), noun) for noun in c.nouns if noun.before in ("out of", "from")]


def _found(c: Said) -> list[End]:
    """ "She found a job": she no longer looks for one. "My keys turned up": they are lost no more."""
    if c.tense not in ("past", "perfect"):
        return []
    takes = c.verb in ("find", "get", "land", "accept", "start", "sign") and not c.passive
    job = [noun for noun in c.objects if takes and noun.head in _JOBS]
    if job:
        work = (noun._replace(stems=frozenset({head}), head=head) for noun in job for head in _WORK)
        return [End(of_kinds("jobless")), *(End(of_kinds("search"), noun) for noun in (*job, *work))]
    if c.verb == "find" and not c.passive:
        return [End(of_kinds("search", "loss"), noun) for noun in c.objects[:1]]
    back = (c.verb in ("turn", "show") and c.has("up")) or (c.verb == "find" and c.passive)
    return [End(of_kinds("loss"), noun, "owner") for noun in c.subject[:1] if back and noun.definite]


def _repaired(c: Said) -> list[End]:
    """ "The plumber fixed the boiler", "the lift is fixed": what was broken works."""
    if c.verb not in _REPAIRS or c.tense == "future":
        return []
    fixed = c.subject if c.passive else c.objects if c.tense != "present" else ()
    return [End(of_kinds("condition"), noun, "owner") for noun in fixed[:1] if noun.definite]


def _went_up(c: Said) -> list[End]:
    """ "The rent went up", "they raised the fee", "the price has dropped": the figure named before is out of date."""
    if c.tense not in ("past", "perfect"):
        return []
    moved = c.verb == "go" and (c.after[:1] in (("up",), ("down",)))
    by_itself = not c.passive and not c.objects and (moved or c.verb in _RISES) and not c.first
    if by_itself or (c.passive and c.verb in _RAISES):
        return [End(of_kinds("figure"), noun, "owner") for noun in c.subject[:1] if noun.definite]
    raised = c.verb in _RAISES and not c.passive and not c.first
    return [End(of_kinds("figure"), noun, "speaker") for noun in c.objects[:1] if raised and noun.definite]


def _replaced(c: Said) -> list[End]:
    """ "I changed the password to figtree", "I've got a new phone number"."""
    if c.passive or c.tense not in ("past", "perfect", "present"):
        return []
    if c.verb in ("change", "reset", "update", "rename") and any(noun.before == "to" for noun in c.nouns):
        return [End(of_kinds("state"), noun) for noun in c.objects[:1] if noun.definite and c.tense != "present"]
    new = c.verb in ("have", "get", "find") and not any(noun.before == "for" for noun in c.nouns)
    named = [noun for noun in c.objects if new and noun.head in _ONE_OF | _WHO_SERVES and "new" in noun.stems]
    if named:
        return [End(of_kinds("state"), noun._replace(stems=noun.stems - {"new"})) for noun in named[:1]]
    fresh = [noun for noun in c.objects if (new or c.verb == "buy") and "new" in noun.stems and noun.article == "a"]
    return [End(of_kinds("condition"), n._replace(stems=n.stems - {"new"}, article="the"), "owner") for n in fresh]


_WORK = tuple(stem(word) for word in ("work", "job"))
_JOBS = frozenset((*_WORK, stem("position"), stem("contract"), stem("apprenticeship"), stem("internship")))
"""Who has one looks for none."""
READERS = (_given_up, _taken, _robbed, _moved_out, _found, _repaired, _went_up, _replaced)
"""Each gives what a clause says has ended; mostly nothing."""
