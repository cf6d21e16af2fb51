"""A light reading of one clause: where its finite verb is, what stands before it as subject, tense and negation.

No grammar of English: closed classes, a verb list and endings. It errs towards finding no clause.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from streams.anchors import Tense

from .lexicon import grammar as g
from .lexicon.verbs import BASES, IRREGULAR_PAST, SAME_PAST, SAME_PRESENT, STATIVE
from .tokens import Token
from .verbs import ing_base, looks_past, participle_base, past_base, third_base

Form = Literal["simple", "progressive", "perfect", "going_to", "modal", "verbless"]


class Parse(NamedTuple):
    """A clause ``tokens[first:]``.

    Attributes:
        subject: token range ``[a, b)``; empty when the subject is left out ("Booked the ferry").
        finite: index of the finite verb or auxiliary.
        main: index of the main verb (equal to ``finite`` for simple forms and "be").
        base: base form of the main verb; "be" for a copula; "" when unknown.
        tense: for time phrases.
        form: how the verb group is built.
        auxiliary: the finite auxiliary, "" for a simple form.
        negated: the statement is denied by its verb group or its subject.
    """

    subject: tuple[int, int]
    finite: int
    main: int
    base: str
    tense: Tense
    form: Form
    auxiliary: str
    negated: bool


Tokens = tuple[Token, ...]


def parse(tokens: Tokens) -> Parse | None:
    """Read a clause; None when no finite verb is found in it."""
    if not tokens:
        return None
    start = skip_openers(tokens)
    left_out = _subject_left_out(tokens, start)
    finite = start if left_out else _find_finite(tokens, start)
    if finite is None:
        return _gapped(tokens, start)
    subject = (start, start) if left_out else subject_range(tokens, start, finite)
    if not left_out and subject[0] >= subject[1]:
        return None
    return _verb_group(tokens, subject, finite)


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


def _find_finite(tokens: Tokens, start: int) -> int | None:
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
    if before in g.PREPOSITIONS or before == "'s" or (tokens[i].capital and i > start + 1):
        return False
    if past_base(word) is not None or (looks_past(word) and holder in g.SUBJECT_PRONOUNS):
        return True
    if third_base(word) is not None:
        return not before.isdecimal()
    plural = before.endswith("s") and len(before) > 2 and (not tokens[i - 1].capital or i - 1 == start)
    joined = any(t.word == "and" for t in tokens[start : i - 1]) and tokens[i - 1].capital
    return word in BASES and (plural or joined or holder in g.SUBJECT_PRONOUNS)


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
    if any(_is_finite(tokens, j, start) for j in range(i + 1, min(len(tokens), i + 6))):
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
    return word in closed or word[0].isdigit() or ing_base(word) is not None or participle_base(word) is not None


def _subject_left_out(tokens: Tokens, start: int) -> bool:
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
    if (past_base(word) is not None or participle_base(word) is not None) and word not in SAME_PAST:
        return True
    if ing_base(word) is not None and start + 2 < len(tokens):
        return _find_finite(tokens, start) is None
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
        word.endswith(g.CONTRACTED_NEGATIVE) or word in ("am", "was", "have", "had", "will", "'ll")
    )


def _gapped(tokens: Tokens, start: int) -> Parse | None:
    """A clause without a verb ("tempo run tomorrow"); the acts decide whether it states something."""
    negated = any(t.word in ("no", "not", "none", "never") for t in tokens[start : start + 3])
    return Parse((start, len(tokens)), start, start, "", "present", "verbless", "", negated)


def subject_range(tokens: Tokens, start: int, finite: int) -> tuple[int, int]:
    """The words before the verb that are its subject: a pronoun right before it, else the noun phrase."""
    end = _back(tokens, finite, start)
    if end <= start:
        return start, finite
    if tokens[end - 1].word in g.SUBJECT_PRONOUNS:
        begin = end - 1
        if begin - start >= 2 and tokens[begin - 1].word == "and":
            begin -= 2
        return begin, end
    begin = start
    if tokens[start].word in g.PREPOSITIONS:
        marks = [i for i in range(start + 1, end) if tokens[i].word in g.DETERMINERS or tokens[i].capital]
        begin = marks[-1] if marks else start
    return begin, end


def _verb_group(tokens: Tokens, subject: tuple[int, int], finite: int) -> Parse:
    word = tokens[finite].word
    negated = _negated(tokens, subject, finite)
    if word not in g.AUXILIARIES:
        return _simple(tokens, subject, finite, negated)
    main = _main(tokens, finite)
    verb = tokens[main].word if main is not None else ""
    if word in g.WILL:
        return Parse(subject, finite, main or finite, _base(verb), "future", "modal", word, negated)
    if (
        word in g.BE_PRESENT | g.BE_PAST
        or (word == "'s" and participle_base(verb) in (None, "be"))
        or (word == "'s" and not _has(tokens, finite))
    ):
        return _be(tokens, subject, finite, main, negated)
    if word in g.HAVE_PRESENT | g.HAVE_PAST or word == "'s":
        return _have(tokens, subject, finite, main, negated)
    if word in g.DO_PRESENT | g.DO_PAST:
        tense: Tense = "past" if word in g.DO_PAST else "present"
        return Parse(subject, finite, main or finite, _base(verb) or "do", tense, "simple", word, negated)
    if word == "'d" and main is not None and participle_base(verb) and verb not in BASES:
        return Parse(subject, finite, main, participle_base(verb) or "", "past", "perfect", word, negated)
    return Parse(subject, finite, main or finite, _base(verb), "present", "modal", word, negated)


def _has(tokens: Tokens, finite: int) -> bool:
    """Whether 's stands for "has": "been", "got", "had" or "become" follows."""
    return any(
        t.word in ("been", "got", "had", "become", "gone", "left", "moved", "started", "stopped")
        for t in tokens[finite + 1 : finite + 4]
    )


