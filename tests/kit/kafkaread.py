"""Everything a topic holds, read by a client that is not ours."""

from __future__ import annotations

import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from schemas.topics import TopicName

LEADER_S = 30.0


def read_all(bootstrap: str, prefix: str, topic: TopicName) -> list[Message]:
    """All records, partition by partition, each in order."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused", "enable.partition.eof": False})
    try:
        name = prefix + topic
        places = [
            TopicPartition(name, n) for n in sorted(consumer.list_topics(name, timeout=10).topics[name].partitions)
        ]
        ends = {place.partition: watermarks(consumer, place) for place in places}
        found: dict[int, list[Message]] = {n: [] for n, (low, high) in ends.items() if low < high}
        left = set(found)
        consumer.assign([TopicPartition(name, n, ends[n][0]) for n in found])
        while left:
            message = consumer.poll(10)
            assert message is not None, f"{name}: partitions {sorted(left)} went quiet"
            error = message.error()
            assert error is None, error
            partition, offset = message.partition() or 0, message.offset() or 0
            if partition in left:
                found[partition].append(message)
                if offset >= ends[partition][1] - 1:
                    left.discard(partition)
        return [message for n in sorted(found) for message in found[n]]
    finally:
        consumer.close()


def watermarks(consumer: Consumer, place: TopicPartition) -> tuple[int, int]:
    """Where a partition begins and ends; waits for its leader, which one that was just made may not have yet."""
    deadline = time.monotonic() + LEADER_S
    while True:
        try:
            return consumer.get_watermark_offsets(place, timeout=10)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.NOT_LEADER_FOR_PARTITION or time.monotonic() > deadline:
                raise
            time.sleep(0.2)
