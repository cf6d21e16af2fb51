"""Dead letters on Kafka, which cannot append to two topics at once: a redrive is begun, written, and noted.

A crash between writing and noting is put right by the next redrive of the record: it looks for the copy, which carries
its name in a header, from where the topic ended when the redrive was begun.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition

from ops.kafka.admin import admin
from schemas.codec import BadRecordError, encode
from schemas.control import ErasureRecord
from schemas.dead_letters import DeadLetter, LetterRedriven, RedriveBegun
from schemas.fetched import Fetched
from schemas.parking import decoded
from schemas.record import Record
from schemas.times import format_time
from schemas.topics import TopicName
from schemas.transport import NO_SPACE, broker_topic, record_key, space_of
from streams.log import partition_of
from views.consuming import stop_consumer
from views.refusals import TopicsError

from .erased import erased_by
from .letters import Found, found_at
from .redrive import COPY_OF, CannotRedriveError, Chosen, Copy, copy_name, copy_of, done, repaired_copy

_POLL_MS = 500
_REQUEST_BYTES = 16 * 1024 * 1024

_Stored = ConsumerRecord[bytes | None, bytes | None]


class BrokerLetters:
    """``redrive.Letters`` of one system on a broker.

    Args:
        consumer: of no group, started, assigned nothing.
        producer: started, idempotent.
        prefix: of the topics.
        partitions: of every topic.
    """

    def __init__(self, consumer: AIOKafkaConsumer, producer: AIOKafkaProducer, prefix: str, partitions: int) -> None:
        self._consumer = consumer
        self._producer = producer
        self._prefix = prefix
        self._partitions = partitions

    async def all_found(self) -> AsyncGenerator[Found]:
        """See ``Letters``."""
        for partition in range(self._partitions):
            async for stored in self._read("dead-letters", partition, 0):
                found = _found(stored)
                if found is not None:
                    yield found

    async def fetch(self, lies_at: tuple[int, int]) -> Found:
        """See ``Letters``. Raises ``LookupError`` when it was erased meanwhile."""
        partition, offset = lies_at
        async for stored in self._read("dead-letters", partition, offset):
            found = _found(stored)
            assert found is not None, "listed before"
            return found
        raise LookupError(f"dead-letters/{partition}/{offset} is gone")

    async def redrive(self, chosen: Chosen, repaired: bytes | None, now: int) -> Sequence[LetterRedriven]:
        """See ``Letters``. A copy that a former redrive left behind is only noted."""
        found = await self.fetch(chosen.first.lies_at)
        if repaired is None:
            await self._refuse_erased(found)
        copy = copy_of(chosen, found) if repaired is None else repaired_copy(chosen, repaired)
        begun = chosen.first.begun
        written = None if begun is None else await self._written(copy, chosen, begun)
        if written is None:
            partition = self._target(chosen, copy)
            begun = await self._begin(chosen, copy, partition, now)
            name = broker_topic(self._prefix, copy.topic)
            sent = await self._producer.send_and_wait(
                name, copy.value, key=copy.key, partition=partition, headers=copy.headers
            )
            written = partition, sent.offset
        notes = done(chosen, copy, *written, now)
        for note in notes:
            await self._note(chosen, note)
        return notes

    async def _refuse_erased(self, found: Found) -> None:
        """Appended again, a message would be posted anew, with the text that somebody wanted gone."""
        letter = found.record
        assert isinstance(letter, DeadLetter), "fetched where a letter lies"
        if letter.key == NO_SPACE:
            return
        said: list[ErasureRecord] = []
        async for stored in self._read("erasures", partition_of(letter.key, self._partitions), 0):
            record = _record("erasures", stored)
            if isinstance(record, ErasureRecord) and record.key == letter.key:
                said.append(record)
        erasure = erased_by(letter, said)
        if erasure is not None:
            raise CannotRedriveError(
                f"what it is about was erased ({format_time(erasure.at)}); give other bytes with --from FILE, or post "
                "it anew if it may be kept"
            )

    def _target(self, chosen: Chosen, copy: Copy) -> int:
        """Where the record's space lives; a key that names none says nothing, so there it stays where it was."""
        if copy.space is None:
            return chosen.place[1]
        return partition_of(copy.space, self._partitions)

    async def _begin(self, chosen: Chosen, copy: Copy, partition: int, now: int) -> RedriveBegun:
        place = TopicPartition(broker_topic(self._prefix, copy.topic), partition)
        end = (await self._consumer.end_offsets([place]))[place]
        topic, of_partition, offset = chosen.place
        letter = chosen.first.letter
        begun = RedriveBegun(
            tenant=letter.tenant, space=letter.space, topic=topic, partition=of_partition, offset=offset,
            to_partition=partition, to_end=end, at=now,
        )  # fmt: skip
        await self._note(chosen, begun)
        return begun

    async def _written(self, copy: Copy, chosen: Chosen, begun: RedriveBegun) -> tuple[int, int] | None:
        """Partition and offset of the copy that was written before a crash, if it was."""
        async for stored in self._read(copy.topic, begun.to_partition, begun.to_end):
            if (COPY_OF, copy_name(chosen)) in stored.headers:
                return stored.partition, stored.offset
        return None

    async def _note(self, chosen: Chosen, record: Record) -> None:
        """Write a record beside the letter."""
        name, partition = broker_topic(self._prefix, "dead-letters"), chosen.first.lies_at[0]
        await self._producer.send_and_wait(name, encode(record), key=record_key(record), partition=partition)

    async def _read(self, topic: TopicName, partition: int, first: int) -> AsyncGenerator[_Stored]:
        """Records from an offset on, up to where the partition ends now."""
        place = TopicPartition(broker_topic(self._prefix, topic), partition)
        self._consumer.assign([place])
        begins = (await self._consumer.beginning_offsets([place]))[place]
        end = (await self._consumer.end_offsets([place]))[place]
        self._consumer.seek(place, max(first, begins))
        while await self._consumer.position(place) < end:
            read = await self._consumer.getmany(place, timeout_ms=_POLL_MS, max_records=16)
            for stored in read.get(place, ()):
                if stored.offset >= end:
                    return
                yield stored


