"""What topics a broker must hold, and how what is there is compared."""

from __future__ import annotations

import msgspec

from ops.kafka.topics import BrokerTopic, plan, wanted, wanted_steps
from schemas.topics import TOPICS


def test_every_topic_keeps_everything_and_only_deltas_are_compacted() -> None:
    topics = wanted("p.", 6, 3)
    assert [topic.name for topic in topics] == [f"p.{name}" for name in TOPICS]
    assert {topic.config["retention.ms"] for topic in topics} == {"-1"}
    assert {topic.config["message.timestamp.type"] for topic in topics} == {"LogAppendTime"}
    assert [t.name for t in topics if t.config["cleanup.policy"] == "compact"] == ["p.deltas"]


def test_a_dead_letter_has_room_for_the_largest_record() -> None:
    sizes = {topic.name: int(topic.config["max.message.bytes"]) for topic in wanted("", 1, 1)}
    assert all(sizes["dead-letters"] > size for name, size in sizes.items() if name != "dead-letters")


def test_one_copy_less_than_all_must_acknowledge() -> None:
    assert [wanted("", 1, n)[0].config["min.insync.replicas"] for n in (1, 2, 3)] == ["1", "1", "2"]


def test_what_is_as_wanted_needs_nothing() -> None:
    topics = wanted("", 6, 1)
    assert plan(topics, topics).problems == ()


def test_missing_topics_are_to_be_created_and_are_problems_until_then() -> None:
    topics = wanted("", 6, 1)
    found = plan(topics, topics[1:])
    assert found.create == topics[:1]
    assert found.problems == ("messages: missing",)


def test_every_difference_of_a_topic_is_told() -> None:
    want = wanted("", 6, 1)[:1]
    config = {**want[0].config, "retention.ms": "604800000"}
    del config["cleanup.policy"]
    have = msgspec.structs.replace(want[0], partitions=4, replication=2, config=config)
    told = plan(want, [have]).differences
    assert [line.partition(" (")[0] for line in told] == [
        "messages: partitions is 4, should be 6",
        "messages: replication is 2, should be 1",
        "messages: cleanup.policy is not told, should be delete",
        "messages: retention.ms is 604800000, should be -1",
    ]
    assert all(line.endswith(")") for line in told), "each says what it does"


def test_the_steps_of_a_stage_are_kept_like_the_messages_themselves() -> None:
    messages = wanted("p.", 6, 3)[0]
    (steps,) = wanted_steps("p.", ["link"], 6, 3)
    assert steps == msgspec.structs.replace(messages, name="p.steps-link")
    assert steps.config["cleanup.policy"] == "delete"


def test_other_topics_of_the_cluster_are_left_alone() -> None:
    topics = wanted("", 6, 1)
    theirs = BrokerTopic(name="theirs", partitions=1, replication=1, config={})
    assert plan(topics, [*topics, theirs]).problems == ()
