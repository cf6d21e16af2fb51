"""Suite ``statebench``: business timelines with facts, supersessions and questions; structured and from turns alone.

*structured*: the initial facts and every write are a producer's events and the turns are messages; *text*: the turns
only. A question is asked at its place in the file. Where the rules say "item" we look at a statement with its own
marker: a line of a path, or a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from query.api import ContextItem
from schemas.ids import SpaceKey
from schemas.times import parse_time
from schemas.wire import AssertionsIn, EdgeIn, EventIn

from .data import BadDataError
from .suite import Scores, Task, share

BUDGET = 2_000
PRODUCER = "statebench"
Mode = Literal["structured", "text"]
MODES: tuple[Mode, ...] = ("structured", "text")


class Fact(msgspec.Struct, frozen=True):
    """A fact as it is written; ``supersedes`` names an earlier one by key or id."""

    id: str
    key: str
    value: str
    supersedes: str | None = None


class GroundTruth(msgspec.Struct, frozen=True):
    """What an answer must say and must not."""

    must_mention: tuple[str, ...]
    must_not_mention: tuple[str, ...]


class TimelineEvent(msgspec.Struct, frozen=True):
    """A turn, a write of facts, a supersession or a question."""

    ts: str
    type: Literal["conversation_turn", "state_write", "supersession", "query"]
    speaker: str = "user"
    text: str = ""
    writes: tuple[Fact, ...] = ()
    prompt: str = ""
    ground_truth: GroundTruth | None = None


class Initial(msgspec.Struct, frozen=True):
    """What is known at the beginning."""

    persistent_facts: tuple[Fact, ...]
    environment: dict[str, object]


class Timeline(msgspec.Struct, frozen=True):
    """One line of a file. Upstream gives ``events`` and ``initial_state`` as JSON text, the files here as JSON."""

    id: str
    track: str
    initial_state: Initial
    events: tuple[TimelineEvent, ...]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A fact of the file so far, imported or not. ``retired``: by a supersession write seen so far."""

    event_key: str
    fact: Fact
    retired: bool


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question at its place: what its mode had imported by then, and the file's facts until there."""

    timeline: Timeline
    event: TimelineEvent
    at: int
    imported: str
    facts: tuple[Known, ...]


class Replay:
    """One timeline in one mode, imported question by question."""

    def __init__(self, timeline: Timeline, mode: Mode) -> None:
        self.timeline = timeline
        self.space = SpaceKey(f"statebench-{mode}", timeline.id)
        self._mode: Mode = mode
        self._facts: list[Known] = []
        self._texts: list[str] = []
        self._place = 0

    def advance(self, task: Task) -> Asked | None:
        """Import up to the next question; None at the end."""
        if self._place == 0:
            self._assert(task, self.timeline.initial_state.persistent_facts, self._start(), 0)
        events = self.timeline.events
        while self._place < len(events):
            event, index = events[self._place], self._place
            self._place += 1
            match event.type:
                case "conversation_turn":
                    self._post(task, event, index)
                case "state_write" | "supersession":
                    self._assert(task, event.writes, event.ts, index + 1)
                case "query":
                    return Asked(
                        timeline=self.timeline, event=event, at=parse_time(_utc(event.ts))[0],
                        imported="\n".join(self._texts), facts=tuple(self._facts),
                    )  # fmt: skip
        return None

    def _start(self) -> str:
        return str(self.timeline.initial_state.environment.get("now") or self.timeline.events[0].ts)

    def _post(self, task: Task, event: TimelineEvent, index: int) -> None:
        self._texts.append(event.text)
        message = {
            "message_id": str(index), "conversation_id": self.timeline.id, "speaker": event.speaker,
            "role": "assistant" if event.speaker == "assistant" else "user", "content": event.text,
            "sent_at": _utc(event.ts), "seq": index,
        }  # fmt: skip
        task.memory.post(self.space, [message])

    def _assert(self, task: Task, facts: Sequence[Fact], ts: str, position: int) -> None:
        """A batch: every fact an event, every supersession an ``updates`` edge to the newest fact of that name.

        From text alone nothing is asserted, but what is retired is the same: the turns say it.
        """
        events: list[EventIn] = []
        edges: list[EdgeIn] = []
        for n, fact in enumerate(facts):
            key = f"{fact.key}#{position}.{n}"
            events.append(EventIn(key=key, type="state_change", text=fact.value, attribute=fact.key, value=fact.value))
            former = self._newest(fact.supersedes)
            if former is not None:
                self._facts[former] = msgspec.structs.replace(self._facts[former], retired=True)
                edges.append(EdgeIn(src=key, dst=self._facts[former].event_key, relation="updates", kind="change"))
            self._facts.append(Known(event_key=key, fact=fact, retired=False))
        if self._mode == "text" or not events:
            return
        self._texts += [event.text for event in events]
        task.memory.system.assert_events(
            self.space,
            AssertionsIn(
                batch_id=str(position),
                producer=PRODUCER,
                asserted_at=_utc(ts),
                events=tuple(events),
                edges=tuple(edges),
            ),
        )

    def _newest(self, name: str | None) -> int | None:
        for place in reversed(range(len(self._facts))):
            if name is not None and name in (self._facts[place].fact.key, self._facts[place].fact.id):
                return place
        return None


