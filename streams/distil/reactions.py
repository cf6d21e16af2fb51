"""Praise, judgement, passing feelings and comments: clauses with a verb that state nothing."""

from __future__ import annotations

from .acts import named_token
from .cues import cue_pattern
from .finite import Tokens
from .lexicon import acts as words
from .lexicon import grammar as g
from .lexicon.people import KIN, NOT_NAMES, ROLES
from .parse import Parse


def is_reaction(tokens: Tokens, reading: Parse, *, timed: bool) -> bool:
    """Praise, judgement and passing feelings: about "that", "it" or "you", or of the speaker's mind."""
    subject = [t.word for t in tokens[reading.subject[0] : reading.subject[1]]]
    rest = [t.word for t in tokens[reading.finite :]]
    first = subject[0] if subject else "i"
    judged = any(w in words.PRAISE for w in rest) and "than" not in rest
    if first in ("you", "your", "y'all") and not _tells_you(tokens, reading, timed=timed):
        return True
    if first in _POINTING | {"your", "you", "they"} and not timed and _REACTING.search(" ".join(rest)):
        return True
    if first in ("mine", "yours", "hers", "ours", "theirs") and not timed:
        return True
    if not timed and _of_the_weather(subject, reading, rest):
        return True
    if (tokens[0].word in words.FEELINGS and not _has_object(tokens)) or (
        len(tokens) <= 2 and reading.base in ("do", "be", "have", "feel")
    ):
        return True
    if rest[0] in ("what", "such") or (rest[1:2] == ["it"] and reading.base == "get") or _superlative(reading, rest):
        return True
    if (
        [t.word for t in tokens[:2]] in (["what", "a"], ["what", "an"])
        or first == "here"
        or rest[:1] == ["thanks"]
        or reading.base == "thank"
    ):
        return True
    if first in _POINTING and not timed and (judged or _points_nowhere(reading, rest)):
        return True
    if subject in (["that"], ["this"], ["those"]) and reading.base == "be" and len(rest) <= 3 and not timed:
        return True
    if (
        first in ("it", "there", "i")
        and reading.base == "be"
        and any(w in words.SMALL_TALK for w in rest[:5])
        and first != "i"
    ):
        return True
    if first == "we" and (rest[:1] == ["can"] or subject[-1:] == ["all"] or rest[1:3] == ["got", "this"]) and not timed:
        return True
    if reading.base in ("be", "feel", "look", "sound", "seem") and not timed:
        if (
            any(w in words.FEELINGS for w in _upto_and(rest[:5]))
            and first in ("i", "we")
            and not any(w in words.LASTING_FEELINGS for w in rest)
        ):
            return True
        if judged and first not in ("i", "we", "my", "our", "his", "her", "their") and len(rest) <= 6:
            return True
        if reading.base in ("sound", "seem") or (reading.base == "look" and subject == [] and rest[1:2] != ["for"]):
            return True
    return first in ("i", "we") and _comments(reading, rest) and not _sees_somebody(tokens, reading)


def _upto_and(rest: list[str]) -> list[str]:
    """ "Single and fine with it" tells more than a feeling."""
    return rest[: rest.index("and")] if "and" in rest else rest


def _has_object(tokens: Tokens) -> bool:
    """ "Moved the shelf", "moved to Lyon": with an object or a goal, no feeling ("moved by it")."""
    after = tokens[1:3]
    if len(after) > 1 and after[0].word in ("to", "into", "from", "in", "out", "back"):
        after = after[1:]
    return bool(after) and (after[0].word in g.DETERMINERS or after[0].capital or after[0].word == "of")


_REACTING = cue_pattern(words.REACTING)


def _of_the_weather(subject: list[str], reading: Parse, rest: list[str]) -> bool:
    """ "The sun is out", "bit windy out there": of the moment, to nobody's account."""
    if subject and subject[-1] in words.WEATHER and reading.base == "be" and reading.tense == "present":
        return len(rest) <= 5
    return (
        subject in ([], ["bit"]) and rest[0] in ("bit", "proper", "pretty") and bool(words.SMALL_TALK & set(rest[:3]))
    )


def _superlative(reading: Parse, rest: list[str]) -> bool:
    """ "The nicest chat I've ever had"."""
    return reading.form == "perfect" and not reading.negated and "ever" in rest[:3]


_POINTING = frozenset({"that", "this", "it", "these", "those", "what", "there", "everything", "which"})


def _points_nowhere(reading: Parse, rest: list[str]) -> bool:
    """ "It's a dream", "it matters": a pronoun for what was just said, with a verb that only judges it."""
    if reading.negated or any(w[0].isdigit() for w in rest):
        return False
    if reading.form == "perfect" or any(w in ("since", "from", "until") for w in rest):
        return False
    return reading.base in words.VAGUE_VERBS or (
        reading.base == "be"
        and reading.tense != "past"
        and len(rest) > 1
        and rest[1] in ("a", "an", "the", "like", "been", "so", "such", "when", "in")
    )


def _comments(reading: Parse, rest: list[str]) -> bool:
    """ "I think so", "I see", "I really appreciate it": the verb of the mind is all there is to it."""
    if reading.base not in words.MIND_VERBS or reading.form in ("perfect",):
        return False
    if reading.base == "find" and reading.auxiliary in g.CAN and reading.negated:
        return False  # "I can't find my keys"
    if reading.base == "see" and reading.form == "progressive":
        return False  # "I'm seeing the dentist"
    if reading.base in ("see", "hear", "find", "feel", "understand", "remember") and reading.tense == "past":
        return False
    if rest[:1] == ["meant"]:
        return rest[1:2] in ([], ["to"], ["well"], ["it"], ["that"])
    if reading.base in ("recommend", "suggest", "advise"):
        return reading.tense == "present"
    if reading.base in ("love", "enjoy"):
        return len(rest) > 1 and rest[1] in ("that", "it", "this", "how", "your")
    return True


def _sees_somebody(tokens: Tokens, reading: Parse) -> bool:
    """ "I see the dentist on Friday", "I see Ben every week"; "I see the point" comments."""
    if reading.base != "see" or reading.tense != "present" or reading.form != "simple":
        return False
    after = tokens[reading.main + 1 : reading.main + 3]
    if after and after[0].word in g.DETERMINERS:
        return len(after) > 1 and (after[1].word in ROLES or after[1].word in KIN)
    return bool(after) and named_token(after[0]) and after[0].word not in NOT_NAMES


def _tells_you(tokens: Tokens, reading: Parse, *, timed: bool) -> bool:
    """What the addressee has to do, may not do, will get at a time, or did to the speaker."""
    rest = [t.word for t in tokens[reading.finite :]]
    if reading.base == "have" and reading.tense == "present" and (timed or reading.negated or "to" in rest[:3]):
        return True
    if reading.auxiliary in g.CAN and reading.negated:
        return True
    if timed and reading.tense in ("future", "present"):
        return True
    own = tokens[reading.subject[0]].word == "your"
    return reading.tense in ("past", "perfect") and (
        any(w in ("me", "my", "us", "our") for w in rest) or (own and timed)
    )
