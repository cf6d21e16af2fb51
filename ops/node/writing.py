"""Records to the broker: acknowledged by every replica of the partition before anybody is told that they were taken."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, MessageSizeTooLargeError

from schemas.codec import encode
from schemas.record import Record
from schemas.topics import TopicName
from schemas.transport import broker_topic, record_key
from views.source import Source

from .loop import BrokerLoop
from .reading import AwayError

WRITE_S = 5.0
"""How long the broker may take to acknowledge. Then whoever waits is told to try again, which is harmless."""

_BATCH_BYTES = 512 * 1024
_REQUEST_BYTES = 16 * 1024 * 1024


Item = tuple[bytes, bytes]
"""Key and value of a record."""


def item(record: Record) -> Item:
    """A record as it is written."""
    return record_key(record), encode(record)


class TooLargeError(ValueError):
    """A record is larger than the topic takes."""


class Outlet:
    """Writes to the topics. Thread-safe."""

    def __init__(self, loop: BrokerLoop, source: Source) -> None:
        self._loop = loop
        self._source = source
        self._producer: AIOKafkaProducer | None = None
        self._starting = asyncio.Lock()
        self._probing = threading.Lock()
        self.failing = False
        """The last write failed. One at a time may try again; the others are told at once."""

    def write(self, topic: TopicName, partition: int, records: Sequence[Item]) -> int:
        """Append records of one space, in order; returns the end of the partition behind them.

        Raises:
            AwayError: not acknowledged in time. Some or all may be in the log all the same, or come there soon.
            TooLargeError: one is too large for the topic; those before it are there.
        """
        if not self.failing:
            return self._write(topic, partition, records)
        if not self._probing.acquire(blocking=False):
            raise AwayError(f"the broker at {self._source.bootstrap} takes nothing")
        try:
            return self._write(topic, partition, records)
        finally:
            self._probing.release()

    def _write(self, topic: TopicName, partition: int, records: Sequence[Item]) -> int:
        try:
            end = self._loop.call(self._send(broker_topic(self._source.prefix, topic), partition, records), WRITE_S)
        except MessageSizeTooLargeError as error:
            raise TooLargeError(f"a record is larger than the topic {topic} takes") from error
        except (KafkaError, TimeoutError) as error:
            self.failing = True
            raise AwayError(f"the broker at {self._source.bootstrap} did not acknowledge: {error!r}") from error
        self.failing = False
        return end

    async def _send(self, topic: str, partition: int, records: Sequence[Item]) -> int:
        producer = await self._started()
        builder = producer.create_batch()
        for key, value in records:
            while builder.append(timestamp=None, key=key, value=value) is None:
                await (await producer.send_batch(builder, topic, partition=partition))
                builder = producer.create_batch()
        count = builder.record_count()
        builder.close()
        written = await (await producer.send_batch(builder, topic, partition=partition))
        return written.offset + count

    async def _started(self) -> AIOKafkaProducer:
        async with self._starting:
            if self._producer is None:
                producer = AIOKafkaProducer(
                    bootstrap_servers=self._source.bootstrap, acks="all", max_batch_size=_BATCH_BYTES,
                    max_request_size=_REQUEST_BYTES, request_timeout_ms=round(WRITE_S * 1_000),
                )  # fmt: skip
                try:
                    await producer.start()
                except BaseException:
                    await producer.stop()
                    raise
                self._producer = producer
        return self._producer

    async def send(self, topic: TopicName, partition: int, records: Sequence[Item]) -> None:
        """The same from the loop itself, for what is written beside the requests.

        Raises:
            AwayError, TooLargeError: as ``write``.
        """
        try:
            async with asyncio.timeout(WRITE_S):
                await self._send(broker_topic(self._source.prefix, topic), partition, records)
        except MessageSizeTooLargeError as error:
            raise TooLargeError(f"a record is larger than the topic {topic} takes") from error
        except (KafkaError, TimeoutError) as error:
            raise AwayError(f"the broker at {self._source.bootstrap} did not acknowledge: {error!r}") from error

    def close(self) -> None:
        """Nobody writes any more."""
        if self._producer is not None:
            self._loop.call(self._stop(self._producer))

    @staticmethod
    async def _stop(producer: AIOKafkaProducer) -> None:
        await asyncio.wait({asyncio.create_task(producer.stop())}, timeout=WRITE_S)
