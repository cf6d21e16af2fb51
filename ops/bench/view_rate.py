"""How many records a second the view worker applies from a broker: messages alone, and the mix the stages make.

The mix is the log of one space of the embedded system, which runs the same stages, written again for many spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

import msgspec

from ops.runtime import Embedded, Parts
from ops.settings import Settings
from schemas.codec import decode
from schemas.edges import EdgesInferred
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.messages import MessagePosted
from schemas.record import Record
from schemas.topics import TopicName
from streams.log import MemoryLog
from views.encoder.protocol import Encoder
from views.maintain import VIEW_TOPICS
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

from .processes import Cluster
from .talk import as_posted, history, space
from .wire import wire

MESSAGES = 200
"""Of a space: ten sessions."""

SPACES = 60
MESSAGES_ALONE = 60_000
START = 1_900_000_000_000_000


async def view_rates(bootstrap: str, cluster: Callable[[], Cluster], encoder: Encoder) -> Mapping[str, float]:
    """``view_per_s`` and what it is made of."""
    mix = list(_mix(encoder))
    alone = [("messages", record) for n in range(MESSAGES_ALONE // MESSAGES) for record in _messages(n)]
    per_s, deltas = await _apply(bootstrap, cluster(), [_moved(each, n) for each in mix for n in range(SPACES)])
    messages_per_s, _ = await _apply(bootstrap, cluster(), alone)  # pyright: ignore[reportArgumentType]
    sets = [record for _, record in mix if isinstance(record, EventsDistilled)]
    edges = [record for _, record in mix if isinstance(record, EdgesInferred)]
    return {
        "view_per_s": per_s,
        "view_messages_only_per_s": messages_per_s,
        "view_deltas": deltas,
        "view_mix_records": len(mix) * SPACES,
        "view_mix_messages_share": sum(isinstance(record, MessagePosted) for _, record in mix) / len(mix),
        "view_mix_event_sets_share": len(sets) / len(mix),
        "view_mix_edge_sets_share": len(edges) / len(mix),
        "view_mix_events_per_set": sum(len(record.events) for record in sets) / len(sets),
        "view_mix_edges_per_set": sum(len(record.edges) for record in edges) / len(edges),
    }


async def _apply(bootstrap: str, cluster: Cluster, records: list[tuple[TopicName, Record]]) -> tuple[float, float]:
    """Records a second from the first batch to the last commit, and deltas."""
    async with wire(bootstrap, cluster.prefix) as client:
        await client.publish(records)
    total = cluster.start("view", "view", "--once").finished()
    return total["records"] / total["seconds"], total["deltas"]


def _mix(encoder: Encoder) -> Iterator[tuple[TopicName, Record]]:
    """What the view reads of one space, topic after topic in rounds, as a consumer gets it."""
    log = MemoryLog(partitions=1)
    parts = Parts(
        log=log, tables=MemoryTables(), encoder=lambda: encoder, index=lambda _: MemoryIndex(encoder.dimension),
        clock=lambda: START,
    )  # fmt: skip
    system = Embedded(parts, Settings())
    key = space(0)
    said = history(Random(1), key, MESSAGES, START)
    for at in range(0, len(said), 10):
        system.post(key, [msgspec.json.encode(as_posted(message)) for message in said[at : at + 10]])
        system.run()
    system.flush()
    entries = [log.read(topic, 0, 0, log.end(topic, 0)) for topic in VIEW_TOPICS]
    for found in entries:
        for entry in found:
            yield entry.topic, decode(entry.topic, entry.value)


def _messages(number: int) -> list[MessagePosted]:
    return history(Random(number), space(number), MESSAGES, START)


def _moved(each: tuple[TopicName, Record], number: int) -> tuple[TopicName, Record]:
    key: SpaceKey = space(number)
    return each[0], msgspec.structs.replace(each[1], tenant=key.tenant, space=key.space)
