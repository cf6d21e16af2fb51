"""Openings that only introduce a statement ("turns out", "note that", "I think", "tell Mia")."""

from __future__ import annotations

from .cues import cue_pattern, lowered, opens_with
from .finite import Tokens
from .lexicon import acts as words
from .lexicon import grammar as g

_FRAME = cue_pattern((*words.FRAMES, *words.HEDGES))


def strip_frame(text: str, tokens: Tokens) -> int:
    """How many leading words only introduce the statement ("turns out", "note that", "I think")."""
    start = _told_to(tokens)
    for _ in range(3):
        if start >= len(tokens):
            break
        low = lowered(text[tokens[start].start : tokens[-1].end])
        frame = opens_with(low, _FRAME)
        if frame is None:
            break
        stop = tokens[start].start + len(frame)
        ahead = start + sum(t.start < stop for t in tokens[start:])
        if ahead >= len(tokens):
            break
        start = ahead + (tokens[ahead].word == "that" and ahead + 1 < len(tokens))
    return start


def _told_to(tokens: Tokens) -> int:
    """ "Tell Mia I can't come": what is to be told is the statement."""
    if (
        len(tokens) > 4
        and tokens[0].word in ("tell", "remind")
        and (tokens[1].capital or tokens[1].word in ("him", "her", "them"))
    ):
        ahead = 2 + (tokens[2].word == "that")
        return ahead if tokens[ahead].word in g.SUBJECT_PRONOUNS | {"my", "our"} else 0
    return 0
