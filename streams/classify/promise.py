"""How much a statement promises that something will become of it: a plan, a search, a thing begun, a count.

What is later reported on was mostly told as under way. Such statements go first among the candidates of a new one,
where closeness alone would put small talk about the same matter before them. In hundredths of a cosine, as integers.
"""

from __future__ import annotations

import re
from functools import lru_cache

AHEAD = re.compile(
    r"\b(?:going to|gonna|plan(?:s|ning|ned)?|hop(?:e|ing)|want(?:ed|ing)? to|wanna|think(?:ing)? (?:of|about)|i'll|"
    r"we'll|will|next (?:week|month|year|weekend|spring|summer|autumn|fall|winter)|soon|upcoming|"
    r"look(?:ing)? (?:for|into|forward|at)|can't wait|consider(?:ing)?|might|would love|dream(?:ing)?|goal|"
    r"appl(?:y|ied|ying)|sign(?:ed|ing)? up|book(?:ed|ing)|research(?:ing)?|try(?:ing)? to|tomorrow|later this|"
    r"this (?:week|weekend|month|summer)|excited|list|some ?day|one day)\b"
)
"""Something is to come."""

UNDER_WAY = re.compile(
    r"\b(?:working on|start(?:ed|ing)?|just (?:started|got|joined|bought|moved|finished)|prepar(?:e|ing)|train(?:ing)?|"
    r"learn(?:ing)?|reading|watching|playing|building|writing|taking|joined|i have|i've got|we have|we've got|we've|"
    r"first|second|third|currently|still|these days|lately|recently|so far|each|both|hurt|injur(?:y|ed)|job|"
    r"project|hobb(?:y|ies)|favou?rite)\b"
)
"""Something has begun, is owned, or is counted."""

OWN = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|we'll|my|our|me)\b")
"""Of the speaker."""

REACTION = re.compile(
    r"(?:wow|that's|that is|thanks|thank you|awesome|great|cool|sounds|congrats|no way|absolutely|definitely|yeah|yep|"
    r"sure|hey|hi|aw+|oh|good)\b"
)
"""Opens what answers another."""

WORDS_MOST = 40


@lru_cache(maxsize=16384)
def promise(text: str) -> int:
    """From -15 to 31."""
    plain = text.casefold().replace("’", "'").strip()
    points = 10 * bool(AHEAD.search(plain)) + 3 * bool(UNDER_WAY.search(plain)) + 8 * bool(OWN.search(plain))
    points -= 5 * bool(REACTION.match(plain)) + 10 * plain.endswith("?")
    return points + min(len(plain.split()), WORDS_MOST) // 4
