"""Ends of what somebody is or does: work, studies, clubs, habits, ways of eating, stays. Bonds: ``ends_of_bonds``."""

from __future__ import annotations

from .clause import Said
from .end import End, of_kinds
from .holdings import MEATS
from .signs import stems
from .words import stem

WHO_SERVES = stems("dentist doctor doctors gp therapist vet accountant lawyer physio hairdresser optician bank insurer")
"""Whom one has one of."""
DISMISSED = frozenset({"fire", "sack"})
_SCHOOLS = frozenset({"university", "uni", "college", "school", "cours", "program", "degre", "class", "studi"})
_BOUND = frozenset(stem(word) for word in ["membership", "subscription", "contract"])
_NEWBORN = stems("baby babies twins son daughter girl boy")
_LAPSING = frozenset(stem(word) for word in ["lapse", "expire"])
REASONS = frozenset({"because of", "for", "after", "since", "due to", "on", "in"})
"""Before these stands why or when something was left off, not what."""
BRIEFLY = frozenset({"early", "late", "at", "today", "tonight", "before", "until", "till", "by", "behind", "for"}) | {
    "just", "now", "hour", "hours", "minute", "minutes",
}  # fmt: skip
"""After "left the office" these tell of a day, not of an end."""


def _last_day(c: Said) -> list[End]:
    """ "Today was my last day at the aquarium"."""
    last = c.verb == "be" and ("my last day" in " ".join(c.after) or "our last day" in " ".join(c.after))
    if not last or c.tense == "future":
        return []
    places = [noun for noun in c.nouns if noun.before in ("at", "in", "as", "of", "with")]
    return [End(of_kinds("work", "studies", "membership"), noun, "speaker") for noun in places[:1]]


def _ate_again(c: Said) -> list[End]:
    """ "I eat meat again": whoever does is no vegan; who "went vegetarian" does not."""
    begun = c.verb in ("start", "begin") and c.gerund == "eat"
    eats = (begun or (c.verb == "eat" and c.tense == "present")) and c.has("again", "now")
    if eats and any(noun.head in MEATS for noun in c.objects):
        return [End(of_kinds("diet"))]
    turns = c.verb in ("go", "become", "turn") or (c.verb == "be" and c.has("now"))
    turned = turns and c.tense != "future" and c.has("vegetarian", "vegan")
    return [End(of_kinds("meat"))] if turned else []


def _left_off(c: Said) -> list[End]:
    """ "Quit the bakery", "left the choir", "gave up smoking", "stopped going to the gym"."""
    if c.passive and c.verb == "do" and c.first and c.after[:1] == ("with",):
        return [End(of_kinds("habit", "membership", "studies", "work"), noun) for noun in c.nouns[:1]]
    if c.passive:
        return []
    if c.gerund and (c.verb in ("stop", "quit") or (c.verb == "give" and c.has("up"))):
        kinds = of_kinds("habit", "work", "studies", "membership", "condition")
        nouns = [noun for noun in c.nouns if noun.before not in REASONS][:1]
        return [End(kinds, nouns[0] if nouns else None, doing=c.gerund)]
    up = (c.verb, c.after[:1]) in (("give", ("up",)), ("cut", ("out",)))
    leaves = c.verb == "leave" and c.tense in ("past", "perfect") and not (BRIEFLY & set(c.after))
    resigns = c.verb == "resign"
    if not (c.verb in ("quit", "drop") or up or leaves or resigns) or c.after[:1] == ("off",):
        return []
    kinds = of_kinds("habit", "thing", "home", "plan") if up else of_kinds("work", "membership", "studies", "home")
    nouns = c.nouns[:1] if up or resigns else c.objects[:1]  # "gave up on the vegan thing" too
    if c.verb == "quit":
        kinds = of_kinds("work", "membership", "studies", "habit")
    elif c.verb == "drop":
        kinds = of_kinds("membership", "studies", "habit")
    bare = up or c.verb == "quit"  # "gave up pilates"
    return [End(kinds, noun) for noun in nouns if noun.definite or (bare and not noun.article)]


def _off_it(c: Said) -> list[End]:
    """ "The doctor took me off the pills", "I came off them", "I'm off sugar": what was taken is not any more."""
    taken = c.verb == "take" and c.after[:2] in (("me", "off"), ("us", "off")) and not c.first
    came = c.verb in ("come", "go") and c.tense in ("past", "perfect") and c.after[:1] == ("off",)
    named = [noun for noun in c.nouns if noun.before == "off" and (taken or came)]
    return [End(of_kinds("habit"), noun, "speaker" if taken else "subject") for noun in named[:1]]


def _no_member(c: Said) -> list[End]:
    """ "I cancelled my membership at the pool", "let my Courier subscription lapse", "unsubscribed from it"."""
    if c.passive or c.tense == "future":
        return []
    if c.verb == "unsubscribe":
        return [End(of_kinds("habit", "membership"), noun) for noun in c.nouns[:1] if noun.before == "from"]
    ends = c.verb in ("cancel", "end", "quit", "drop", "terminate") or (
        c.verb == "let" and c.has("lapse", "expire") and c.first
    )
    bound = [noun for noun in c.objects if ends and noun.stems & _BOUND]
    if not bound:
        return []
    to = [noun for noun in c.nouns if noun.before in ("at", "of", "with", "to", "for")]
    kind = bound[0].stems - _BOUND - _LAPSING
    beside = [bound[0]._replace(stems=kind, head=max(kind), named=True)] if kind else []
    own = [noun for noun in bound if noun.article in ("my", "our") and noun.stems <= _BOUND]
    return [End(of_kinds("habit", "membership", "thing"), noun) for noun in (to or beside or own)[:1]]