class Tally(msgspec.Struct, kw_only=True):
    """Counts of one mode."""

    asked: int = 0
    mentioned: int = 0
    risky: int = 0
    resurrected: int = 0
    other: int = 0
    other_hit: int = 0


def run(task: Task) -> Scores:
    """Every timeline of every file, in both modes."""
    names = task.data.files("statebench", ".jsonl")
    timelines = [_timeline(name, line) for name in names for line in task.data.lines(name)]
    tallies: dict[tuple[Mode, str], Tally] = {
        (mode, track): Tally() for mode in MODES for track in sorted({t.track for t in timelines})
    }
    details: list[str] = []
    for mode in MODES:
        replays = [Replay(timeline, mode) for timeline in timelines]
        while replays:
            task.memory.say(f"{mode}: {len(replays)} timelines to their next question")
            asked = [(replay, question) for replay in replays if (question := replay.advance(task)) is not None]
            task.memory.system.flush()
            for replay, question in asked:
                context = task.memory.ask(replay.space, question.event.prompt, question.at, BUDGET).context
                details += _count(tallies[mode, replay.timeline.track], mode, question, context)
            replays = [replay for replay, _ in asked]
    return _scores(tallies, details)


def _timeline(name: str, line: bytes) -> Timeline:
    try:
        return msgspec.json.decode(line, type=Timeline)
    except msgspec.MsgspecError as error:
        raise BadDataError(f"{name}: {error}") from error


def _count(tally: Tally, mode: Mode, asked: Asked, context: Sequence[ContextItem]) -> list[str]:
    """Count a question, if all it must mention was imported; returns what went wrong."""
    truth = asked.event.ground_truth
    assert truth is not None, "a question has an expected answer"
    if not all(_says(asked.imported, text) for text in truth.must_mention):
        return []
    shown = list(statements(context))
    where = f"{mode} {asked.timeline.id} ({asked.timeline.track})"
    details: list[str] = []
    if truth.must_mention:
        tally.asked += 1
        lacking = [text for text in truth.must_mention if not any(_says(s, text) for s, past in shown if not past)]
        tally.mentioned += not lacking
        if lacking:
            details.append(f"{where} lacks {lacking}: {asked.event.prompt}")
    risky = [text for text in truth.must_not_mention if is_retired(text, asked.facts)]
    hits = {text for text in truth.must_not_mention if any(_has_words(s, text) and not past for s, past in shown)}
    if risky:
        tally.risky += 1
        tally.resurrected += not hits.isdisjoint(risky)
        details += [f"{where} resurrects {text!r}: {asked.event.prompt}" for text in risky if text in hits]
    others = [text for text in truth.must_not_mention if text not in risky]
    if others:
        tally.other += 1
        tally.other_hit += not hits.isdisjoint(others)
    return details


def is_retired(text: str, facts: Iterable[Known]) -> bool:
    """The words stand in a fact that a supersession retired, and in none that still holds."""
    holding = {known.retired for known in facts if _has_words(known.fact.value, text)}
    return holding == {True}


def statements(context: Iterable[ContextItem]) -> Iterable[tuple[str, bool]]:
    """Every shown statement, and whether it is marked as past. A note marked in part only is not past as a whole."""
    for item in context:
        for line in item.text.splitlines() if item.kind == "path" else (item.text,):
            marker = line[line.rfind("{") :] if line.endswith("}") else ""
            whole = marker.partition("in part:")[0]
            yield line, any(word in whole for word in ("superseded on", "corrected:", "ended by", "takes an earlier"))


def _says(text: str, wanted: str) -> bool:
    return wanted.casefold() in text.casefold()


def _has_words(text: str, wanted: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(wanted.casefold())}(?!\w)", text.casefold()) is not None


def _utc(ts: str) -> str:
    return ts if ts.endswith("Z") or "+" in ts[10:] else f"{ts}+00:00"


def _scores(tallies: dict[tuple[Mode, str], Tally], details: list[str]) -> Scores:
    metrics: dict[str, float] = {}
    counts: dict[str, tuple[int, int]] = {}
    for mode in MODES:
        mine = [tally for (of, _), tally in tallies.items() if of == mode]
        counts[f"{mode}_mentioned"] = (sum(t.mentioned for t in mine), sum(t.asked for t in mine))
        counts[f"{mode}_resurrected"] = (sum(t.resurrected for t in mine), sum(t.risky for t in mine))
    metrics |= {name: share(*counted) for name, counted in counts.items()}
    metrics |= {f"{name}_of": counted[1] for name, counted in counts.items()}
    for (mode, track), tally in tallies.items():
        if tally.asked:
            metrics[f"{mode}_mentioned_{track}"] = tally.mentioned / tally.asked
        if tally.other:
            metrics[f"{mode}_forbidden_{track}"] = tally.other_hit / tally.other
    return Scores(metrics=metrics, counts=counts, details=details)
