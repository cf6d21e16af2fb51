"""Order for current questions: successors before what they replaced, nothing dropped."""

from __future__ import annotations

from query.api import Path, Step
from query.cut import Cut
from query.rank import current_first, take_turns
from tests.kit.space import us
from tests.kit.village import village

NOW = us("2024-05-10")


def order(items: list[list[str]], scores: list[float] | None = None, at: int = NOW) -> list[int]:
    space = village()
    return current_first(items, scores or [0.5] * len(items), Cut(space, space), at, 0.1)


def test_an_item_with_a_past_statement_follows_the_item_with_its_successor() -> None:
    assert order([["job-old"], ["shed"], ["job-new"]]) == [2, 0, 1]


def test_before_the_change_the_order_of_relevance_stays() -> None:
    assert order([["job-old"], ["shed"], ["job-new"]], at=us("2024-03-01")) == [0, 1, 2]


def test_without_its_successor_a_past_statement_keeps_its_place() -> None:
    assert order([["job-old"], ["shed"], []]) == [0, 1, 2]


def test_among_close_current_statements_on_one_attribute_the_newest_leads() -> None:
    assert order([["cat-pim"], ["shed"], ["cat-juno"]]) == [2, 0, 1]


def test_a_newer_statement_that_is_far_less_relevant_is_not_pulled_up() -> None:
    assert order([["cat-pim"], ["shed"], ["cat-juno"]], [0.9, 0.6, 0.5]) == [0, 1, 2]


def path(name: str, *relations: str) -> Path:
    steps = tuple(
        Step(src=f"{name}{i}", dst=f"{name}{i + 1}", relation=relation, kind=None, confidence=1.0)  # type: ignore[arg-type]
        for i, relation in enumerate(relations)
    )
    events = tuple(f"{name}{i}" for i in range(len(relations) + 1))
    return Path(events=events, steps=steps, score=0.0, ns=0.0, pc=0.0, tc=0.0, uv=0.0)


def test_single_events_and_telling_chains_take_turns_and_mere_sequences_come_last() -> None:
    a, b, c = path("a"), path("b"), path("c")
    sequence, cause, update = path("s", "before"), path("x", "before", "causes"), path("u", "updates")
    turns = take_turns([a, sequence, b, cause, c, update])
    assert turns == [a, cause, b, update, c, sequence]
