"""Equations 13 to 15, 21 and 22 of the paper on cases worked out by hand; 16 to 20 are in ``test_query_score``."""

from __future__ import annotations

import pytest

from query.api import Path
from query.context import Offer, assemble
from query.cut import Cut
from query.markers import Marker
from query.neighbourhood import gather
from query.paths import traverse
from query.render import Renderer
from query.seeds import entity_seeds, hierarchy_seeds, note_seeds, select_seeds, update_seeds
from query.settings import Family, QuerySettings
from schemas.ids import MessageKey
from tests.kit.space import MemorySpace, event, message, row, us
from tests.kit.village import village

NOW = us("2024-05-10")
RANKED = ["commute", "cat-juno", "job-old", "search"]
NOTES = [MessageKey("c", "m1"), MessageKey("c", "m14")]


class Words:
    """One token a word, so that budgets can be added up by hand."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def test_eq_13_seeds_are_the_events_whose_notes_are_among_those_found() -> None:
    """R_2(q) = {m1, m14}; N(job-old) = {m1}, and nothing rests on m14: V_0 = {job-old}."""
    space = village()
    assert note_seeds(Cut(space, space), NOTES) == ["job-old"]


def test_eq_14_seeds_are_the_union_of_the_four_families() -> None:
    """V_0 = {job-old}. V_ent of Bram, at most 1, by rank: {cat-juno}. V_upd, one hop: r1 leads to job-new.

    V_hier, other sessions (not s1, s4, s5) of the themes of these (work, leisure): commute of s6.
    """
    space = village()
    cut = Cut(space, space)
    settings = QuerySettings(entity_seeds=1, hierarchy_seeds=2)
    seeds = select_seeds(cut, NOTES, RANKED, ["Bram"], settings)
    union = {"job-old"} | {"cat-juno"} | {"job-new"} | {"commute"}
    assert {seed.event_id for seed in seeds} == union
    assert entity_seeds(cut, ["Bram"], RANKED, 1) == ["cat-juno"]
    assert update_seeds(cut, ["job-old", "cat-juno"], 9) == ["job-new"]
    assert hierarchy_seeds(cut, ["job-old", "cat-juno", "job-new"], RANKED, 2) == ["commute"]


@pytest.mark.parametrize(
    ("without", "left"),
    [
        ("note", {"cat-juno"}),
        ("entity", {"job-old", "job-new", "commute"}),
        ("update", {"job-old", "cat-juno", "commute", "search"}),
        ("hierarchy", {"job-old", "cat-juno", "job-new"}),
    ],
)
def test_eq_14_without_a_family_its_seeds_are_missing(without: Family, left: set[str]) -> None:
    space = village()
    kept: tuple[Family, ...] = ("note", "entity", "update", "hierarchy")
    settings = QuerySettings(
        entity_seeds=1, hierarchy_seeds=2, families=tuple(family for family in kept if family != without)
    )
    seeds = select_seeds(Cut(space, space), NOTES, RANKED, ["Bram"], settings)
    assert {seed.event_id for seed in seeds} == left


def test_eq_15_paths_are_events_joined_by_relations_at_most_three_of_them() -> None:
    """Relations: new -updates-> old, old -enables-> search, search -causes-> new, new -enables-> commute.

    Through ``old``: itself; 2 of one relation; new-old-search, old-new-search, old-new-commute, old-search-new; and
    old-search-new-commute, search-old-new-commute. No event comes twice on a path.
    """
    space = village()
    settings = QuerySettings(hierarchy_fan=0)
    near = gather(Cut(space, space), ["job-old"], NOW, settings)
    paths = traverse(near, ["job-old"], dict.fromkeys(near.rows, 0.5), settings)
    old, new, search, commute = "job-old", "job-new", "search", "commute"
    by_hand = [
        (old,), (old, new), (old, search), (new, old, search), (old, new, search), (old, new, commute),
        (old, search, new), (old, search, new, commute), (search, old, new, commute),
    ]  # fmt: skip
    assert {min(path.events, path.events[::-1]) for path in paths} == {min(one, one[::-1]) for one in by_hand}
    assert len(paths) == len(by_hand)
    for path in paths:
        assert len(path.steps) == len(path.events) - 1
        for step, pair in zip(path.steps, zip(path.events, path.events[1:], strict=False), strict=True):
            assert {step.src, step.dst} == set(pair)


def test_eq_21_and_22_what_notes_leave_goes_to_paths_and_the_whole_stays_within_the_budget() -> None:
    """B_total = 30, B_note = 18, B_path = 12. A note costs 5 and the heading of notes 1; a path 6, and its heading 2.

    One path fits into 12 (8 tokens). Of the notes m2 and m3 are left, as the path shows m1: |C_note| = 1 + 2 x 5 = 11.
    B'_path = 12 + max(0, 18 - 11) = 19, where both paths fit: |C_path| = 2 + 2 x 6 = 14. Now m3 alone is left:
    |C_note| + |C_path| = 6 + 14 = 20 <= 30.
    """
    texts = [message(f"m{n}", "Ann", f"2024-01-0{n}", f"word of {n}") for n in (1, 2, 3)]
    space = MemorySpace(texts, [row(event(f"e{n}", texts[n - 1])) for n in (1, 2)])
    cut = Cut(space, space)
    offer = Offer(
        paths=[Path(events=(f"e{n}",), steps=(), score=0.5, ns=0.5, pc=1, tc=1, uv=1) for n in (1, 2)],
        notes=[(MessageKey("c", f"m{n}"), 0.5) for n in (1, 2, 3)],
        ruled_out=(),
    )
    context = assemble(offer, 30, 0.6, Renderer(cut, Marker(cut, NOW, NOW, 16), Words(), 80), Words())
    assert [(item.kind, item.tokens) for item in context.items] == [("path", 6), ("path", 6), ("note", 5)]
    assert [item.message_ids for item in context.items] == [(("c", f"m{n}"),) for n in (1, 2, 3)]
    assert context.tokens == 20
