"""Small invented chats as a user's system reads them, the embedding model and the trained scorer with it.

``tests/unit/test_endings.py`` asks the rules alone what they find; here is asked what the scorer adds and spoils: a
true statement that is retired is worse than an old one that still stands.
"""

from __future__ import annotations

from pathlib import Path

from ops.model import load_encoder
from ops.settings import Settings
from tests.kit.endings import Chat, judge, read, told

SETS = Path(__file__).parents[1] / "unit" / "endings"
WRONG: dict[tuple[str, str], str] = {}
"""What is known to be retired wrongly, and why."""

FOUND = 370
"""Of 445 ends told in these sets; 378 when this was written."""


def test_with_the_scorer_nothing_true_is_retired_and_most_ends_are_found() -> None:
    encoder = load_encoder(Settings().model)
    chats: list[Chat] = [chat for path in sorted(SETS.glob("*.txt")) for chat in read(path)]
    statements = told(chats, lambda: encoder, encoder.dimension)
    judged = [(chat, judge(chat, statements[chat.name])) for chat in chats]
    wrong = {(chat.name, quote) for chat, found in judged for quote in found.wrongly_ended}
    missed = sum(len(found.not_ended) + len(set(found.not_found) & set(chat.gone)) for chat, found in judged)
    assert wrong == set(WRONG)
    assert sum(len(chat.gone) for chat in chats) - missed >= FOUND
