"""What kind of event a clause is: type, modality, polarity, and whether it still holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from schemas.events import EventType, Modality, Polarity

from .acts import wants_without_verb
from .finite import Tokens
from .headlines import tells_standing
from .lexicon import grammar as g
from .lexicon import kinds as words
from .lexicon.attributes import EVENTS
from .lexicon.verbs import ARRANGED, DEPARTING, STATIVE
from .parse import Parse

COMES_BACK = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| (?:mornings|afternoons|evenings|nights))"
    r"|weekdays|weekends|daily|weekly|monthly"
    r"|(?:every|each) (?:other |second |third )?"
    r"(?:day|week|weekend|month|year|hour|morning|afternoon|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b",
    re.IGNORECASE,
)
"""A day or hour that comes back."""


_IN_A_NAME = re.compile(
    r"(?i:\b(?:the|a|our|my) (?:mon|tues|wednes|thurs|fri|satur|sun)day "
    r"(?:news)?(?:paper|times|edition|magazine|market|roast|crossword|supplement|bin|collection|slot|crowd|lot|shift|rota)s?\b)"
    r"|\b(?:do|does|have|has|host|love) [A-Z]\w+ (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
)
"""A day that is part of a name: "the Saturday paper", "Taco Tuesday"."""
_NOW = re.compile(r"^from now on\b|\bnow (?=\w+s\b)", re.IGNORECASE)
"""Said of every day from now: "the shop now opens at nine"."""


class Kind(NamedTuple):
    """Type, modality and polarity of an event, and the reason its confidence is what it is."""

    type: EventType
    modality: Modality
    polarity: Polarity
    rule: str


class When(NamedTuple):
    """What the clause's time phrases say, as far as its kind depends on it.

    ``ahead``: its time lies after the message; ``around``: it is a week or more that holds the message ("this month");
    ``begins``: a phrase says from when ("from May", "starting Monday").
    """

    named: bool
    ahead: bool
    around: bool
    begins: bool


def kind_of(tokens: Tokens, reading: Parse, when: When, *, was_state: bool = False, recurs: bool = False) -> Kind:
    """Type, modality and polarity of a statement.

    ``was_state``: it tells of a past state (``is_past_state``). ``recurs``: its day comes back ("my birthday is on the
    14th", ``comes_back``), so it is so and not planned.
    """
    names = tuple(t.word for t in tokens)
    negated = _denied(names, reading)
    polarity: Polarity = "negated" if negated else "affirmed"
    if is_last_day(names, reading):
        return Kind("state_change", "asserted", "affirmed", "present")
    if _called_off(names, reading, when):
        return Kind("plan", "planned", "negated", "called_off")
    if is_preference(names, reading) and not (when.ahead and reading.tense == "future"):
        disliked = _dislikes(names)
        return Kind("preference", "asserted", "negated" if disliked or negated else "affirmed", "preference")
    if not recurs and _is_planned(names, reading, when):
        return Kind("plan", "planned", polarity, "plan")
    return Kind(
        "state_change" if was_state or tells_standing(tokens, reading) else _asserted_type(names, reading),
        "asserted",
        polarity,
        reading.form if reading.form == "verbless" else reading.tense,
    )


def is_last_day(names: tuple[str, ...], reading: Parse) -> bool:
    """ "My last day at the mill is Friday": announced, so it is asserted from that day on, and no plan."""
    subject = names[reading.subject[0] : reading.subject[1]]
    told = subject[:3] in (("my", "last", "day"), ("our", "last", "day"))
    return told and reading.base == "be" and reading.tense in ("present", "future") and not reading.negated


def comes_back(text: str, reading: Parse) -> bool:
    """Told of every week or day, in the simple present: "the choir meets on Tuesdays", "it leaves every hour"."""
    if reading.form != "simple" or reading.tense != "present":
        return False
    if _IN_A_NAME.search(text):
        return True
    return COMES_BACK.search(text) is not None or (reading.auxiliary == "" and _NOW.search(text) is not None)


def _is_planned(names: tuple[str, ...], reading: Parse, when: When) -> bool:
    """Said of what is to come: future forms, arrangements, plans by verb, and the simple present of a dated thing.

    A present-tense state with its beginning ("from June I work at the library") is an announcement: asserted.
    """
    if reading.tense == "future":
        return not _habitual_refusal(reading, when)
    if reading.base in words.PLANNING and reading.tense == "present":
        return True
    if reading.form == "progressive" and reading.tense == "present":
        arranged = when.around and reading.base in ARRANGED
        return when.ahead or arranged or (reading.base in DEPARTING and not when.named)
    if reading.form == "modal" and reading.auxiliary in g.CAN | g.MUST:
        return when.ahead
    if reading.form == "verbless":
        return when.ahead
    if reading.tense == "past":
        return when.ahead and (reading.base in words.RESCHEDULING)
    if reading.tense == "perfect":
        return when.ahead and reading.base in words.RESCHEDULING
    announced = when.begins and reading.form == "simple" and (reading.base in STATIVE) and not reading.negated
    return when.ahead and not announced


def _habitual_refusal(reading: Parse, when: When) -> bool:
    """ "He won't eat fish": without a time ahead, a refusal of food or drink is a habit."""
    return reading.negated and reading.base in ("eat", "drink", "touch", "wear", "use") and not when.ahead


def _called_off(names: tuple[str, ...], reading: Parse, when: When) -> bool:
    """ "Tomorrow's dinner is off", "the trip is cancelled"."""
    rest = names[reading.finite :]
    if reading.base == "be" and reading.tense == "present" and rest[1:2] == ("off",) and not reading.negated:
        subject = names[reading.subject[0] : reading.subject[1]]
        thing = bool(subject) and subject[0] not in g.SUBJECT_PRONOUNS and subject[-1] not in words.WORN
        return thing and (len(rest) == 2 or (when.named and any(n.rstrip("s") in EVENTS for n in subject)))
    return (
        reading.base in ("cancel", "call")
        and reading.tense == "present"
        and when.ahead
        and ("off" in names or reading.base == "cancel")
    )


def is_preference(names: tuple[str, ...], reading: Parse) -> bool:
    """Likings, dislikings and what somebody does not eat, drink or do."""
    if reading.base in words.PREFERRING and reading.tense in ("present", "perfect"):
        return True
    if reading.form == "verbless":
        return wants_without_verb(names)
    rest = names[reading.finite :]
    text = f" {' '.join(rest)} "
    if any(f" {p} " in text for p in words.PREFERENCE_PHRASES):
        return True
    if any(n.startswith(("favourite", "favorite")) for n in names) and reading.base == "be":
        return True
    return (
        reading.negated
        and reading.tense in ("present", "future")
        and reading.base in ("eat", "drink", "do", "wear", "touch")
        and reading.form != "progressive"
        and reading.auxiliary != ""
    )


def _dislikes(names: tuple[str, ...]) -> bool:
    text = " ".join(names)
    return any(f" {p} " in f" {text} " for p in words.DISLIKING)


def _denied(names: tuple[str, ...], reading: Parse) -> bool:
    """Negated by the verb group, or by "no longer", "anymore" after a negation, or by a refusal verb."""
    if reading.negated:
        return True
    text = f" {' '.join(names)} "
    return any(f" {p} " in text for p in words.DENYING)


def _asserted_type(names: tuple[str, ...], reading: Parse) -> EventType:
    """What is told as past is an act or an experience, unless it changed something: it happened and stays true."""
    if reading.form == "verbless":
        return "state_change"
    if reading.tense == "perfect" and (reading.base in STATIVE or _goes_on(names, reading)):
        return "state_change"
    if reading.base == "go" and reading.tense == "perfect" and reading.main == len(names) - 1:
        return "state_change"  # "the caravan's gone"
    if reading.tense in ("past", "perfect"):
        return "state_change" if changes(names, reading) else "action"
    return "state_change"


def _goes_on(names: tuple[str, ...], reading: Parse) -> bool:
    """ "Have been seeing", "has been working": it still goes on."""
    return names[reading.main - 1 : reading.main] == ("been",) and names[reading.main].endswith("ing")


def changes(names: tuple[str, ...], reading: Parse) -> bool:
    """Whether the verb reports a change of state ("moved", "quit", "turned 40", "went vegan")."""
    if reading.base in words.CHANGING:
        return True
    after = names[reading.main + 1 : reading.main + 4]
    if reading.base in ("put", "take") and after[:1] in (("me",), ("us",), ("him",), ("her",)):
        return after[1:2] in (("on",), ("off",), ("back",))
    if reading.base == "have" and reading.tense == "past":
        return not words.BORN.isdisjoint(after)
    return (reading.base, after[0] if after else "") in words.CHANGING_PAIRS


def is_past_state(names: tuple[str, ...], reading: Parse, attribute: str | None) -> bool:
    """ "I used to swim", "I was a baker", "we lived by the canal": how things were, in a past tense.

    "I had a great time", "the kids loved it", "we were at the lake" tell what somebody did or lived through instead.
    The difference: a state is a value of something that a person or a thing has one of for long, which the table of
    attributes knows. ``attribute`` is the clause's, when it is one of the table.
    """
    if names[reading.finite : reading.finite + 2] == ("used", "to"):
        return True
    if reading.tense != "past" or reading.form not in ("simple", "progressive") or changes(names, reading):
        return False
    if attribute is None and not (reading.base in words.LASTING and reading.form == "simple"):
        return False
    if reading.base == "have":
        return attribute in words.POSSESSED
    return reading.base == "be" or reading.base in STATIVE


def still_holds(
    names: tuple[str, ...], reading: Parse, *, recollected: bool, closed: bool, was_state: bool = False
) -> bool:
    """Design section 3, holds. False for past states, closed periods and recollected changes; what was done or lived
    through, and a change told as news, happened and stays true."""
    if was_state:
        return False
    if reading.tense in ("present", "future"):
        return not closed
    if reading.tense == "perfect":
        return True
    return not closed and not (recollected and changes(names, reading))
