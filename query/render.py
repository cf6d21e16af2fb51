"""Context items as text: notes, evidence paths and ruled-out relations, one line per statement.

White space inside a message is collapsed, so that no message can imitate a heading or another item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from schemas.edges import Edge
from schemas.ids import MessageKey
from views.reader import MessageText
from views.rows import EventRow

from .api import ContextItem, Path, Step
from .cut import Cut
from .markers import MARKS_MOST, Marker
from .ports import TokenCounter
from .quotes import anchored, day, offset_of, quoted

HEADINGS = {"path": "Evidence graph:", "ruled_out": "Ruled out by an analyst:", "note": "Notes:"}


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """An item but for its score, and how many of its tokens are scaffolding: labels, relations and markers."""

    kind: Literal["note", "path", "ruled_out"]
    text: str
    tokens: int
    event_ids: tuple[str, ...]
    message_ids: tuple[MessageKey, ...]
    marker: str
    scaffolding: int

    def item(self, score: float) -> ContextItem:
        """As it stands in a reply."""
        return ContextItem(
            kind=self.kind, text=self.text, tokens=self.tokens, event_ids=self.event_ids,
            message_ids=self.message_ids, marker=self.marker, score=score,
        )  # fmt: skip


class Shown(msgspec.Struct, kw_only=True):
    """What a context shows already. Grown item by item: an item that did not fit leaves no trace.

    ``labels``: event to its number in the graph block. ``messages``: those whose full text stands there.
    """

    labels: dict[str, int]
    messages: dict[MessageKey, None]
    steps: dict[tuple[str, str, str], None]

    def add(self, rendered: Rendered, path: Path | None) -> None:
        """Remember an item that was taken."""
        for event_id in path.events if path else ():
            self.labels.setdefault(event_id, len(self.labels) + 1)
        for step in path.steps if path else ():
            self.steps[(step.src, step.relation, step.dst)] = None
        for key in rendered.message_ids:
            self.messages[key] = None


class _Line(NamedTuple):
    """A message written out. ``marked``: as an item, by its marker."""

    text: str
    tokens: int
    events: tuple[str, ...]
    dates: Sequence[str]
    marked: dict[str, Rendered]


class Renderer:
    """Renders for one query. ``dated_notes``: notes tell plans and which days phrases mean."""

    def __init__(
        self, cut: Cut, marker: Marker, counter: TokenCounter, full_text_tokens_max: int, *, dated_notes: bool = True
    ) -> None:
        self._cut = cut
        self._marker = marker
        self._counter = counter
        self._full_max = full_text_tokens_max
        self._dated_notes = dated_notes
        self._notes: dict[MessageKey, Rendered] = {}
        self._lines: dict[MessageKey, _Line] = cut.memo.of_notes(("line", counter.name, dated_notes))

    def note(self, key: MessageKey) -> Rendered | None:
        """``[date] speaker: text {marker}``; None for a message that may not be shown."""
        found = self._notes.get(key)
        if found is not None:
            return found
        line = self._lines.get(key) or self._line(key)
        if line is None:
            return None
        marker = self._marker.of_note(key)
        found = self._notes[key] = line.marked.get(marker) or self._marked(key, line, marker)
        return found

    def _marked(self, key: MessageKey, line: _Line, marker: str) -> Rendered:
        """Remembered by the marker."""
        notes = "; ".join(part for part in (*line.dates, marker) if part)
        scaffold = f" {{{notes}}}" if notes else ""
        tokens = None if scaffold else line.tokens
        if len(line.marked) >= MARKS_MOST:
            line.marked.clear()
        made = self._rendered("note", line.text + scaffold, scaffold, line.events, (key,), marker, tokens=tokens)
        line.marked[marker] = made
        return made

    def _line(self, key: MessageKey) -> _Line | None:
        """A message written out, and its tokens; None of one that may not be shown. Remembered."""
        note = self._cut.note(key)
        if note is None:
            return None
        text = f"[{day(note.sent_at, note.utc_offset_min)}] {_flat(note.speaker)}: {_flat(note.content)}"
        dates = self._dates(note, self._cut.told_by(key)) if self._dated_notes else ()
        events = tuple(self._cut.events_of([key])[0])
        found = self._lines[key] = _Line(text, self._counter.count(text), events, dates, {})
        return found

    def is_longer(self, key: MessageKey, tokens: float) -> bool:
        """Whether what a message says is more than so many tokens."""
        note = self._cut.note(key)
        return note is not None and self._counter.count(note.content) > tokens

    def path(self, path: Path, shown: Shown) -> Rendered | None:
        """Statements joined by their relations, each under a label (E1, E2, …); None when it shows nothing new.

        A statement is written out at its first appearance and named by its label after that. Its message stands there
        in full when it is short and not there yet, with the markers of everything it says; else its cited words do.
        """
        new_steps = [s for s in path.steps if s.via is None and (s.src, s.relation, s.dst) not in shown.steps]
        new_events = [event_id for event_id in path.events if event_id not in shown.labels]
        if not new_steps and not any(self._adds(event_id, shown) for event_id in new_events):
            return None
        numbers: dict[str, int] = {}
        lines: list[str] = []
        scaffold: list[str] = []
        markers: list[str] = []
        full: list[MessageKey] = []
        for position, row in enumerate(self._cut.rows(path.events)):
            number = shown.labels.get(row.event.id) or numbers.get(row.event.id)
            if number is None:
                number = numbers[row.event.id] = len(shown.labels) + len(numbers) + 1
            label = f"E{number}"
            arrow = f"  {_arrow(path.steps[position - 1], row.event.id)} " if position else ""
            if row.event.id in shown.labels:
                lines.append(arrow + label)
                scaffold.append(arrow + label)
                continue
            already = len(full)
            statement = self._statement(row, shown.messages, full)
            rest = [self._marker.of_rest(key, row.event.id) for key in full[already:]]
            marker = "; ".join(mark for mark in (self._marker.of_event(row), *rest) if mark)
            marker = marker or next((mark for key in full[already:] if (mark := self._marker.pointer(key))), "")
            notes = "; ".join(part for part in (*self._facts(row), marker) if part)
            tail = f" {{{notes}}}" if notes else ""
            lines.append(f"{arrow}{label} {statement}{tail}")
            scaffold += [arrow + label, tail]
            markers.append(marker)
        shown_marker = "; ".join(dict.fromkeys(mark for mark in markers if mark))
        return self._rendered("path", "\n".join(lines), " ".join(scaffold), path.events, full, shown_marker)

    def ruled_out(self, edge: Edge) -> Rendered | None:
        """A relation an analyst rejected, between two statements that are live; None otherwise."""
        src, dst = self._cut.row(edge.src), self._cut.row(edge.dst)
        if src is None or dst is None:
            return None
        scaffold = f"not {edge.relation}:"
        text = f"{scaffold} {quoted(src.event, self._cut)} → {quoted(dst.event, self._cut)}"
        marks = [mark for row in (src, dst) if (mark := self._marker.of_event(row))]
        tail = f" {{{'; '.join(marks)}}}" if marks else ""
        return self._rendered("ruled_out", text + tail, scaffold + tail, (edge.src, edge.dst), (), "; ".join(marks))

    def _adds(self, event_id: str, shown: Shown) -> bool:
        """Whether a statement alone would add anything: its messages do not stand there yet, or more is known of it."""
        row = self._cut.row(event_id)
        if row is None:
            return False
        keys = self._cut.sources(event_id)
        return not keys or any(key not in shown.messages for key in keys) or bool(self._facts(row))

    def _statement(self, row: EventRow, before: Mapping[MessageKey, None], full: list[MessageKey]) -> str:
        """The sources of a statement; notes in ``full`` which are written out now. ``before``: those that were."""
        parts: list[str] = []
        for source in row.event.sources:
            key = MessageKey(source.conversation_id, source.message_id)
            note, line = self._cut.note(key), self._lines.get(key) or self._line(key)
            if note is None or line is None:
                continue
            if key not in before and key not in full and line.tokens <= self._full_max:
                full.append(key)
                parts.append(line.text)
            else:
                span = _flat(note.content[source.start : source.end])
                parts.append(f'[{day(note.sent_at, note.utc_offset_min)}] {note.speaker}: "{span}"')
        if parts:
            return " / ".join(parts)
        speaker = f"{_flat(row.event.speaker)}: " if row.event.speaker else ""
        return f"[{day(row.event.stated.sent_at, 0)}] {speaker}{_flat(row.event.text)}"

    def _dates(self, note: MessageText, rows: Sequence[EventRow]) -> Sequence[str]:
        """That a message tells plans, mostly and nothing else; the days its phrases mean where they do not say them."""
        found: dict[str, None] = {}
        if rows and all(row.event.modality == "planned" for row in rows):
            told = {
                (source.start, source.end)
                for row in rows
                for source in row.event.sources
                if (source.conversation_id, source.message_id) == (note.conversation_id, note.message_id)
            }
            if 2 * sum(end - start for start, end in told) >= len(note.content):
                found["plan"] = None
        for row in rows:
            if row.event.anchor.phrase is not None and (meant := self._meant(row)):
                found[meant] = None
        return list(found)

    def _meant(self, row: EventRow) -> str:
        """The day that a statement's phrase means, where it does not say it; empty for another."""
        anchor, offset = row.event.anchor, offset_of(row.event, self._cut)
        about = anchored(anchor, offset)
        is_other = anchor.resolution == "relative" and about != day(row.event.stated.sent_at, offset)
        return f"{_flat(anchor.phrase or '')} = {about}" if is_other else ""

    def _facts(self, row: EventRow) -> Sequence[str]:
        """What words alone do not say: that it is a plan, the day a phrase means, since when it holds. Remembered."""
        known = self._cut.memo.of_events("facts")
        found: Sequence[str] | None = known.get(row.event.id)
        if found is None:
            found = known[row.event.id] = self._read_facts(row)
        return found

    def _read_facts(self, row: EventRow) -> Sequence[str]:
        event, offset = row.event, offset_of(row.event, self._cut)
        said = day(event.stated.sent_at, offset)
        facts = ["plan"] if event.modality == "planned" else []
        about = anchored(event.anchor, offset)
        if event.anchor.phrase is not None and about != said:
            facts.append(f"about {about}")
        since = day(row.valid_from, offset)
        if event.type in ("state_change", "preference") and since not in (said, about):
            facts.append(f"since {since}")
        return facts

    def _rendered(
        self,
        kind: Literal["note", "path", "ruled_out"],
        text: str,
        scaffold: str,
        events: Sequence[str],
        messages: Sequence[MessageKey],
        marker: str,
        *,
        tokens: int | None = None,
    ) -> Rendered:
        """``tokens``: of the text, where they are known."""
        tokens = self._counter.count(text) if tokens is None else tokens
        return Rendered(
            kind=kind,
            text=text,
            tokens=tokens,
            event_ids=tuple(events),
            message_ids=tuple(messages),
            marker=marker,
            scaffolding=min(tokens, self._counter.count(scaffold)) if scaffold else 0,
        )


def _arrow(step: Step, arrived: str) -> str:
    if step.via is not None:
        return f"-- same {step.relation} --"
    name = step.relation if step.kind in (None, "change") else f"{step.relation} ({step.kind})"
    return f"-- {name} -->" if step.dst == arrived else f"<-- {name} --"


def _flat(text: str) -> str:
    return " ".join(text.split())
