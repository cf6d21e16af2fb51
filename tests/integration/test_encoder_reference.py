"""Our graph against sentence-transformers, on the same weights. Skipped without requirements-reference.txt."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from ops.model import find, load_encoder
from views.encoder import reference

TEXTS = (
    "I moved to Rotterdam in March.",
    "We're thinking about a trip to the lake next summer",
    "The appointment was on the 12th; now it is on the 14th.",
    "no",
    "ok!!!",
    "",
    " ",
    ".",
    "🎉",
    "👩‍👩‍👧‍👦 family picture 📷",
    "我们下周搬家。",
    "日本語のテキストです",
    "한국어 문장입니다",
    "Прывітанне, як справы?",
    "مرحبا بالعالم",
    "שלום עולם",
    "नमस्ते दुनिया",
    "Ñandú über façade coöperate",
    "e\u0301 and é",
    "THE SAME IN CAPITALS",
    "the same in capitals",
    "snake_case and kebab-case and CamelCase",
    "https://example.org/a/b?c=d&e=f#g",
    "someone@example.org",
    "1234567890 3.14159 1,000,000",
    "a\tb\nc\r\nd",
    "zero\u200bwidth\u00a0space",
    "“curly” ‘quotes’ — dashes… ½ ﬁ",
    "x" * 99,
    "x" * 101,
    "antidisestablishmentarianism pseudopneumonoultramicroscopic",
    "I used to work at the harbour, but since May I teach maths at the school behind the station.",
    "Could you remind me to call the plumber? The kitchen tap is dripping again and it drives me mad.",
    "Not really; my sister does, though. She has had two cats for years, and lately a tortoise as well.",
    "the " * 50,
    "river mountain " * 126,
    "river mountain " * 127 + "sea",
    "one more word " * 200,
    "z" * 10_000,
    "Question? Answer. Question? Answer! " * 40,
)


def test_our_vectors_equal_those_of_the_reference() -> None:
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed (requirements-reference.txt)")
    ours = load_encoder().encode(TEXTS)
    theirs = reference.load(find().location).encode(TEXTS)
    assert len(TEXTS) == 40
    cosines = np.sum(ours.astype(np.float64) * theirs.astype(np.float64), axis=1)
    worst = int(np.argmin(cosines))
    assert cosines[worst] >= 0.9999, f"{TEXTS[worst][:60]!r}: {cosines[worst]}"
    assert float(np.max(np.abs(ours - theirs))) < 1e-4
