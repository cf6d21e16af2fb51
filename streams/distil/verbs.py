"""Recognising verb forms by the lexicon and by their endings."""

from __future__ import annotations

from functools import lru_cache

from .lexicon.verbs import BASES, IRREGULAR_PARTICIPLE, IRREGULAR_PAST, NOUNS_IN_S


def _stems(stem: str) -> tuple[str, ...]:
    """What a stem may have been before -ed or -ing: itself, with -e, undoubled, with -y."""
    undoubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return stem, stem + "e", undoubled, stem[:-1] + "y" if stem.endswith("i") else stem


@lru_cache(maxsize=8192)
def past_base(word: str) -> str | None:
    """The base of a past form, or None."""
    if word in IRREGULAR_PAST:
        return IRREGULAR_PAST[word]
    return _regular_base(word, "ed")


@lru_cache(maxsize=8192)
def participle_base(word: str) -> str | None:
    """The base of a past participle, or None."""
    return IRREGULAR_PARTICIPLE.get(word) or _regular_base(word, "ed")


@lru_cache(maxsize=8192)
def ing_base(word: str) -> str | None:
    """The base of an -ing form, or None."""
    return _regular_base(word, "ing")


@lru_cache(maxsize=8192)
def third_base(word: str) -> str | None:
    """The base of a third-person form in -s, or None."""
    if not word.endswith("s") or word.endswith("ss") or word in NOUNS_IN_S:
        return None
    candidates = (word[:-1], word[:-2] if word.endswith("es") else "", word[:-3] + "y" if word.endswith("ies") else "")
    return next((c for c in candidates if c in BASES), None)


def _regular_base(word: str, ending: str) -> str | None:
    if not word.endswith(ending) or len(word) < len(ending) + 2:
        return None
    return next((base for base in _stems(word[: -len(ending)]) if base in BASES), None)


def looks_past(word: str) -> bool:
    """An -ed word, known or not."""
    return len(word) > 4 and word.endswith("ed") and not word.endswith("eed")
