"""Speech acts: does a clause state something, or does it ask, wish, suppose, joke, quote, order, greet, thank or praise?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .clauses import Clause
from .lexicon import acts as words
from .lexicon import grammar as g
from .lexicon.verbs import BASES, SAME_PAST
from .parse import Parse, Tokens, skip_openers
from .tokens import Token
from .verbs import past_base

_QUOTED = re.compile(r"[\"“«]([^\"”»\n]{12,})[\"”»]|(?<!\w)['‘]([^'’\n]{16,})['’](?!\w)")
QUOTED_WORDS = 4
"""Fewer words in quotation marks are a name or a term, not somebody's sentence."""
_MARKUP = re.compile(r"<(\w+)>.*?</\1>", re.DOTALL)


def _cue_pattern(cues: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w'])(?:" + "|".join(re.escape(c) for c in sorted(cues, key=len, reverse=True)) + r")(?![\w'])"
    )


_UNSERIOUS = _cue_pattern(
    c for c in (*words.FICTION_CUES, *words.JOKE_CUES, *words.HYPOTHETICAL_PHRASES) if c[-1].isalnum()
)
_JOKE_END = _cue_pattern(c for c in words.JOKE_TAKEN_BACK if c[-1].isalnum())
_TAKE_BACK = _cue_pattern(words.TAKE_BACKS)
_GREETING = _cue_pattern(words.GREETING_PHRASES)
_QUESTION_OPENING = _cue_pattern(words.QUESTION_OPENINGS)
_WISH_OPENING = _cue_pattern(words.WISH_OPENINGS)
_STANDING = _cue_pattern(words.STANDING)
_FRAME = _cue_pattern((*words.FRAMES, *words.HEDGES))


def lowered(text: str) -> str:
    """Lower case with straight apostrophes, same length as far as lower case keeps it: for cues only, never for places."""
    return text.lower().replace("’", "'")


def mask_foreign_speech(text: str) -> str:
    """Quoted sentences and marked-up inserts replaced by spaces: they are not the speaker's. The length stays the same."""
    masked = _MARKUP.sub(lambda m: " " * len(m[0]), text)
    return _QUOTED.sub(lambda m: " " * len(m[0]) if len(m[0].split()) >= QUOTED_WORDS else m[0], masked)


def quotes_in(text: str) -> tuple[tuple[int, int], ...]:
    """Places of quoted sentences: several words between quotation marks."""
    return tuple(m.span() for m in _QUOTED.finditer(text) if len(m[0].split()) >= QUOTED_WORDS)


def introduces_quote(text: str, start: int, end: int, quotes: tuple[tuple[int, int], ...]) -> bool:
    """Whether ``text[start:end]`` holds, leads up to, or goes on after a quoted sentence."""
    for a, b in quotes:
        if start < b and a < end:
            return True
        if end <= a and not text[end:a].strip(" \t:,-–—"):
            return True
        if b <= start and not text[b:start].strip(" \t,-–—") and text[start : start + 1].islower():
            return True
    return False


def unserious(sentence: str) -> bool:
    """The whole sentence is a joke by its cue, fiction, or a supposition."""
    low = lowered(sentence)
    return _UNSERIOUS.search(low) is not None or "breaking:" in low


def takes_back(sentence: str) -> bool:
    """It takes an earlier statement back ("I was joking", "scratch that")."""
    return bool(_TAKE_BACK.search(lowered(sentence)))


def disowned_before(text: str) -> int:
    """Where the last "just kidding" of a message begins when statements come before it in the same message, else 0."""
    hits = list(_JOKE_END.finditer(lowered(text)))
    return hits[-1].start() if hits else 0


def opens_with(low: str, openings: re.Pattern[str]) -> str | None:
    """The opening phrase the text begins with, as whole words."""
    match = openings.match(low)
    return None if match is None else match[0]


def is_question(clause: Clause, text: str, *, marked: bool, last: bool) -> bool:
    """A question: by its opening, by inversion, or by the mark at the end of its sentence."""
    tokens = clause.tokens
    start = min(skip_openers(tokens), len(tokens) - 1)
    low = lowered(text[tokens[start].start : clause.end])
    if opens_with(low, _QUESTION_OPENING) and not low.startswith("tell me") or inverted(tokens, start):
        return True
    return marked and last and not low.endswith((" ok", " okay", " yeah", " alright"))


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
    if reading.auxiliary in ("would", "'d") and any(
        w in ("rather", "sooner", "prefer") for w in names[reading.finite : reading.finite + 4]
    ):
        return False
    if reading.auxiliary == "'d" and reading.form == "perfect":
        return False
    if reading.auxiliary in ("couldn't", "wouldn't") and "if" not in names:
        return False
    return reading.auxiliary in g.UNREAL or reading.auxiliary == "'d"


