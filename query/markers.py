"""How far a statement still holds, in words. Whatever is shown of a superseded fact carries its marker.

A marker is empty for what simply holds. The dates are the view's: ``valid_until`` for a supersession, never the day
somebody asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from schemas.ids import MessageKey
from views.rows import EventRow, in_force, status_at

from .cut import Cut
from .echoes import Echoes, may_echo
from .quotes import day, offset_of, quote, quoted
from .relevance import Note
from .restated import Restated

PART_WORDS = 6
"""Of the quote that says which statement of a message a marker is about."""

MARKS_MOST = 16
"""Markers that are remembered of one message."""


def is_past(row: EventRow, at: int) -> bool:
    """Whether a statement must not pass for the present state at an instant.

    An action that is over has still happened: only a correction or an update makes it past.
    """
    status = status_at(row, at)
    return status in ("superseded", "corrected", "withdrawn") or (status == "ended" and row.event.type != "action")


def unmarked_since(row: EventRow, cut: Cut) -> int | None:
    """From when on a statement carries no marker of its own, whatever the time: most do not. None of one that may.

    Nothing took its place, contests it, demotes it or may have superseded it; it is no plan that lapses, and does not
    end, or is an action. Such a statement is never past. Remembered.
    """
    event_id = row.event.id
    known = cut.unmarked
    if event_id not in known:
        known[event_id] = row.valid_from if _is_plain(row, cut) else None
    return known[event_id]


def _is_plain(row: EventRow, cut: Cut) -> bool:
    event = row.event
    is_retired = row.corrected or row.withdrawal or row.superseded or bool(row.superseders)
    ends = row.valid_until is not None and event.type != "action"
    lapses = event.modality == "planned" and event.expected_until is not None
    is_touched = row.demoted_from is not None or bool(row.contradicts)
    return not (is_retired or ends or lapses or is_touched) and not any(
        edge.edge.relation == "possibly_updates" for edge in cut.edges(event.id)
    )


class _Marked(NamedTuple):
    """A message with what rests on it.

    ``messages``: those that this rests on; without anything, the message. ``instants``: when its marker changes by
    itself, in order. ``marks``: its markers by how many of these have passed at the instant the answer is about, and
    when it is asked.
    """

    rows: Sequence[EventRow]
    messages: Sequence[MessageKey]
    instants: Sequence[int]
    may_echo: bool
    marks: dict[tuple[int, int], str]


def _instants(row: EventRow, cut: Cut) -> Iterator[int]:
    """Whatever a status hangs on (``status_at``), its own and that of what it contradicts."""
    for one in (row, *cut.rows(row.contradicts)):
        for instant in (one.valid_from, one.valid_until, one.demoted_from, one.event.expected_until):
            if instant is not None:
                yield instant


class Marker:
    """Marks statements for one query.

    ``at``: the instant the answer is about; ``later``: when it is asked, if the question itself named an earlier time.
    A statement that held at ``at`` and no longer holds at ``later`` is marked with both. ``pointers``: see ``newest``.
    ``restated``: what says the same as a fact that no longer holds is marked like it; see there. ``echoes``:
    likewise of what an assistant was told.
    """

    def __init__(
        self,
        cut: Cut,
        at: int,
        later: int,
        quote_words_max: int,
        pointers: Mapping[MessageKey, Note] = MappingProxyType({}),
        restated: Restated | None = None,
        echoes: Echoes | None = None,
    ) -> None:
        self.at = at
        self._cut = cut
        self.later = max(at, later)
        self._words = quote_words_max
        self._pointers = pointers
        self._restated = restated
        self._echoes = echoes
        self._of_event: dict[str, str] = {}
        self._marked: dict[MessageKey, _Marked] = cut.memo.of_notes(("marked", quote_words_max))

    def of_event(self, row: EventRow) -> str:
        """The marker of a statement, empty when it simply holds."""
        known = self._of_event.get(row.event.id)
        if known is None:
            known = self._of_event[row.event.id] = self._mark(row)
        return known

    def _mark(self, row: EventRow) -> str:
        since = unmarked_since(row, self._cut)
        if since is not None and since <= self.at:
            return self._of_retold(row)
        marks = [self._standing(row, self.at), self._contested(row)]
        if not is_past(row, self.at) and is_past(row, self.later):
            marks.append(f"held then; {self._standing(row, self.later)}")
        return "; ".join(mark for mark in (self._of_retold(row), *marks) if mark)

    def _of_retold(self, row: EventRow) -> str:
        """The marker of a fact that no longer holds, of a statement that holds and says the same."""
        if self._restated is None or is_past(row, self.later):
            return ""
        fact = self._restated.of_event(row)
        return "" if fact is None else self.of_event(fact)

    def of_note(self, key: MessageKey) -> str:
        """The marker of a message from the events that rest on it.

        Where every event is marked it is their markers; where only some are, each is named ("in part: …"). A message
        without events may still say what a fact said that no longer holds. What the events say of themselves changes
        at few instants, so it is remembered by those that have passed.
        """
        known = self._marked.get(key)
        if known is None:
            known = self._marked[key] = self._read(key)
        of = self._restated
        if of is not None and (of.of(known.messages[0]) or any(map(of.of, known.messages[1:]))):
            mark = self._of_rows(key, known.rows)
        else:
            passed = (bisect_right(known.instants, self.at), bisect_right(known.instants, self.later))
            found = known.marks.get(passed)
            mark = self._keep(key, known, passed) if found is None else found
        return mark or (self._of_echo(key) if known.may_echo else "") or (self.pointer(key) if self._pointers else "")

    def _keep(self, key: MessageKey, known: _Marked, passed: tuple[int, int]) -> str:
        if len(known.marks) >= MARKS_MOST:
            known.marks.clear()
        mark = known.marks[passed] = self._of_rows(key, known.rows)
        return mark

    def _read(self, key: MessageKey) -> _Marked:
        note, rows = self._cut.note(key), self._cut.told_by(key)
        told = dict.fromkeys(source for row in rows for source in self._cut.sources(row.event.id))
        return _Marked(
            rows=rows,
            messages=tuple(told) if rows else (key,),
            instants=sorted({instant for row in rows for instant in _instants(row, self._cut)}),
            may_echo=note is not None and may_echo(note),
            marks={},
        )

    def _of_rows(self, key: MessageKey, rows: Sequence[EventRow]) -> str:
        if not rows:
            retired = None if self._restated is None else self._restated.of(key)
            return "" if retired is None else self.of_event(retired)
        marks = sorted({self.of_event(row) for row in rows}, key=lambda mark: (len(mark), mark))
        if marks[0] and all(mark == marks[0] or mark.startswith(f"{marks[0]}; ") for mark in marks):
            return marks[-1]  # all are marked alike, and of one there is more to say
        return self.of_rest(key, None)

    def _of_echo(self, key: MessageKey) -> str:
        """The marker of an assistant's echo of what somebody said, where a statement that holds says otherwise."""
        other = None if self._echoes is None else self._echoes.otherwise(key)
        return "" if other is None else f"possibly superseded by {self._quote(other)}"

    def pointer(self, key: MessageKey) -> str:
        """When the same speaker last came back to what a message is about; empty where he or she did not."""
        later = self._pointers.get(key)
        return "" if later is None else f"later: {day(later.text.sent_at, later.text.utc_offset_min)}"

    def of_rest(self, key: MessageKey, told: str | None) -> str:
        """Markers of the events of a message other than ``told``, each with the words it is about."""
        rows = self._cut.told_by(key)
        if not any(map(self.of_event, rows)):
            return ""
        rows = sorted(rows, key=lambda row: row.event.stated)
        parts = [f"{self._part(row)} {mark}" for row in rows if row.event.id != told and (mark := self.of_event(row))]
        return "in part: " + "; ".join(parts) if parts else ""

    def _standing(self, row: EventRow, at: int) -> str:
        match status_at(row, at):
            case "valid":
                return self._possibly(row)
            case "superseded":
                return self._superseded(row)
            case "corrected":
                return self._corrected(row)
            case "withdrawn":
                return "takes an earlier statement back"
            case "ended":
                return "" if row.event.type == "action" else f"ended by {self._day(row, row.valid_until)}"
            case "lapsed":
                due = row.event.expected_until
                return f"outcome unknown: due by {self._day(row, None if due is None else due - 1)}, no follow-up"
            case "partial":
                return self._in_doubt(row)
            case "not_yet":
                return f"not yet: from {self._day(row, row.valid_from)}"

    def _possibly(self, row: EventRow) -> str:
        """By the surest of what may have superseded it, where nobody is sure enough."""
        known = self._cut.memo.of_events("possibly")
        if row.event.id not in known:
            known[row.event.id] = self._surest(row)
        by = self._cut.row(known[row.event.id]) if known[row.event.id] else None
        return "" if by is None else f"possibly superseded by {self._quote(by)}"

    def _surest(self, row: EventRow) -> str | None:
        edges = [e.edge for e in self._cut.edges(row.event.id) if e.edge.relation == "possibly_updates"]
        newer = [edge for edge in edges if edge.dst == row.event.id and self._cut.row(edge.src) is not None]
        return min(newer, key=lambda edge: (-edge.confidence, edge.id)).src if newer else None

    def _superseded(self, row: EventRow) -> str:
        """By the superseder whose ``valid_from`` closed the interval; among equals the first said. Remembered."""
        known = self._cut.memo.of_events(("superseded", self._words))
        told: str | None = known.get(row.event.id)
        if told is None:
            told = known[row.event.id] = self._closed(row)
        return told

    def _closed(self, row: EventRow) -> str:
        by = self._cut.rows([s.event_id for s in row.superseders])
        if not by:
            return f"superseded on {self._day(row, row.valid_until)}"
        closing = min(by, key=lambda new: (new.valid_from, new.event.stated, new.event.id))
        kinds = sorted({s.kind for s in row.superseders if s.event_id == closing.event.id} - {"change"})
        kind = f" ({kinds[0]})" if kinds else ""
        return f"superseded on {self._day(closing, row.valid_until)}{kind} by {self._quote(closing)}"

    def _corrected(self, row: EventRow) -> str:
        wrong = [s.event_id for s in row.superseders if s.kind in ("correction", "withdrawn")]
        by = sorted(self._cut.rows(wrong), key=lambda new: (new.event.stated, new.event.id))
        return f"corrected: never held; see {self._quote(by[-1])}" if by else "corrected: never held"

    def _in_doubt(self, row: EventRow) -> str:
        causes = [edge.edge.src for edge in self._cut.edges(row.event.id) if edge.edge.id in row.demoters]
        rows = self._cut.rows(causes)
        if not rows:
            return "in doubt: what it rests on no longer holds"
        return f"in doubt: rests on {self._quote(rows[0])}, which ended on {self._day(rows[0], rows[0].valid_until)}"

    def _contested(self, row: EventRow) -> str:
        if not in_force(row, self.at):
            return ""
        return " and ".join(f"contested by {self._quote(other)}" for other in contesting(row, self._cut, self.at))

    def _part(self, row: EventRow) -> str:
        """The first words of a statement whose message stands before the marker: they only say which one."""
        return quote(row.event, self._cut, min(PART_WORDS, self._words))

    def _quote(self, row: EventRow) -> str:
        return quoted(row.event, self._cut, self._words)

    def _day(self, row: EventRow, us: int | None) -> str:
        return "an unknown date" if us is None else day(us, offset_of(row.event, self._cut))


def contesting(row: EventRow, cut: Cut, at: int) -> Sequence[EventRow]:
    """Statements that contradict it and are current at an instant, by id."""
    return [other for other in cut.rows(row.contradicts) if in_force(other, at)]
