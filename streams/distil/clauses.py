"""Splitting a sentence into clauses, each of which can be judged on its own."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from ..anchors import find_phrases
from ..anchors.words import NUMBERS
from .finite import Tokens, is_past_form, skip_openers
from .lexicon import grammar as g
from .lexicon.verbs import BASES
from .parse import Parse, parse, parse_going_on
from .verbs import ing_base, third_base

_STRONG = re.compile(r"\s*(?:;|\s[-–—]{1,2}\s|—|\.{2,}|…|:\s)\s*")
_ORDER_OPENINGS = frozenset({"be", "don't", "please", "pls", "tell", "let", "remember", "bring", "put"})
"""After a comma these begin an order: it is cut off from the statement before it."""
MAX_WORDS = 60
"""A clause is cut here at the latest: the rules look back over a clause, so an endless one would cost its square."""
GAP = 40
"""Characters between two words that are looked at: a run of blanks as long as a message must not cost its square."""
LABEL = 2
"""Words on either side of a colon that still read as one statement."""
NUMBER = 6
"""Words of a number or an address after a colon."""
SLACK = 4
"""Characters a time phrase may leave uncovered ("so", a space) and still be all there is."""


class Clause(NamedTuple):
    """Characters ``[start, end)`` of the content, its words, and its reading (None: no statement can be read)."""

    start: int
    end: int
    tokens: Tokens
    reading: Parse | None
    shares_subject: bool


def split_clauses(text: str, start: int, end: int, tokens: Tokens) -> tuple[Clause, ...]:
    """The clauses of ``text[start:end]``, whose words are ``tokens``, in order."""
    cuts = _cuts(text, tokens)
    begins = [(0, False), *cuts]
    ends = [at for at, _ in cuts] + [len(tokens)]
    return tuple(
        _clause(text, tokens[begin:stop], start, end, shares_subject=shares)
        for (begin, shares), stop in zip(begins, ends, strict=True)
        if stop > begin
    )


def _clause(text: str, tokens: Tokens, start: int, end: int, *, shares_subject: bool) -> Clause:
    a, b = max(start, tokens[0].start), min(end, tokens[-1].end)
    kept = tokens
    while len(kept) > 1 and kept[0].word in g.CONJUNCTIONS:
        kept = kept[1:]
        a = kept[0].start
    return Clause(a, b, kept, (parse_going_on(kept) if shares_subject else None) or parse(kept), shares_subject)


def _cuts(text: str, tokens: Tokens) -> list[tuple[int, bool]]:
    """Indices of words where a new clause begins, each with whether it shares the former subject."""
    cuts: list[tuple[int, bool]] = []
    last = 0
    for i in range(1, len(tokens)):
        between = text[tokens[i - 1].end : tokens[i].start][:GAP]
        word = tokens[i].word
        if i - last >= MAX_WORDS:
            cuts.append((i, False))
            last = i
            continue
        strong = _STRONG.search(between)
        if strong and ":" in strong[0] and (only_time(text, tokens[last:i]) or _labelled(text, tokens, last, i)):
            continue
        if strong:
            cuts.append((i, False))
            last = i
            continue
        comma, joint = "," in between or "(" in between, word in g.CONJUNCTIONS
        if not comma and not joint:
            continue
        if i - last < 2 and not joint:
            continue
        opening = _opens_clause(text, tokens, i + (1 if joint else 0), comma=comma, joint=joint, left=tokens[last:i])
        if opening is not None:
            cuts.append((i, opening))
            last = i
    return cuts


def _labelled(text: str, tokens: Tokens, last: int, i: int) -> bool:
    """ "Newsletter: subscribed", "my number: 555 01": a label and a word or two, or a number, are one statement."""
    rest = tokens[i:]
    if len(rest) <= NUMBER and all(t.word[0].isdigit() or "@" in text[t.start - 1 : t.end + 1] for t in rest):
        return True
    return i - last <= LABEL and len(tokens) - i <= LABEL and is_past_form(tokens[i].word)


def _opens_clause(text: str, tokens: Tokens, i: int, *, comma: bool, joint: bool, left: Tokens) -> bool | None:
    """Whether a statement begins at word ``i``: None = no, True = it shares the subject of the left side.

    The left side must be able to stand alone (have a verb), else it belongs to the right one.
    """
    if i >= len(tokens):
        return None
    rest = tokens[i : i + 12]
    before = parse(left)
    if before is None:
        return None
    dependent = comma and left[0].word in g.SUBORDINATORS | g.TAKE_BACK_OPENINGS | {"as"}
    if before.form == "verbless" and not dependent and not _stands_without_verb(text, left, comma=comma):
        return None
    opener = skip_openers(rest)
    word = rest[opener].word
    after = rest[opener + 1].word if opener + 1 < len(rest) else ""
    if word in g.SUBJECT_PRONOUNS and (after in g.AUXILIARIES or _verb_soon(rest, opener)):
        return False
    if word in ("who", "which", "that"):
        return None
    if comma and (word in _ORDER_OPENINGS or (word in g.AUXILIARIES and after in g.SUBJECT_PRONOUNS | {"your", "my"})):
        return False
    if joint and _after_time(text, rest):
        return False
    if is_past_form(word) and after and before.form != "verbless" and (comma or before.tense in ("past", "perfect")):
        return True
    if not comma and opener == 0 and _goes_on(left, before, word):
        return True
    if ing_base(word) is not None and not comma:
        return True if after and _goes_on_doing(left, before) else None
    reading = parse(rest)
    if reading is None:
        return None
    if reading.form == "verbless":
        return False if comma and _timed(text, _upto_comma(text, rest)) else None
    subject_words = reading.subject[1] - reading.subject[0]
    before_verb = rest[: reading.finite + 1]
    near = reading.finite <= 5 and not any("," in text[a.end : b.start] for a, b in pairwise(before_verb))
    nominal = (
        word in g.DETERMINERS
        or rest[opener].capital
        or comma
        or word in NUMBERS
        or word in ("nobody", "everyone", "people")
    )
    return False if near and subject_words and nominal else None


def _stands_without_verb(text: str, left: Tokens, *, comma: bool) -> bool:
    """A left side without a verb that is a statement: it names a time and more, or denies ("no blockers")."""
    return comma and (left[0].word == "no" or (_timed(text, left) and not only_time(text, left)))


def _goes_on(left: Tokens, before: Parse, word: str) -> bool:
    """ "and teach chess": a present verb goes on with the left side's subject, unless an infinitive does."""
    if any(t.word == "to" for t in left[before.finite :]):
        return False
    first = left[before.subject[0]].word if before.subject[0] < before.subject[1] else "i"
    if first in ("i", "we", "you", "they"):
        return word in BASES
    return third_base(word) is not None


