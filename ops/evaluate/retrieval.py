"""Suite ``retrieval``: does the context hold the evidence? LoCoMo's questions of categories 1 to 4.

One query per budget; an evidence turn counts when an item shows that message's full text. Tokens are counted by the
engine's own rule, which is that of the public baselines: ceil(1.3 × words) of the rendered item.
"""

from __future__ import annotations

from collections.abc import Sequence

from query.api import ContextItem
from schemas.ids import SpaceKey

from .ablations import mode_of
from .data import Question, number_of, sample_numbers
from .memory import after_last
from .suite import Scores, Task

BUDGETS = {"r_1k": 1_000, "r_2k": 2_000, "r_4k": 4_000, "r_10k": 10_000}
CATEGORIES = (1, 2, 3, 4)
FIRST = 10


def run(task: Task) -> Scores:
    """Recall of evidence turns under every budget, and among the first ten ids of the largest context."""
    samples = task.data.samples()
    sums: dict[str, float] = {}
    totals: dict[str, int] = {}
    details: list[str] = []
    for place in sample_numbers(samples, task.samples):
        space = task.memory.import_locomo(task.data.locomo, place)
        known = {message.message_id for message in task.memory.messages(task.data.locomo, place)}
        at = after_last(task.memory.statements(space, 0))
        asked = [(q, known.intersection(q.evidence)) for q in samples[place].qa if q.category in CATEGORIES]
        task.memory.say(f"asking {len(asked)} questions of conversation {number_of(samples, place)}")
        for question, evidence in asked:
            if not evidence:
                continue
            got = recalls(task, space, question, evidence, at)
            for name, value in got.items():
                for key in (name, f"{name}_cat{question.category}"):
                    sums[key] = sums.get(key, 0.0) + value
                    totals[key] = totals.get(key, 0) + 1
            if got["r_4k"] < 1:
                details.append(f"{place} 4k lacks {sorted(evidence)}: {question.question}")
    metrics = {name: sums[name] / totals[name] for name in sorted(sums)}
    return Scores(metrics={**metrics, "questions": totals.get("r_1k", 0)}, details=details)


def recalls(task: Task, space: SpaceKey, question: Question, evidence: set[str], at: int) -> dict[str, float]:
    """Share of the evidence in each context."""
    found: dict[str, float] = {}
    items: Sequence[ContextItem] = ()
    for name, budget in BUDGETS.items():
        items = task.memory.ask(space, question.question, at, budget, mode=mode_of(task.variant)).context
        found[name] = len(evidence.intersection(shown_ids(items))) / len(evidence)
    found["r_at_10"] = len(evidence.intersection(shown_ids(items)[:FIRST])) / len(evidence)
    return found


def shown_ids(items: Sequence[ContextItem]) -> list[str]:
    """Messages whose full text the items show, in context order, each once."""
    return list(dict.fromkeys(message for item in items for _, message in item.message_ids))
