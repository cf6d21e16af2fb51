"""When a text contains a string, and when an item matches one. The rules of the cases, and nothing else. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_POSSESSIVE = re.compile(r"['’]s\b")

_FUNCTION_WORDS = frozenset(
    """a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves this that these those who whom whose which what somebody
    someone something anybody anyone anything nobody nothing everybody everyone everything one
    about above across after against along among around as at before behind below beneath beside between beyond by down
    during except for from in inside into like near of off on onto out outside over past since through throughout till
    to toward towards under until up upon with within without
    and or but nor so yet because if although though while whereas unless than
    be am is are was were been being do does did doing done have has had having will would can could may might must
    should shall""".split()  # noqa: SIM905 - a list of words is read more easily so
)

_stemmer = snowballstemmer.stemmer("english")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_stemmer.stemWord(word))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def words(text: str) -> list[str]:
    """Runs of letters and digits, case-folded, a possessive 's dropped."""
    return _WORD.findall(_POSSESSIVE.sub("", text.casefold()))


def stems(text: str) -> list[str]:
    """The words' stems."""
    return [_stem(word) for word in words(text)]


def contains(text: str, wanted: str) -> bool:
    """The stems of ``wanted`` stand in one run in the text; a string of Chinese or Japanese is a plain substring."""
    if _CJK.search(wanted):
        return wanted in text
    run, found = stems(wanted), stems(text)
    return any(found[at : at + len(run)] == run for at in range(len(found) - len(run) + 1))


def content_stems(text: str) -> list[str]:
    """Stems of the words that are no article, pronoun, preposition, conjunction or auxiliary, in order."""
    return [_stem(word) for word in words(text) if word not in _FUNCTION_WORDS]


def matches(item: str, wanted: str) -> bool:
    """Every content stem of ``wanted`` occurs in the item, in any order."""
    if _CJK.search(wanted):
        return wanted in item
    return set(content_stems(wanted)) <= set(stems(item))


def is_about(item: str, phrase: str) -> bool:
    """The item shares two content stems with the phrase, its first word (the verb) among them."""
    verb, *rest = words(phrase)
    wanted = {_stem(verb), *content_stems(" ".join(rest))}
    shared = wanted & set(stems(item))
    return _stem(verb) in shared and len(shared) > 1
