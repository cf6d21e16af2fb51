"""Context assembly: budgets hold, items are whole, nothing is paid for twice, the current comes first."""

from __future__ import annotations

import msgspec
import pytest

from query.api import ContextItem, QueryRequest, QueryResult
from query.context import rendered_text
from query.engine import QueryEngine
from query.render import HEADINGS
from query.settings import QuerySettings
from query.tokens import WordTokens
from schemas.ids import MessageKey
from tests.kit.space import BASIS, SPACE, MemorySpace, anchor, edge, event, message, row, us
from tests.kit.village import village

RULED_OUT = edge("r9", "cat-juno", "updates", "cat-pim", "change").edge
MODES = ("flat", "graph", "hybrid", "graph+ruled_out")


def ask(question: str, mode: str = "hybrid", budget: int = 2000, space: MemorySpace | None = None) -> QueryResult:
    space = space or village()
    request = QueryRequest(
        space=SPACE,
        question=question,
        asked_at=us("2024-05-10"),
        as_of=None,
        known_at=None,
        mode=mode,  # type: ignore[arg-type]
        budget_tokens=budget,
        answer=False,
    )
    result = QueryEngine(space.search(), QuerySettings()).query(request, space, space, BASIS, [RULED_OUT])
    assert all(item.tokens == WordTokens().count(item.text) for item in result.context), "an item is not counted whole"
    return result


def place(items: tuple[ContextItem, ...], words: str) -> int:
    return next(i for i, item in enumerate(items) if words in item.text)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("budget", [0, 3, 20, 60, 150, 400, 2000])
def test_eq_22_the_context_never_exceeds_the_budget(mode: str, budget: int) -> None:
    result = ask("Where does Tilda work?", mode, budget)
    count = WordTokens().count
    headings = sum(count(HEADINGS[kind]) for kind in {item.kind for item in result.context})
    assert result.context_tokens == sum(item.tokens for item in result.context) + headings <= budget
    assert count(rendered_text(result.context)) <= result.context_tokens
    assert 0 <= result.scaffolding_tokens <= result.context_tokens
    assert result.token_counter == "words*1.3"


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [("flat", ["note"]), ("graph", ["path"]), ("hybrid", ["path", "note"]), ("graph+ruled_out", ["path", "ruled_out"])],
)
def test_each_arm_shows_its_own_blocks_the_graph_first(mode: str, kinds: list[str]) -> None:
    shown = [item.kind for item in ask("Where does Tilda work?", mode, 2000).context]
    assert list(dict.fromkeys(shown)) == kinds


def test_arms_with_different_contexts_have_different_hashes_and_one_template() -> None:
    results = [ask("Where does Tilda work?", mode) for mode in MODES]
    assert len({result.context_sha256 for result in results}) == len(MODES)
    assert len({result.template_sha256 for result in results}) == 1


def test_a_ruled_out_relation_is_told_as_such() -> None:
    (item,) = [item for item in ask("What cats does Bram have?", "graph+ruled_out").context if item.kind == "ruled_out"]
    assert item.text == (
        'not updates: "I have a black cat called Juno." (Bram, 2024-04-20)'
        ' → "I have a grey cat called Pim." (Bram, 2024-02-10)'
    )


@pytest.mark.parametrize("budget", [80, 200, 2000])
def test_no_message_is_shown_in_full_twice(budget: int) -> None:
    result = ask("Where does Tilda work?", "hybrid", budget)
    shown = [key for item in result.context for key in item.message_ids]
    assert shown
    assert len(shown) == len(set(shown))


def test_message_ids_are_exactly_those_whose_whole_text_is_shown() -> None:
    space = village()
    for item in ask("Where does Tilda work?", "hybrid", 2000, space).context:
        for conversation, message_id in item.message_ids:
            text = space.message(MessageKey(conversation, message_id))
            assert text is not None
            assert text.content in item.text


def test_a_note_is_rendered_with_its_day_and_speaker() -> None:
    result = ask("Lovely weather", "flat", 30)
    assert result.context[0].text == "[2024-05-04] Bram: Lovely weather, is it not?"


def test_a_message_can_not_imitate_a_heading() -> None:
    text = "Notes:\n[2024-01-01] Bram: I work at the moon"
    space = MemorySpace([message("n", "Eve", "2024-02-01", text)], [])
    (item,) = ask("work", "flat", 99, space).context
    assert "\n" not in item.text


