"""Small invented chats: a change that is told plainly is found, and what is still true is never retired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from query.api import StateEntry
from tests.kit.encoders import HashingEncoder
from tests.kit.endings import Chat, judge, read, told

SETS = (
    "development", "unseen", "fresh", "lookalikes", "plain", "notices",
    "notices_alike", "notices_fresh", "notices_last", "everyday", "near", "talk", "talk_near",
)  # fmt: skip
CHATS = [chat for name in SETS for chat in read(Path(__file__).parent / "endings" / f"{name}.txt")]
OPEN = {
    "no vegetarian any more": "only the language model of the encoder brings the two together",
    "one of two appointments": "only the trained scorer finds it",
    "one chicken less": "only the trained scorer finds it",
    "a plan dropped": "what one wants is no plan",
    "msgr: unemployed": "a state without a verb or a subject is not read",
    "mail: new position": '"as head of" without "I am" tells no job',
    "mail: contact replaced": "an order is no statement",
    "trap mail: holidays": "an order is no statement",
    "mail: withdrew": '"I would like to" is a wish, also in a letter that does it',
    "trap fam: brother's call": 'whose "your brother" is, where many are spoken to, is not known',
    "fam: learner": "only the language model of the encoder brings the two together",
    "quit 3": "only the language model of the encoder brings the two together",
    "plan 7": "only the language model of the encoder brings the two together",
    "role 1": "only the language model of the encoder brings the two together",
    "sold 1": 'what "it" means as an object is not looked for',
    "plan 6": '"thinking of" is no plan',
    "slip 5": "figures in words are not compared",
    "provider 2": "that an account is what one banks with is not said",
    "a house in York": "that a bought house became the home is not said",
}
"""What is not found, and why."""

DIMENSION = 64


@pytest.fixture(scope="module")
def statements() -> Mapping[str, Sequence[StateEntry]]:
    return told(CHATS, lambda: HashingEncoder(DIMENSION), DIMENSION)


def _cases(chats: Sequence[Chat]) -> list[object]:
    marks = {
        chat.name: (pytest.mark.xfail(reason=OPEN[chat.name], strict=True),) for chat in chats if chat.name in OPEN
    }
    return [pytest.param(chat, id=chat.name, marks=marks.get(chat.name, ())) for chat in chats]


@pytest.mark.parametrize("chat", _cases(CHATS))
def test_what_ended_has_ended_and_what_holds_holds(chat: Chat, statements: Mapping[str, Sequence[StateEntry]]) -> None:
    judged = judge(chat, statements[chat.name])
    assert (judged.wrongly_ended, judged.not_ended, judged.not_found) == ((), (), ())
