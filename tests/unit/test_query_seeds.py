"""Seed selection: each family finds what the others miss, and is cut in a total order."""

from __future__ import annotations

from query.cut import Cut
from query.seeds import entity_seeds, hierarchy_seeds, note_seeds, select_seeds, update_seeds
from query.settings import QuerySettings
from schemas.ids import MessageKey
from tests.kit.village import village


def cut() -> Cut:
    space = village()
    return Cut(space, space)


def note(message_id: str) -> MessageKey:
    return MessageKey("c", message_id)


def test_eq_13_notes_lead_to_the_events_that_rest_on_them_in_rank_order() -> None:
    assert note_seeds(cut(), [note("m2"), note("m14"), note("m1"), note("m2")]) == ["job-new", "job-old"]


def test_entities_bring_events_of_the_named_person_by_similarity_then_the_rest_by_id() -> None:
    ranked = ["shed", "job-new", "cat-pim"]
    assert entity_seeds(cut(), ["Bram"], ranked, 4) == ["shed", "cat-pim", "cat-juno", "dentist-14"]
    assert entity_seeds(cut(), ["Bram"], ranked, 1) == ["shed"]
    assert entity_seeds(cut(), [], ranked, 4) == []


def test_updates_bring_the_other_version_in_both_directions() -> None:
    assert update_seeds(cut(), ["job-old"], 9) == ["job-new"]
    assert update_seeds(cut(), ["job-new"], 9) == ["job-old"]
    assert update_seeds(cut(), ["choir-mon"], 9) == ["choir-fri"]


def test_an_update_without_effect_brings_nothing() -> None:
    assert update_seeds(cut(), ["cat-juno"], 9) == []


def test_updates_are_capped_in_the_order_of_the_seeds() -> None:
    assert update_seeds(cut(), ["oda-lund", "job-old", "choir-mon"], 2) == ["oda-malmo", "job-new"]


def test_hierarchy_brings_events_of_other_sessions_of_the_same_theme_by_similarity() -> None:
    ranked = ["cat-pim", "commute", "job-new", "job-old", "search"]
    assert hierarchy_seeds(cut(), ["job-old"], ranked, 9) == ["commute", "job-new", "search"]
    assert hierarchy_seeds(cut(), ["job-old"], ranked, 1) == ["commute"]


def test_each_seed_is_named_after_the_family_that_brought_it_first() -> None:
    ranked = ["cat-juno", "commute", "job-old", "search"]
    seeds = select_seeds(cut(), [note("m1")], ranked, ["Bram"], QuerySettings(entity_seeds=1))
    assert [(seed.event_id, seed.family) for seed in seeds] == [
        ("job-old", "note"),
        ("cat-juno", "entity"),
        ("job-new", "update"),
        ("commute", "hierarchy"),
    ]
