"""A light reading of one clause: where its finite verb is, what stands before it as subject, tense and negation.

No grammar of English: closed classes, a verb list and endings. It errs towards finding no clause.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..anchors import Tense
from .finite import Tokens, find_finite, skip_openers, subject_left_out, subject_range
from .lexicon import grammar as g
from .lexicon.verbs import BASES, SAME_PRESENT
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


def parse(tokens: Tokens) -> Parse | None:
    """Read a clause; None when no finite verb is found in it."""
    if not tokens:
        return None
    start = skip_openers(tokens)
    if tokens[start].word == "back" and start + 2 < len(tokens) and tokens[start + 1].word == "from":
        return Parse((start, start), start, start, "be", "present", "simple", "", negated=False)  # "back from Rome"
    left_out = subject_left_out(tokens, start)
    finite = start if left_out else find_finite(tokens, start)
    if finite is None:
        return _gapped(tokens, start)
    subject = (start, start) if left_out else subject_range(tokens, start, finite)
    if not left_out and subject[0] >= subject[1]:
        return None
    return _verb_group(tokens, subject, finite)


def parse_going_on(tokens: Tokens) -> Parse | None:
    """A clause that goes on with a subject said before: "(I live here) and *work as a nurse*"; None for another.

    A present verb with a preposition or a determiner after it; others may be nouns ("work meeting").
    """
    if len(tokens) < 2 or tokens[1].word not in g.PREPOSITIONS | g.DETERMINERS:
        return None
    word = tokens[0].word
    pronoun = "i" if word in BASES else "he" if third_base(word) is not None else None
    if pronoun is None:
        return None
    whole = parse((tokens[0]._replace(word=pronoun, capital=False), *tokens))
    if whole is None or whole.form != "simple" or whole.finite != 1:
        return None
    return whole._replace(subject=(0, 0), finite=whole.finite - 1, main=whole.main - 1)


def _gapped(tokens: Tokens, start: int) -> Parse | None:
    """A clause without a verb ("tempo run tomorrow"); the acts decide whether it states something."""
    negated = any(t.word in ("no", "not", "none", "never") for t in tokens[start : start + 3])
    return Parse((start, len(tokens)), start, start, "", "present", "verbless", "", negated)


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
    before = max(subject[1], finite - 2) if subject[0] < subject[1] else max(0, finite - 2)
    if any(w in ("not", "never") for w in words[before:finite]):
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