def test_eq_21_notes_take_what_paths_leave_and_paths_what_notes_leave() -> None:
    many = [message(f"n{i:02}", "Bram", "2024-02-01", f"the harbour boat number {i}") for i in range(40)]
    only_notes = MemorySpace(many, [])
    assert ask("harbour boat", "hybrid", 100, only_notes).context_tokens > 85
    rows = [row(event(f"e{i:02}", m, sources=())) for i, m in enumerate(many)]
    with_graph = MemorySpace(many, rows)
    result = ask("harbour boat", "hybrid", 100, with_graph)
    kinds = [item.kind for item in result.context]
    assert set(kinds) == {"path", "note"}
    assert sum(item.tokens for item in result.context if item.kind == "path") <= 40
    told = message("long", "Bram", "2024-02-01", " ".join(f"The harbour boat has number {i}." for i in range(40)))
    spans = [f"The harbour boat has number {i}." for i in range(40)]
    few = MemorySpace([told], [row(event(f"x{i:02}", told, span)) for i, span in enumerate(spans)])
    spilled = ask("harbour boat", "hybrid", 100, few)
    assert sum(item.tokens for item in spilled.context if item.kind == "path") > 40


def test_beside_notes_only_paths_that_say_more_than_they_are_taken() -> None:
    """A single statement is its message again, and what replaced what is in the markers; a reason is in neither."""
    result = ask("Where does Tilda work?", "hybrid", 300)
    chains = [item.text for item in result.context if item.kind == "path" and "--" in item.text]
    assert chains
    assert all("causes" in text or "enables" in text for text in chains)
    alone = [item for item in result.context if item.kind == "path" and len(item.event_ids) == 1]
    told = {event_id for item in result.context if "--" in item.text for event_id in item.event_ids}
    assert {event_id for item in alone for event_id in item.event_ids} <= told


def test_what_is_new_is_shown_first_but_takes_no_room_from_what_is_relevant() -> None:
    """Relevance alone selects: under any budget the same notes stand there, whatever the question's tense."""
    old = message("old", "Bram", "2024-01-05", "My sailing boat is the green sailing boat Heron.")
    new = [message(f"n{i:02}", "Bram", f"2024-03-{i + 1:02}", f"A boat went by, number {i}.") for i in range(20)]
    space = MemorySpace([old, *new], [])
    for budget in (60, 100, 200):
        now = ask("Which sailing boat does Bram have?", "hybrid", budget, space).context
        assert ("c", "old") in {tuple(key) for item in now for key in item.message_ids}
        days = [item.text[1:11] for item in now]
        assert days == sorted(days, reverse=True)


def test_a_note_tells_which_day_its_phrase_means_outside_the_flat_arm() -> None:
    note = message("n", "Bram", "2024-03-10", "I sold the kite yesterday.")
    when = msgspec.structs.replace(anchor(us("2024-03-09"), phrase="yesterday"), resolution="relative")
    sold = event("sold", note, type="action", anchor=when)
    space = MemorySpace([note], [row(sold)])
    (item,) = ask("What did Bram sell?", "hybrid", 60, space).context
    assert item.text.endswith("I sold the kite yesterday. {yesterday = 2024-03-09}")
    assert item.marker == ""
    (flat,) = ask("What did Bram sell?", "flat", 60, space).context
    assert flat.text.endswith("I sold the kite yesterday.")


def test_a_note_is_called_a_plan_when_plans_are_most_of_what_it_says() -> None:
    note = message("n", "Bram", "2024-03-10", "The kite order was stopped for want of silk. I go for a swim.")
    swim = event("swim", note, "I go for a swim.", type="plan", modality="planned")
    (item,) = ask("What was stopped?", "hybrid", 60, MemorySpace([note], [row(swim)])).context
    assert item.text.endswith("I go for a swim.")
    whole = event("swim", note, type="plan", modality="planned")
    (item,) = ask("What was stopped?", "hybrid", 60, MemorySpace([note], [row(whole)])).context
    assert item.text.endswith("I go for a swim. {plan}")


def test_an_item_that_does_not_fit_is_left_out_whole_and_smaller_ones_still_fit() -> None:
    long = message("long", "Bram", "2024-02-01", "harbour " * 60)
    short = message("short", "Bram", "2024-02-02", "the harbour")
    result = ask("harbour", "flat", 30, MemorySpace([long, short], []))
    assert [item.message_ids for item in result.context] == [(("c", "short"),)]


def test_a_retracted_or_unknown_message_is_not_shown() -> None:
    gone = message("gone", "Bram", "2024-02-01", "harbour secret", retracted=True)
    space = MemorySpace([gone, message("n", "Bram", "2024-02-02", "harbour")], [])
    assert "secret" not in rendered_text(ask("harbour secret", "flat", 99, space).context)
    search = space.search()
    later = MemorySpace([], [])
    request = QueryRequest(
        space=SPACE,
        question="harbour",
        asked_at=0,
        as_of=None,
        known_at=1,
        mode="hybrid",
        budget_tokens=99,
        answer=False,
    )
    assert QueryEngine(search, QuerySettings()).query(request, later, later, BASIS).context == ()


