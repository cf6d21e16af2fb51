"""What a statement says has come to an end, by the grammar of its clause: "I sold the van", "we broke up", "it is off".

By kinds, not by sentences: a few verbs for each kind of thing, with what they need beside them. What is denied, only
nearly happened or is still to come ends nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

from schemas.events import Event

from .clause import Noun, Said, said
from .holdings import MEATS, Kind

_NO_LONGER = re.compile(
    r" (?:any more|anymore|any longer)"
    r"(?= (?:after|and|because|but|for|in|now|on|since|so|with|at|to|these|this)\b|\W*$)"
)
"""At the end, or before what is no noun: "not any more cake" is about cake."""
ANY: frozenset[Kind] = frozenset(
    {"thing", "being", "work", "studies", "membership", "home", "condition", "habit", "plan", "state"}
)


class End(NamedTuple):
    """What ended. ``what``: named, or None where it goes without saying, since one has one of the kind at a time.

    ``whose``: of the clause's subject, of whoever has the subject ("my bike got stolen"), or of the speaker, to whom
    others did it ("they fired me"). ``doing``: the base of the verb that is no longer done ("stopped *smoking*"), else
    empty. ``done``: as was planned.
    """

    of: frozenset[Kind]
    what: Noun | None = None
    whose: Literal["subject", "owner", "speaker"] = "subject"
    doing: str = ""
    done: bool = False


def _of(*kinds: Kind) -> frozenset[Kind]:
    return frozenset(kinds)


_SOLD = frozenset({"sell", "donate", "scrap", "return", "wreck", "pawn", "auction"})
_TAKEN = frozenset({"steal", "wreck", "sell", "scrap", "total", "demolish", "tow", "destroy", "lose"})
_GONE = frozenset({"die", "disappear", "expire", "burn"})
_CALLED_OFF = frozenset({"cancel", "scrap", "shelve", "abandon", "drop"})
_DISMISSED = frozenset({"fire", "sack"})
_SCHOOLS = frozenset({"university", "uni", "college", "school", "cours", "program", "degre", "class", "studi"})
_PUT = frozenset({"at", "by", "in", "into", "on", "onto", "with"})
_BRIEFLY = frozenset({"early", "late", "at", "today", "tonight", "before", "until", "till", "by", "behind", "for"}) | {
    "just", "now", "hour", "hours", "minute", "minutes",
}  # fmt: skip
"""After "left the office" these tell of a day, not of an end."""
_ONE_OF = frozenset("number address email password pin".split())  # noqa: SIM905
"""Stems of what one has one of at a time: a new one takes the place of the old."""
_HAVING = frozenset({"have", "own", "need", "use", "want"})
"""Who "doesn't need glasses any more" wears none."""


_KNOWN = (
    _SOLD
    | _GONE
    | _DISMISSED
    | {
        "give",
        "get",
        "lose",
        "quit",
        "leave",
        "drop",
        "resign",
        "retire",
        "break",
        "split",
        "separate",
        "divorce",
        "pass",
    }
)


@lru_cache(maxsize=16384)
def ends_of(event: Event) -> tuple[End, ...]:
    """What the statement says ended; mostly nothing."""
    clause = said(event.text)
    if clause is None or clause.nearly or not event.holds:
        return ()
    if clause.negated:
        return tuple(_no_more(clause, event))
    if clause.form in ("modal", "going_to") or clause.tense == "future":
        return ()
    return tuple(end for reads in _READERS for end in reads(clause))


def goes_on(event: Event) -> bool:
    """Words of an end that tell of none: "left the office at five", "dropped the kids at school"."""
    clause = said(event.text)
    if clause is None:
        return False
    just = " just left" in f" {event.text.casefold()}"
    left = clause.verb == "leave" and (just or bool(_BRIEFLY & set(clause.after)))
    put = clause.verb == "drop" and (clause.has("off") or any(noun.before in _PUT for noun in clause.nouns))
    return left or put or clause.nearly


def by_grammar(event: Event) -> bool:
    """The clause's verb is one that is judged here: if it ends nothing here, its words end nothing elsewhere."""
    clause = said(event.text)
    return clause is not None and clause.verb in _KNOWN


def _given_up(c: Said) -> list[End]:
    """ "Sold the van", "got rid of it", "gave the piano away"."""
    away = c.verb == "give" and not c.passive and (c.has("away", "back") or any(n.before == "to" for n in c.nouns))
    rid = c.verb == "get" and c.after[:2] == ("rid", "of")
    traded = (c.verb == "trade" and c.has("in", "for")) or (c.verb == "throw" and c.has("away", "out"))
    lost = c.verb in ("lose", "replace")
    if not (c.verb in _SOLD or away or rid or traded or lost) or c.passive:
        return []
    named = [noun for noun in c.nouns if noun.before == "of"] if rid else c.nouns if traded else c.objects
    kinds = _of("thing") if lost else _of("thing", "home", "being")
    return [End(kinds, noun) for noun in named[:1] if noun.definite]


