"""How people spell in messengers: "im", "dont", "nr", "w/": one list for the distiller and the classifier.

Only forms that are no other English word in a message. Nothing is rewritten in what is stored: readers look words up
here, and places in the text stay what they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

JOINED: dict[str, tuple[str, str]] = {
    "im": ("i", "'m"), "ive": ("i", "'ve"), "youre": ("you", "'re"), "theyre": ("they", "'re"), "thats": ("that", "'s"),
    "hes": ("he", "'s"), "shes": ("she", "'s"), "weve": ("we", "'ve"), "theyve": ("they", "'ve"),
    "youve": ("you", "'ve"), "theres": ("there", "'s"), "whos": ("who", "'s"), "outta": ("out", "of"),
}  # fmt: skip
"""Two words written as one: the first, as long as it is there, and the rest."""

SPELLED = {
    "u": "you", "ur": "your", "w": "with", "nr": "number", "addr": "address", "appt": "appointment", "fav": "favourite",
    "fave": "favourite", "gf": "girlfriend", "bf": "boyfriend", "rn": "now", "def": "definitely", "defo": "definitely",
    "prob": "probably", "probs": "probably", "prolly": "probably", "rly": "really", "cos": "because", "coz": "because",
    "couldnt": "couldn't", "wouldnt": "wouldn't", "shouldnt": "shouldn't", "hadnt": "hadn't", "aint": "ain't",
    "bday": "birthday", "hols": "holiday", "thru": "through", "thx": "thanks", "ty": "thanks",
    "pls": "please", "plz": "please", "ppl": "people", "msg": "message", "sth": "something", "smth": "something",
    "bbq": "barbecue",
    "didnt": "didn't", "doesnt": "doesn't", "dont": "don't", "cant": "can't", "wont": "won't",
    "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't", "werent": "weren't", "havent": "haven't", "hasnt": "hasn't",
}  # fmt: skip
"""One word for another."""

IT_IS = frozenset("a an the my not been all at on in off over gone done so too just now still".split())  # noqa: SIM905
"""Before one of these "its" is "it's"."""
_OF_IT = re.compile(rf"\bits(?= (?:{'|'.join(sorted(IT_IS))})\b)", re.IGNORECASE)
_WORD = re.compile(rf"\b(?:{'|'.join(sorted((*JOINED, *SPELLED), key=len, reverse=True))})\b", re.IGNORECASE)
MOST = 4000
"""Characters that are looked at."""


@lru_cache(maxsize=4096)
def spelled_out(text: str) -> str:
    """The text with these words as a book would have them, for patterns; places are not those of the text."""
    if len(text) > MOST:
        return text
    return _WORD.sub(_in_full, _OF_IT.sub("it's", text))


def _in_full(match: re.Match[str]) -> str:
    word = match[0].lower()
    if word not in JOINED:
        return SPELLED[word]
    first, rest = JOINED[word]
    return first + rest if rest.startswith("'") else f"{first} {rest}"