def is_order(tokens: Tokens, reading: Parse | None) -> bool:
    """An order: it opens with a bare verb, "please", "let's" or "don't"."""
    start = skip_openers(tokens)
    word = tokens[start].word
    if word in ("please", "pls", "let", "lets", "don't", "dont", "never", "always") and (
        word not in ("don't", "dont") or reading is None or reading.subject[0] != reading.subject[1]
    ):
        return True
    if reading is not None and reading.subject[0] == reading.subject[1] and word not in SAME_PAST:
        return False
    if any(t.word in ("yesterday", "ago") for t in tokens):
        return False
    if word in SAME_PAST:
        return reading is None or reading.subject[0] == reading.subject[1] or reading.form == "verbless"
    return word in BASES and (past_base(word) is None) and (reading is None or _bare_verb_first(tokens, start, reading))


def _bare_verb_first(tokens: Tokens, start: int, reading: Parse) -> bool:
    """The opening base is the verb, not a noun that is the subject ("Work starts", "Rent is", "Love the place")."""
    if reading.form == "verbless" or start + 1 >= len(tokens):
        return True
    after = tokens[start + 1]
    if reading.finite == start or after.word in g.AUXILIARIES or reading.finite == start + 1:
        return False
    objects = g.DETERMINERS | g.PREPOSITIONS | {"me", "him", "us", "them", "it", "everything", "whatever"}
    return after.word in objects or after.capital


def is_standing(tokens: Tokens, text: str) -> bool:
    """An order that holds on: "whenever it rains, close the hatch"."""
    return opens_with(lowered(text[tokens[0].start : tokens[-1].end]), _STANDING) is not None


def is_dependent(tokens: Tokens) -> bool:
    """A subordinate clause on its own ("when I was young", "which helps me"): it states nothing. "Since May I …" does."""
    word = tokens[0].word
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


def is_reaction(tokens: Tokens, reading: Parse, *, timed: bool) -> bool:
    """Praise, judgement and passing feelings: about "that", "it" or "you", or of the speaker's mind."""
    subject = [t.word for t in tokens[reading.subject[0] : reading.subject[1]]]
    rest = [t.word for t in tokens[reading.finite :]]
    first = subject[0] if subject else "i"
    judged = any(w in words.PRAISE for w in rest)
    if first in ("you", "your", "y'all") and not _tells_you(tokens, reading, timed=timed):
        return True
    if rest[0] in ("what", "such") or (rest[1:2] == ["it"] and reading.base == "get") or _superlative(reading, rest):
        return True
    if (
        subject[:2] in (["what", "a"], ["what", "an"])
        or first == "here"
        or rest[:1] == ["thanks"]
        or reading.base == "thank"
    ):
        return True
    if first in _POINTING and not timed and (judged or _points_nowhere(reading, rest)):
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
            any(w in words.FEELINGS for w in rest[:5])
            and first in ("i", "we")
            and not any(w in words.LASTING_FEELINGS for w in rest)
        ):
            return True
        if judged and first not in ("my", "our", "his", "her", "their") and len(rest) <= 6:
            return True
        if reading.base in ("sound", "seem") or (reading.base == "look" and subject == []):
            return True
    return first in ("i", "we") and _comments(reading, rest)


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
    if reading.base in ("see", "hear", "find", "feel", "understand", "remember") and reading.tense == "past":
        return False
    if reading.base in ("love", "enjoy"):
        return len(rest) > 1 and rest[1] in ("that", "it", "this", "how", "your")
    return True


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


def strip_frame(text: str, tokens: Tokens) -> int:
    """How many leading words only introduce the statement ("turns out", "note that", "I think")."""
    start = _told_to(tokens)
    for _ in range(3):
        if start >= len(tokens):
            break
        low = lowered(text[tokens[start].start : tokens[-1].end])
        frame = opens_with(low, _FRAME)
        if frame is None:
            break
        stop = tokens[start].start + len(frame)
        ahead = start + sum(t.start < stop for t in tokens[start:])
        if ahead >= len(tokens):
            break
        start = ahead + (tokens[ahead].word == "that" and ahead + 1 < len(tokens))
    return start


def _told_to(tokens: Tokens) -> int:
    """ "Tell Mia I can't come": what is to be told is the statement."""
    if (
        len(tokens) > 4
        and tokens[0].word in ("tell", "remind")
        and (tokens[1].capital or tokens[1].word in ("him", "her", "them"))
    ):
        ahead = 2 + (tokens[2].word == "that")
        return ahead if tokens[ahead].word in g.SUBJECT_PRONOUNS | {"my", "our"} else 0
    return 0


def corrects(tokens: Tokens, reading: Parse) -> bool:
    """ "It was always the 12th", "it was meant to be Tuesday": a past form that says what is so."""
    if reading.base != "be" or reading.tense != "past":
        return False
    names = [t.word for t in tokens[reading.finite + 1 : reading.finite + 3]]
    return any(w in ("always", "never", "actually", "really", "supposed", "meant") for w in names)


def is_garbled(text: str, tokens: Tokens, reading: Parse) -> bool:
    """A subject in pieces ("the one with the, no, the other"): nothing can be said of it."""
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
    content = [w for w in names if w not in g.DISCOURSE and w not in g.PREPOSITIONS and w not in g.DETERMINERS]
    return timed and len(content) > 1


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
