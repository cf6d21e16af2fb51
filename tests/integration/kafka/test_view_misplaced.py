"""A producer with another partitioner puts records where their spaces do not belong: seen, parked, never folded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from schemas.codec import decode, encode
from schemas.dead_letters import DeadLetter
from schemas.events import EventsDistilled
from streams.log.partition import partition_of
from tests.kit.kafka import Broker
from tests.kit.kafkalog import Chat, Client, checksums, stored_view
from tests.kit.kafkaread import read_all
from tests.kit.messages import posted
from tests.kit.viewprocess import ViewProcess


def test_a_record_in_the_wrong_partition_is_parked_once_and_changes_nothing(
    kafka: Broker, prefix: str, chat: Callable[[int], Chat], tmp_path: Path
) -> None:
    made = chat(kafka.make_topics(prefix))
    client = Client(kafka.bootstrap, prefix)
    client.publish(made.entries)
    space = next(iter(made.checksums))
    wrong = (partition_of(space, made.partitions) + 1) % made.partitions
    stray = encode(posted("stray", 1_900_000_000_000_000, space=space, content="I live in Lecce."))
    distilled = next(e for e in made.entries if e.topic == "events" and (e.tenant, e.space) == space)
    record = decode("events", distilled.value)
    assert isinstance(record, EventsDistilled)
    claims = encode(msgspec.structs.replace(record, revision=record.revision + 1, covers=10**9, events=()))
    client.put("messages", str(space).encode(), stray, partition=wrong)
    client.put("events", str(space).encode(), claims, partition=wrong)
    client.flush()
    assert ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()["parked"] == 2
    assert ViewProcess(tmp_path, kafka.bootstrap, prefix, "--once").finished()["parked"] == 0
    view = stored_view(tmp_path)
    assert checksums(view, list(made.checksums)) == made.checksums
    assert view.covers(wrong) < 10**9, "its basis is another partition's"
    letters = [
        decode("dead-letters", message.value() or b"") for message in read_all(kafka.bootstrap, prefix, "dead-letters")
    ]
    assert all(isinstance(letter, DeadLetter) and letter.partition == wrong for letter in letters)
    assert sorted(letter.payload for letter in letters if isinstance(letter, DeadLetter)) == sorted([stray, claims])
    for letter in letters:
        assert isinstance(letter, DeadLetter)
        assert f"is in partition {wrong}" in letter.error
        assert "murmur2" in letter.error
