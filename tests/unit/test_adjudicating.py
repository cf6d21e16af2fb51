"""Analysts' commands on a whole system: what a ruling changes, what undoes it, what is refused."""

from __future__ import annotations

import pytest

from ops.system import Refused
from schemas.ruling_wire import AcceptIn, ActivateIn, MergeIn, RuleOutIn, SplitIn, UndoIn
from tests.kit.embedded import SPACE, Home

LECCE, KAUNAS = "I live in Lecce", "I moved to Kaunas last month"


@pytest.fixture
def home() -> Home:
    """Ilse moved."""
    made = Home()
    made.say("m1", f"{LECCE}.", "2031-03-01T10:00:00Z")
    made.say("m2", f"{KAUNAS}.", "2031-05-10T10:00:00Z")
    return made


def move(home: Home) -> str:
    """The edge of the move, as history shows it."""
    [link] = home.system.history(SPACE, home.id_of(LECCE), None, None).links
    return link.edge_id


def rule_out(home: Home, edge_id: str) -> str:
    return home.system.adjudicate(SPACE, RuleOutIn(analyst="mo", edge_id=edge_id)).status


def undo(home: Home, edge_id: str) -> str:
    return home.system.adjudicate(SPACE, UndoIn(analyst="mo", edge_id=edge_id)).status


def accept(home: Home, newer: str, older: str, kind: str | None = "change", **more: str) -> str:
    wanted = AcceptIn(analyst="mo", src=home.id_of(newer), dst=home.id_of(older), kind=kind, **more)  # pyright: ignore[reportArgumentType]
    return home.system.adjudicate(SPACE, wanted).status


def refusal(home: Home, wanted: AcceptIn | RuleOutIn | UndoIn | MergeIn | SplitIn) -> tuple[str, str | None]:
    """Code and field of the refusal."""
    with pytest.raises(Refused) as refused:
        home.system.adjudicate(SPACE, wanted)
    return refused.value.problem.code, refused.value.problem.field


def is_equal(home: Home) -> bool:
    """The view is its definition."""
    return home.system.verify(SPACE).equal


def test_what_a_ruled_out_edge_had_ended_holds_again_until_the_ruling_is_undone(home: Home) -> None:
    edge = move(home)
    assert home.entries()[LECCE].status == "superseded"
    assert rule_out(home, edge) == "accepted"
    assert home.entries()[LECCE].status == "valid"
    [link] = home.system.history(SPACE, home.id_of(LECCE), None, None).links
    assert (link.edge_id, link.live) == (edge, False), "history still names the edge, so that it can be undone"
    assert undo(home, edge) == "accepted"
    assert home.entries()[LECCE].status == "superseded"
    assert is_equal(home)


def test_the_same_ruling_again_is_a_duplicate_and_writes_nothing(home: Home) -> None:
    edge = move(home)
    statuses = [rule_out(home, edge), rule_out(home, edge), undo(home, edge), undo(home, edge)]
    assert statuses == ["accepted", "duplicate", "accepted", "duplicate"]
    assert home.log.end("adjudications", 0) == 2


def test_rulings_of_one_instant_count_in_the_order_they_were_made(home: Home) -> None:
    """The clock stands still between them; the last word wins all the same."""
    edge = move(home)
    for _ in range(3):
        rule_out(home, edge)
        assert home.entries()[LECCE].status == "valid"
        undo(home, edge)
        assert home.entries()[LECCE].status == "superseded"


def test_an_analyst_says_what_replaced_what_and_which_way(home: Home) -> None:
    home.say("m3", "I keep bees.", "2031-05-20T10:00:00Z")
    assert accept(home, "I keep bees", KAUNAS) == "accepted"
    assert home.entries()[KAUNAS].status == "superseded"
    assert accept(home, "I keep bees", KAUNAS) == "duplicate"
    assert accept(home, "I keep bees", KAUNAS, "correction") == "accepted"
    assert home.entries()[KAUNAS].status == "corrected"
    assert is_equal(home)


def test_an_accepted_edge_names_the_analyst_beside_its_producers(home: Home) -> None:
    edge = move(home)
    home.system.adjudicate(SPACE, AcceptIn(analyst="mo", edge_id=edge, reason="she told me"))
    [entry] = [e for e in home.system.edges(SPACE, home.id_of(LECCE), None).entries if e.edge_id == edge]
    assert entry.accepted
    assert "analyst:mo" in entry.producers


def test_a_ruling_on_the_other_side_replaces_the_first(home: Home) -> None:
    edge = move(home)
    home.system.adjudicate(SPACE, AcceptIn(analyst="mo", edge_id=edge))
    rule_out(home, edge)
    assert home.entries()[LECCE].status == "valid"
    [entry] = home.system.rulings(SPACE).entries
    assert (entry.ruling, entry.edge_id, entry.orphaned) == ("ruled_out", edge, False)


