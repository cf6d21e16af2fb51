"""Path generation: bounded, pruned, without duplicates, in a total order."""

from __future__ import annotations

import pytest

from query.api import Path
from query.cut import Cut
from query.neighbourhood import gather
from query.paths import traverse
from query.settings import QuerySettings
from tests.kit.space import MemorySpace, anchor, edge, event, message, row, us
from tests.kit.village import village
from views.rows import EdgeRow

NOW = us("2024-05-10")


def chain(edges: list[EdgeRow], names: str = "abcde", **anchors: object) -> MemorySpace:
    """Events a, b, c … said on consecutive days."""
    messages = [message(f"m-{name}", "Ann", f"2024-01-0{i}", f"word {name}") for i, name in enumerate(names, start=1)]
    changed = {name: {"anchor": anchors[name]} if name in anchors else {} for name in names}
    return MemorySpace(messages, [row(event(n, m, **changed[n])) for n, m in zip(names, messages, strict=True)], edges)


def walk(
    space: MemorySpace, seeds: list[str], settings: QuerySettings | None = None, at: int = NOW
) -> tuple[Path, ...]:
    settings = settings or QuerySettings(hierarchy_fan=0)
    near = gather(Cut(space, space), seeds, at, settings)
    return traverse(near, seeds, dict.fromkeys(near.rows, 0.5), settings)


def routes(paths: tuple[Path, ...]) -> set[str]:
    return {"-".join(path.events) for path in paths}


def test_a_single_event_is_a_path_of_length_one() -> None:
    (path,) = walk(chain([]), ["a"])
    assert (path.events, path.steps) == (("a",), ())
    assert (path.ns, path.pc, path.tc, path.uv) == (0.5, 1.0, 1.0, 1.0)
    assert path.score == pytest.approx(0.8)


def test_paths_grow_at_both_ends_of_a_seed_and_each_is_written_once() -> None:
    space = chain([edge("r1", "a", "causes", "b"), edge("r2", "b", "causes", "c")])
    paths = walk(space, ["b", "c"])
    assert sorted("-".join(path.events) for path in paths) == ["a-b", "a-b-c", "b", "b-c", "c"]


def test_no_path_has_more_relations_than_allowed() -> None:
    edges = [edge(f"r{i}", src, "causes", dst) for i, (src, dst) in enumerate(zip("abcd", "bcde", strict=True))]
    assert max(len(path.steps) for path in walk(chain(edges), ["a"])) == 3
    assert "a-b-c-d" in routes(walk(chain(edges), ["a"]))
    assert max(len(path.steps) for path in walk(chain(edges), ["a"], QuerySettings(max_hops=1, hierarchy_fan=0))) == 1


def test_a_causal_edge_is_not_crossed_from_the_instant_it_is_invalid() -> None:
    space = chain([edge("r1", "a", "causes", "b", invalid_from=NOW)])
    assert routes(walk(space, ["a"], at=NOW)) == {"a"}
    assert routes(walk(space, ["a"], at=NOW - 1)) == {"a", "a-b"}


@pytest.mark.parametrize("relation", ["before", "causes", "enables", "prevents"])
def test_a_relation_that_runs_backwards_in_time_is_rejected(relation: str) -> None:
    late = anchor(us("2024-04-01"))
    assert routes(walk(chain([edge("r1", "a", relation, "b")], a=late), ["a"])) == {"a"}
    assert routes(walk(chain([edge("r1", "a", relation, "b")], b=late), ["a"])) == {"a", "a-b"}


def test_an_update_may_be_about_an_earlier_time_than_what_it_replaces() -> None:
    space = chain([edge("r1", "b", "updates", "a", "change")], a=anchor(us("2024-04-01")))
    assert routes(walk(space, ["a"])) == {"a", "a-b"}


def test_anchors_that_overlap_are_not_certainly_backwards_but_cost_temporal_consistency() -> None:
    month, day = anchor(us("2024-04-01"), days=30), anchor(us("2024-04-10"))
    paths = walk(chain([edge("r1", "a", "before", "b")], a=day, b=month), ["a"])
    assert {path.events: path.tc for path in paths} == {("a",): 1.0, ("a", "b"): 0.0}


def test_two_contradictions_are_never_chained() -> None:
    edges = [edge("r1", "a", "contradicts", "b"), edge("r2", "b", "contradicts", "c"), edge("r3", "b", "causes", "d")]
    assert routes(walk(chain(edges), ["a", "b"])) == {"a", "b", "a-b", "b-c", "b-d", "a-b-d", "c-b-d"}


def test_an_update_without_effect_is_not_crossed() -> None:
    assert routes(walk(village(), ["cat-pim"])) == {"cat-pim"}


def test_a_path_through_a_superseded_event_is_kept_and_ranks_lower() -> None:
    paths = {path.events: path for path in walk(village(), ["job-old", "job-new"])}
    assert paths[("job-old",)].uv == 0.0
    assert paths[("job-new",)].uv == 1.0
    assert paths[("job-old", "job-new")].uv == 0.0
    assert paths[("job-new",)].score - paths[("job-old",)].score == pytest.approx(0.15)


def test_before_the_change_the_old_statement_is_fully_valid() -> None:
    paths = {path.events: path for path in walk(village(), ["job-old"], at=us("2024-03-01"))}
    assert paths[("job-old",)].uv == 1.0


def test_equal_scores_are_ordered_by_events_and_limits_hold() -> None:
    edges = [edge(f"r{name}", "a", "causes", name) for name in "bcde"]
    paths = walk(chain(edges), ["a"], QuerySettings(beam=2, max_hops=1, hierarchy_fan=0))
    assert ["-".join(path.events) for path in paths] == ["a", "a-b", "a-c"]
    assert len(walk(chain(edges), ["a"], QuerySettings(max_paths=4, hierarchy_fan=0))) == 3
    assert routes(walk(chain(edges), ["a"], QuerySettings(neighbourhood=1, hierarchy_fan=0))) == {"a", "a-b"}


def test_at_a_crowded_event_the_strongest_relations_are_followed() -> None:
    edges = [
        edge("r1", "a", "before", "b", confidence=1.0),
        edge("r2", "a", "enables", "c", confidence=0.9),
        edge("r3", "a", "causes", "d", confidence=0.7),
        edge("r4", "a", "causes", "e", confidence=0.9),
    ]
    assert routes(walk(chain(edges), ["a"], QuerySettings(beam=2, max_hops=1, hierarchy_fan=0))) == {"a", "a-c", "a-e"}


def test_a_path_runs_through_a_session_or_theme_at_its_own_discount() -> None:
    space = MemorySpace(
        [message(f"m{n}", "Ann", f"2024-01-0{n}", f"word {n}") for n in (1, 2, 3)],
        [
            row(event(name, message(f"m{n}", "Ann", f"2024-01-0{n}", f"word {n}")), session)
            for n, (name, session) in enumerate((("a", "s1"), ("b", "s1"), ("c", "s2")), start=1)
        ],
        themes={"s1": "t", "s2": "t"},
    )
    paths = {path.events: path for path in walk(space, ["a", "b", "c"], QuerySettings(max_hops=1))}
    assert [(step.relation, step.via) for step in paths["a", "b"].steps] == [("session", "s1")]
    assert [(step.relation, step.via) for step in paths["b", "c"].steps] == [("theme", "t")]
    assert (paths["a", "b"].pc, paths["b", "c"].pc) == (0.4, 0.2)
