"""The link stage on short stories."""

from __future__ import annotations

from itertools import pairwise

from schemas.control import ProducerActivated
from schemas.edges import EdgesInferred, batch_session
from schemas.ids import edge_id
from schemas.verdicts import PairsJudged
from streams.classify.offline import OfflineClassifier
from streams.link.definition import edges_of
from streams.link.live import HeldSet, live_sets, pool_of
from streams.link.stage import LinkStage
from tests.kit.linking import (
    ENCODER,
    SPACE,
    Linking,
    activated,
    asserted,
    distilled,
    entries,
    lives,
    merged,
    row,
    split,
    statement,
)

A, B, C = lives("Aldin", 1), lives("Borva", 2), lives("Corso", 3)


def sets_of(*records: object) -> list[tuple[str, int]]:
    return [(record.session_id, record.revision) for record in records if isinstance(record, EdgesInferred)]


def test_the_third_home_updates_the_first_and_the_second() -> None:
    linking = Linking().run([distilled(A, session="s1"), distilled(B, session="s2"), distilled(C, session="s3")])
    assert linking.relations() == {
        (B.id, "updates", A.id, "change"),
        (C.id, "updates", A.id, "change"),
        (C.id, "updates", B.id, "change"),
    }
    assert {edge.dst for edge in linking.edges()["s3"] if edge.relation == "updates"} == {A.id, B.id}


def test_an_edge_tells_id_slice_span_and_reason() -> None:
    linking = Linking().run([distilled(A, session="s1"), distilled(B, session="s2")])
    edge = next(edge for edge in linking.edges()["s2"] if edge.relation == "updates")
    assert edge.id == edge_id(SPACE, B.id, "updates", A.id)
    assert edge.slice == ("c1",)
    assert edge.span == B.sources[-1]
    assert edge.justification == "Another home replaces the former one."


def test_a_late_session_is_linked_back_and_the_later_session_is_issued_again() -> None:
    linking = Linking()
    late, early = entries([distilled(C, session="s3", revision=7), distilled(A, session="s1", revision=5)])
    linking.apply(late)
    out = linking.apply(early)
    assert sets_of(*out) == [("s1", 2), ("s3", 2)]
    assert {record.covers for record in out if isinstance(record, EdgesInferred)} == {5}
    assert (C.id, "updates", A.id, "change") in linking.relations()


def test_in_order_only_the_own_session_is_issued() -> None:
    linking = Linking()
    for entry in entries([distilled(A, session="s1"), distilled(B, session="s2"), distilled(C, session="s3")]):
        assert len(sets_of(*linking.apply(entry))) == 1


def test_an_emptied_session_takes_its_links_with_it_and_is_still_answered() -> None:
    linking = Linking().run([distilled(A, session="s1"), distilled(B, session="s2"), distilled(C, session="s3")])
    entry = entries([distilled()] * 3 + [distilled(session="s2", revision=9)])[3]
    out = linking.apply(entry)
    assert sets_of(*out) == [("s2", 4), ("s3", 4)]
    assert linking.relations() == {(C.id, "updates", A.id, "change")}


def test_a_lower_revision_changes_nothing_but_moves_the_basis() -> None:
    linking = Linking().run([distilled(A, session="s1", revision=4), distilled(B, session="s2")])
    former = linking.edges()
    entry = entries([distilled()] * 2 + [distilled(session="s1", revision=3)])[2]
    assert sets_of(*linking.apply(entry)) == [("s1", 3)]
    assert linking.edges() == former


def test_another_active_producer_relinks_both_directions() -> None:
    linking = Linking()
    linking.run(
        [
            distilled(A, session="s1"),
            distilled(B, session="s2", producer="p1"),
            distilled(session="s2", producer="p2"),
            distilled(C, session="s3"),
        ]
    )
    assert (B.id, "updates", A.id, "change") in linking.relations()
    out = linking.apply(entries([activated("p2", "p1")])[0])
    assert sets_of(*out) == [("s2", 5), ("s3", 5)]
    assert linking.relations() == {(C.id, "updates", A.id, "change")}
    assert all(session != "s2" for session in linking.edges())