def _taken(c: Said) -> list[End]:
    """ "My bike got stolen", "Tinker died", "the lease expired"."""
    gone = (
        c.verb in _GONE
        or (c.verb == "break" and c.has("down") and c.has("good"))
        or (c.verb == "pass" and c.has("away"))
        or (c.verb == "go" and c.passive)
    )
    if not (gone or (c.passive and c.verb in _TAKEN)):
        return []
    kinds = _of("thing", "being", "home", "condition")
    if c.verb == "die" and (c.nouns or c.has("again", "me")):
        kinds = _of("being")  # "my car died on the motorway"
    return [End(kinds, noun, "owner") for noun in c.subject[:1] if noun.definite]


def _robbed(c: Said) -> list[End]:
    """ "Somebody stole my tent"."""
    robs = c.verb in _TAKEN - {"sell", "lose", "scrap"} and not c.first and not c.passive and c.tense != "present"
    return [End(_of("thing"), noun, "speaker") for noun in c.objects[:1] if robs and noun.article in ("my", "our")]


def _last_day(c: Said) -> list[End]:
    """ "Today was my last day at the aquarium"."""
    last = c.verb == "be" and ("my last day" in " ".join(c.after) or "our last day" in " ".join(c.after))
    if not last or c.tense == "future":
        return []
    places = [noun for noun in c.nouns if noun.before in ("at", "in", "as", "of", "with")]
    return [End(_of("work", "studies", "membership"), noun, "speaker") for noun in places[:1]]


def _ate_again(c: Said) -> list[End]:
    """ "I eat meat again": whoever does is no vegan; who "went vegetarian" does not."""
    eats = c.verb == "eat" and c.tense == "present" and c.has("again", "now")
    if eats and any(noun.head in MEATS for noun in c.objects):
        return [End(_of("diet"))]
    turns = c.verb in ("go", "become", "turn") or (c.verb == "be" and c.has("now"))
    turned = turns and c.tense != "future" and c.has("vegetarian", "vegan")
    return [End(_of("meat"))] if turned else []


def _left_off(c: Said) -> list[End]:
    """ "Quit the bakery", "left the choir", "gave up smoking", "stopped going to the gym"."""
    if c.passive and c.verb == "do" and c.first and c.after[:1] == ("with",):
        return [End(_of("habit", "membership", "studies", "work"), noun) for noun in c.nouns[:1]]
    if c.passive:
        return []
    if c.gerund and (c.verb in ("stop", "quit") or (c.verb == "give" and c.has("up"))):
        kinds = _of("habit", "work", "studies", "membership", "condition")
        nouns = c.nouns[:1]
        return [End(kinds, nouns[0] if nouns else None, doing=c.gerund)]
    up = c.verb == "give" and c.after[:1] == ("up",)
    leaves = c.verb == "leave" and c.tense in ("past", "perfect") and not (_BRIEFLY & set(c.after))
    resigns = c.verb == "resign"
    if not (c.verb in ("quit", "drop") or up or leaves or resigns) or c.after[:1] == ("off",):
        return []
    kinds = _of("habit", "thing", "home", "plan") if up else _of("work", "membership", "studies", "home")
    nouns = c.nouns[:1] if up or resigns else c.objects[:1]
    if c.verb == "quit":
        kinds = _of("work", "membership", "studies", "habit")
    elif c.verb == "drop":
        kinds = _of("membership", "studies", "habit")
    return [End(kinds, noun) for noun in nouns if noun.definite]


def _out_of_work(c: Said) -> list[End]:
    """ "I was laid off", "they fired me", "I retired", "I lost my job"."""
    if (
        (c.passive and not c.has("up") and (c.verb in _DISMISSED or (c.verb == "lay" and c.has("off"))))
        or (c.passive and ((c.verb == "let" and c.has("go")) or (c.verb == "make" and c.has("redundant"))))
        or (c.verb in ("retire", "resign") and not c.nouns)
        or (c.verb in ("lose", "quit", "leave", "switch", "change") and any(noun.head == "job" for noun in c.objects))
        or (c.verb == "be" and c.tense == "present" and c.after[:1] in (("retired",), ("unemployed",), ("jobless",)))
    ):
        return [End(_of("work"))]
    told = c.tense in ("past", "perfect") or c.verb == "let"
    notice = any(noun.head == "notic" for noun in c.objects) and (
        c.verb == "give" or (c.verb == "hand" and c.has("in"))
    )
    if notice and told and c.first:
        return [End(_of("work"))]
    sent = not c.first and not c.passive and told and c.has("me", "us") and not c.has("up")
    if sent and (c.verb in _DISMISSED or (c.verb == "lay" and c.has("off")) or (c.verb == "let" and c.has("go"))):
        return [End(_of("work"), whose="speaker")]
    return []


