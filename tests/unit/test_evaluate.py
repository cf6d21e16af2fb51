"""How predictions are matched and dates compared, on invented conversations."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import cast, get_args

import msgspec
import pytest

from ops.evaluate.anchors import is_hit
from ops.evaluate.curve import add_links, curve
from ops.evaluate.data import AnchorQuestion, BadDataError, Data, Utterance, UtteranceEvent
from ops.evaluate.intervals import day_us, unit_around, widened, wilson
from ops.evaluate.matching import Gold, Predicted, distance, match, turn
from ops.evaluate.retrieval import shown_ids
from ops.evaluate.statebench import MODES, Fact, Known, Replay, Timeline, is_retired, statements
from ops.evaluate.stress import look
from ops.evaluate.suite import Task
from ops.evaluate.tables import section, table, update_results
from ops.evaluate.utterances import Found, is_dated
from ops.report import Report
from query.api import ContextItem, EdgeEntry, StateEntry
from schemas.edges import Relation
from schemas.times import Precision, parse_time


def gold(name: str, old: tuple[int, int], new: tuple[int, int]) -> Gold:
    return Gold(id=name, old=(old,), new=(new,))


def predicted(old: tuple[int, int], new: tuple[int, int]) -> Predicted:
    return Predicted(old_id=f"o{old}", new_id=f"n{new}", old=(old,), new=(new,), ended_at=None)


def test_only_turns_have_a_place() -> None:
    assert turn("D12:7") == (12, 7)
    assert turn("D12") is None
    assert turn("D1:2; D1:3") is None


def test_turns_are_close_within_two_of_the_same_session() -> None:
    assert distance([(1, 5)], [(1, 7)]) == 2
    assert distance([(1, 5)], [(1, 8)]) is None
    assert distance([(1, 5)], [(2, 5)]) is None
    assert distance([(1, 1), (3, 4)], [(3, 5)]) == 1


def test_the_closest_prediction_takes_the_gold_pair_and_the_other_is_wrong() -> None:
    found = match([predicted((1, 3), (4, 4)), predicted((1, 2), (4, 4))], [gold("g", (1, 2), (4, 4))], [])
    assert found.pairs == ((1, 0),)
    assert found.neutral == ()


def test_a_pair_the_wrong_way_round_does_not_count() -> None:
    assert match([predicted((4, 4), (1, 2))], [gold("g", (1, 2), (4, 4))], []).pairs == ()


def test_joining_the_ends_of_a_chain_is_neither_right_nor_wrong() -> None:
    chain = [gold("a", (1, 1), (2, 1)), gold("b", (2, 1), (3, 1)), gold("c", (3, 1), (4, 1))]
    found = match([predicted((1, 1), (2, 1)), predicted((1, 1), (3, 1)), predicted((1, 1), (4, 1))], chain, [])
    assert found.pairs == ((0, 0),)
    assert found.neutral == (1, 2)


def test_a_trap_is_hit_in_either_direction_but_not_by_what_is_right() -> None:
    wanted, trap = [gold("g", (1, 1), (2, 1))], gold("t", (1, 2), (2, 2))
    assert match([predicted((1, 1), (2, 1))], wanted, [trap]).trapped == ()
    assert match([predicted((2, 9), (1, 9))], wanted, [gold("t", (1, 9), (2, 9))]).trapped == (0,)


@pytest.mark.parametrize(
    ("precision", "first", "after"),
    [
        ("day", date(2020, 12, 30), date(2020, 12, 31)),
        ("session", date(2020, 12, 30), date(2020, 12, 31)),
        ("week", date(2020, 12, 28), date(2021, 1, 4)),
        ("month", date(2020, 12, 1), date(2021, 1, 1)),
        ("year", date(2020, 1, 1), date(2021, 1, 1)),
    ],
)
def test_a_gold_date_stands_for_its_unit(precision: str, first: date, after: date) -> None:
    assert unit_around(date(2020, 12, 30), precision) == (day_us(first), day_us(after))


def test_an_interval_is_widened_by_one_unit_on_either_side() -> None:
    assert widened(date(2021, 3, 1), date(2021, 4, 1), "month") == (day_us(date(2021, 2, 1)), day_us(date(2021, 5, 1)))
    assert widened(date(2021, 3, 3), date(2021, 3, 4), "day") == (day_us(date(2021, 3, 2)), day_us(date(2021, 3, 5)))


def test_a_share_has_a_wilson_interval() -> None:
    low, high = wilson(5, 10)
    assert (round(low, 3), round(high, 3)) == (0.237, 0.763)
    assert wilson(0, 0) == (0.0, 1.0)


def item(*messages: str, marker: str = "") -> ContextItem:
    return ContextItem(
        kind="note", text="", tokens=1, event_ids=(), message_ids=tuple(("c", m) for m in messages), marker=marker,
        score=0.0,
    )  # fmt: skip


def test_ids_count_once_in_context_order() -> None:
    assert shown_ids([item("b", "a"), item("a"), item("c")]) == ["b", "a", "c"]


def test_a_turn_that_states_both_counts_as_current() -> None:
    shown = look([item("x"), item("both"), item("old", marker="superseded on …")], ["both"], ["old", "both"])
    assert (shown.current, shown.outdated, shown.unmarked, shown.current_first) == (1, 2, False, True)


def test_an_outdated_turn_alone_is_unmarked_and_not_second() -> None:
    shown = look([item("old")], ["new"], ["old"])
    assert (shown.current_first, shown.unmarked) == (False, True)


@pytest.mark.parametrize(
    ("gold_interval", "got", "right"),
    [
        (("2031-03-04", "2031-03-05", "day"), ("2031-03-04T06:00:00+02:00", "2031-03-04T12:00:00+02:00"), True),
        (("2031-03-04", "2031-03-05", "day"), ("2031-03-04T18:00:00+02:00", "2031-03-05T00:00:00+02:00"), True),
        (("2031-03-04", "2031-03-05", "day"), ("2031-03-05T06:00:00+02:00", "2031-03-05T12:00:00+02:00"), False),
        (("2031-03-04", "2031-03-05", "day"), ("2031-03-03T00:00:00+02:00", "2031-03-10T00:00:00+02:00"), False),
        (("2031-03-03", "2031-03-10", "week"), ("2031-03-04T00:00:00+02:00", "2031-03-05T00:00:00+02:00"), False),
        (
            ("2031-03-04T06:00:00+02:00", "2031-03-04T12:00:00+02:00", "hour"),
            ("2031-03-04T00:00:00+02:00", "2031-03-05T00:00:00+02:00"),
            False,
        ),
    ],
)
def test_an_interval_is_compared_at_the_precision_of_gold(
    gold_interval: tuple[str, str, str], got: tuple[str, str], right: bool
) -> None:
    start, until, precision = gold_interval
    event = UtteranceEvent("asserted", "affirmed", "q", start, until, precision)
    said = Utterance("u", "Ruth", None, "user", "2031-03-04T13:00:00+02:00", "q", (event,), None)
    anchor = SimpleNamespace(start=parse_time(got[0])[0], until=parse_time(got[1])[0])
    entry = cast("StateEntry", SimpleNamespace(event=SimpleNamespace(anchor=anchor)))
    assert is_dated(Found(gold=event, entry=entry), said) is right


def test_a_bad_line_is_named(tmp_path) -> None:
    (tmp_path / "anchors").mkdir()
    (tmp_path / "anchors/anchors.jsonl").write_text('{"id": "q"}\n')
    with pytest.raises(BadDataError, match="line 1"):
        Data(tmp_path).anchors()
    with pytest.raises(BadDataError, match="--data"):
        Data(tmp_path).stress()


def test_names_of_the_data_are_read_as_they_are_written() -> None:
    raw = b'{"id":"q","sample":2,"dia_ids":["D1:1"],"from":"2021-01-01","until":"2021-01-02","precision":"day"}'
    assert msgspec.json.decode(raw, type=AnchorQuestion).start == "2021-01-01"


def test_every_precision_of_the_data_can_be_judged() -> None:
    for precision in (*get_args(Precision), "weekend"):
        asked = AnchorQuestion(
            id="q", sample=0, dia_ids=("D1:1",), start="2021-03-06", until="2021-03-08", precision=precision
        )
        assert not is_hit(asked, ())


def test_results_replace_the_section_of_the_same_command_only(tmp_path) -> None:
    def made(value: float) -> Report:
        return Report(
            suite="evaluate x", commit="c", data_sha256="d" * 64, config_sha256="e" * 64, at="2021-01-01T00:00:00Z",
            metrics={"found": value}, intervals={"found": (0.1, 0.9)},
        )  # fmt: skip

    path = tmp_path / "R.md"
    update_results(path, made(0.25), "run b")
    update_results(path, made(0.5), "run a")
    update_results(path, made(0.75), "run b")
    text = path.read_text()
    assert "0.250" not in text
    assert text.index("run a") < text.index("run b")
    assert section(made(0.75), "run b") in text
    assert "\n\n\n" not in text
    assert "0.750" in table(made(0.75))


def known(value: str, *, retired: bool) -> Known:
    return Known(event_key="k", fact=Fact(id="i", key="k", value=value), retired=retired)


def test_a_string_is_retired_when_no_fact_that_holds_has_its_words() -> None:
    assert is_retired("Room 9", [known("meet in room 9", retired=True), known("meet in room 91", retired=False)])
    assert not is_retired("room", [known("meet in room 9", retired=True), known("meet in room 91", retired=False)])
    assert not is_retired("hall", [known("meet in room 9", retired=True)])


def test_what_is_retired_does_not_depend_on_what_a_mode_imports() -> None:
    """From turns alone the question is the same: the fact they told is retired, though nobody asserted it."""
    told = {"id": "f1", "key": "hall", "value": "meet in the red hall"}
    later = {"id": "f2", "key": "hall_2", "value": "meet in the barn", "supersedes": "hall"}
    truth = {"must_mention": ["barn"], "must_not_mention": ["red hall"]}
    events = [
        {"ts": "2024-05-01T10:00:00", "type": "conversation_turn", "text": "The red hall it is."},
        {"ts": "2024-05-01T10:01:00", "type": "state_write", "writes": [told]},
        {"ts": "2024-05-02T10:00:00", "type": "supersession", "writes": [later]},
        {"ts": "2024-05-03T10:00:00", "type": "query", "prompt": "Where?", "ground_truth": truth},
    ]
    start = {"persistent_facts": [], "environment": {}}
    timeline = msgspec.convert({"id": "t", "track": "x", "initial_state": start, "events": events}, Timeline)
    unread = SimpleNamespace(post=lambda *_: None, system=SimpleNamespace(assert_events=lambda *_: None))
    imported: dict[str, str] = {}
    for mode in MODES:
        asked = Replay(timeline, mode).advance(cast(Task, SimpleNamespace(memory=unread)))
        assert asked is not None
        assert is_retired("red hall", asked.facts)
        imported[mode] = asked.imported
    assert imported["text"] == "The red hall it is."
    assert "meet in the barn" in imported["structured"]


def test_every_line_of_a_path_has_its_own_marker() -> None:
    lines = ("E1 old {superseded on 2 May by …}", "  <-- updates -- E2 new", "E3 half {in part: x superseded on 2 May}")
    path = ContextItem(
        kind="path", text="\n".join(lines), tokens=1, event_ids=(), message_ids=(), marker="superseded …", score=0.0
    )
    assert [past for _, past in statements([path])] == [True, False, False]


def test_the_curve_counts_possible_links_from_each_confidence_on() -> None:
    def link(src: str, dst: str, relation: Relation, confidence: float) -> EdgeEntry:
        return EdgeEntry(
            edge_id=f"{src}{dst}", src=src, dst=dst, relation=relation, kind=None, confidence=confidence,
            justification="", live=True, effective=False, invalid_from=None, producers=(), accepted=False,
        )  # fmt: skip

    turns_of = {"a": ((1, 1),), "b": ((2, 1),), "c": ((3, 1),)}
    wanted = [gold("g", (1, 1), (2, 1))]
    points = curve()
    links = [link("b", "a", "possibly_updates", 0.7), link("c", "a", "updates", 0.9), link("c", "b", "causes", 1.0)]
    assert add_links(points, links, turns_of, wanted, []) == 1
    counted = {point.least: (point.linked, point.right) for point in points}
    assert {least: counted[least] for least in (0.0, 0.7, 0.8, 0.95)} == {
        0.0: (2, 1), 0.7: (2, 1), 0.8: (1, 0), 0.95: (0, 0),
    }  # fmt: skip