def _goes_on_doing(left: Tokens, before: Parse) -> bool:
    """ "I'm learning Danish and training for a race": two things that are being done, each with its object."""
    rest = left[before.main + 1 :]
    return before.form == "progressive" and bool(rest) and all(ing_base(t.word) is None for t in rest)


def _after_time(text: str, rest: Tokens) -> bool:
    """ "and last week I ran": a time phrase, then a pronoun with its verb."""
    for k in range(1, min(5, len(rest) - 1)):
        if rest[k].word in ("i", "we", "he", "she", "they", "my") and only_time(text, rest[:k]):
            return True
    return False


def only_time(text: str, tokens: Tokens) -> bool:
    """Whether the words are a time phrase and nothing else ("Last Friday,"): it belongs to what follows."""
    covered = find_phrases(text[tokens[0].start : tokens[-1].end])
    length = sum(p.end - p.start for p in covered)
    return bool(covered) and length + SLACK >= tokens[-1].end - tokens[0].start


def _upto_comma(text: str, tokens: Tokens) -> Tokens:
    for i in range(1, len(tokens)):
        if "," in text[tokens[i - 1].end : tokens[i].start]:
            return tokens[:i]
    return tokens


def _verb_soon(tokens: Tokens, opener: int) -> bool:
    reading = parse(tokens[opener:])
    return reading is not None and reading.form != "verbless" and reading.finite <= 3


def _timed(text: str, tokens: Tokens) -> bool:
    """Whether a verbless stretch names a time."""
    return len(tokens) >= 2 and bool(find_phrases(text[tokens[0].start : tokens[-1].end]))
