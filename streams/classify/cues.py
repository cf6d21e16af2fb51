"""Cue phrases by which people say that something they said before has changed, ended, happened or was wrong.

Every pattern is matched on case-folded text with plain apostrophes.
"""

from __future__ import annotations

import re

from ..admissions import OF_ANYTHING, OF_SPEECH


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?:{pattern})" for pattern in patterns))


_START = r"(?:^|[.,;:!?(–—-] ?)(?:(?:wait|sorry|oops|whoops|ah|oh|no|actually|well|so|but|as|because),? ){0,4}"
_STOP = r"(?=\s*(?:$|[.,;:!?)–—-]))"
"""Between them stands what says no more than its own words: "my mistake:", not "my mistake at work"."""

WITHDRAWN = _any(
    r"\b(?:i was|i'm|i am|was) (?:only |just )?(?:joking|kidding)\b",
    r"\bjust (?:joking|kidding)\b",
    r"\bscratch that\b",
    r"(?<!n't )(?<!not )(?<!never )(?<!to )\b(?:forget|ignore) (?:what i (?:just )?said|that|my last)\b",
    r"\bi take (?:that|it) back\b",
    r"\bthat was a joke\b",
)
"""The speaker takes something back and puts nothing in its place."""

CORRECTION = _any(
    r"^correction\b",
    r"\bcorrection:",
    r"\bi meant\b(?! to\b)",
    r"\bi mean to say\b",
    r"\b(?:mis(?:typed|spoke|read|heard|remembered|counted|spelled|spelt|calculated)|typo|autocorrect|autocomplete)\b",
    r"\bstrike that\b",
    r"\b(?:i (?:got|had)|got) (?:that|it|the \w+) (?:all )?wrong\b",
    rf"{_START}(?:{OF_ANYTHING}){_STOP}",
    r"\bi was mistaken\b",
    r"\bi was wrong\b",
    r"\bi (?:mixed|muddled) (?:that|it|this|them|things|the \w+) up\b",
    r"\bnever (?:was|were) anything (?:else|but)\b",
    r"\ball along\b",
    r"\bslip of the tongue\b",
    r"\b(?:read|wrote|copied|quoted|told you|gave you|picked|said) the wrong\b",
    r"\bread (?:it|that|the \w+) wrong\b",
    r"\bfalse alarm\b",
    r"\b(?:flipped|transposed|swapped) (?:the|two) (?:digits|numbers|figures|letters)\b",
    r"\b(?:has|had) (?:it|that) wrong\b",
    r"\b(?:mixed|muddled) up\b(?! [\w ]{1,30} and\b)",
    r"\bthe (?:correct|right|actual) \w+(?: \w+){0,3} (?:is|are|was)\b(?! (?:not|to)\b)",
)
"""What was said before was wrong from the start."""

ADMISSION = re.compile(rf"(?:{OF_SPEECH}|{OF_ANYTHING})[.!]*")
"""The whole text admits a mistake and puts nothing in its place."""

NEVER = _any(r"\b(?:was|were|had) never\b", r"\bnever (?:was|were|lived|worked)\b")
"""Denies that something ever was so. Alone it may as well tell of a life: "I was never on a plane"."""

CANCELLED = _any(
    r"\bcancel(?:l?ed|s|l?ing)?\b",
    r"\bcall(?:ed|ing)?\b[^.;!?]{0,30}\boff\b",
    r"\b(?:is|are|was|were|it's|that's|'s) off\b(?! (?:to|work|on|sick))",
    r"\bscrapped\b",
    r"\bshelved\b",
    r"\b(?:bail(?:ed|ing)?|back(?:ed|ing)? out|pull(?:ed|ing)? out|drop(?:ped|ping)? out)\b",
    r"\b(?:won't|will not|aren't|isn't|am not|i'm not|is not|are not) (?:be )?(?:happening|going ahead|taking place)\b",
    r"\bfell through\b",
    r"\b(?:won't|will not|wouldn't|not) (?:be )?(?:take place|go ahead|happen)\b",
    r"\bdropped (?:the|my|our|it|that)\b",
    r"\bthere (?:will be|is|'s) no(?: longer)?\b",
    r"\b(?:decided|chose|opted) (?:against|not to)\b",
    r"\bchanged my mind\b",
    r"\bgave up on\b",
    r"\bnot (?:going|doing|having) (?:\w+ ){0,3}(?:after all|any ?more|any longer)\b",
)
"""A plan or an arrangement will not happen."""

MOVED = _any(
    r"\bre-?scheduled?\b",
    r"\bpostponed?\b",
    r"\b(?:pushed|put|brought|bumped|shifted) (?:\w+ ){0,4}(?:back|forward|to|until)\b",
    r"\bmoved? (?:[\w']+ ){0,5}(?:from|to|up|back|forward|until)\b",
    r"\b(?:delayed|re-?arranged|swapped|reshuffled)\b",
)
"""An arrangement has another time or place now."""

SHIFTED = _any(
    r"\b(?:moved|moving|pushed|bumped|shifted|swapped|instead|changed|not on)\b",
    r"\bre-?scheduled?\b",
    r"\bpostponed?\b",
)
"""Weaker words for the same, which count where both statements name a day or a time."""

