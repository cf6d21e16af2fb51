"""Writes what the view tells to the broker, beside ``worker`` the only module of the views that talks to one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from schemas.transport import broker_topic

from .outgoing import Outgoing, Place

PRODUCE_BATCH_BYTES = 512 * 1024
"""Far below ``max.message.bytes`` of the topics, which counts a whole batch."""

RETRY_S = 1.0
"""Pause before what a broker could not take is offered again."""

STOP_S = 5.0
"""How long a stop waits for acknowledgements. Then the batch is left uncommitted, to be repeated at the next start."""


class StoppedError(Exception):
    """A stop was asked for while the broker took nothing; the batch was not committed. Start again to repeat it."""


class Emitter:
    """Writes what a batch led to, and returns when the broker has it. Made by ``emitter``."""

    def __init__(self, producer: AIOKafkaProducer, prefix: str, stop: asyncio.Event) -> None:
        self._producer = producer
        self._prefix = prefix
        self._stop = stop

    async def write(self, written: Mapping[Place, Sequence[Outgoing]]) -> None:
        """Write all, again and again while the broker is away; what it has taken by then is written twice, in order.

        Raises:
            StoppedError: a stop was asked for meanwhile.
            KafkaError: the broker refuses for good.
        """
        if not written:
            return
        stopped = asyncio.create_task(self._stop.wait())
        sent = asyncio.create_task(self._until_taken(written))
        try:
            await asyncio.wait({stopped, sent}, return_when=asyncio.FIRST_COMPLETED)
            if not sent.done():
                await asyncio.wait({sent}, timeout=STOP_S)
            if not sent.done():
                raise StoppedError("stopped while the broker took nothing: the last batch was not committed")
            await sent
        finally:
            stopped.cancel()
            sent.cancel()

    async def _until_taken(self, written: Mapping[Place, Sequence[Outgoing]]) -> None:
        while True:
            results = await asyncio.gather(*(self._send(place, items) for place, items in written.items()))
            failed = [error for error in results if error is not None]
            if not failed:
                return
            for error in failed:
                if not error.retriable:
                    raise error
            await asyncio.sleep(RETRY_S)

    async def _send(self, place: Place, items: Sequence[Outgoing]) -> KafkaError | None:
        """One partition's records, batch after batch; the error that keeps the broker from taking them."""
        topic, partition = broker_topic(self._prefix, place[0]), place[1]
        builder = self._producer.create_batch()
        try:
            for item in items:
                while builder.append(timestamp=None, key=item.key, value=item.value, headers=item.headers) is None:
                    await (await self._producer.send_batch(builder, topic, partition=partition))
                    builder = self._producer.create_batch()
            builder.close()
            await (await self._producer.send_batch(builder, topic, partition=partition))
        except KafkaError as error:
            return error
        return None


@asynccontextmanager
async def emitter(bootstrap: str, prefix: str, stop: asyncio.Event) -> AsyncGenerator[Emitter]:
    """A connection for writing, given up at the end."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, acks="all", max_batch_size=PRODUCE_BATCH_BYTES, max_request_size=16 * 1024 * 1024
    )
    await producer.start()
    try:
        yield Emitter(producer, prefix, stop)
    finally:
        await asyncio.wait({asyncio.create_task(producer.stop())}, timeout=STOP_S)
