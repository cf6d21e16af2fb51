"""Nothing lost, nothing twice: what the stages decided against what their topics hold, in order, as hash chains.

A step decides which records of its inputs it took and what comes of them. So every record was taken once when the
positions of the steps run on without a gap to the end of the inputs; and every output was written once when the topic
holds the outputs of the steps in order. A worker that takes over writes the outputs of the last step again, byte for
byte: such repeats are the only records beyond that, and are left out of the chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec
from confluent_kafka import Message

from schemas.codec import decode
from schemas.edges import EdgesInferred
from schemas.events import EventsDistilled
from schemas.record import Record
from schemas.sessions import SessionRevised
from schemas.topics import TopicName
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.sessions.stage import Sessionize
from streams.themes.stage import ThemesStage
from streams.worker.step import Step, StepReader
from tests.kit.kafkaread import read_all

INPUTS = {stage.name: stage.inputs for stage in (Sessionize, DistilStage, ThemesStage, LinkStage)}
OUTPUTS: Mapping[str, tuple[TopicName, ...]] = {
    "sessionize": ("sessions",),
    "distil": ("events",),
    "themes": ("themes",),
    "link": ("edges", "verdicts"),
}
"""Topics that no other stage writes."""


class Chain(msgspec.Struct, frozen=True):
    """Records in order: how many, and the hash of each with the hash before it."""

    count: int
    sha256: str


def chain(values: Sequence[bytes]) -> Chain:
    """Of records in this order."""
    hashed = b""
    for value in values:
        hashed = sha256(hashed + value).digest()
    return Chain(len(values), hashed.hex())


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """What a topic holds. ``repeated``: records beyond the chain, all of them written before."""

    chain: Chain
    repeated: int


def check_decided(bootstrap: str, prefix: str) -> Mapping[TopicName, Decided]:
    """Every record taken once, every output written once; what the stages' topics hold then."""
    logs: dict[str, dict[int, list[Message]]] = {}

    def log(topic: str) -> dict[int, list[Message]]:
        if topic not in logs:
            logs[topic] = {}
            for message in read_all(bootstrap, prefix, topic):  # pyright: ignore[reportArgumentType]
                logs[topic].setdefault(message.partition() or 0, []).append(message)
        return logs[topic]

    found: dict[TopicName, Decided] = {}
    for stage, inputs in INPUTS.items():
        chains: dict[TopicName, list[bytes]] = {topic: [] for topic in OUTPUTS[stage]}
        repeated = dict.fromkeys(OUTPUTS[stage], 0)
        for partition, stored in sorted(log(f"steps-{stage}").items()):
            steps = _steps(stored)
            _check_taken(f"{stage}/{partition}", steps, {topic: log(topic).get(partition, ()) for topic in inputs})
            for topic in OUTPUTS[stage]:
                decided = [out.value for step in steps for out in step.outputs if out.topic == topic]
                written = [message.value() or b"" for message in log(topic).get(partition, ())]
                repeated[topic] += _check_written(f"{topic}/{partition}", decided, written)
                chains[topic] += decided
        found |= {topic: Decided(chain=chain(chains[topic]), repeated=repeated[topic]) for topic in OUTPUTS[stage]}
    return found


def all_taken(bootstrap: str, prefix: str) -> Mapping[tuple[str, int], Mapping[TopicName, int]] | None:
    """How far each stage has read, when all have taken all that their inputs hold now; else None.

    Between two outputs of a stage it is so, too: ask again after a while whether it is still the same.
    """

    def log(topic: str) -> dict[int, list[Message]]:
        found: dict[int, list[Message]] = {}
        for message in read_all(bootstrap, prefix, topic):  # pyright: ignore[reportArgumentType]
            found.setdefault(message.partition() or 0, []).append(message)
        return found

    taken: dict[tuple[str, int], Mapping[TopicName, int]] = {}
    for stage, inputs in INPUTS.items():
        read = {topic: log(topic) for topic in inputs}
        steps = log(f"steps-{stage}")
        for partition in sorted({partition for stored in read.values() for partition in stored}):
            decided = _steps(steps.get(partition, ()))
            if not decided:
                return None
            at = taken[stage, partition] = decided[-1].positions
            if any(at[topic] < _end(read[topic].get(partition, ())) for topic in inputs):
                return None
    return taken


def _steps(stored: Sequence[Message]) -> list[Step]:
    reader = StepReader()
    read = (reader.feed(message.offset() or 0, message.value() or b"") for message in stored)
    return [step for step in read if step is not None]


def _end(stored: Sequence[Message]) -> int:
    return (stored[-1].offset() or 0) + 1 if stored else 0


def _check_taken(place: str, steps: Sequence[Step], inputs: Mapping[TopicName, Sequence[Message]]) -> None:
    """Each record once. Repeats may be left: who takes over from a worker that stops writes them, and stops too."""
    at: Mapping[TopicName, int] = dict.fromkeys(inputs, 0)
    for step in steps:
        assert all(step.positions[topic] >= at[topic] for topic in inputs), f"{place} went back"
        at = step.positions
    for topic, stored in inputs.items():
        taken = {message.value() for message in stored if (message.offset() or 0) < at[topic]}
        left = [
            message.offset()
            for message in stored
            if (message.offset() or 0) >= at[topic] and message.value() not in taken
        ]
        assert not left, f"{place} did not take {topic} {left} (at {at[topic]})"


def _check_written(place: str, decided: Sequence[bytes], written: Sequence[bytes]) -> int:
    """The decided records in order, and between them only what was written before; how many such repeats."""
    following, repeated, before = 0, 0, set[bytes]()
    for value in written:
        if following < len(decided) and value == decided[following]:
            following += 1
            before.add(value)
        else:
            assert value in before, f"{place}: a record that no step decided, or out of its order"
            repeated += 1
    assert following == len(decided), f"{place}: {len(decided) - following} decided records were never written"
    return repeated


def effective(bootstrap: str, prefix: str, topic: TopicName) -> Chain:
    """What counts of a topic of sets, in order of their names: of each set the highest revision, what it says."""
    return effective_of(topic, [message.value() or b"" for message in read_all(bootstrap, prefix, topic)])


def effective_of(topic: TopicName, values: Sequence[bytes]) -> Chain:
    """See ``effective``; sets that say nothing are as if they were not there."""
    newest: dict[tuple[str, ...], tuple[int, bytes]] = {}
    for value in values:
        record = decode(topic, value)
        name, revision, says = _said(record)
        newest[name] = max(newest.get(name, (-1, b"")), (revision, says))
    return chain([says for _, (_, says) in sorted(newest.items()) if says != _NOTHING])


def _said(record: Record) -> tuple[tuple[str, ...], int, bytes]:
    match record:
        case SessionRevised():
            says = [(message.message_id, message.content) for message in record.messages]
            return (record.tenant, record.space, record.session_id), record.revision, _encode(says)
        case EventsDistilled():
            name = (record.tenant, record.space, record.session_id, record.producer)
            return name, record.revision, _encode(record.events)
        case EdgesInferred():
            name = (record.tenant, record.space, record.session_id, record.producer)
            return name, record.revision, _encode(record.edges)
        case _:
            raise AssertionError(f"no set: {type(record).__name__}")


_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_NOTHING = _encode(())
