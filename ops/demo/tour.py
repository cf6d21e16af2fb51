"""What the demo shows, as lines: the state, what was superseded, two beliefs about one day, two questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from ops.cli.ask import evidence_paths, path_lines, said_lines
from ops.cli.show import evidence, interval, state_lines
from ops.cli.times import show_day
from query.api import QueryRequest, QueryResult, StateRequest
from schemas.times import parse_time

if TYPE_CHECKING:
    from ops.system import System
    from query.api import StateEntry
    from schemas.ids import SpaceKey

ZONE = ZoneInfo("Europe/Brussels")
"""Where the two friends live; their days are shown as they lived them."""
TODAY = parse_time("2026-03-20T12:00:00+01:00")[0]
"""Some days after the last message, so that the demo shows the same on every day of the year."""
MID_JANUARY = parse_time("2026-01-20T12:00:00+01:00")[0]

THEN_QUESTION = "Where does Corin work?"
NOW_QUESTION = "Where does Maren live?"


def tour(system: System, space: SpaceKey) -> Iterator[str]:
    """Every line of the demo after the import."""
    everything = system.state(_state_request(space, include_all=True)).entries
    holds = system.state(_state_request(space, include_all=False)).entries
    known = [entry for entry in holds if entry.event.attribute is not None]
    yield f"WHAT HOLDS on {show_day(TODAY, ZONE)} (statement, since when, message, event id)"
    yield from state_lines(known, ZONE)
    yield f"  ... and {len(holds) - len(known)} more without a known attribute"
    yield ""
    yield "WHAT NO LONGER HOLDS (and which message ended it)"
    for entry in everything:
        if entry.superseded_by:
            yield from _superseded_lines(entry)
    yield ""
    yield f'"{THEN_QUESTION}" AS OF {show_day(MID_JANUARY, ZONE)}'
    yield from _answer(system.query(_question(space, THEN_QUESTION, as_of=MID_JANUARY)), paths=0)
    yield ""
    yield f'"{NOW_QUESTION}" TODAY, with an evidence path'
    yield from _answer(system.query(_question(space, NOW_QUESTION, as_of=TODAY)), paths=1)


def _state_request(space: SpaceKey, *, include_all: bool) -> StateRequest:
    return StateRequest(
        space=space, as_of=TODAY, known_at=None, participant=None, attribute=None, include_all=include_all
    )


def _question(space: SpaceKey, question: str, *, as_of: int) -> QueryRequest:
    return QueryRequest(
        space=space,
        question=question,
        asked_at=TODAY,
        as_of=as_of,
        known_at=None,
        mode="hybrid",
        budget_tokens=1_000,
        answer=True,
    )


def _superseded_lines(entry: StateEntry) -> Iterator[str]:
    yield f'  "{entry.event.text}"  {evidence(entry.citations, ZONE)}'
    for by in entry.superseded_by:
        message = "" if by.message_id is None else f", message {by.message_id}"
        yield f'      {interval(entry, ZONE)}; {by.kind}: "{by.text}"{message}'


def _answer(result: QueryResult, *, paths: int) -> Iterator[str]:
    yield from (f"  {line}" for line in said_lines(result, ZONE))
    for path in evidence_paths(result)[:paths]:
        yield from path_lines(path, result)