def _parted(c: Said) -> list[End]:
    """ "We broke up", "Jo and I split up", "I'm divorced", "he left me"."""
    apart = not any(noun.before != "with" or not noun.named for noun in c.nouns) and (
        (c.verb in ("break", "split") and c.has("up"))
        or (c.verb == "part" and c.has("ways"))
        or c.verb in ("divorce", "separate")
        or (c.verb == "be" and c.tense == "present" and c.has("divorced", "separated"))
    )
    left = c.tense in ("past", "perfect") and c.verb in ("leave", "dump") and c.after[:1] == ("me",) and not c.objects
    over = c.verb == "be" and c.pronoun == "it" and c.after[:2] == ("over", "between") and c.has("me", "us")
    if (left and not c.first) or over:
        return [End(_of("bond"), whose="speaker")]
    return [End(_of("bond"))] if apart else []


def _studied(c: Said) -> list[End]:
    """ "I graduated", "dropped out", "finished my degree"."""
    if c.passive:
        return []
    out = c.verb == "drop" and c.after[:1] == ("out",) and all(noun.head in _SCHOOLS for noun in c.nouns)
    degree = c.verb in ("finish", "complete", "get") and any(
        noun.head in ("degre", "studi", "bachelor", "master", "phd", "diploma", "study") for noun in c.objects
    )
    if c.verb == "graduate" or out or degree:
        return [End(_of("studies"))]
    finished = c.verb in ("finish", "complete") and c.tense in ("past", "perfect")
    return [End(_of("studies", "habit"), noun, done=True) for noun in c.objects[:1] if finished and noun.definite]


def _recovered(c: Said) -> list[End]:
    """ "My ankle has healed", "I got over the flu", "my back is fine again"."""
    fine = (c.verb == "be" and c.has("healed", "cured")) or (c.has("fine", "okay", "ok") and c.has("again"))
    healed = c.verb in ("heal", "recover") or (c.verb == "clear" and c.has("up"))
    found = [End(_of("condition"), noun, "owner") for noun in c.subject[:1] if (healed or fine) and noun.definite]
    over = (c.verb == "get" and c.has("over")) or c.verb == "recover" or (c.verb == "beat" and not c.passive)
    named = c.nouns[:1] if over else ()
    return found + [End(_of("condition"), noun) for noun in named if noun.definite]


def _off(c: Said) -> list[End]:
    """ "The trip is cancelled", "they called off the party", "I cancelled my subscription", "it fell through"."""
    off = c.verb == "be" and c.tense == "present" and c.after[:1] == ("off",) and not c.has("to", "work", "sick")
    called = (c.passive and (c.verb in _CALLED_OFF or (c.verb == "call" and c.has("off")))) or off
    if called or (c.verb == "fall" and c.has("through")):
        return [End(_of("plan"), _whole(c.subject), "owner")] if c.subject else []
    calls = not c.passive and (c.verb in _CALLED_OFF - {"drop"} or (c.verb == "call" and c.has("off")))
    if calls and c.nouns:
        whose = "speaker" if c.pronoun == "they" else "subject"
        return [End(_of("plan", "membership", "thing"), _whole(c.nouns), whose)]
    if c.has("mind") and c.verb == "change" and len(c.nouns) > 1:
        return [End(_of("plan"), _whole(c.nouns[1:]))]
    return []


def _over(c: Said) -> list[End]:
    """ "The dentist is done", "the course is over", "the interview went well"."""
    over = (c.verb == "be" and c.after[:1] in (("done",), ("over",), ("finished",))) or (
        c.passive and c.verb in ("do", "finish")
    )
    went = c.verb == "go" and c.tense == "past" and c.has("well", "fine", "great", "badly", "okay", "smoothly")
    if not (over or went) or not c.subject:
        return []
    return [End(_of("plan", "habit", "studies"), _whole(c.subject), "owner", done=True)]


