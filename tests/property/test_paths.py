"""Best-first search under a bound returns what enumerating every path of the neighbourhood returns."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from query.api import Path, Step
from query.cut import Cut
from query.neighbourhood import Neighbourhood, gather
from query.paths import traverse
from query.score import neural_relevance
from query.settings import QuerySettings
from tests.kit.equations import path_confidence, path_score, temporal_consistency, update_validity
from tests.kit.space import MemorySpace, anchor, edge, event, message, row, us
from views.rows import EdgeRow

NOW = us("2024-05-10")
NAMES = "abcdefg"
RELATIONS = ("before", "causes", "enables", "prevents", "updates", "contradicts")


@st.composite
def spaces(draw: st.DrawFn) -> MemorySpace:
    """A few events of two sessions and one theme, of any time, some superseded, with any relations between them."""
    days = draw(st.lists(st.integers(1, 9), min_size=len(NAMES), max_size=len(NAMES)))
    texts = [message(f"m-{n}", "Ann", f"2024-01-0{day}", f"word {n}") for n, day in zip(NAMES, days, strict=True)]
    over = draw(st.sets(st.sampled_from(NAMES)))
    rows = [
        row(
            event(n, text, anchor=anchor(text.sent_at, days=draw(st.sampled_from([1, 5])))),
            draw(st.sampled_from(["s1", "s2"])),
            valid_until=NOW if n in over else None,
        )
        for n, text in zip(NAMES, texts, strict=True)
    ]
    pairs = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=12))
    edges: list[EdgeRow] = []
    for number, (src, dst) in enumerate(pairs):
        if src != dst:
            relation, confidence = draw(st.sampled_from(RELATIONS)), draw(st.sampled_from([0.2, 0.5, 0.9, 1.0]))
            kind = "change" if relation == "updates" else None
            edges.append(edge(f"r{number}", src, relation, dst, kind, confidence=confidence))
    return MemorySpace(texts, rows, edges, themes={"s1": "t", "s2": "t"})


def every_path(near: Neighbourhood, seeds: list[str], similarity: dict[str, float], s: QuerySettings) -> list[Path]:
    """All chains through a seed, each once, scored by the equations as they are printed."""

    def grow(nodes: tuple[int, ...], links: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        if links:
            yield nodes, links
        if len(links) == s.max_hops:
            return
        for link, (src, dst) in enumerate(zip(near.links.srcs, near.links.dsts, strict=True)):
            if nodes[-1] not in (src, dst):
                continue
            other = src if dst == nodes[-1] else dst
            twice = bool(links) and near.links.contests[links[-1]] and near.links.contests[link]
            if other not in nodes and not twice:
                yield from grow((*nodes, other), (*links, link))

    found: dict[tuple[tuple[str, ...], tuple[Step, ...]], Path] = {}
    for start in range(len(near.ids)):
        for nodes, links in grow((start,), ()):
            ids = tuple(near.ids[n] for n in nodes)
            if near.stated[nodes[0]] <= near.stated[nodes[-1]] and not set(ids).isdisjoint(seeds):
                steps = tuple(near.step(link) for link in links)
                ns, pc = neural_relevance([similarity[i] for i in ids]), path_confidence(steps, s)
                tc = temporal_consistency(steps, {i: near.rows[i].event.anchor.start for i in ids})
                uv = update_validity([near.validity[n] for n in nodes])
                score = path_score(ns, pc, tc, uv, s)
                found[ids, steps] = Path(events=ids, steps=steps, score=score, ns=ns, pc=pc, tc=tc, uv=uv)
    return sorted(found.values(), key=lambda p: (-p.score, p.events, [(t.src, t.relation, t.dst) for t in p.steps]))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    space=spaces(),
    seeds=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
    cosines=st.lists(st.sampled_from([-0.1, 0.0, 0.3, 0.6, 0.9]), min_size=len(NAMES), max_size=len(NAMES)),
    most=st.sampled_from([2, 6, 12, 40]),
)
def test_no_path_is_lost_that_would_have_ranked(
    space: MemorySpace, seeds: list[str], cosines: list[float], most: int
) -> None:
    s = QuerySettings(max_paths=most, max_expansions=10_000)
    near = gather(Cut(space, space), seeds, NOW, s)
    similarity = dict(zip(NAMES, cosines, strict=True))
    chains = [path for path in traverse(near, seeds, similarity, s) if path.steps]
    wanted = every_path(near, seeds, similarity, s)[: most // 2]
    assert [path.score for path in chains] == [path.score for path in wanted]
    by_ends = {(p.events, p.steps): p for p in wanted}
    assert all(path == by_ends[path.events, path.steps] for path in chains if (path.events, path.steps) in by_ends)
    assert {p.events for p in chains if p.score > chains[-1].score + 1e-9} == {
        p.events for p in wanted if p.score > wanted[-1].score + 1e-9
    }