CHANGED = _any(
    r"\bno longer\b",
    r"\bany ?more\b",
    r"\bany longer\b",
    r"\binstead(?! of\b)",
    r"\bswitched\b",
    r"\bchanged (?:my|our|the|his|her|their|it|to|from)\b",
    r"\breplaced\b",
    r"\b(?:has|have|'s|'ve) (?:now )?(?:become|turned into)\b",
    r"\btook over\b",
    r"(?<!who )(?<!that )\bused to\b(?! (?:it|this|that|the)\b)",
    r"\bnot [\w\s]{1,25}(?:now|these days)\b",
)
"""Something is no longer as it was."""

HEALED = r"\b(?:healed|cleared up|went away|is fine again|are fine again|back to normal)\b"
"""Something bad has passed."""

ENDED = _any(
    r"\bno longer\b",
    r"\bany ?more\b",
    r"\bany longer\b",
    r"\b(?:quit|resigned|retired)\b",
    r"\bstopped\b",
    r"\b(?:gave|given|giving) (?:it |that |up )+",
    r"\bbroke(?:n)? (?:it )?(?:up|off)\b",
    r"\bsplit up\b",
    r"\bparted ways\b",
    r"\bgot divorced\b",
    r"(?<!who )(?<!that )\bused to\b(?! (?:it|this|that|the)\b)",
    r"\b(?:sold|got rid of|gave away|returned)\b",
    r"\b(?:ended(?! up)|expired|is over|has closed|closed down|shut down|died|passed away)\b",
    r"\bdropped (?:out|the|my|our)\b",
    r"\bgot over\b",
    r"\bmoved out of\b",
    r"\b(?:turned|switched) (?:\w+ ){0,4}off\b",
    r"\b(?:removed|disabled|uninstalled)\b",
    HEALED,
)
"""A state has ended."""

GIVEN = re.compile(
    r"\b(?:handed|passed|gave|given) (?!(?:me|us|you|him|her|them)\b)(?:over |on )?"
    r"(?P<what>[\w' -]{3,40}?) (?:over |on )?to\b"
)
"""Something is somebody else's now; ``what`` it is."""

NOT_ENDED = _any(
    r"(?:n't|\bnot|\bnever|\bwithout) (?:\w+ ){0,2}(?:quit|stop|end|retire|resign|sell|g[ai]ve|giving|drop)\w*\b",
)
"""The denial of an end, which is no end: "I won't quit", "never gave up"."""

IDIOM = _any(r"\bcan't (?:wait|believe|help|complain)\b", r"\bno (?:worries|doubt|problem)\b", r"\bnot only\b")
"""Denials in form only."""

NO_MORE = _any(r"\bno longer\b", r"\bany ?more\b", r"\bany longer\b", r"\bafter all\b")
"""With a denial: it was so, or was to be so, and is not."""

LEFT = _any(r"\b(?:left|leaving)\b")
"""Ends what has the same value: "I left" a firm, a band, a town."""

RETAKEN = _any(r"\b(?:scrap|scratch|strike|forget|ignore) that\b", r"\bafter all\b", r"\binstead\b", r"\bi meant\b")
"""What was said right before is replaced by what these words come with."""

TEMPORARY = _any(
    r"\b(?:staying|visiting|temporarily|on (?:holiday|vacation|tour)|for now|just for|until)\b",
    r"\bfor (?:a|the|one|two|three|four|five|six|\d+) (?:\w+ )?(?:days?|nights?|weeks?|weekends?)\b",
)
"""Something for a while, which replaces nothing."""

NOW = _any(
    r"\bnow\b(?! that\b)", r"\bthese days\b", r"\bnowadays\b", r"\bfrom now on\b", r"\bas of\b", r"\bcurrently\b"
)
"""The newer statement speaks of the present as against the past."""

ADDED = _any(
    r"\b(?:as well|also|another|again|the other|both|a second|in addition)\b",
    r"\btoo\b(?! (?:much|many|long|late|\w+ (?:to|for)))",
    r"\bas (?:ever|always|before|usual)\b",
)
"""The newer statement adds something beside the older one, or repeats it, and leaves it standing."""

ONE_OFF = _any(
    r"\btoday\b", r"\btonight\b", r"\bthis (?:morning|afternoon|evening|once|time|week|\w+day)\b", r"\byesterday\b",
    r"\bfor once\b", r"\blast night\b", r"\bjust this\b",
)  # fmt: skip
"""One occasion, which does not end a habit."""

LATELY = _any(
    r"\bsince (?:yesterday|breakfast|lunch|dinner|noon|(?:this|the) morning|last night|\w+day(?: morning| night)?)\b",
    r"\byet\b",
)
"""With a denial: not for the last hours or days, which ends nothing."""

HABIT = _any(
    r"\b(?:always|every|usually|never|mostly|daily|weekly)\b",
    r"\b\w+days\b",
    r"\b\w+day (?:mornings|afternoons|evenings|nights)\b",
)
"""A habit, which one occasion does not end."""

UNREAL = _any(
    r"\?\s*$",
    r"^(?:what if|imagine|suppose|if only|if)\b",
    r"\bwhat if\b",
    r"\bimagine\b",
    r"\b(?:might|maybe|perhaps|could|would|wish|should|thinking (?:of|about)|tempted|dreamt|dreamed)\b",
    r"\bif (?:i|we|you|he|she|they|it)\b",
)
"""Questions, wishes and thought experiments. The distiller leaves them out; a producer's text may still hold one."""
