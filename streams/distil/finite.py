"""Where a clause has its finite verb, and which words before it are its subject."""

from __future__ import annotations

from .lexicon import grammar as g
from .lexicon.people import KIN, ROLES
from .lexicon.verbs import BASES, IRREGULAR_PAST, SAME_PAST, STATIVE
from .tokens import Token
from .verbs import ing_base, looks_past, participle_base, past_base, third_base

Tokens = tuple[Token, ...]


def skip_openers(tokens: Tokens) -> int:
    """Index of the first word that is not an interjection, conjunction or adverb."""
    i = 0
    while i < len(tokens) - 1 and _may_open(tokens, i):
        i += 1
    return i


def _may_open(tokens: Tokens, i: int) -> bool:
    """ "Today" before a verb is its subject ("today was my first shift"), before anything else an adverb."""
    word = tokens[i].word
    if word in g.DISCOURSE or word in g.CONJUNCTIONS:
        return True
    return word in g.ADVERBS and tokens[i + 1].word not in g.BE_PRESENT | g.BE_PAST | {"'s"}


def _back(tokens: Tokens, i: int, stop: int) -> int:
    """Index after the last word before ``i`` that is not an adverb."""
    while i > stop and tokens[i - 1].word in g.ADVERBS and not (i - 1 > stop and tokens[i - 2].word in g.DETERMINERS):
        i -= 1
    return i


def find_finite(tokens: Tokens, start: int) -> int | None:
    for i in range(start + 1, len(tokens)):
        before = tokens[i - 1].word
        if before == "to" or (before in ("who", "which", "that") and i - 1 > start):
            continue
        if _is_finite(tokens, i, start) and not _in_relative(tokens, i, start):
            return i
    return None


def _in_relative(tokens: Tokens, i: int, start: int) -> bool:
    """Whether the verb belongs to a relative clause without "that": "the cake you made", "the struggles I had"."""
    pronoun = _back(tokens, i, start) - 1
    if pronoun <= start + 1 or tokens[pronoun].word not in ("i", "we", "you", "they", "he", "she"):
        return False
    if tokens[start].word not in g.DETERMINERS or tokens[start].word in ("this", "that"):
        return False
    between = tokens[start + 1 : pronoun]
    return not any(t.word in g.TIME_NOUNS or t.word in g.CONJUNCTIONS or t.word in g.ADVERBS for t in between)


def _is_finite(tokens: Tokens, i: int, start: int) -> bool:
    word, before = tokens[i].word, tokens[i - 1].word
    if word in g.AUXILIARIES:
        return _is_auxiliary(tokens, i, start)
    pronoun_at = _back(tokens, i, start)
    holder = tokens[pronoun_at - 1].word if pronoun_at > start else ""
    if holder in ("i", "we", "they", "you", "who") and word not in g.PREPOSITIONS and word not in g.ADVERBS:
        return (
            word in BASES
            or past_base(word) is not None
            or looks_past(word)
            or (pronoun_at == i and word.isalpha() and word not in g.CONJUNCTIONS)
        )
    if before in g.DETERMINERS and before not in ("this", "that", "these", "those", "all", "both", "each", "some"):
        return False
    if before == "'s" and _at_somebodys(tokens, i, start):
        return third_base(word) is not None or past_base(word) is not None
    if before in g.PREPOSITIONS or before == "'s" or (tokens[i].capital and i > start + 1):
        return False
    if past_base(word) is not None or (looks_past(word) and holder in g.SUBJECT_PRONOUNS):
        return True
    if third_base(word) is not None:
        return not before.isdecimal()
    plural = before.endswith("s") and len(before) > 2 and (not tokens[i - 1].capital or i - 1 == start)
    joined = any(t.word == "and" for t in tokens[start : i - 1]) and tokens[i - 1].capital
    return word in BASES and (plural or joined or holder in g.SUBJECT_PRONOUNS)


def _at_somebodys(tokens: Tokens, i: int, start: int) -> bool:
    """ "A haircut at Benno's costs 18": the possessive is all there is of the place."""
    return i - 3 > start and tokens[i - 3].word in ("at", "from") and tokens[i - 2].capital


def _is_auxiliary(tokens: Tokens, i: int, start: int) -> bool:
    word, before = tokens[i].word, tokens[i - 1].word
    if word in ("may", "will", "can", "must", "might") and (
        before in g.DETERMINERS - g.SUBJECT_PRONOUNS or (tokens[i].capital and i > start)
    ):
        return False
    if word != "'s":
        return True
    if before in g.SUBJECT_PRONOUNS or before in ("here", "what", "where", "how", "let"):
        return before != "let"
    if i + 2 < len(tokens) and tokens[i + 1].word in (
        "finally",
        "now",
        "already",
        "still",
        "almost",
        "nearly",
        "fully",
    ):
        return True  # "the kitchen's finally finished"
    ahead = range(i + 1, min(len(tokens), i + 6))
    if any(tokens[j].word != "'s" and _is_finite(tokens, j, start) for j in ahead):
        return False
    return _predicate_follows(tokens, i) or (
        i + 2 == len(tokens) and (tokens[i - 1].capital or tokens[start].word in g.DETERMINERS)
    )


