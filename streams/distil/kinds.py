"""What kind of event a clause is: type, modality, polarity, and whether it still holds."""

from __future__ import annotations

from typing import NamedTuple

from schemas.events import EventType, Modality, Polarity

from .finite import Tokens
from .lexicon import grammar as g
from .lexicon import kinds as words
from .lexicon.attributes import EVENTS
from .lexicon.verbs import ARRANGED, DEPARTING, STATIVE
from .parse import Parse


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


def kind_of(tokens: Tokens, reading: Parse, when: When) -> Kind:
    """Type, modality and polarity of a statement."""
    names = tuple(t.word for t in tokens)
    negated = _denied(names, reading)
    polarity: Polarity = "negated" if negated else "affirmed"
    if _called_off(names, reading, when):
        return Kind("plan", "planned", "negated", "called_off")
    if is_preference(names, reading) and not (when.ahead and reading.tense == "future"):
        disliked = _dislikes(names)
        return Kind("preference", "asserted", "negated" if disliked or negated else "affirmed", "preference")
    if _is_planned(names, reading, when):
        return Kind("plan", "planned", polarity, "plan")
    return Kind(
        _asserted_type(names, reading),
        "asserted",
        polarity,
        reading.form if reading.form == "verbless" else reading.tense,
    )


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
        thing = bool(subject) and subject[0] not in g.SUBJECT_PRONOUNS
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
    if reading.form == "verbless" or "used" in names[reading.finite : reading.finite + 1]:
        return "state_change"
    if reading.tense == "perfect" and reading.base in STATIVE:
        return "state_change"
    if reading.tense == "past" or (reading.tense == "perfect"):
        return "state_change" if changes(names, reading) or reading.base in ("be", "have") else "action"
    return "state_change"


def changes(names: tuple[str, ...], reading: Parse) -> bool:
    """Whether the verb reports a change of state ("moved", "quit", "turned 40", "went vegan")."""
    if reading.base in words.CHANGING:
        return True
    after = names[reading.main + 1] if reading.main + 1 < len(names) else ""
    return (reading.base, after) in words.CHANGING_PAIRS


def still_holds(names: tuple[str, ...], reading: Parse, *, recollected: bool, closed: bool) -> bool:
    """Design section 3, holds: present, future and "since" do; a past change or act told as news does; "used to",
    recollections, closed periods and past states ("I was at the lake") do not."""
    if reading.tense in ("present", "future"):
        return not closed
    text = " ".join(names)
    if "used to" in text and reading.base == "use":
        return False
    if reading.tense == "perfect":
        return True
    return not (recollected or closed or _past_state(reading))


def _past_state(reading: Parse) -> bool:
    return (
        reading.form in ("simple", "progressive")
        and (
            reading.base == "be"
            or (reading.base in STATIVE and reading.base not in ("run", "pay", "drive", "sing", "play"))
        )
    ) or (reading.form == "progressive")
