"""Records to bytes and back: MessagePack maps with a tag, one decoder per topic."""

from __future__ import annotations

import msgspec

from .record import Record
from .topics import TOPICS, TopicName

_encoder = msgspec.msgpack.Encoder(order="deterministic")
_decoders = {name: msgspec.msgpack.Decoder(topic.records) for name, topic in TOPICS.items()}


class BadRecordError(ValueError):
    """Bytes that are not a record of their topic. The stage parks them and goes on."""


def encode(record: Record) -> bytes:
    """A record as MessagePack. Equal records give equal bytes."""
    return _encoder.encode(record)


def decode(topic: TopicName, value: bytes) -> Record:
    """Bytes of a topic as its record.

    Raises:
        BadRecordError: not MessagePack, an unknown tag, a missing field or a wrong type; says which.
    """
    try:
        return _decoders[topic].decode(value)  # pyright: ignore[reportReturnType]  # a decoder of the topic's records
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRecordError(f"{topic}: {error}") from error
    except RecursionError as error:  # msgspec's guard against nesting, also in fields it would skip
        raise BadRecordError(f"{topic}: nested too deeply") from error
