"""The engine as a whole: Algorithm 1 ends in the same bytes for the same cut, and says what it rests on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from query.api import QueryRequest, QueryResult
from query.context import rendered_text
from query.engine import QueryEngine
from query.settings import QuerySettings
from tests.kit.space import BASIS, SPACE, MemorySpace, us
from tests.kit.village import village
from views.rows import EventRow

GOLDEN = Path(__file__).parents[1] / "golden" / "query_context.txt"


def ask(question: str, space: MemorySpace | None = None, **changes: object) -> QueryResult:
    space = space or village()
    fields: dict[str, object] = {
        "space": SPACE,
        "question": question,
        "asked_at": us("2024-05-10"),
        "as_of": None,
        "known_at": None,
        "mode": "hybrid",
        "budget_tokens": 300,
        "answer": True,
    }
    request = QueryRequest(**(fields | changes))  # type: ignore[arg-type]
    return QueryEngine(space.search(), QuerySettings()).query(request, space, space, BASIS)


def test_the_same_question_on_the_same_cut_gives_the_same_bytes() -> None:
    first, second = (msgspec.json.encode(ask("Where does Tilda work?")) for _ in range(2))
    assert first == second


def test_what_earlier_questions_left_in_memory_changes_no_answer() -> None:
    """Warm is cold: links, lines, facts and markers are remembered by the cut."""
    questions = ("Where does Tilda work?", "When is Bram's dentist appointment?", "Where does Oda live?", "Who sings?")
    warm = village()
    for at in ("2024-05-10", "2024-02-15"):
        for question in questions:
            changes = {"as_of": us(at), "mode": "hybrid", "trace": True}
            again, anew = ask(question, warm, **changes), ask(question, village(), **changes)
            assert msgspec.json.encode(again) == msgspec.json.encode(anew)


def test_the_context_is_as_recorded() -> None:
    """``tests/golden/query_context.txt``: look at a difference before you record it anew."""
    assert rendered_text(ask("Where does Tilda work?").context) + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_the_reply_carries_shape_instant_seeds_and_basis() -> None:
    result = ask("Where does Tilda work?", known_at=7)
    assert (result.shape, result.as_of, result.known_at, result.basis) == ("factual", us("2024-05-10"), 7, BASIS)
    assert {seed.family for seed in result.seeds} == {"note"}


def test_paths_come_best_first_with_their_four_signals() -> None:
    paths = ask("Where does Tilda work?").paths
    assert [path.score for path in paths] == sorted((path.score for path in paths), reverse=True)
    for path in paths:
        assert path.score == pytest.approx(0.4 * path.ns + 0.3 * path.pc + 0.15 * path.tc + 0.15 * path.uv)


def test_a_few_notes_lead_by_entities_updates_and_themes_to_the_rest() -> None:
    space = village()
    request = QueryRequest(
        space=SPACE,
        question="Where does Tilda work?",
        asked_at=us("2024-05-10"),
        as_of=None,
        known_at=None,
        mode="hybrid",
        budget_tokens=15,
        answer=False,
    )
    engine = QueryEngine(space.search(), QuerySettings(seed_notes=1, entity_seeds=1))
    seeds = engine.query(request, space, space, BASIS).seeds
    assert {seed.family for seed in seeds} >= {"note", "update"}


def test_an_answer_is_given_only_when_asked_for() -> None:
    result = ask("Where does Tilda work?", answer=False)
    assert result.answer is None
    assert result.citations == ()


def test_an_empty_space_answers_that_nothing_is_known() -> None:
    result = ask("Where does Tilda work?", MemorySpace([], []))
    assert (result.seeds, result.paths, result.context, result.context_tokens) == ((), (), (), 0)
    assert result.answer is not None
    assert not result.answer.known


def test_an_event_asserted_without_a_message_is_ranked_quoted_and_not_cited() -> None:
    told = village().event("job-new")
    assert told is not None
    row: EventRow = msgspec.structs.replace(told, event=msgspec.structs.replace(told.event, sources=()))
    result = ask("Where does Tilda work?", MemorySpace([], [row]))
    assert result.answer is not None
    assert '"First day at the harbour office' in result.answer.text
    assert result.citations == ()
    assert result.paths[0].ns > 0


def test_template_differs_by_shape_only() -> None:
    assert ask("Where does Tilda work?").template_sha256 == ask("Where does Oda live?").template_sha256
    assert ask("Where does Tilda work?").template_sha256 != ask("When did Tilda start?").template_sha256
