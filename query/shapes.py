"""The shape of a question, and the names in it, from its words alone (section II-F: the plan follows the shape)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from views.vectors.sparse import STOP_WORDS

from .api import Shape

SHAPES: tuple[Shape, ...] = get_args(Shape)

_TEMPORAL = re.compile(
    r"\b(when|how long|how (many|much) (days|weeks|months|years|hours|time)|since when|until when"
    r"|(what|which) (date|day|month|year|time|week|season)|how (old|often|recently)"
    r"|(before|after) or (before|after)|(first|last|most recent|latest) time|how long ago)\b",
    re.I,
)
_PREFERENCE = re.compile(
    r"\b(prefers?|preferences?|preferred|favou?rites?|(?<!look )(?<!looks )likes?|enjoys?|loves?|hates?|dislikes?"
    r"|fond of|keen on|into|hobb(y|ies)|interests?|interested in|recommend\w*|suggest\w*|rather|tastes?|allerg\w+)\b",
    re.I,
)
_LOOK_ALIKE = re.compile(
    r"\b(what('s| is| was| are| were)\b.*\blike\b\s*\??\s*$|looks? like|feels? like|would .* like to)", re.I
)
_MULTI_HOP = re.compile(
    r"\b(why|because|reasons?|caused?|causes|led to|lead to|result(ed)?|as a result|in order to"
    r"|consequences?|effects? of|what happened (after|before|when)|what made|how come|both|in common|compared?"
    r"|difference between|relat(ed|ion|ionship) between|follow(ed)? through"
    r"|how did .* (become|end up|come to|change))\b",
    re.I,
)
_FACTUAL = re.compile(
    r"^\W*(who|whose|whom|what|which|where|how (many|much|far|big|tall)"
    r"|is|are|was|were|do|does|did|has|have|had|can)\b",
    re.I,
)
_PAST = re.compile(
    r"\b(used? to|previously|formerly|in the past|originally|at first|back then|previous|former|in those days"
    r"|beforehand|before (that|this|now|then|moving|the (change|move))|old (job|home|address|place))\b"
    r"|\bbefore\W*$",
    re.I,
)
_PLURAL = re.compile(
    r"^\W*(what|which)( kinds? of| sorts? of)?( \w+)? \w+(?<!s)s (do|does|did|has|have|are|were)\b|^\W*(list|name) ",
    re.I,
)
_PRESENT = re.compile(
    r"^\W*(what|which|who|where|how|whose)\b[^?]*?\b(is|are|does|do|has|have)\b(?! \w+ (when|before|after)\b)"
    r"|^\W*(is|are|does|do|has|have)\b",
    re.I,
)
_CHANGE = re.compile(
    r"\b(now|nowadays|current(ly)?|today|at the moment|these days|still|any ?more|no longer|so far|yet|later|latest"
    r"|recent(ly)?|eventually|finally|ultimately|in the end|after all|end(ed)? up|turn(ed)? out|work(ed)? out"
    r"|becom(e|es|ing)|became|grow into|grew into|turn(ed)? into|evolv\w*|develop\w*|chang\w+|progress\w*|status|stage"
    r"|outcome|improv\w+|happen(ed)? (to|with)|since then|instead|another|next|new|updated?|go on to|went on to"
    r"|follow(ed)? through)\b"
    r"|\bby (early|mid|late|the end|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|\d{4})\b|\bafter (that|this|it|losing|leaving|getting|his|her|their|he|she|they|the)\b",
    re.I,
)
_ASKED_PERSON = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|will|would|can|could|should)\s+([A-Z][\w-]+)|\b([A-Z][\w-]+)['’]s\b"
)
_WORD = re.compile(r"[^\W_]+")


def shape_of(question: str) -> Shape:
    """Temporal, preference, multi-hop, factual or open; the first that fits, in this order.

    Only the question's words count, never a data set's category. A question about a time stays temporal even when it
    asks about a favourite thing: the dates decide its answer.
    """
    if _TEMPORAL.search(question):
        return "temporal"
    if _PREFERENCE.search(question) and not _LOOK_ALIKE.search(question):
        return "preference"
    if _MULTI_HOP.search(question):
        return "multi-hop"
    if _FACTUAL.search(question):
        return "factual"
    return "open"


def asks_about_past(question: str) -> bool:
    """Whether it asks for a former state without naming a date ("where did Mira live before?")."""
    return _PAST.search(question) is not None


def asks_for_newest(question: str, shape: Shape) -> bool:
    """Whether its answer is the newest of several statements: it asks about the present, or how something changed.

    A question for a date is not: an event of long ago has its date as well.
    """
    if asks_of_change(question):
        return True
    return shape != "temporal" and not asks_about_past(question) and _PRESENT.search(question) is not None


def asks_of_change(question: str) -> bool:
    """Whether it asks what became of something."""
    return not asks_about_past(question) and _CHANGE.search(question) is not None


def asks_for_several(question: str, shape: Shape) -> bool:
    """Whether an answer lists statements: preferences, joined facts, and "which cats does …" in the plural."""
    return shape in ("preference", "multi-hop") or _PLURAL.search(question) is not None


def names_in(question: str, participants: Sequence[str]) -> tuple[str, ...]:
    """Participants the question names, sorted; matched case-folded.

    By one word of a name ("Holt" for "Bram Holt"; a word two people share names both), but not by "of" or "the" in one
    ("Two of us"). Somebody known through another ("Bram's sister Ilka", "Bram's doctor") is named by their own name or
    by the relation, never by the other's name.
    """
    asked = tokens(question)
    return tuple(sorted(name for name in participants if _is_named(name, asked)))


def _is_named(name: str, asked: Sequence[str]) -> bool:
    owner, possessive, rest = name.replace("’", "'").partition("'s ")
    own = [word for word in rest.split() if word[:1].isupper()] if possessive else _telling(name)
    if any(len(word) > 1 and word in asked for part in own for word in tokens(part)):
        return True
    relation = [
        *tokens(owner),
        "s",
        *(word for part in rest.split() if not part[:1].isupper() for word in tokens(part)),
    ]
    starts = range(len(asked) - len(relation) + 1) if possessive else ()
    return any(list(asked[i : i + len(relation)]) == relation for i in starts)


def _telling(name: str) -> Sequence[str]:
    """Words that name somebody: with a capital, where any has one; else those that are no stop words; else all."""
    parts = name.split()
    capital = [word for word in parts if word[:1].isupper()]
    return capital or [word for word in parts if word.casefold() not in STOP_WORDS] or parts


def proper_words(name: str) -> tuple[str, ...]:
    """The words of a name that say who, not what: "Bram" and "Ilka" of "Bram's sister Ilka". All, without capitals."""
    parts = name.replace("’", "'").replace("'s ", " ").split()
    return tuple(word for word in parts if word[:1].isupper()) or tuple(parts)


def people_asked(question: str) -> tuple[str, ...]:
    """Capitalised words in the place of a person ("does Zora …", "Zora's …"), in order, whether known or not."""
    found = [a or b for a, b in _ASKED_PERSON.findall(question)]
    return tuple(dict.fromkeys(found))


def tokens(text: str) -> list[str]:
    """Words, case-folded, split at apostrophes and hyphens."""
    return _WORD.findall(text.casefold())
