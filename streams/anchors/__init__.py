"""Time phrases in a clause and the intervals they name, resolved per message in the message's own zone.

Reading order: words (tables), clock (local time), units (calendar intervals), nodes (what a parsed phrase is),
day_rules and clock_rules (the grammar), phrases (finding), resolve (the anchor), back (what points
at a time named before).
"""

from .back import refer_back
from .phrases import Phrase, Role, find_phrases
from .resolve import Hemisphere, Tense, message_anchor, resolve, resolve_phrase

__all__ = [
    "Hemisphere",
    "Phrase",
    "Role",
    "Tense",
    "find_phrases",
    "message_anchor",
    "refer_back",
    "resolve",
    "resolve_phrase",
]