@asynccontextmanager
async def broker_letters(bootstrap: str, prefix: str) -> AsyncGenerator[BrokerLetters]:
    """Connected to a broker.

    Raises:
        KafkaConnectionError: no broker at the address.
        TopicsError: the topics are not there.
    """
    name = broker_topic(prefix, "dead-letters")
    async with admin(bootstrap) as client:
        (described,) = await client.describe_topics([name])
    if described["error_code"] != 0:
        raise TopicsError(f"no topic {name}; run ./stilltrue topics create")
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, group_id=None, enable_auto_commit=False, auto_offset_reset="none"
    )
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, acks="all", enable_idempotence=True, max_request_size=_REQUEST_BYTES
    )
    try:
        await consumer.start()
        await producer.start()
        yield BrokerLetters(consumer, producer, prefix, len(described["partitions"]))
    finally:
        await stop_consumer(consumer)
        await producer.stop()


def _found(stored: _Stored) -> Found | None:
    record = _record("dead-letters", stored)
    if record is None:
        return None
    assert isinstance(record, DeadLetter | RedriveBegun | LetterRedriven), "what dead-letters holds"
    return found_at(stored.partition, stored.offset, record, list(stored.headers))


def _record(topic: TopicName, stored: _Stored) -> Record | None:
    """None for what no consumer could use either."""
    space = space_of(stored.key)
    raw = Fetched(
        topic=topic, partition=stored.partition, offset=stored.offset, tenant=space.tenant, space=space.space,
        key=stored.key, value=stored.value or b"", headers=list(stored.headers),
    )  # fmt: skip
    try:
        return decoded(raw).record
    except BadRecordError:
        return None