def _simple(tokens: Tokens, subject: tuple[int, int], finite: int, negated: bool) -> Parse:
    word = tokens[finite].word
    if word in ("been", "gone"):
        return Parse(subject, finite, finite, participle_base(word) or "", "perfect", "perfect", "", negated)
    if word == "gonna":
        return Parse(subject, finite, finite, "go", "future", "going_to", "", negated)
    ing = ing_base(word)
    if ing is not None and subject[0] == subject[1]:
        if word == "going" and _next_is(tokens, finite, "to"):
            return Parse(subject, finite, finite, "go", "future", "going_to", "", negated)
        return Parse(subject, finite, finite, ing, "present", "progressive", "", negated)
    base = past_base(word)
    same = (
        word in SAME_PRESENT and subject[0] != subject[1] and tokens[subject[1] - 1].word in ("i", "we", "they", "you")
    )
    after = tokens[finite + 1].word if finite + 1 < len(tokens) else ""
    if word == "got" and participle_base(after) is not None:
        return Parse(subject, finite, finite + 1, participle_base(after) or "", "past", "simple", "", negated)
    if (
        (base is not None and not same)
        or (base is None and word not in BASES and participle_base(word))
        or looks_past(word)
    ):
        return Parse(subject, finite, finite, base or participle_base(word) or "", "past", "simple", "", negated)
    return Parse(subject, finite, finite, third_base(word) or word, "present", "simple", "", negated)


def _be(tokens: Tokens, subject: tuple[int, int], finite: int, main: int | None, negated: bool) -> Parse:
    word = tokens[finite].word
    tense: Tense = "past" if word in g.BE_PAST else "present"
    if main is not None:
        verb = tokens[main].word
        if verb == "gonna" or (verb == "going" and _next_is(tokens, main, "to") and _verb_after_to(tokens, main + 1)):
            at = min(len(tokens) - 1, main + (1 if verb == "gonna" else 2))
            return Parse(
                subject,
                finite,
                at,
                _base(tokens[at].word),
                "past" if tense == "past" else "future",
                "going_to",
                word,
                negated,
            )
        ing = ing_base(verb)
        if ing is not None:
            return Parse(subject, finite, main, ing, tense, "progressive", word, negated)
        if participle_base(verb) is not None:
            return Parse(subject, finite, main, participle_base(verb) or "", tense, "simple", word, negated)
    return Parse(subject, finite, finite, "be", tense, "simple", word, negated)


def _have(tokens: Tokens, subject: tuple[int, int], finite: int, main: int | None, negated: bool) -> Parse:
    word = tokens[finite].word
    past = word in g.HAVE_PAST
    if main is not None and participle_base(tokens[main].word) is not None and not (past and main > finite + 2):
        at = main
        if (
            tokens[at].word == "been"
            and at + 1 < len(tokens)
            and (ing_base(tokens[at + 1].word) or participle_base(tokens[at + 1].word))
        ):
            at += 1
        base = ing_base(tokens[at].word) or participle_base(tokens[at].word) or ""
        if tokens[at].word == "got":
            return Parse(subject, finite, at, "have", "present", "simple", word, negated)
        return Parse(subject, finite, at, base, "past" if past else "perfect", "perfect", word, negated)
    return Parse(subject, finite, finite, "have", "past" if past else "present", "simple", "", negated)


def _main(tokens: Tokens, finite: int) -> int | None:
    """The first word after the auxiliary that is no adverb."""
    for i in range(finite + 1, min(len(tokens), finite + 5)):
        if tokens[i].word not in g.ADVERBS:
            return i
    return None


def _base(verb: str) -> str:
    return verb if verb in BASES else ""


def _next_is(tokens: Tokens, i: int, word: str) -> bool:
    return i + 1 < len(tokens) and tokens[i + 1].word == word


def _verb_after_to(tokens: Tokens, to: int) -> bool:
    """ "going to move", not "going to the gym"."""
    return (
        to + 1 < len(tokens)
        and (tokens[to + 1].word in BASES or tokens[to + 1].word in ("not",))
        and not tokens[to + 1].capital
    )


def _negated(tokens: Tokens, subject: tuple[int, int], finite: int) -> bool:
    """Denied by the auxiliary, by "not", "never" or "no longer" around the verb, or by a subject such as "nobody"."""
    words = [t.word for t in tokens]
    if words[finite].endswith(g.CONTRACTED_NEGATIVE) or words[finite] == "cannot":
        return True
    if subject[0] < subject[1] and words[subject[0]] in ("no", "none", "nobody", "nothing", "neither"):
        return True
    if any(w in ("not", "never") for w in words[max(subject[1], finite - 2) : finite]):
        return True
    after = words[finite + 1 : finite + 4]
    for i, w in enumerate(after):
        if w in ("never", "neither") or (w == "not" and after[i + 1 : i + 2] != ["only"]):
            return True
        if w in ("no", "none", "nothing", "nobody") and i <= 1:
            return True
        if w not in g.ADVERBS and w not in ("been", "be", "had", "got"):
            break
    return False


def is_past_form(word: str) -> bool:
    """Whether a word can open a clause as a past verb without subject."""
    return (past_base(word) is not None or word in IRREGULAR_PAST) and word not in SAME_PAST
