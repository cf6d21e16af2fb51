"""What a question is understood to ask: which of the words in it are names that others are addressed by."""

from __future__ import annotations

import pytest

from query.api import QueryRequest
from query.cut import Cut
from query.question import understand
from tests.kit.space import SPACE, MemorySpace, event, message, row, us

ANN = message("m1", "Ann", "2024-01-01", "My dog Juno loves the pier")
BO = message("m2", "Bo", "2024-01-02", "Juno, again on the pier with the dogs")


def proper(question: str, space: MemorySpace) -> tuple[str, ...]:
    request = QueryRequest(
        space=SPACE, question=question, asked_at=us("2024-05-10"), as_of=None, known_at=None, mode="hybrid",
        budget_tokens=200, answer=False,
    )  # fmt: skip
    asked = understand(request, Cut(space, space))
    assert set(asked.proper) <= {word for name in asked.names for word in name.split()}
    return asked.proper


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("What do Ann and Bo do with Juno?", ("Ann", "Bo")),
        ("Where was Juno?", ()),
        ("What do dogs do on the pier, Bo?", ("Bo",)),
    ],
)
def test_only_the_names_of_those_who_speak_are_left_out_of_the_vector(question: str, left_out: tuple[str, ...]) -> None:
    rows = [
        row(event("e1", ANN, participants=("Ann", "Juno"))),
        row(event("e2", BO, participants=("Bo", "Dogs", "Juno"))),
    ]
    assert proper(question, MemorySpace([ANN, BO], rows)) == left_out