def _attended(c: Said) -> list[End]:
    """ "I passed my driving test", "I had the operation"."""
    if c.passive or c.tense not in ("past", "perfect"):
        return []
    if c.verb not in ("pass", "fail", "have", "take", "finish", "complete", "do", "attend", "survive", "run"):
        return []
    return [End(_of("plan"), noun, done=True) for noun in c.objects[:1] if noun.definite]


def _moved_out(c: Said) -> list[End]:
    """ "We moved out of the flat", "I moved from there to here", "I switched from law to history"."""
    if c.passive or c.tense not in ("past", "perfect"):
        return []
    if c.verb in ("switch", "change"):
        return [End(ANY - {"plan"}, noun) for noun in c.nouns if noun.before == "from"]
    if c.verb not in ("move", "relocate"):
        return []
    return [End(_of("home"), noun) for noun in c.nouns if noun.before in ("out of", "from")]


def _no_more(c: Said, event: Event) -> list[End]:
    """ "I'm not vegan any more", "I no longer go to yoga", "we're not going there after all"."""
    words = " ".join(("", *c.after, ""))
    text = event.text.casefold()
    again = "no longer" in text or _NO_LONGER.search(words) is not None
    off = " after all " in words
    if not (again or off):
        return []
    nouns = tuple(noun for noun in c.nouns if noun.head not in ("more", "longer", "anymor"))
    what = _whole(nouns)
    kinds = _of("plan") if off and not again else ANY
    subject = _whole(c.subject) if not c.first else None
    whose = "subject"
    if c.verb == "be" and what is None and not c.gerund:
        what, whose = subject, "owner"
    if c.verb in _HAVING and what is not None and not c.gerund:
        return [End(kinds, what, whose)]
    return [End(kinds, what, whose, doing=c.gerund or c.verb)] if what is not None or c.verb != "be" else []


def _born(c: Said) -> list[End]:
    """ "She had her baby", "she gave birth": a pregnancy has ended."""
    had = c.verb == "have" and any(noun.head in ("babi", "baby", "twin", "son", "daughter") for noun in c.objects)
    born = (had or (c.verb == "give" and c.has("birth"))) and c.tense in ("past", "perfect") and not c.passive
    return [End(_of("pregnancy"))] if born else []


def _found(c: Said) -> list[End]:
    """ "She found a job": she no longer looks for one."""
    found = c.verb == "find" and c.tense in ("past", "perfect") and not c.passive
    return [End(_of("search"), noun) for noun in c.objects[:1] if found]


def _went_back(c: Said) -> list[End]:
    """ "He went back to Cork", "she flew home", "they left": who stayed here does no more."""
    back = c.verb in ("go", "fly", "drive", "travel", "head", "move") and c.has("back", "home", "out")
    gone = c.tense in ("past", "perfect") and not c.passive and (back or (c.verb == "leave" and not c.objects))
    return [End(_of("stay"))] if gone else []


def _replaced(c: Said) -> list[End]:
    """ "I changed the password to figtree", "I've got a new phone number"."""
    if c.passive or c.tense not in ("past", "perfect", "present"):
        return []
    if c.verb in ("change", "reset", "update", "rename") and any(noun.before == "to" for noun in c.nouns):
        return [End(_of("state"), noun) for noun in c.objects[:1] if noun.definite and c.tense != "present"]
    new = c.verb in ("have", "get") and not any(noun.before == "for" for noun in c.nouns)
    named = [noun for noun in c.objects if new and noun.head in _ONE_OF and "new" in noun.stems]
    return [End(_of("state"), noun._replace(stems=noun.stems - {"new"})) for noun in named[:1]]


def _disbanded(c: Said) -> list[End]:
    """ "The band broke up", "our club was disbanded": nobody is in it any more."""
    over = (c.verb == "break" and c.has("up")) or c.verb in ("disband", "dissolve")
    alone = len(c.subject) == 1 and not c.nouns and not c.first
    return [End(_of("membership"), noun, "owner") for noun in c.subject if over and alone]


def _whole(nouns: tuple[Noun, ...]) -> Noun | None:
    """Several noun phrases as one: "the trip to the coast"."""
    if not nouns:
        return None
    stems = frozenset[str]().union(*(noun.stems for noun in nouns))
    named, owned = any(noun.named for noun in nouns), any(noun.owned for noun in nouns)
    return nouns[0]._replace(stems=stems, named=named, owned=owned)


_READERS: tuple[Callable[[Said], list[End]], ...] = (
    _given_up, _taken, _robbed, _last_day, _ate_again, _left_off, _out_of_work, _parted, _studied, _recovered, _off,
    _over, _attended, _moved_out, _born, _found, _went_back, _replaced, _disbanded,
)  # fmt: skip