def test_the_record_after_an_activation_has_a_higher_revision_than_the_activation() -> None:
    stale = distilled(B, session="s2", producer="p0")
    events = entries([distilled(A, session="s1"), stale, distilled(C, session="s3")])
    linking = Linking()
    revisions: list[int] = []
    for entry in (*events[:2], entries([activated("p1")])[0], events[2]):
        revisions += sorted({revision for _, revision in sets_of(*linking.apply(entry))})
    assert revisions == [1, 2, 3, 4]


def test_another_classifier_is_announced_with_the_former_one_as_its_fallback() -> None:
    class Next(OfflineClassifier):
        producer = "rules/next"

    linking = Linking().run([distilled(A, session="s1")])
    stage = LinkStage(Next(), ENCODER)
    out = stage.apply(entries([distilled(A, session="s1"), distilled(B, session="s2")])[1], linking.state, 0)
    [record] = [o.record for o in out if isinstance(o.record, ProducerActivated)]
    assert (record.stage, record.producer, record.fallback) == ("link", "rules/next", "rules/6")


def test_the_stage_announces_itself_once_per_space() -> None:
    linking = Linking().run([distilled(A, session="s1"), distilled(B, session="s2")])
    announced = [record for record in linking.published if isinstance(record, ProducerActivated)]
    assert [(record.stage, record.producer, record.at) for record in announced] == [("link", "rules/6", 1)]


def test_a_batch_takes_part_under_its_own_name_and_its_own_pairs_are_left_to_its_producer() -> None:
    first, second = lives("Aldin", 1, id="k1"), lives("Corso", 3, id="k2")
    linking = Linking().run([asserted(first, batch="b1"), asserted(second, batch="b2"), distilled(B, session="s1")])
    assert linking.relations() == {(B.id, "updates", "k1", "change"), ("k2", "updates", B.id, "change")}
    assert linking.edges().keys() == {"s1", batch_session("api", "b2")}


def test_two_api_producers_are_linked_to_each_other() -> None:
    first, second = lives("Aldin", 1, id="k1"), lives("Corso", 3, id="k2")
    linking = Linking().run([asserted(first, producer="crm"), asserted(second, producer="api")])
    assert linking.relations() == {("k2", "updates", "k1", "change")}


def test_before_puts_a_statement_between_its_neighbours_and_joins_no_others() -> None:
    days = [1, 2, 3, 4, 5]
    linking = Linking().run([distilled(lives("Aldin", day), session=f"s{day}") for day in days])
    before = [edge for edges in linking.edges().values() for edge in edges if edge.relation == "before"]
    assert {(edge.src, edge.dst) for edge in before} == {
        (lives("Aldin", first).id, lives("Aldin", second).id) for first, second in pairwise(days)
    }


def test_a_late_recollection_goes_before_what_was_said_earlier_and_belongs_to_its_own_session() -> None:
    now, memory = lives("Aldin", 5), lives("Borva", 9, about=1, holds=False)
    linking = Linking().run([distilled(now, session="s1"), distilled(memory, session="s2")])
    assert [(edge.src, edge.relation, edge.dst) for edge in linking.edges()["s2"]] == [(memory.id, "before", now.id)]


def test_overlapping_times_and_other_subjects_are_in_no_order() -> None:
    one, same_day = lives("Aldin", 1), lives("Aldin", 2, about=1)
    ben = lives("Aldin", 3, subject="Ben", participants=("Ann", "Ben"))
    linking = Linking().run([distilled(one, session="s1"), distilled(same_day, ben, session="s2")])
    assert linking.edges() == {}


def test_a_connective_joins_a_statement_to_the_one_before_it_in_its_session() -> None:
    cause = statement("The roof of the mill fell in", 1, message_id="m1a")
    effect = statement("So I quit the choir", 1, message_id="m1b")
    elsewhere = statement("So I bought a tent", 2)
    linking = Linking().run([distilled(cause, effect, session="s1"), distilled(elsewhere, session="s2")])
    assert linking.relations() == {(cause.id, "causes", effect.id, None)}


