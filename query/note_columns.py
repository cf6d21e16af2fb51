"""Notes of one cut by number, and what their ranking needs of them, column by column. Made once for all queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from schemas.ids import MessageKey
from views.memo import KEPT_MOST, Memo
from views.reader import Messages, MessageText
from views.vectors.refs import note_key, note_ref

Ints = npt.NDArray[np.int64]

NOWHERE = -1
"""The number of a note that may not be shown."""

RUN_APART = 64
"""Between the numbers of two runs; neighbours reach less far."""

_ROWS = ("conversation", "place", "run", "sent_at", "speaker")
_BEGIN, _UNKNOWN = 256, -1


class NoteColumns:
    """The notes that were looked at so far. Safe with several threads: a row is written before anybody has its number.

    Args:
        messages: of the cut.

    Attributes:
        keys, texts: by number.
        columns: one array a column (``of``), longer than there are notes.
    """

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._numbers: dict[str, int] = {}
        self._refs_of: dict[str, Sequence[str]] = {}
        self._conversations: dict[str, int] = {}
        self._speakers: dict[str, int] = {}
        self._lock = threading.Lock()
        self.keys: list[MessageKey] = []
        self.texts: list[MessageText] = []
        self.columns: dict[str, Ints] = {name: np.full(_BEGIN, _UNKNOWN, dtype=np.int64) for name in (*_ROWS, "states")}

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, refs: Sequence[str]) -> Ints:
        """The numbers of notes of the index; ``NOWHERE`` for what may not be shown."""
        known = self._numbers
        if not all(map(known.__contains__, refs)):
            with self._lock:
                self._add([ref for ref in dict.fromkeys(refs) if ref not in known])
        return np.fromiter(map(known.__getitem__, refs), np.int64, len(refs))

    def under(
        self, event_ids: Iterable[str], sources: Callable[[str], Sequence[MessageKey]]
    ) -> tuple[list[int], list[int]]:
        """The numbers of the notes that events rest on, of those that were looked at; and the place of the event."""
        known, known_refs = self._numbers, self._refs_of
        numbers: list[int] = []
        places: list[int] = []
        for place, event_id in enumerate(event_ids):
            refs = known_refs.get(event_id)
            if refs is None:
                refs = known_refs[event_id] = [note_ref(key) for key in sources(event_id)]
            for ref in refs:
                number = known.get(ref)
                if number is not None:
                    numbers.append(number)
                    places.append(place)
        return numbers, places

    def of(self, name: str, numbers: Ints) -> Ints:
        """A column of some notes.

        ``conversation`` and ``speaker``: any number, one for each. ``place``: of a conversation, those of one run that
        lie side by side differ by 1. ``run``: of a conversation. ``sent_at``: microseconds UTC.
        """
        return self.columns[name][numbers]

    def speakers(self, names: Iterable[str]) -> Ints:
        """The numbers of those of these who said one of the notes."""
        known = (self._speakers.get(name.casefold()) for name in names)
        return np.array([number for number in known if number is not None], dtype=np.int64)

    def states(self, numbers: Ints, statements: Callable[[MessageKey], Sequence[str]]) -> npt.NDArray[np.bool_]:
        """Whether a note states anything."""
        column = self.columns["states"]  # one of twice the length may take its place meanwhile
        for number in numbers[column[numbers] == _UNKNOWN].tolist():
            column[number] = bool(statements(self.keys[number]))
        return column[numbers] > 0

    def _add(self, refs: Sequence[str]) -> None:
        """Look at notes that were not looked at."""
        message, spot_of = self._messages.message, self._messages.spot
        begin, numbers, rows = len(self.keys), dict.fromkeys(refs, NOWHERE), list[tuple[int, ...]]()
        for ref in refs:
            key = note_key(ref)
            text, spot = message(key), spot_of(key)
            if text is not None and spot is not None:
                numbers[ref] = begin + len(rows)
                conversation = _numbered(self._conversations, text.conversation_id)
                speaker = _numbered(self._speakers, text.speaker.casefold())
                place = spot.run * RUN_APART + spot.number
                rows.append((conversation, place, spot.run, text.sent_at, speaker))
                self.keys.append(key)
                self.texts.append(text)
        self._room(len(self.keys))
        for name, column in zip(_ROWS, np.array(rows, dtype=np.int64).reshape(-1, len(_ROWS)).T, strict=True):
            self.columns[name][begin : len(self.keys)] = column
        self._numbers.update(numbers)

    def _room(self, count: int) -> None:
        """Columns as long, with room for more; whoever reads the former ones has all they ask for."""
        have = len(self.columns["place"])
        if have < count:
            rest = np.full(count, _UNKNOWN, dtype=np.int64)
            self.columns = {name: np.concatenate((column, rest)) for name, column in self.columns.items()}


def _numbered(numbers: dict[str, int], name: str) -> int:
    return numbers.setdefault(name, len(numbers))


def notes_of(memo: Memo, messages: Messages) -> NoteColumns:
    """Those of a cut, made once; anew when too many were looked at."""
    held: dict[str, NoteColumns] = memo.of_cut("note columns")
    found = held.get("")
    if found is None or len(found) > KEPT_MOST:
        found = held[""] = NoteColumns(messages)
    return found