def test_what_cannot_be_ruled_on_is_refused_with_the_field(home: Home) -> None:
    lecce, edge = home.id_of(LECCE), move(home)
    assert refusal(home, RuleOutIn(analyst="mo", edge_id="r0")) == ("not_found", "edge_id")
    assert refusal(home, UndoIn(analyst="mo", edge_id="r0")) == ("not_found", "edge_id")
    assert refusal(home, AcceptIn(analyst="mo", src=lecce, dst="e0", kind="change")) == ("not_found", "dst")
    assert refusal(home, AcceptIn(analyst="mo", src=lecce, kind="change")) == ("missing", "dst")
    assert refusal(home, AcceptIn(analyst="mo", src=lecce, dst=lecce, kind="change")) == ("invalid", "dst")
    assert refusal(home, AcceptIn(analyst="mo", src=home.id_of(KAUNAS), dst=lecce)) == ("invalid", "kind")
    assert refusal(home, AcceptIn(analyst="mo", edge_id=edge, src=lecce)) == ("invalid", "edge_id")
    assert refusal(home, AcceptIn(analyst="", edge_id=edge)) == ("empty", "analyst")
    assert home.log.end("adjudications", 0) == 0


def test_a_relation_without_kinds_takes_none(home: Home) -> None:
    ends = {"src": home.id_of(KAUNAS), "dst": home.id_of(LECCE), "relation": "contradicts"}
    assert refusal(home, AcceptIn(analyst="mo", kind="change", **ends)) == ("invalid", "kind")
    assert home.system.adjudicate(SPACE, AcceptIn(analyst="mo", **ends)).status == "accepted"


def test_names_are_merged_split_and_merged_again(home: Home) -> None:
    home.say("m3", "I keep bees.", "2031-05-20T10:00:00Z", speaker="Ilse B")
    merge = MergeIn(analyst="mo", alias="Ilse B", canonical="Ilse", evidence="she signs so")
    split = SplitIn(analyst="mo", alias="ilse b")
    statuses = [home.system.adjudicate(SPACE, wanted).status for wanted in (merge, merge, split, split, merge)]
    assert statuses == ["accepted", "duplicate", "accepted", "duplicate", "accepted"]
    ilse = next(entry for entry in home.system.participants(SPACE).entries if entry.name == "Ilse")
    assert [(alias.name, alias.evidence) for alias in ilse.aliases] == [("Ilse B", "she signs so")]


def test_a_merge_in_a_circle_or_of_nothing_is_refused(home: Home) -> None:
    home.system.adjudicate(SPACE, MergeIn(analyst="mo", alias="A", canonical="B"))
    home.system.adjudicate(SPACE, MergeIn(analyst="mo", alias="B", canonical="C"))
    assert refusal(home, MergeIn(analyst="mo", alias="C", canonical="a")) == ("conflict", "canonical")
    assert refusal(home, MergeIn(analyst="mo", alias="D", canonical="d")) == ("invalid", "canonical")
    assert refusal(home, SplitIn(analyst="mo", alias="Z")) == ("not_found", "alias")


@pytest.mark.parametrize(
    ("alias", "canonical", "unknown"),
    [("Ilse B", "ilse", ("Ilse B",)), ("ILSE", "Ilze", ("Ilze",)), ("A", "B", ("A", "B")), ("Mo", "Ilse", ())],
)
def test_a_name_that_no_statement_has_is_merged_and_told(
    home: Home, alias: str, canonical: str, unknown: tuple[str, ...]
) -> None:
    """Somebody may be spoken of later, under a name that is known now; or it is a typing error."""
    home.say("m3", "I keep bees.", "2031-05-20T10:00:00Z", speaker="Mo")
    done = home.system.adjudicate(SPACE, MergeIn(analyst="mo", alias=alias, canonical=canonical))
    assert (done.status, done.unknown) == ("accepted", unknown)


def test_a_producer_without_sets_cannot_be_activated(home: Home) -> None:
    [distil, link] = home.system.producers(SPACE).stages
    assert distil.active in distil.producers
    assert link.active in link.producers
    with pytest.raises(Refused, match="no producer 'nobody'"):
        home.system.activate(SPACE, ActivateIn(stage="distil", producer="nobody"))
    assert home.system.activate(SPACE, ActivateIn(stage="link", producer=link.active or "")).status == "duplicate"


def test_contradicting_statements_are_told_with_the_edge_that_an_analyst_can_rule_out(home: Home) -> None:
    home.say("m3", "I keep bees.", "2031-05-20T10:00:00Z")
    accept(home, "I keep bees", KAUNAS, None, relation="contradicts")
    assert home.entries()[KAUNAS].contested_by == (home.id_of("I keep bees"),)
    shown = home.system.history(SPACE, home.id_of(KAUNAS), None, None)
    [link] = [link for link in shown.links if link.relation == "contradicts"]
    assert {link.src, link.dst} <= {entry.event.id for entry in shown.entries}, "both sides with their sources"
    rule_out(home, link.edge_id)
    assert home.entries()[KAUNAS].contested_by == ()


def test_what_is_known_under_two_names_is_read_and_compared_as_of_one_person(home: Home) -> None:
    home.say("m3", "I live in Porto.", "2031-05-20T10:00:00Z", speaker="I. Berg")
    home.system.adjudicate(SPACE, MergeIn(analyst="mo", alias="I. Berg", canonical="ilse"))
    entries = home.entries()
    assert entries["I live in Porto"].event.subject == "Ilse", "as statements spell her, not as the analyst typed it"
    assert entries[KAUNAS].status == "superseded", "her home of the 20th ends that of the 10th"
    assert [entry.name for entry in home.system.participants(SPACE).entries] == ["Ilse"]
    assert is_equal(home)
    home.system.adjudicate(SPACE, SplitIn(analyst="mo", alias="I. Berg"))
    entries = home.entries()
    assert entries["I live in Porto"].event.subject == "I. Berg"
    assert entries[KAUNAS].status == "valid"
    assert is_equal(home)
