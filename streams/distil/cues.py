"""Looking for set phrases in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable


def cue_pattern(cues: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w'])(?:" + "|".join(re.escape(c) for c in sorted(cues, key=len, reverse=True)) + r")(?![\w'])"
    )


def lowered(text: str) -> str:
    """Lower case with straight apostrophes, about the same length: for cues, never for places."""
    return text.lower().replace("’", "'")


def opens_with(low: str, openings: re.Pattern[str]) -> str | None:
    """The opening phrase the text begins with, as whole words."""
    match = openings.match(low)
    return None if match is None else match[0]
