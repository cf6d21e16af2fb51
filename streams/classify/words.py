"""Words of a statement as they count for topic overlap: light stems, without the words everybody uses."""

from __future__ import annotations

import re
from functools import lru_cache

from ..casual import SPELLED

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?(?:[:.,]\d+)*")

_FUNCTION_WORDS = """
a about above after again against ago all already also although always am an and another any anybody anymore anyone
anything are around as at away back be because been before being below between both but by can cannot could did do
does doing done down during each either else ever every everybody everyone everything few finally first for from
further get gets getting go goes going gone got had has have having he her here hers herself him himself his how
however i if in instead into is it its itself just last later least less let like many may maybe me might mine more
most much must my myself near need neither never next no nobody none nor not nothing now of off oh ok okay on once one
only onto or other others our ours out over own per perhaps please probably quite rather really same she should since
so some somebody someone something soon still such than that the their theirs them themselves then there these they
thing things this those though through till to today together tomorrow tonight too two under until up upon us use used
very via was way we well were what when where whether which while who whole whom whose why will with within without
would yes yesterday yet you your yours yourself
don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't hadn't
i'm i've i'll i'd you're you've you'll we're we've we'll they're they've they'll he's she's it's that's there's let's
"""

_COMMON_WORDS = """
actually anyway bad bit big came come comes coming day days decide decided earlier early end evening feel feeling fine
friday fun give gave glad good great guess guys happy hello help hey hi hope hour hours keep kind know late lately long
look looking lot lots love loved make makes made making man mean minute minutes moment monday month months morning new
nice night old people plan planned planning pretty put quite right said saturday say says see seen start started sunday
sure take takes taken taking talk tell thank thanks think thought thursday time times told took try trying tuesday want
wanted wants wednesday week weekend weeks went wish wonderful work working works world wow year years able ask asked
best better call called change changed end ended find found happen happened home job life left little live lives living
move moved moving near part real share show stay stop stopped stuff switch switched thing turn turned
"""

_IRREGULAR = {
    "bought": "buy", "ran": "run", "ate": "eat", "drove": "drive", "flew": "fly", "sold": "sell", "met": "meet",
    "wrote": "write", "written": "write", "taught": "teach", "broke": "break", "broken": "break", "swam": "swim",
    "sang": "sing", "built": "build", "spent": "spend", "drank": "drink", "sent": "send", "paid": "pay", "rode": "ride",
    "wore": "wear", "grew": "grow", "chose": "choose", "slept": "sleep", "caught": "catch", "children": "child",
    "signed": "sign", "married": "marry", "marriage": "marry", "engagement": "engage", "engaged": "engage",
    "flight": "fly", "flights": "fly", "afraid": "fear", "scared": "fear", "frightened": "fear", "terrified": "fear",
    "petrified": "fear",
}  # fmt: skip


_TEXTS = 16384
"""Texts whose stems are remembered: a statement is compared with many others."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem: plural, past and progressive endings go; never shorter than three letters."""
    word = word.removesuffix("'s").removesuffix("’s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ings", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return _undouble(word[: -len(ending)])
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _undouble(base: str) -> str:
    """``runn`` → ``run``, ``hik`` stays: the final e of a base form is cut as well, so both meet."""
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return base[:-1] if len(base) > 3 and base.endswith("e") else base


FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
COMMON_STEMS = frozenset(stem(word) for word in _COMMON_WORDS.split())


def words(text: str) -> list[str]:
    """Words and numbers of a text, case-folded, in order. ``19:30`` and ``1,200`` stay whole."""
    found: list[str] = [match.replace("’", "'") for match in _WORD.findall(text.casefold())]
    return [SPELLED.get(word, word) for word in found]


@lru_cache(maxsize=_TEXTS)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that carry a topic, common ones (``want``, ``week``, ``make``) included."""
    return frozenset(stem(word) for word in words(text) if word not in FUNCTION_WORDS and len(word) > 1)


def rare_words(text: str) -> frozenset[str]:
    """The words themselves whose stems are rare."""
    rare = rare_stems(text)
    return frozenset(word for word in words(text) if stem(word) in rare)


@lru_cache(maxsize=_TEXTS)
def rare_stems(text: str) -> frozenset[str]:
    """Content stems without the ones everybody uses all the time.

    Rare by a fixed list, not by counts in the space: a count would change with every message, and with it every
    earlier decision.
    """
    return content_stems(text) - COMMON_STEMS
