"""What became of something depends on how many statements tell of it, and still not on the order of arrival."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.record import Record
from streams.classify.learned import LearnedClassifier
from streams.classify.offline import OfflineClassifier
from tests.kit.linking import Linking, defined, distilled, entries, plan, statement
from tests.kit.scorers import FixedScorer

SAID = [
    statement("I had an interview for the glider course", 1),
    statement("I just got accepted for the glider course", 9),
    statement("The glider course has a dog", 4),
    statement("My aunt likes the glider course", 5, message_id="m5b"),
    plan("I'm going to the glider course next week", 3),
    statement("I won my first glider cup", 6),
    statement("I won my second glider cup", 12),
    statement("Glider pilots wave", 7, speaker="Ben", subject="Ben", participants=("Ben",)),
]
SETS = st.lists(st.sampled_from(SAID), max_size=4, unique_by=lambda event: event.id)
RECORDS = st.builds(
    lambda events, session, revision: distilled(*events, session=session, producer="p1", revision=revision),
    SETS,
    st.sampled_from(["s1", "s2", "s3"]),
    st.integers(1, 3),
)
CLASSIFIER = LearnedClassifier(OfflineClassifier(), FixedScorer(0.6))


@settings(max_examples=150, deadline=None)
@given(st.lists(RECORDS, max_size=6))
def test_edges_equal_the_definition_after_every_prefix(records: list[Record]) -> None:
    linking = Linking(CLASSIFIER)
    for end, entry in enumerate(entries(records), start=1):
        linking.apply(entry)
        assert linking.edges() == defined(records[:end], CLASSIFIER)


def test_a_late_statement_that_holds_the_word_too_takes_the_certainty_away() -> None:
    """Arriving last, it is stated between the two: the interview was not all that the news can be about."""
    early, news = SAID[0], SAID[1]
    linking = Linking(CLASSIFIER)
    linking.run([distilled(early, session="s1"), distilled(news, session="s2")])
    assert (news.id, "updates", early.id, "change") in linking.relations()
    between = [SAID[2], SAID[3], statement("I paint the glider course hut", 2)]
    linking.run([distilled(early, session="s1"), distilled(news, session="s2"), distilled(*between, session="s3")])
    assert not [edge for edge in linking.relations() if edge[0] == news.id and edge[1] == "updates"]
