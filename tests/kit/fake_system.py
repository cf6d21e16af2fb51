"""A small system in memory behind the service's protocol: accepts messages, keeps one statement per message.

A message "ATTRIBUTE is VALUE" states something about its speaker; a later one on the same attribute replaces it. What
is not of that form states nothing. ``hold`` stops the processing, so that accepted messages wait, until ``release``.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from query.api import (
    Answer,
    ChainLink,
    ContextItem,
    HistoryResult,
    Path,
    QueryRequest,
    QueryResult,
    Seed,
    StateEntry,
    StateRequest,
    StateResult,
    Step,
)
from query.service.ports import Health, Ingested, Refused
from schemas.ids import SpaceKey, asserted_event_id, edge_id
from schemas.times import parse_time
from schemas.wire import AssertedOut, AssertionsIn, MessageIn, MessageStatus, Problem
from tests.kit.fake_facts import facts
from views.reader import Basis, MessageAccount

MessageId = tuple[SpaceKey, str, str]


class FakeSystem:
    """Thread-safe by one lock.

    ``problem`` makes it unhealthy; ``threads`` names those that called it; ``waited`` is set at the first wait.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._log: list[tuple[MessageId, MessageIn | None]] = []
        self._held = False
        self._applied = 0
        self.problem: str | None = None
        self.threads: set[str] = set()
        self.waited = threading.Event()

    # --- writes

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
        seq_start: int = 0,
    ) -> Ingested:
        with self._changed:
            self.threads.add(threading.current_thread().name)
            statuses = tuple(self._accept(space, raw) for raw in messages)
            return self._done(statuses)

    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested:
        with self._changed:
            old = self._current().get((space, conversation_id, message_id))
            if old is None:
                raise Refused(Problem(code="not_found", message="no such message", field="id"))
            if not content:
                problem = Problem(code="invalid", message="is empty", field="content")
                return self._done((MessageStatus(message_id=message_id, status="refused", error=problem),))
            self._append(space, msgspec.structs.replace(old, content=content))
            return self._done((MessageStatus(message_id=message_id, status="accepted"),))

    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested:
        with self._changed:
            key = (space, conversation_id, message_id)
            if self._current().get(key) is None:
                raise Refused(Problem(code="not_found", message="no such message", field="id"))
            self._log.append((key, None))
            return self._done((MessageStatus(message_id=message_id, status="accepted"),))

    def assert_events(self, space: SpaceKey, assertions: AssertionsIn) -> AssertedOut:
        known = {event.key for event in assertions.events}
        for number, edge in enumerate(assertions.edges):
            if edge.src not in known:
                raise Refused(Problem(code="invalid", message="no such event", field=f"edges[{number}].src"))
        ids = {event.key: asserted_event_id(space, assertions.producer, event.key) for event in assertions.events}
        edges = tuple(edge_id(space, edge.src, edge.relation, edge.dst) for edge in assertions.edges)
        return AssertedOut(batch_id=assertions.batch_id, event_ids=ids, edge_ids=edges, wait_for=len(self._log))

    def _accept(self, space: SpaceKey, raw: bytes) -> MessageStatus:
        try:
            message = msgspec.json.decode(raw, type=MessageIn)
            parse_time(message.sent_at)
        except ValueError as error:
            problem = Problem(code="invalid", message=str(error), field="sent_at" if "zone" in str(error) else None)
            return MessageStatus(message_id=None, status="refused", error=problem)
        old = self._current().get((space, message.conversation_id, message.message_id))
        if old is None:
            self._append(space, message)
            return MessageStatus(message_id=message.message_id, status="accepted")
        if old.content == message.content:
            return MessageStatus(message_id=message.message_id, status="duplicate")
        problem = Problem(code="conflict", message="same id, other content", field="message_id")
        return MessageStatus(message_id=message.message_id, status="refused", error=problem)

    def _append(self, space: SpaceKey, message: MessageIn) -> None:
        self._log.append(((space, message.conversation_id, message.message_id), message))

    def _done(self, statuses: tuple[MessageStatus, ...]) -> Ingested:
        if not self._held:
            self._applied = len(self._log)
            self._changed.notify_all()
        return Ingested(statuses=statuses, wait_for=len(self._log))

    # --- processing

    def hold(self) -> None:
        self._held = True

    def release(self) -> None:
        with self._changed:
            self._held = False
            self._applied = len(self._log)
            self._changed.notify_all()

    def wait(self, space: SpaceKey, offset: int, timeout_s: float) -> bool:
        with self._changed:
            self.threads.add(threading.current_thread().name)
            self.waited.set()
            return self._changed.wait_for(lambda: self._applied >= offset, timeout_s)

    def health(self) -> Health:
        with self._changed:
            return Health(problem=self.problem, waiting=len(self._log) - self._applied, parked=0)

    # --- reads

    def basis(self, space: SpaceKey) -> Basis:
        with self._changed:
            return self._basis(space)

    def spaces(self, tenant: str) -> list[str]:
        with self._changed:
            return sorted({space.space for (space, _, _), _ in self._log if space.tenant == tenant})

    def account(self, space: SpaceKey) -> MessageAccount:
        with self._changed:
            mine = [n for n, ((key, _, _), message) in enumerate(self._log) if key == space and message is not None]
            read = sum(n < self._applied for n in mine)
        return MessageAccount(
            accepted=len(mine), source_of_event=read, read_yielded_none=0, waiting=len(mine) - read, parked=0
        )

    def state(self, request: StateRequest) -> StateResult:
        with self._changed:
            entries = tuple(
                entry
                for entry in self._entries(request.space, request.as_of)
                if (request.include_all or entry.status == "valid")
                and request.participant in {None, entry.event.subject}
                and request.attribute in {None, entry.event.attribute}
            )
            return StateResult(
                as_of=request.as_of, known_at=request.known_at, entries=entries, basis=self._basis(request.space)
            )

    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult:
        with self._changed:
            entries = self._entries(space, as_of or 0)
            if all(entry.event.id != event_id for entry in entries):
                raise Refused(Problem(code="not_found", message="no such event", field="id"))
            links = tuple(
                ChainLink(
                    edge_id=edge_id(space, new.event_id, "updates", old.event.id),
                    src=new.event_id,
                    dst=old.event.id,
                    kind="change",
                    effective=True,
                    confidence=1.0,
                    justification="same attribute",
                    producers=("fake",),
                )
                for old in entries
                for new in old.superseded_by
            )
            return HistoryResult(
                event_id=event_id, entries=entries, links=links, producers=("fake",), basis=self._basis(space)
            )

    def query(self, request: QueryRequest) -> QueryResult:
        if request.question == "fail":
            raise RuntimeError("secret detail")
        with self._changed:
            as_of = request.asked_at if request.as_of is None else request.as_of
            found = [
                entry
                for entry in self._entries(request.space, as_of)
                if entry.status == "valid" and entry.event.attribute and entry.event.attribute in request.question
            ]
            ids = tuple(entry.event.id for entry in found)
            steps = tuple(
                Step(src=one, dst=two, relation="before", kind=None, confidence=1.0) for one, two in pairwise(ids)
            )
            answer = Answer(
                text=found[-1].event.text if found else "not known",
                known=bool(found),
                kind="extractive",
                event_ids=ids[-1:],
            )
            context = tuple(
                ContextItem(
                    kind="note",
                    text=entry.event.text,
                    tokens=len(entry.event.text.split()),
                    event_ids=(entry.event.id,),
                    message_ids=tuple((s.conversation_id, s.message_id) for s in entry.event.sources),
                    marker="",
                    score=1.0,
                )
                for entry in found
            )
            return QueryResult(
                shape="factual",
                mode=request.mode,
                as_of=as_of,
                known_at=request.known_at,
                seeds=tuple(Seed(event_id=identity, family="note") for identity in ids),
                paths=(Path(events=ids, steps=steps, score=1.0, ns=1.0, pc=1.0, tc=1.0, uv=1.0),) if ids else (),
                statements={entry.event.id: entry.event.text for entry in found},
                context=context,
                context_tokens=sum(item.tokens for item in context),
                scaffolding_tokens=0,
                token_counter="words",
                context_sha256=hashlib.sha256(repr(context).encode()).hexdigest(),
                template_sha256=hashlib.sha256(b"fake").hexdigest(),
                slice_sha256=hashlib.sha256(b"fake").hexdigest(),
                answer=answer if request.answer else None,
                citations=tuple(citation for entry in found for citation in entry.citations),
                basis=self._basis(request.space),
            )

    def _current(self, applied_only: bool = False) -> dict[MessageId, MessageIn | None]:
        return dict(self._log[: self._applied] if applied_only else self._log)

    def _basis(self, space: SpaceKey) -> Basis:
        waiting = sum(key[0] == space for key, _ in self._log[self._applied :])
        return Basis(partition=0, messages=self._applied, waiting=waiting, parked=0)

    def _entries(self, space: SpaceKey, at: int) -> tuple[StateEntry, ...]:
        current = self._current(applied_only=True)
        return facts(space, [message for (where, _, _), message in current.items() if where == space and message], at)
