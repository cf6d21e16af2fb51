"""A decoded record with its place in the log: what every stage and view folds."""

from __future__ import annotations

import msgspec

from .record import Record
from .topics import TopicName


class Entry(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A decoded record with its place in the log."""

    topic: TopicName
    partition: int
    offset: int
    record: Record
