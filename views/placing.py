"""Whether a record lies in the partition of its space. A foreign producer may have put it anywhere."""

from __future__ import annotations

from collections.abc import Callable

from schemas.codec import BadRecordError
from schemas.entry import Entry
from schemas.ids import SpaceKey


def check_place(partition_of: Callable[[SpaceKey], int], entry: Entry) -> None:
    """Whether a record lies where its space belongs: offsets of another partition would say nothing about the space.

    A dead letter lies beside the record it holds, wherever that was.

    Raises:
        BadRecordError: it does not; its producer does not partition as Kafka's own clients do.
    """
    belongs = partition_of(entry.record.key)
    if entry.partition != belongs and entry.topic != "dead-letters":
        raise BadRecordError(
            f"is in partition {entry.partition}, but space {entry.record.key} belongs to partition {belongs}: "
            "let its producer use the key tenant/space and the partitioner murmur2, and send it again"
        )
