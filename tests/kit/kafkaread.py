"""Everything a topic holds, read by a client that is not ours."""

from __future__ import annotations

from confluent_kafka import Consumer, Message, TopicPartition

from schemas.topics import TopicName


def read_all(bootstrap: str, prefix: str, topic: TopicName) -> list[Message]:
    """All records, partition by partition, each in order."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused", "enable.partition.eof": False})
    try:
        name = prefix + topic
        partitions = sorted(consumer.list_topics(name, timeout=10).topics[name].partitions)
        found: list[Message] = []
        for partition in partitions:
            low, high = consumer.get_watermark_offsets(TopicPartition(name, partition), timeout=10)
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
