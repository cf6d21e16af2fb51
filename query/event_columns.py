"""Events of a space by number, and what paths need of each, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from schemas.parts import whole_of
from views.reader import SpaceReader
from views.rows import EventRow

Ints = npt.NDArray[np.int64]

FOREVER = int(np.iinfo(np.int64).max)
NONE, SEVERAL = -1, -2
"""In place of the number of an event's session."""

_UNKNOWN, _GONE, _LIVE = 0, 1, 2
_ROW = ("known", "start", "until", "ends", "doubted", "sent", "session", "part")
_COLUMNS = (*_ROW, "begin", "count", "lasts")


class Numbers:
    """Numbers of events, of sessions and of what belongs to the same parts of sessions. None is given twice."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.of_event: dict[str, int] = {}
        self.sessions: list[str] = []
        self.of_session: dict[str, int] = {}
        self.of_parts: dict[tuple[str, ...], int] = {}

    def events(self, event_ids: Iterable[str]) -> list[int]:
        """The numbers of events, new ones for those that have none."""
        known, ids = self.of_event, self.ids
        found: list[int] = []
        for event_id in event_ids:
            number = known.get(event_id)
            if number is None:
                ids.append(event_id)
                number = known[event_id] = len(ids) - 1
            found.append(number)
        return found

    def session(self, name: str) -> int:
        """The number of a session."""
        number = self.of_session.get(name)
        if number is None:
            self.sessions.append(name)
            number = self.of_session[name] = len(self.sessions) - 1
        return number


class EventColumns:
    """Columns of one cut. Whoever adds to them holds a lock; reading needs none.

    Args:
        numbers: shared with the cuts before and after.
        columns: of what is known already; longer than there are events.

    Attributes:
        columns: ``known``: whether the row was looked at, and the event is live. ``start``, ``until``: of its anchor.
            ``ends``, ``doubted``: ``valid_until`` and ``demoted_from``, ``FOREVER`` where open. ``sent``: when it was
            stated. ``session``: number of the one it is of, ``NONE`` or ``SEVERAL``. ``part``: the same for all of the
            same parts of sessions. ``begin``, ``count``: where its arms are (``PackedGraph``), begin -1 until they are
            packed; ``lasts``: all of them may always be crossed.
    """

    def __init__(self, numbers: Numbers, columns: dict[str, Ints] | None = None) -> None:
        self.numbers = numbers
        self.columns = columns or {name: np.empty(0, dtype=np.int64) for name in _COLUMNS}
        self.room()

    def without(self, event_ids: Iterable[str]) -> EventColumns:
        """A copy that knows nothing of these."""
        known = self.numbers.of_event
        numbers = np.array([known[event_id] for event_id in event_ids if event_id in known], dtype=np.int64)
        columns = {name: column.copy() for name, column in self.columns.items()}
        columns["known"][numbers] = _UNKNOWN
        columns["begin"][numbers] = -1
        return EventColumns(self.numbers, columns)

    def of(self, name: str, numbers: Ints) -> Ints:
        """A column of some events."""
        return self.columns[name][numbers]

    def room(self) -> None:
        """Columns as long as there are numbers. Whoever reads the former ones has all they ask for."""
        have, wanted = len(self.columns["known"]), len(self.numbers.ids)
        if have < wanted:
            more = wanted - have + wanted // 4 + 64
            grown = {name: np.concatenate((old, np.zeros(more, dtype=np.int64))) for name, old in self.columns.items()}
            grown["begin"][have:] = -1
            self.columns = grown

    def look(self, reader: SpaceReader, numbers: Ints) -> None:
        """Look at the rows of events that were not looked at."""
        self.room()
        missing = np.unique(numbers[self.of("known", numbers) == _UNKNOWN])
        ids = self.numbers.ids
        rows = [reader.event(ids[number]) for number in missing.tolist()]
        told = np.array([_GONE_ROW if row is None else self._row(row) for row in rows], dtype=np.int64)
        for name, column in zip(_ROW[1:], told.reshape(-1, len(_ROW)).T[1:], strict=True):
            self.columns[name][missing] = column
        self.columns["known"][missing] = told.reshape(-1, len(_ROW))[:, 0]

    def is_live(self, numbers: Ints) -> npt.NDArray[np.bool_]:
        """Whether events, which were looked at, are live."""
        return self.of("known", numbers) == _LIVE

    def _row(self, row: EventRow) -> Sequence[int]:
        event, names = row.event, row.session_ids
        parts = self.numbers.of_parts
        session = self.numbers.session(whole_of(names[0])) if len(names) == 1 else SEVERAL if names else NONE
        ends = FOREVER if row.valid_until is None else row.valid_until
        doubted = FOREVER if row.demoted_from is None else row.demoted_from
        part = parts.setdefault(names, len(parts))
        return (_LIVE, event.anchor.start, event.anchor.until, ends, doubted, event.stated.sent_at, session, part)


_GONE_ROW: Sequence[int] = (_GONE, *[0] * (len(_ROW) - 1))