def test_so_far_and_so_long_join_nothing() -> None:
    cause = statement("The roof of the mill fell in", 1, message_id="m1a")
    linking = Linking().run([distilled(cause, statement("So far the choir sings", 1, message_id="m1b"))])
    assert linking.relations() == set()


def test_thanks_to_that_enables() -> None:
    cause = statement("The bridge was repaired", 1, message_id="m1a")
    effect = statement("Thanks to that I can cycle to the harbour", 1, message_id="m1b")
    assert Linking().run([distilled(cause, effect)]).relations() == {(cause.id, "enables", effect.id, None)}


def test_verdicts_tell_every_comparison_also_those_without_a_relation() -> None:
    dog = statement("I have a dog", 3, attribute="pet", value="dog")
    cat = statement("I have a cat", 2, attribute="pet", value="cat")
    far = statement("Rain fell on harbours", 1)
    linking = Linking().run([distilled(far, session="s1"), distilled(cat, session="s2"), distilled(dog, session="s3")])
    judged = [record for record in linking.published if isinstance(record, PairsJudged)]
    assert [(record.session_id, record.pool_size, record.left_out) for record in judged] == [("s3", 2, 0)]
    assert [(v.newer, v.older, v.relation) for v in judged[0].verdicts] == [(dog.id, cat.id, None)]


def test_of_two_assertions_of_one_event_the_smallest_producers_fields_count() -> None:
    ours, theirs = lives("Aldin", 1), lives("Aldin", 1, confidence=0.5)
    sets = [
        HeldSet(session_id=session, producer=producer, asserted=True, rank=(1, ""), rows=(row(event, producer),))
        for session, producer, event in [("batch:a/1", "b", theirs), ("batch:b/1", "a", ours)]
    ]
    assert pool_of(live_sets(sets, None)).by_id[ours.id].event == ours
    assert pool_of(reversed(sets)).by_id[ours.id].event == ours


def test_the_definition_names_every_session_also_without_edges() -> None:
    held = HeldSet(session_id="s1", producer="p1", asserted=False, rank=(1, ""), rows=(row(A),))
    assert edges_of(SPACE, [held], OfflineClassifier()) == {"s1": ()}


def test_a_merged_name_is_compared_as_the_person_and_a_split_one_no_longer() -> None:
    """What "A. Berg" says of her home updates what Ann said of hers, while the two are one person."""
    other = {"subject": "A. Berg", "participants": ("A. Berg",), "speaker": "A. Berg"}
    later = lives("Borva", 2, **other)
    sets = [distilled(A, session="s1"), distilled(later, session="s2")]
    apart, one = Linking().run(sets), Linking().run([*sets, merged("a. berg", "Ann")])
    again = Linking().run([*sets, merged("A. Berg", "Ann", at=1), split("a. berg", at=2)])
    assert apart.relations() == again.relations() == set()
    assert one.relations() == {(later.id, "updates", A.id, "change")}


def test_a_merge_links_again_only_sessions_with_a_statement_under_either_name() -> None:
    other = statement("I keep bees", 3, subject="Cy", participants=("Cy",), speaker="Cy")
    sets = [distilled(A, session="s1"), distilled(B, session="s2"), distilled(other, session="s3")]
    linking = Linking().run(sets)
    published = len(linking.published)
    merge = entries([merged("cy", "Di")])[0]
    linking.apply(merge)
    assert len(linking.published) == published, "nobody else says anything of Cy or Di"


def test_a_merge_that_comes_before_the_statements_counts_as_well() -> None:
    other = {"subject": "A. Berg", "participants": ("A. Berg",), "speaker": "A. Berg"}
    later = lives("Borva", 2, **other)
    linking = Linking().run([merged("A. Berg", "Ann"), distilled(A, session="s1"), distilled(later, session="s2")])
    assert linking.relations() == {(later.id, "updates", A.id, "change")}
