"""``ask SPACE QUESTION``: the answer, the messages it rests on, and the evidence paths."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from .arguments import Subcommands, add_moments, add_space, add_url
from .times import Zone, parse_moment, show_minute, zone_name
from .world import OK, CommandError, Options, World, asked, existing_space

if TYPE_CHECKING:
    from ops.settings import Settings
    from query.api import Answer, Mode, Path, QueryResult, Trace

    from .world import Asked

MODES: tuple[Mode, ...] = ("flat", "graph", "hybrid", "graph+ruled_out")
_PATHS_SHOWN = 3
_PATH_WIDTH = 110
_WORDS = {"session": "in one session with", "theme": "on one theme with"}
"""How a step over a session or a theme reads."""


class AskOptions(Options):
    """Options of ``ask``."""

    space: str
    question: str
    as_of: str | None
    known_at: str | None
    asked_at: str | None
    mode: Mode
    budget: int | None
    trace: bool


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("ask", parents=[shared], help="answer a question, with the evidence")
    add_space(parser)
    parser.add_argument("question", metavar="QUESTION", help="in words")
    add_moments(parser, "what held at T; default when it is asked")
    parser.add_argument("--asked-at", metavar="T", help='when it is asked, for words like "yesterday"; default now')
    parser.add_argument("--mode", choices=MODES, default="hybrid", help="what goes into the context; default hybrid")
    parser.add_argument("--budget", metavar="N", type=int, help="tokens of context; default as in the settings")
    parser.add_argument("--trace", action="store_true", help="also which paths support the answer (not with --url)")
    add_url(parser)
    parser.set_defaults(run=run)


def run(options: AskOptions, world: World) -> int:
    """Print the answer. An honest "not known" is an answer, too: exit code 0."""
    from ops.settings import load_settings
    from query.api import QueryRequest

    question = options.question.strip()
    if not question:
        raise CommandError("question: is empty")
    if options.budget is not None and options.budget < 1:
        raise CommandError("--budget: must be at least 1")
    now = world.now()
    asked_at = parse_moment(options.asked_at, "--asked-at", options.zone)
    as_of = parse_moment(options.as_of, "--as-of", options.zone)
    known_at = parse_moment(options.known_at, "--known-at", options.zone)
    settings = load_settings(options.store, options.config)
    with _asked(world, options, settings) as system:
        request = QueryRequest(
            space=existing_space(system, options, options.space),
            question=question,
            asked_at=now if asked_at is None else asked_at,
            as_of=as_of,
            known_at=known_at,
            mode=options.mode,
            budget_tokens=settings.budget_tokens if options.budget is None else options.budget,
            answer=True,
            trace=options.trace,
        )
        result = system.query(request)
    if options.json:
        world.say_json(result)
        return OK
    for line in answer_lines(result, options.zone):
        world.say(line)
    return OK


@contextmanager
def _asked(world: World, options: AskOptions, settings: Settings) -> Generator[Asked]:
    """What is asked. Where a model answers the store is opened for writing, for what it says is recorded.

    Beside a running writer the store is read only, and the rules answer; ``--url`` asks that writer.
    """
    from streams.log.errors import StoreInUseError

    if options.url is not None or not settings.llm.answer or settings.llm.endpoint is None:
        with asked(world, options) as system:
            yield system
        return
    try:
        writer = world.open_system(options.store, settings, writer=True)
    except StoreInUseError:
        world.note("stilltrue: the store is in use, so the rules answer; --url asks the service that runs on it")
        with asked(world, options) as system:
            yield system
        return
    with closing(writer):
        yield writer
        writer.run()


def answer_lines(result: QueryResult, zone: Zone) -> Iterator[str]:
    """The answer first, then what it quotes, then the paths, then what it all reflects."""
    from .show import basis_line

    yield from said_lines(result, zone)
    paths = evidence_paths(result)[:_PATHS_SHOWN]
    if paths:
        yield "\nevidence paths"
        for path in paths:
            yield from path_lines(path, result)
    if result.trace is not None:
        yield from trace_lines(result.trace)
    how = "" if result.answer is None else f"{how_answered(result.answer)}, "
    as_of = f"{show_minute(result.as_of, zone)} {zone_name(zone)}"
    yield f"\n{how}{result.shape} question, mode {result.mode}, as of {as_of}"
    yield f"context: {result.context_tokens} tokens, sha256 {result.context_sha256[:12]}"
    yield basis_line(result.basis)


def said_lines(result: QueryResult, zone: Zone) -> Iterator[str]:
    """The answer, then where each of its quotations stands; the words only where the answer does not hold them."""
    from .show import citation_line, quote_line

    text = "" if result.answer is None else result.answer.text
    yield from text.splitlines()
    for citation in result.citations:
        yield f"  {citation_line(citation, zone) if citation.quote in text else quote_line(citation, zone)}"


def evidence_paths(result: QueryResult) -> list[Path]:
    """Paths of relations through the answer's statements: changes first, then those of the context, then by score."""
    in_context = {item.event_ids for item in result.context if item.kind == "path"}
    answered = frozenset(() if result.answer is None else result.answer.event_ids)
    paths = [path for path in result.paths if path.steps and (not answered or answered.intersection(path.events))]
    return sorted(paths, key=lambda path: (not _tells_a_change(path), path.events not in in_context))


def _tells_a_change(path: Path) -> bool:
    """Whether it shows what replaced what: that is what people look for under an answer."""
    return any(step.relation == "updates" for step in path.steps)


def how_answered(answer: Answer) -> str:
    """Who answered, and why no model did where one was to."""
    if answer.producer is not None:
        left_out = f", {answer.dropped} citations of nothing left out" if answer.dropped else ""
        return f"{answer.kind} by {answer.producer}{left_out}"
    return answer.kind if answer.fallback is None else f"{answer.kind} ({answer.fallback})"


def trace_lines(trace: Trace) -> Iterator[str]:
    """What supports the answer (section II-G)."""
    from .show import short

    told = "supported" if trace.supported else "NOT SUPPORTED by any path"
    yield f"\nthe answer is {told} ({trace.support:.2f}); paths (score: answer, question, path, time, bonus)"
    for path in trace.paths:
        terms = (path.answer_similarity, path.question_similarity, path.pc, path.tc, path.bonus)
        yield f"  {path.score:.2f}: {', '.join(f'{term:.2f}' for term in terms)}  {' '.join(map(short, path.events))}"


def path_lines(path: Path, result: QueryResult) -> Iterator[str]:
    """A path: its score with the four signals (Eq. 16-20), and its relations as asserted, in words."""
    signals = f"node {path.ns:.2f}, path {path.pc:.2f}, time {path.tc:.2f}, validity {path.uv:.2f}"
    yield f"  score {path.score:.2f}: {signals}"
    for step in path.steps:
        kind = "" if step.kind is None else f"{step.kind}, "
        relation = _WORDS.get(step.relation, step.relation)
        line = f"{_told(step.src, result)} {relation} ({kind}{step.confidence:.2f}) {_told(step.dst, result)}"
        yield from (f"    {part}" for part in textwrap.wrap(line, _PATH_WIDTH, subsequent_indent="    "))


def _told(event_id: str, result: QueryResult) -> str:
    from .show import short

    return f'"{result.statements[event_id]}" [{short(event_id)}]'
