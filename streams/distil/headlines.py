"""How a thing stands, told by what was done to it: "the permit was revoked", in a headline "order 12 approved".

A headline leaves the auxiliary out: its past form has no object, and who did it is not said. What was done to a thing
in one of these ways goes on: it is a state, where "the window was cleaned" is an act.
"""

from __future__ import annotations

from .finite import Tokens
from .lexicon import grammar as g
from .lexicon.things import STANDING
from .parse import Parse

_NO_OBJECT = g.PREPOSITIONS | g.ADVERBS | g.CONJUNCTIONS | {"until", "til", "effective", "pending", "subject"}


def is_headline(tokens: Tokens, reading: Parse) -> bool:
    """A past form without an object, of something named: "launch postponed to May", "order 12 CANCELLED"."""
    begin, end = reading.subject
    if reading.form != "simple" or reading.tense != "past" or reading.auxiliary or reading.base not in STANDING:
        return False
    if begin == end or tokens[begin].word in g.SUBJECT_PRONOUNS or tokens[reading.finite].word == "got":
        return False
    if any(token.word in g.FIRST_PERSON for token in tokens[begin:end]):
        return False
    after = tokens[reading.main + 1] if reading.main + 1 < len(tokens) else None
    return after is None or after.word in _NO_OBJECT or after.word[0].isdigit()


def tells_standing(tokens: Tokens, reading: Parse) -> bool:
    """A headline, or a passive of such a verb: what was done is so from then on."""
    if is_headline(tokens, reading):
        return True
    if reading.base not in STANDING or reading.main == reading.finite or tokens[reading.main].word.endswith("ing"):
        return False
    between = {token.word for token in tokens[reading.finite : reading.main]}
    return "been" in between or not between.isdisjoint(g.BE_PRESENT | g.BE_PAST)
