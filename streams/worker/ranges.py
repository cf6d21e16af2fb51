"""Whether a broker still holds what a stage needs."""

from __future__ import annotations

from ..log.errors import StoreError


class LogLostError(StoreError):
    """Records a stage must read, or steps it took, are no longer on the broker. Nothing was changed.

    Set the topics' retention to unlimited (``./stilltrue topics check``), restore them from a replica or a backup.
    """


def check_range(topic: str, partition: int, start: int, position: int, end: int) -> None:
    """Refuse a partition that cannot be read on from ``position``."""
    if not start <= position <= end:
        raise LogLostError(
            f"{topic}/{partition}: the stage goes on at offset {position}, the broker holds {start} to {end}: "
            "records were lost or deleted, or the topic was made anew"
        )
