"""A pair of statements as the two texts that a trained scorer reads: who said it masked, how long between them."""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.events import Event
from schemas.times import US_PER_DAY

from .protocol import Pair

WORDING = 1
"""Part of a scorer's name: weights trained on one wording are not used with another."""

_HOUR_US = US_PER_DAY // 24

_GAPS = (
    (_HOUR_US, "minutes"),
    (US_PER_DAY, "hours"),
    (7 * US_PER_DAY, "days"),
    (31 * US_PER_DAY, "weeks"),
    (365 * US_PER_DAY, "months"),
)


def wording(pair: Pair) -> tuple[str, str]:
    """The older and the newer text. A function of the pair alone; names of the two who speak are masked."""
    newer, older = pair.newer, pair.older
    other = None if same_author(newer, older) else older.speaker
    gap = gap_words(newer.stated.sent_at - older.stated.sent_at)
    return (
        worded_older(masked(older.text, newer.speaker, other), same=other is None),
        worded_newer(masked(newer.text, newer.speaker, other), gap),
    )


def worded_older(text: str, *, same: bool) -> str:
    """The older text with who said it, seen from the newer one's author."""
    return f"{'speaker' if same else 'other'}: {text}"


def worded_newer(text: str, gap: str) -> str:
    """The newer text with how much later it was said."""
    return f"{gap} later speaker: {text}"


def gap_words(gap_us: int) -> str:
    """A time between two statements, roughly; microseconds."""
    return next((name for least, name in _GAPS if gap_us < least), "years")


def same_author(newer: Event, older: Event) -> bool:
    """The same author said both, as far as it is known."""
    return older.speaker is None or newer.speaker is None or older.speaker.casefold() == newer.speaker.casefold()


def masked(text: str, speaker: str | None, other: str | None) -> str:
    """The text with the two people's names as ``speaker`` and ``other``, and the spaces of one line."""
    for name, role in ((speaker, "speaker"), (other, "other")):
        pattern = _names(name) if name is not None else None
        if pattern is not None:
            text = pattern.sub(role, text)
    return " ".join(text.split())


@lru_cache(maxsize=1024)
def _names(name: str) -> re.Pattern[str] | None:
    """The whole name or one of its parts of three letters and more, as words."""
    parts = sorted({name, *(part for part in name.split() if len(part) >= 3)}, key=lambda part: (-len(part), part))
    known = [re.escape(part) for part in parts if len(part) >= 3]
    return re.compile(rf"\b(?:{'|'.join(known)})\b", re.IGNORECASE) if known else None
