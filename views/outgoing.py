"""What a batch writes to the broker before the view commits: deltas and dead letters, as keys, bytes and partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from schemas.codec import encode
from schemas.fetched import Fetched
from schemas.ids import SpaceKey
from schemas.record import Record
from schemas.topics import TopicName
from schemas.transport import Headers, carried, delta_key, record_key, space_key

from .batch import Folded

Place = tuple[TopicName, int]
"""A topic's partition."""


class Outgoing(msgspec.Struct, frozen=True, gc=False):
    """One record to write."""

    key: bytes
    value: bytes
    headers: Headers


_NO_HEADERS: Headers = []


def outgoing(
    folded: Folded, batch: Iterable[Fetched], partition_of: Callable[[SpaceKey], int]
) -> Mapping[Place, Sequence[Outgoing]]:
    """What to write, by partition, each in the order it happened: of a key of a compacted topic the last one stays.

    Args:
        folded: what the batch led to.
        batch: the batch; dead letters take the untouched key and headers of their records.
        partition_of: where a space's records go.
    """
    written: dict[Place, list[Outgoing]] = {}

    def add(topic: TopicName, record: Record, headers: Headers) -> None:
        place = (topic, partition_of(record.key))
        item = Outgoing(key=record_key(record), value=encode(record), headers=headers)
        written.setdefault(place, []).append(item)

    if folded.parked:
        places = {(raw.topic, raw.partition, raw.offset): raw for raw in batch}
        for letter in folded.parked:
            raw = places[letter.topic, letter.partition, letter.offset]  # pyright: ignore[reportArgumentType]  # a dead letter names a topic of ours
            add("dead-letters", *carried(letter, raw.key, raw.headers))
    homes: dict[tuple[str, str], tuple[list[Outgoing], bytes]] = {}
    for delta in folded.deltas:
        home = homes.get((delta.tenant, delta.space))
        if home is None:
            space = delta.key
            home = written.setdefault(("deltas", partition_of(space)), []), space_key(space)
            homes[space] = home
        home[0].append(Outgoing(delta_key(home[1], delta), encode(delta), _NO_HEADERS))
    return written
