"""Judging a pair of statements. Read ``protocol`` first; ``offline`` are the rules over ``features`` and ``cues``."""