def test_the_current_statement_stands_before_the_one_it_replaced_although_that_matches_better() -> None:
    result = ask("Who is a baker at the Corner Mill?", "graph")
    assert result.seeds[0].event_id == "job-old"
    assert place(result.context, "harbour office, I work") < place(result.context, "Tilda: I work as a baker")


def test_notes_of_the_hybrid_arm_are_reordered_and_those_of_the_flat_arm_are_not() -> None:
    question = "I work as a baker at the Corner Mill, or the harbour office?"
    flat = ask(question, "flat").context
    assert place(flat, "Tilda: I work as a baker") < place(flat, "Tilda: First day")


@pytest.mark.parametrize("mode", MODES)
def test_every_item_that_shows_a_superseded_statement_carries_its_marker(mode: str) -> None:
    past = {"I work as a baker": "superseded on 2024-05-02", "is on 14 March": "superseded on 2024-03-05"}
    past |= {"My sister Oda lives in Lund": "corrected"}
    result = ask("Where does Tilda work and Oda live?", mode)
    shown = 0
    for item in result.context:
        for words, marker in past.items():
            if f": {'My dentist appointment ' if 'March' in words else ''}{words}" in item.text:
                shown += 1
                assert marker in item.text
                assert marker in item.marker
    assert shown == 3


def test_a_statement_is_written_out_once_and_then_named_by_its_label() -> None:
    text = rendered_text(ask("Where does Tilda work?", "graph").context)
    assert text.count("] Tilda: First day at the harbour office") == 1
    assert "<-- causes -- E3" in text


def two_statements(**bees: object) -> MemorySpace:
    both = message("n1", "Ann", "2024-02-01", "I keep bees by the harbour. I keep hens by the harbour.")
    rows = [
        row(event("bees", both, "I keep bees by the harbour."), **bees),
        row(event("hens", both, "I keep hens by the harbour.")),
        row(event("job-new", message("m2", "Ann", "2024-05-02", "The bees are sold."))),
    ]
    return MemorySpace([both], rows, [edge("r1", "bees", "enables", "hens")])


def test_two_statements_of_one_message_show_it_in_full_once_and_then_only_the_words_cited() -> None:
    space = two_statements()
    text = rendered_text(ask("What does Ann keep by the harbour?", "graph", 200, space).context)
    assert text.count("I keep bees by the harbour. I keep hens by the harbour.") == 1
    assert 'E2 [2024-02-01] Ann: "I keep' in text


def test_a_statement_whose_message_stands_there_already_is_not_repeated_by_itself() -> None:
    items = ask("What does Ann keep by the harbour?", "graph", 200, two_statements()).context
    assert len([item for item in items if item.event_ids in (("bees",), ("hens",))]) == 1


def test_a_message_shown_in_full_for_a_current_statement_marks_the_past_one_in_it() -> None:
    space = two_statements(valid_until=us("2024-05-02"), by=[("job-new", "r", "change")])
    items = ask("Who has hens, hens, hens?", "graph", 200, space).context
    (full,) = [item for item in items if ("c", "n1") in item.message_ids]
    assert full.event_ids == ("hens",)
    assert full.marker.startswith('in part: "I keep bees by the harbour." superseded on 2024-05-02')
    assert full.marker in full.text


def test_a_long_message_is_shown_by_its_cited_words_and_not_counted_as_shown() -> None:
    long = message("n1", "Ann", "2024-02-01", "I keep bees by the harbour. " + "And so on. " * 60)
    space = MemorySpace([long], [row(event("bees", long, "I keep bees by the harbour."))])
    (item,) = ask("Who keeps bees?", "graph", 100, space).context
    assert item.text == 'E1 [2024-02-01] Ann: "I keep bees by the harbour."'
    assert item.message_ids == ()


def test_notes_said_by_the_person_asked_about_come_first_among_equals() -> None:
    space = MemorySpace(
        [
            message("n1", "Bo", "2024-02-01", "the ferry was late"),
            message("n2", "Ann", "2024-02-01", "the ferry was late"),
        ],
        [row(event("x", message("n3", who, "2024-02-01", "hello"))) for who in ("Ann",)],
    )
    assert place(ask("ferry", "flat", 99, space).context, "Bo:") == 0
    assert place(ask("Did Ann like the ferry?", "flat", 99, space).context, "Ann:") == 0
