"""What messages were read before: an open session is distilled at every revision, and most of it has not changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from schemas.sessions import SessionMessage

from .statement import Statement
from .subjects import Said

MESSAGES = 2_000
"""Kept: the open sessions of a partition with some to spare; 10 kB each at the most, a tenth of that mostly."""

Read = tuple[tuple[Statement, ...], Said]


class Remembered:
    """A reader of messages that reads none twice: the same message after the same talk states the same.

    Args:
        read: pure: statements of a message, and what the next one may speak of.
        messages: most that are kept, those read last.
    """

    def __init__(self, read: Callable[[SessionMessage, Said], Read], messages: int = MESSAGES) -> None:
        self._read = read
        self._most = messages
        self._kept: OrderedDict[tuple[object, ...], Read] = OrderedDict()

    def __call__(self, message: SessionMessage, before: Said) -> Read:
        """See ``read``. A roster is told by who speaks in it."""
        key = (message, before.roster.speakers, before.roster.people, before.person, before.thing)
        found = self._kept.pop(key, None)
        if found is None:
            statements, after = self._read(message, before)
        else:
            statements, after = found[0], found[1]._replace(roster=before.roster)
        self._kept[key] = (statements, after)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return statements, after
