"""Answer plans: how to reason over the same evidence, by the shape of the question (section II-F)."""

from __future__ import annotations

import hashlib

from .api import Shape

TEMPLATE = """Answer the question from the evidence below and from nothing else. Each line gives the day it was said.
Text in braces after a statement tells how far it still holds: one marked "superseded", "corrected" or "ended" is not
the present state; a plan is not something done; "outcome unknown" means that nobody said what became of it; of two
contested statements name both. If the evidence does not answer the question, say that it is not known.

{plan}

Asked on {asked}, about the state on {as_of}.

{context}

Question: {question}
Answer:"""

_PLANS: dict[Shape, str] = {
    "temporal": (
        "This question is about time. Turn every date into a calendar date first, relative to the day it was said. "
        "Compare the dates before you call anything current. Answer with the date or the duration."
    ),
    "preference": (
        "This question is about preferences. Collect what the person said over time, the newest last, and answer with "
        "the profile that holds now; mention a former preference only as former."
    ),
    "multi-hop": (
        "This question joins several statements. Follow the relations between the labelled statements step by step, "
        "name each statement you use, and then answer."
    ),
    "factual": "This question asks for one fact. Answer in as few words as it takes.",
    "open": "Answer in one or two sentences, and say which statements lead you there.",
}


def plan_of(shape: Shape) -> str:
    """p_q of Eq. 3: the instruction for a shape."""
    return _PLANS[shape]


def template_sha256(shape: Shape) -> str:
    """Identity of template and plan: equal for all arms of one question."""
    return hashlib.sha256(f"{TEMPLATE}\0{plan_of(shape)}".encode()).hexdigest()
