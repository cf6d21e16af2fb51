"""What a command may touch: the system, the clock and the two output streams. Tests hand in their own."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    import msgspec

    from ops.client import Remote
    from ops.observing import Observer
    from ops.settings import Settings
    from ops.system import Ingested, System
    from query.api import (
        EdgesResult,
        HistoryResult,
        ParticipantsResult,
        ProducersResult,
        QueryRequest,
        QueryResult,
        RulingsResult,
        StateRequest,
        StateResult,
    )
    from schemas.erasure_wire import ErasureIn, ErasureOut
    from schemas.ids import SpaceKey
    from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
    from views.conservation import EventAccount
    from views.reader import Basis, MessageAccount

OK = 0
NEGATIVE = 1
BAD_INPUT = 2
UNAVAILABLE = 3
"""What the command works on (a store, a backup, a broker, a service, an index) is away, in use or not as it must be."""

INTERRUPTED = 130
"""128 + SIGINT, as a shell reports it."""


class CommandError(Exception):
    """The command cannot go on; ``code`` is its exit code. The user must change something."""

    def __init__(self, message: str, code: int = BAD_INPUT) -> None:
        super().__init__(message)
        self.code = code


class Opener(Protocol):
    """Opens the system of a store."""

    def __call__(
        self, store: Path, settings: Settings, *, writer: bool = True, observer: Observer | None = None
    ) -> System: ...


@dataclass(frozen=True, kw_only=True)
class World:
    """The outside, as a command sees it. ``now``: microseconds UTC."""

    open_system: Opener
    now: Callable[[], int]
    out: TextIO
    err: TextIO

    def say(self, text: str = "") -> None:
        """One line (or several) to standard output."""
        print(text, file=self.out, flush=True)

    def say_json(self, result: msgspec.Struct | Mapping[str, object]) -> None:
        """A result for machines, one document: in the shapes of the service's replies, instants as RFC 3339 UTC."""
        import msgspec

        from query.service.rendering import to_json

        self.say(msgspec.json.format(msgspec.json.encode(to_json(result)), indent=2).decode("utf-8"))

    def tell(self, text: str, event: Mapping[str, object], *, as_json: bool) -> None:
        """What a command that goes on says as it goes: a line for people, or the event as JSON, on one line too."""
        import msgspec

        self.say(msgspec.json.encode(event).decode("utf-8") if as_json else text)

    def note(self, text: str) -> None:
        """One line to standard error: for people, not part of the result."""
        print(text, file=self.err)


class Options(argparse.Namespace):
    """The options every command has."""

    store: Path
    config: Path | None
    tenant: str
    zone: ZoneInfo | None
    json: bool
    url: str | None = None


def clock_us() -> int:
    """The wall clock. The only place of the commands that reads it."""
    return time.time_ns() // 1_000


@contextmanager
def opened(world: World, options: Options, *, writer: bool) -> Generator[System]:
    """The system of the store, closed at the end.

    Raises:
        BadConfigError: the settings are wrong.
        StoreError: the store is not there, in use, or of another format.
    """
    from ops.settings import load_settings

    settings = load_settings(options.store, options.config)
    system = world.open_system(options.store, settings, writer=writer)
    try:
        yield system
    finally:
        system.close()


class Asked(Protocol):
    """What the reading commands ask: a store, or a running service of any runtime. See ``ops.system.System``."""

    def spaces(self, tenant: str) -> Iterable[str]: ...
    def state(self, request: StateRequest) -> StateResult: ...
    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult: ...
    def query(self, request: QueryRequest) -> QueryResult: ...
    def account(self, space: SpaceKey) -> MessageAccount: ...
    def basis(self, space: SpaceKey) -> Basis: ...
    def rulings(self, space: SpaceKey) -> RulingsResult: ...
    def event_account(self, space: SpaceKey) -> EventAccount: ...


class Changed(Asked, Protocol):
    """What the commands that change something use, of a store or of a running service."""

    def edges(self, space: SpaceKey, event_id: str | None, known_at: int | None) -> EdgesResult: ...
    def participants(self, space: SpaceKey) -> ParticipantsResult: ...
    def producers(self, space: SpaceKey) -> ProducersResult: ...
    def activate(self, space: SpaceKey, wanted: ActivateIn) -> ActivatedOut: ...
    def conversations(self, space: SpaceKey, message_id: str) -> Sequence[str]: ...
    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested: ...
    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested: ...
    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut: ...
    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int: ...
    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut: ...
    def erasure(self, space: SpaceKey, erasure_id: str) -> ErasureOut: ...
    def flush(self, space: SpaceKey) -> None: ...


@contextmanager
def asked(world: World, options: Options) -> Generator[Asked]:
    """The service that ``--url`` names, else the store, for reading."""
    if options.url is None:
        with opened(world, options, writer=False) as system:
            yield system
    else:
        with remote(options.url, options.tenant) as service:
            yield service


@contextmanager
def changed(world: World, options: Options, *, writer: bool) -> Generator[Changed]:
    """The service that ``--url`` names, else the store; ``writer``: what for, of a store."""
    if options.url is None:
        with opened(world, options, writer=writer) as system:
            yield system
    else:
        with remote(options.url, options.tenant) as service:
            yield service


@contextmanager
def remote(url: str, tenant: str) -> Generator[Remote]:
    """A running service. ``CommandError`` where none answers."""
    from ops.client import NoServiceError, Remote

    try:
        yield Remote(url, tenant)
    except NoServiceError as error:
        raise CommandError(str(error), UNAVAILABLE) from error


def space_key(options: Options, space: str) -> SpaceKey:
    """The space as named on the command line, of the chosen tenant. ``CommandError`` when a name cannot be one."""
    from schemas.ids import SpaceKey, name_problem

    for what, name in (("--tenant", options.tenant), ("space", space)):
        problem = name_problem(name)
        if problem is not None:
            raise CommandError(f"{what}: {name!r} {problem}")
    return SpaceKey(options.tenant, space)


class Named(Protocol):
    """Knows the names of spaces."""

    def spaces(self, tenant: str) -> Iterable[str]: ...


def existing_space(system: Named, options: Options, space: str) -> SpaceKey:
    """The same, when there is such a space; else a ``CommandError`` that lists those there are."""
    spaces = sorted(system.spaces(options.tenant))
    if space not in spaces:
        here = ", ".join(spaces) if spaces else "none"
        raise CommandError(f"no such space: {space!r}; spaces here: {here}")
    return space_key(options, space)