def _another_one(c: Said) -> list[End]:
    """ "She changed schools", "I switched gyms": the former one is left."""
    changes = c.verb in ("change", "switch") and c.tense in ("past", "perfect") and not c.passive
    if not changes or not c.objects:
        return []
    serves = c.objects[0].head in WHO_SERVES
    own = serves and c.objects[0].article in ("my", "our")
    kinds = of_kinds("state") if serves else of_kinds("studies", "membership", "habit")
    school = c.objects[0].head in _SCHOOLS
    return [
        End(of_kinds("studies")) if school else End(kinds, noun) for noun in c.objects[:1] if own or not noun.article
    ]


def _out_of_work(c: Said) -> list[End]:
    """ "I was laid off", "they fired me", "I retired", "I lost my job"."""
    if (
        (c.passive and not c.has("up") and (c.verb in DISMISSED or (c.verb == "lay" and c.has("off"))))
        or (c.passive and ((c.verb == "let" and c.has("go")) or (c.verb == "make" and c.has("redundant"))))
        or (c.verb in ("retire", "resign") and not c.nouns)
        or (c.verb in ("lose", "quit", "leave", "switch", "change") and any(noun.head == "job" for noun in c.objects))
        or (c.verb == "be" and c.tense == "present" and c.after[:1] in (("retired",), ("unemployed",), ("jobless",)))
    ):
        return [End(of_kinds("work"))]
    told = c.tense in ("past", "perfect") or c.verb == "let"
    notice = any(noun.head == "notic" for noun in c.nouns) and (c.verb == "give" or (c.verb == "hand" and c.has("in")))
    if notice and told and c.first:
        where = next((noun for noun in c.nouns if noun.before == "at"), None)
        return [End(of_kinds("work"), where)]
    sent = not c.first and not c.passive and told and c.has("me", "us") and not c.has("up")
    if sent and (c.verb in DISMISSED or (c.verb == "lay" and c.has("off")) or (c.verb == "let" and c.has("go"))):
        return [End(of_kinds("work"), whose="speaker")]
    return []


def _studied(c: Said) -> list[End]:
    """ "I graduated", "dropped out", "finished my degree"."""
    if c.passive:
        return []
    out = c.verb == "drop" and c.after[:1] == ("out",) and all(noun.head in _SCHOOLS for noun in c.nouns)
    degree = c.verb in ("finish", "complete", "get") and any(
        noun.head in ("degre", "studi", "bachelor", "master", "phd", "diploma", "study") for noun in c.objects
    )
    if c.verb == "graduate" or out or degree:
        return [End(of_kinds("studies"))]
    finished = c.verb in ("finish", "complete") and c.tense in ("past", "perfect")
    return [End(of_kinds("studies", "habit"), noun, done=True) for noun in c.objects[:1] if finished and noun.definite]


def _recovered(c: Said) -> list[End]:
    """ "My ankle has healed", "I got over the flu", "my back is fine again"."""
    fine = (c.verb == "be" and c.has("healed", "cured")) or (c.has("fine", "okay", "ok") and c.has("again"))
    healed = c.verb in ("heal", "recover") or (c.verb == "clear" and c.has("up"))
    found = [End(of_kinds("condition"), noun, "owner") for noun in c.subject[:1] if (healed or fine) and noun.definite]
    over = (c.verb == "get" and c.has("over")) or c.verb == "recover" or (c.verb == "beat" and not c.passive)
    named = c.nouns[:1] if over else ()
    return found + [End(of_kinds("condition"), noun) for noun in named if noun.definite or not noun.article]


def _born(c: Said) -> list[End]:
    """ "She had her baby", "she gave birth": a pregnancy has ended."""
    had = c.verb == "have" and any(noun.head in _NEWBORN for noun in c.objects)
    born = (had or (c.verb == "give" and c.has("birth"))) and c.tense in ("past", "perfect") and not c.passive
    return [End(of_kinds("pregnancy"))] if born else []


def _went_back(c: Said) -> list[End]:
    """ "He went back to Cork", "she flew home", "they left": who stayed here does no more."""
    back = c.verb in ("go", "fly", "drive", "travel", "head", "move", "come") and c.has("back", "home", "out")
    back = back and (not c.has("home") or c.after[:1] == ("home",) or c.has("back"))  # "into the care home"
    gone = c.tense in ("past", "perfect") and not c.passive and (back or (c.verb == "leave" and not c.objects))
    home = c.verb == "be" and c.tense == "present" and " ".join(c.after[:2]) in ("back home", "home again", "home now")
    let_out = c.passive and c.verb in ("discharge", "release") and c.tense != "future"
    return [End(of_kinds("stay"))] if gone or home or let_out else []


def _disbanded(c: Said) -> list[End]:
    """ "The band broke up", "our club was disbanded": nobody is in it any more."""
    over = (c.verb == "break" and c.has("up")) or c.verb in ("disband", "dissolve")
    alone = len(c.subject) == 1 and not c.nouns and not c.first
    return [End(of_kinds("membership"), noun, "owner") for noun in c.subject if over and alone]


READERS = (
    _last_day, _ate_again, _left_off, _off_it, _no_member, _another_one, _out_of_work, _studied,
    _recovered, _born, _went_back, _disbanded,
)  # fmt: skip
"""Each gives what a clause says has ended; mostly nothing."""