def _predicate_follows(tokens: Tokens, i: int) -> bool:
    """After a noun's "'s" a predicate must follow, else it is a possessive ("chef's kiss")."""
    if i + 1 >= len(tokens):
        return False
    word = tokens[i + 1].word
    closed = g.ADVERBS | g.PREPOSITIONS | g.DETERMINERS
    whose = i > 0 and (tokens[i - 1].word in ROLES or tokens[i - 1].word in KIN)
    return (
        (whose and tokens[i + 1].capital and i + 2 < len(tokens))
        or word in closed
        or word in g.PREDICATES
        or word[0].isdigit()
        or ing_base(word) is not None
        or participle_base(word) is not None
    )


def subject_left_out(tokens: Tokens, start: int) -> bool:
    """Whether the clause begins with its verb and means "I": past, perfect or -ing forms, bare auxiliaries, likings."""
    word = tokens[start].word
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if after in g.AUXILIARIES and after != "'d":
        return False
    if word in g.AUXILIARIES and word not in ("'s", "'d"):
        return _is_bare_auxiliary(tokens, start, after)
    if word in ("been", "gone", "gonna"):
        return True
    if tokens[start].capital and start > 0:
        return False
    if word == "quit" and after in g.DETERMINERS:
        return True  # "quit my job"; no order
    if (past_base(word) is not None or participle_base(word) is not None) and word not in SAME_PAST:
        return True
    if ing_base(word) is not None and start + 2 < len(tokens):
        if start and tokens[start - 1].word in ("still", "currently") and after in g.PREPOSITIONS:
            return True  # "still looking for work, two replies"
        return find_finite(tokens, start) is None
    return word in ("love", "hate", "prefer", "adore", "enjoy") and after not in (
        "that",
        "this",
        "it",
        "your",
        "the",
        "how",
        "you",
    )


def _is_bare_auxiliary(tokens: Tokens, start: int, after: str) -> bool:
    """ "Can't eat nuts", "Haven't slept": no subject follows, so it is no question; "don't" with an act is an order."""
    if tokens[start].word == "had" and after in g.DETERMINERS:
        return True
    if start + 1 >= len(tokens) or after in g.SUBJECT_PRONOUNS or after in g.DETERMINERS or tokens[start + 1].capital:
        return False
    word = tokens[start].word
    if word in ("don't", "dont"):
        return after in STATIVE
    return word in g.AUXILIARIES and (
        word.endswith(g.CONTRACTED_NEGATIVE)
        or word in ("am", "was", "have", "had", "will", "'ll", "would", "could", "should", "might")
    )


def subject_range(tokens: Tokens, start: int, finite: int) -> tuple[int, int]:
    """The words before the verb that are its subject: a pronoun right before it, else the noun phrase."""
    end = _before_time(tokens, _back(tokens, finite, start), start)
    if end <= start:
        return start, finite
    if tokens[end - 1].word in g.SUBJECT_PRONOUNS:
        begin = end - 1
        if begin - start >= 2 and tokens[begin - 1].word == "and":
            begin -= 2
        return begin, end
    begin = start
    if [t.word for t in tokens[start : start + 3]] == ["from", "now", "on"] and start + 3 < end:
        return start + 3, end
    if tokens[start].word in g.PREPOSITIONS:
        marks = [i for i in range(start + 1, end) if tokens[i].word in g.DETERMINERS or tokens[i].capital]
        begin = marks[-1] if marks else start
    return _after_time(tokens, begin, end), end


_THESE_DAYS = (("these", "days"), ("at", "the", "moment"), ("right", "now"), ("so", "far"))


def _before_time(tokens: Tokens, end: int, start: int) -> int:
    """Where a subject ends before a word of the present: "my favourite band | these days is"."""
    for words in _THESE_DAYS:
        begin = end - len(words)
        if begin > start and tuple(t.word for t in tokens[begin:end]) == words:
            return begin
    return end


def _after_time(tokens: Tokens, begin: int, end: int) -> int:
    """Where the subject begins after a time at the start of a clause: "last week | the boiler", "that night | Otto"."""
    timed = False
    for at in range(begin, end):
        token = tokens[at]
        of_time = token.word in g.TIME_NOUNS or token.word in g.TIME_WORDS
        if timed and not of_time:
            named = at == begin + 1 and tokens[begin].word in g.PARTS_OF_TIME and token.capital  # "Night Owls"
            return at if (token.capital or token.word in g.DETERMINERS) and not named else begin
        if timed and token.word in g.DETERMINERS and at + 1 < end and tokens[at + 1].word not in g.TIME_NOUNS:
            return at
        if not of_time and not token.word[0].isdigit():
            return begin
        timed = timed or token.word in g.TIME_NOUNS
    return begin


def is_past_form(word: str) -> bool:
    """Whether a word can open a clause as a past verb without subject."""
    return (past_base(word) is not None or word in IRREGULAR_PAST) and word not in SAME_PAST
