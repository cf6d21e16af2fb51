"""How people admit a mistake: phrases as patterns, with single spaces, for lower-case text with plain apostrophes.

The distiller makes no statement of them and the classifier reads them as cues, so there is one list.
"""

from __future__ import annotations

OF_SPEECH = "|".join(
    (
        r"i (?:just |must have )?(?:mistyped|misspoke|misremembered|miscounted|misread|misheard)"
        r"(?: (?:that|it|this|(?:the|my) \w+))?(?: earlier| before)?",
        r"i (?:got|had|have) (?:that|it|this|(?:the|my) \w+) (?:all )?(?:wrong|mixed up)",
        r"i (?:mixed|muddled) (?:that|it|this|them|things|the \w+) up",
        r"i (?:mixed|muddled) up the (?:date|day|time|name|number|year|month)s?",
        r"i was (?:wrong|mistaken)(?: about (?:that|it|the \w+))?",
        r"(?:that was a )?typo",
        r"(?:small |quick )?correction",
    )
)
"""Admit that something was said wrong."""

OF_ANYTHING = "|".join(
    (
        r"(?:(?:that|it|this)(?:'s| is| was) )?my (?:mistake|error|bad)",
        r"i(?:'ve| have)? made an? (?:\w+ )?(?:mistake|error)",
    )
)
"""Admit a mistake that may as well have been made in deed. More words than these tell of something else."""
