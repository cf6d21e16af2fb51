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
        partitions = sorted(consumer.list_topics(name, timeout=10).topics[name].partitions)
        found: list[Message] = []
        for partition in partitions:
            low, high = watermarks(consumer, TopicPartition(name, partition))
            if low == high:
                continue
            consumer.assign([TopicPartition(name, partition, low)])
            last = -1
            while last < high - 1:
                message = consumer.poll(10)
                assert message is not None, f"{name}/{partition} went quiet at {last} of {high}"
                error = message.error()
                assert error is None, error
                last = message.offset()
                found.append(message)
        return found
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
