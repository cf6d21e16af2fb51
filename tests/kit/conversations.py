"""Conversations through the embedded system, undisturbed: what a broker's topics and view must hold in the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random

import msgspec
import pytest

from ops.importers import open_source
from ops.model import load_encoder
from ops.runtime import Embedded, Parts
from ops.settings import Settings
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from streams.log import LogEntry, MemoryLog
from tests.kit.decided import Chain, effective_of
from tests.kit.kafkalog import NOW, TENANT
from tests.kit.simchat import saying
from views.encoder.resolve import ModelUnavailableError
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

SETTINGS = "session_max_messages = 12\nopen_revision_messages = 4\n"
"""Of every worker that must end in the same view."""

LOCOMO = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "locomo" / "conversations.json"
"""Beside the repository, and no part of it."""

SETS: tuple[TopicName, ...] = ("sessions", "events", "edges")


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """Records of ``messages``, and what must come of them: of the view by space, and of the topics of sets."""

    messages: tuple[LogEntry, ...]
    checksums: Mapping[SpaceKey, str]
    effective: Mapping[TopicName, Chain]


def make_import(seed: int, *, spaces: int, messages: int, partitions: int) -> Import:
    """Chats that arrive out of order, with edits and a retraction, through the embedded system, with its encoder."""
    rng = Random(seed)
    chats: dict[SpaceKey, list[bytes]] = {}
    for n in range(spaces):
        order = [n + rng.uniform(0, 15) for n in range(messages)]
        late = sorted(range(messages), key=order.__getitem__)
        chats[SpaceKey(TENANT, f"bed-{n}")] = [said(rng, n) for n in late]

    def change(system: Embedded, key: SpaceKey) -> None:
        for n in rng.sample(range(messages), k=3):
            system.edit(key, "c", f"m{n}", saying(rng))
        system.retract(key, "c", f"m{messages // 2}")

    return imported(rng, chats, partitions, change)


def four_conversations(seed: int, *, messages: int, partitions: int) -> Import:
    """The beginnings of four real conversations where they are at hand, else of four made ones."""
    if not LOCOMO.exists():
        return make_import(seed, spaces=4, messages=messages, partitions=partitions)
    chats: dict[SpaceKey, list[bytes]] = {}
    for number in range(4):
        items = islice(open_source(LOCOMO, conversation=number).items(), messages)
        chats[SpaceKey(TENANT, f"talk-{number}")] = [item.message for item in items if item.message is not None]
    return imported(Random(seed), chats, partitions, lambda _system, _key: None)


def one_conversation(seed: int, *, made: int, partitions: int) -> Import:
    """A real conversation, all of it, where it is at hand; else a made one of so many messages."""
    if not LOCOMO.exists():
        return make_import(seed, spaces=1, messages=made, partitions=partitions)
    items = open_source(LOCOMO, conversation=0).items()
    chats = {SpaceKey(TENANT, "talk"): [item.message for item in items if item.message is not None]}
    return imported(Random(seed), chats, partitions, lambda _system, _key: None)


def imported(
    rng: Random,
    chats: Mapping[SpaceKey, Sequence[bytes]],
    partitions: int,
    change: Callable[[Embedded, SpaceKey], None],
) -> Import:
    """Through the embedded system, undisturbed."""
    try:
        encoder = load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))
    log = MemoryLog(partitions=partitions)
    parts = Parts(
        log=log, tables=MemoryTables(), encoder=lambda: encoder, index=lambda _: MemoryIndex(encoder.dimension),
        clock=lambda: NOW,
    )  # fmt: skip
    system = Embedded(parts, Settings(session_max_messages=12, open_revision_messages=4))
    for key, chat in chats.items():
        system.post(key, chat, received_at="sent_at", default_tz="UTC")
        change(system, key)
    system.flush()
    verified = {key: system.verify(key) for key in chats}
    assert all(found.equal and found.events > 0 and found.edges > 0 for found in verified.values())
    whole = {
        topic: [e for p in range(partitions) for e in log.read(topic, p, 0, log.end(topic, p))]
        for topic in ("messages", *SETS)
    }
    return Import(
        messages=tuple(_mixed(rng, whole["messages"])), checksums={key: verified[key].checksum for key in chats},
        effective={topic: effective_of(topic, [entry.value for entry in whole[topic]]) for topic in SETS},
    )  # fmt: skip


def said(rng: Random, n: int) -> bytes:
    """The n-th message as a producer sends it."""
    at = datetime(2031, 3, 3, 9, tzinfo=UTC) + timedelta(minutes=37 * n)
    return json.dumps(
        {
            "message_id": f"m{n}", "conversation_id": "c", "speaker": rng.choice(("Ewout", "Fenna")),
            "content": saying(rng), "sent_at": at.isoformat(), "seq": n,
        }
    ).encode()  # fmt: skip


def _mixed(rng: Random, entries: Sequence[LogEntry]) -> Iterator[LogEntry]:
    """The partitions mixed, each in order."""
    queues: dict[int, list[LogEntry]] = {}
    for entry in reversed(entries):
        queues.setdefault(entry.partition, []).append(entry)
    while queues:
        partition = rng.choice(sorted(queues))
        yield queues[partition].pop()
        if not queues[partition]:
            del queues[partition]
