"""Speech acts: does a clause state something, or does it ask, wish, suppose, joke, order, greet or thank?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .clauses import Clause
from .cues import cue_pattern, lowered, opens_with
from .finite import Tokens, skip_openers
from .lexicon import acts as words
from .lexicon import grammar as g
from .lexicon.attributes import EVENTS
from .lexicon.verbs import BASES, SAME_PAST
from .parse import Parse
from .tokens import Token
from .verbs import past_base

TAG_WORDS = 2
"""Words of the longest tag."""
LEAST_WANTED = 4
"""Words of the shortest wish without a verb: "only tea for me"."""
_GREETING = cue_pattern(words.GREETING_PHRASES)
_QUESTION_OPENING = cue_pattern(words.QUESTION_OPENINGS)
_WISH_OPENING = cue_pattern(words.WISH_OPENINGS)
_STANDING = cue_pattern(words.STANDING)


def is_question(clause: Clause, text: str, *, marked: bool, last: bool) -> bool:
    """A question: by its opening, by inversion, or by the mark at the end of its sentence."""
    tokens = clause.tokens
    start = min(skip_openers(tokens), len(tokens) - 1)
    low = lowered(text[tokens[start].start : clause.end])
    if (opens_with(low, _QUESTION_OPENING) and not low.startswith("tell me")) or inverted(tokens, start):
        return True
    return marked and last and not low.endswith((" ok", " okay", " yeah", " alright"))


def ends_in_tag(clauses: Sequence[Clause]) -> bool:
    """A word or two after a comma that turn what was said into a question ("right?"); "okay?" does not."""
    last = [t.word for t in clauses[-1].tokens] if clauses else []
    return bool(clauses[1:]) and len(last) <= TAG_WORDS and last[0] not in ("ok", "okay", "yeah", "eh", "alright")


def inverted(tokens: Tokens, start: int) -> bool:
    """Auxiliary before subject, or a question word before an auxiliary."""
    word = tokens[start].word
    if start + 1 >= len(tokens):
        return word in g.QUESTION_WORDS
    after = tokens[start + 1]
    if word in g.QUESTION_WORDS:
        return after.word in g.AUXILIARIES or after.word in (
            "about",
            "many",
            "much",
            "else",
            "long",
            "come",
            "kind",
            "kinda",
        )
    if word in g.AUXILIARIES - {"'s", "'d", "'m", "'re", "'ve", "'ll"} and word not in ("may",):
        if word in ("had", "have") and after.word in g.DETERMINERS:
            return False
        return after.word in g.SUBJECT_PRONOUNS or after.word in g.DETERMINERS or after.capital
    return False


def is_wish(clause: Clause, text: str) -> bool:
    """A wish by its opening, anywhere after interjections."""
    return any(
        opens_with(lowered(text[clause.tokens[i].start : clause.end]), _WISH_OPENING)
        for i in {0, min(skip_openers(clause.tokens), len(clause.tokens) - 1)}
    )


def is_supposition(tokens: Tokens, reading: Parse) -> bool:
    """Unreal modals, "maybe", or a leading "if" clause. "Couldn't" about the past and "would rather" are statements."""
    names = [t.word for t in tokens]
    if any(w in words.HYPOTHETICAL_WORDS for w in names[: reading.finite + 2]):
        return True
    if names[0] == "if" or names[skip_openers(tokens)] == "if":
        return True
    if _would_rather_be(names, reading):
        return True
    if reading.auxiliary in ("would", "'d") and any(
        w in ("rather", "sooner", "prefer") for w in names[reading.finite : reading.finite + 4]
    ):
        return False
    if reading.auxiliary == "'d" and reading.form == "perfect":
        return False
    if reading.auxiliary in ("couldn't", "wouldn't") and "if" not in names:
        return False
    return reading.auxiliary in g.UNREAL or reading.auxiliary == "'d"


def _would_rather_be(names: list[str], reading: Parse) -> bool:
    """ "I'd rather be at the sea": elsewhere than one is, a wish; "I'd rather take the train" is a preference."""
    ahead = names[reading.finite : reading.finite + 5]
    return "rather" in ahead and ahead[ahead.index("rather") + 1 :][:1] == ["be"]


def takes_place(tokens: Tokens, reading: Parse) -> bool:
    """ "Lisbon isn't happening", "Easter is cancelled": its subject names an occasion, whatever it is called."""
    after = tokens[reading.main + 1].word if reading.main + 1 < len(tokens) else ""
    if reading.base == "happen" or (reading.base, after) in (("go", "ahead"), ("take", "place"), ("fall", "through")):
        return True
    done_to = reading.base in ("cancel", "postpone", "reschedule", "scrap", "rebook") or after == "off"
    return done_to and tokens[reading.finite].word in g.BE_PRESENT | g.BE_PAST | {"'s", "got", "has", "have"}


def only_nearly(tokens: Tokens, reading: Parse) -> bool:
    """ "We almost moved": it did not happen, so it is about nothing that changed."""
    return any(t.word in ("almost", "nearly") for t in tokens[max(0, reading.finite - 2) : reading.main])


def is_order(tokens: Tokens, reading: Parse | None) -> bool:
    """An order: it opens with a bare verb, "please", "let's" or "don't"."""
    start = skip_openers(tokens)
    word = tokens[start].word
    if word in ("please", "pls", "let", "lets", "don't", "dont", "never", "always") and (
        word not in ("don't", "dont") or reading is None or reading.subject[0] != reading.subject[1]
    ):
        return True
    if word == "make" and start + 1 < len(tokens) and tokens[start + 1].word in ("sure", "certain"):
        return True
    verbless = reading is not None and reading.form == "verbless"
    if word in words.BEFORE_NOUNS and reading is not None and tokens[reading.finite].word in _IS:
        return False  # "budget for it is 1.2 million"
    if verbless and word in words.BEFORE_NOUNS and _names_event(tokens, start + 1):
        return False
    if word in ("somebody", "someone", "anybody", "everyone", "everybody") and reading is not None:
        return reading.form == "simple" and reading.auxiliary == "" and tokens[reading.finite].word in BASES
    if reading is not None and reading.subject[0] == reading.subject[1] and word not in SAME_PAST:
        return False
    if any(t.word in ("yesterday", "ago") for t in tokens):
        return False
    if word in SAME_PAST:
        return reading is None or reading.subject[0] == reading.subject[1] or reading.form == "verbless"
    return word in BASES and (past_base(word) is None) and (reading is None or _bare_verb_first(tokens, start, reading))


def _names_event(tokens: Tokens, at: int) -> bool:
    """ "Board meeting", "budget review": a noun of something that takes place comes after a word that may be a verb."""
    return at < len(tokens) and tokens[at].word.removesuffix("s") in EVENTS


def _bare_verb_first(tokens: Tokens, start: int, reading: Parse) -> bool:
    """The opening base is the verb, not a noun that is the subject ("Work starts", "Rent is", "Love the place")."""
    if reading.form == "verbless" or start + 1 >= len(tokens):
        return True
    after = tokens[start + 1]
    if reading.finite == start or after.word in g.AUXILIARIES or reading.finite == start + 1:
        return False
    objects = g.DETERMINERS | g.PREPOSITIONS | {"me", "him", "us", "them", "it", "everything", "whatever"}
    return after.word in objects or after.capital


_IS = frozenset({"is", "isn't", "was", "wasn't"})


def is_standing(tokens: Tokens, text: str) -> bool:
    """An order that holds on: "whenever it rains, close the hatch"."""
    return opens_with(lowered(text[tokens[0].start : tokens[-1].end]), _STANDING) is not None


def is_dependent(tokens: Tokens, reading: Parse) -> bool:
    """A subordinate clause on its own ("when I was young", "which helps me"): it states nothing.

    Nor does one with its main clause behind it that was not cut off ("when the pool is open again I'll go").
    """
    word = tokens[0].word
    if word in ("when", "until", "unless") and len(tokens) > 1 and tokens[1].word in g.DETERMINERS:
        return reading.tense == "present"
    if word not in g.SUBORDINATORS or word == "that":
        return False
    return word in ("which", "who", "whether", "if") or (
        len(tokens) > 1 and tokens[1].word in g.SUBJECT_PRONOUNS | {"my", "our"}
    )


def is_courtesy(clause: Clause, text: str) -> bool:
    """Greetings, thanks, congratulations and other set phrases."""
    low = lowered(text[clause.start : clause.end])
    names = [t.word for t in clause.tokens]
    if all(w in words.GREETING_WORDS or w in g.DISCOURSE for w in names):
        return True
    opening = _GREETING.match(low, clause.tokens[min(skip_openers(clause.tokens), len(names) - 1)].start - clause.start)
    return (
        opening is not None
        or _GREETING.match(low) is not None
        or (names[0] in words.GREETING_WORDS and clause.reading is not None and clause.reading.form == "verbless")
    )


def corrects(tokens: Tokens, reading: Parse) -> bool:
    """ "It was always the 12th", "it was meant to be Tuesday", "I meant June": a past form that says what is so."""
    if means(tokens, reading):
        return True
    if reading.base != "be" or reading.tense != "past":
        return False
    if [t.word for t in tokens[-2:]] == ["all", "along"]:
        return True
    names = [t.word for t in tokens[reading.finite + 1 : reading.finite + 3]]
    return any(w in ("always", "never", "actually", "really", "supposed", "meant") for w in names)


def means(tokens: Tokens, reading: Parse) -> bool:
    """ "I meant the 9th": what it says is so of something that it does not name."""
    first = tokens[reading.subject[0]].word if reading.subject[0] < reading.subject[1] else "i"
    return reading.base == "mean" and tokens[reading.finite].word == "meant" and first == "i"


def is_garbled(text: str, tokens: Tokens, reading: Parse) -> bool:
    """A subject in pieces ("my blue, well, that thing is gone"): nothing can be said of it."""
    words = tokens[reading.subject[0] : reading.subject[1]]
    joined = any(t.word in ("and", "or", "&") for t in words)
    return len(words) > 1 and not joined and "," in text[words[0].end : words[-1].start] and reading.form != "verbless"


def named_token(token: Token) -> bool:
    """A capitalised word that is not "I"."""
    return token.capital and token.word != "i"


def states_without_verb(tokens: Tokens, *, timed: bool) -> bool:
    """A verbless clause states something when it names a time ("tempo run tomorrow") or denies ("no blockers")."""
    names = [t.word for t in tokens]
    if any(w in words.PRAISE or w in words.SMALL_TALK for w in names) or any(w in ("you", "your") for w in names):
        return False
    if names[0] in ("what", "such") or names[0] in g.SUBORDINATORS:
        return False
    if names[0] == "no" and (len(names) in (2, 3) or timed):
        return names[1] not in (
            "way",
            "idea",
            "problem",
            "worries",
            "doubt",
            "doubts",
            "thanks",
            "kidding",
            "joke",
            "wonder",
            "more",
            "one",
        )
    if wants_without_verb(names):
        return True
    content = [w for w in names if w not in g.DISCOURSE and w not in g.PREPOSITIONS and w not in g.DETERMINERS]
    return timed and len(content) > 1


def wants_without_verb(names: Sequence[str]) -> bool:
    """ "Only tea for me", "no onions for us please": what somebody wants, without a verb."""
    if len(names) < LEAST_WANTED or names[0] not in ("only", "no", "just"):
        return False
    return any(pair in (("for", "me"), ("for", "us")) for pair in pairwise(names))


def assistant_states(tokens: Tokens, reading: Parse, modality: str, *, timed: bool) -> bool:
    """What an assistant may state: what it did itself, and dated things; never facts about the user."""
    if reading.subject[0] == reading.subject[1] or reading.form == "verbless":
        return False
    first = tokens[reading.subject[0]].word
    if first == "i":
        return (
            reading.tense in ("past", "perfect")
            and reading.form in ("simple", "perfect")
            and not reading.negated
            and reading.base not in words.MIND_VERBS
            and reading.base != "be"
        )
    if first in ("you",):
        return timed and reading.base == "have" and modality == "planned"
    return timed and modality == "planned" and first not in ("we",)
