"""A running service, asked over HTTP by the commands: the same answers as from a store, of any runtime."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec

from ops.system import Ingested, Refused
from query.api import (
    EdgesResult,
    HistoryResult,
    ParticipantsResult,
    ProducersResult,
    QueryRequest,
    QueryResult,
    RulingsResult,
    SpacesResult,
    StateRequest,
    StateResult,
    StatusResult,
)
from query.service.reading_back import decode
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey
from schemas.ruling_wire import ActivatedOut, ActivateIn, AdjudicatedOut, AdjudicationIn
from schemas.times import format_time
from schemas.wire import EditIn, ErrorOut, PostedOut, Problem, QueryIn, RefusedOut
from views.conservation import EventAccount
from views.reader import Basis, MessageAccount

T = TypeVar("T")

TIMEOUT_S = 120.0
"""Of one request; the service itself gives up waiting earlier."""


class NoServiceError(RuntimeError):
    """Nothing that speaks our API answers there."""


class Remote:
    """The part of ``ops.system.System`` that the commands with ``--url`` use.

    Args:
        url: of the service, without ``/v1``.
        tenant: sent as ``X-Tenant``.
    """

    def __init__(self, url: str, tenant: str) -> None:
        self._url = url.rstrip("/")
        self._tenant = tenant
        self._posted: dict[SpaceKey, int] = {}

    # --- reading ----------------------------------------------------------------------------------------------------

    def spaces(self, tenant: str) -> Sequence[str]:
        """Names of the tenant's spaces."""
        return self._get("/v1/spaces", SpacesResult).spaces

    def state(self, request: StateRequest) -> StateResult:
        """What holds at an instant."""
        asked = {
            "as_of": format_time(request.as_of), "known_at": _time(request.known_at),
            "participant": request.participant, "attribute": request.attribute,
            "include": "all" if request.include_all else None, "theme": request.theme,
        }  # fmt: skip
        return self._get(f"{_of(request.space)}/state", StateResult, asked)

    def history(self, space: SpaceKey, event_id: str, as_of: int | None, known_at: int | None) -> HistoryResult:
        """The chain of an event."""
        asked = {"as_of": _time(as_of), "known_at": _time(known_at)}
        return self._get(f"{_of(space)}/events/{quote(event_id, safe='')}", HistoryResult, asked)

    def query(self, request: QueryRequest) -> QueryResult:
        """Answer a question."""
        body = QueryIn(
            question=request.question, asked_at=format_time(request.asked_at), as_of=_time(request.as_of),
            known_at=_time(request.known_at), mode=request.mode, budget_tokens=request.budget_tokens,
            answer=request.answer, scope=request.scope,
        )  # fmt: skip
        reply = self._call("POST", f"{_of(request.space)}/query", msgspec.json.encode(body))
        return self._decoded(reply.body, QueryResult)

    def account(self, space: SpaceKey) -> MessageAccount:
        """Where the accepted messages are."""
        return self._get(f"{_of(space)}/status", StatusResult).account

    def basis(self, space: SpaceKey) -> Basis:
        """What a read reflects now."""
        return self._get(f"{_of(space)}/status", StatusResult).basis

    def event_account(self, space: SpaceKey) -> EventAccount:
        """Where every event is that was ever distilled."""
        events = self._get(f"{_of(space)}/status", StatusResult, {"include": "events"}).events
        if events is None:
            raise NoServiceError(f"{self._url} does not tell where the events are")
        return events

    def edges(self, space: SpaceKey, event_id: str | None, known_at: int | None) -> EdgesResult:
        """Edges, those that are ruled out included."""
        asked = {"event": event_id, "known_at": _time(known_at)}
        return self._get(f"{_of(space)}/edges", EdgesResult, asked)

    def participants(self, space: SpaceKey) -> ParticipantsResult:
        """Who takes part, with other names."""
        return self._get(f"{_of(space)}/participants", ParticipantsResult)

    def rulings(self, space: SpaceKey) -> RulingsResult:
        """The analysts' rulings that stand."""
        return self._get(f"{_of(space)}/adjudications", RulingsResult)

    def producers(self, space: SpaceKey) -> ProducersResult:
        """Who made sets, and whose count."""
        return self._get(f"{_of(space)}/producers", ProducersResult)

    def conversations(self, space: SpaceKey, message_id: str) -> Sequence[str]:
        """A service has no route that tells. Raises ``Refused``: the caller must say which."""
        problem = Problem(
            code="invalid", message=f"a service does not tell where {message_id!r} is: say it", field="--conversation"
        )
        raise Refused(problem)

    # --- changing ---------------------------------------------------------------------------------------------------

    def edit(self, space: SpaceKey, conversation_id: str, message_id: str, content: str) -> Ingested:
        """New content for a message."""
        body = msgspec.json.encode(EditIn(conversation_id=conversation_id, content=content))
        return self._one(space, "PUT", message_id, body, {})

    def retract(self, space: SpaceKey, conversation_id: str, message_id: str) -> Ingested:
        """Withdraw a message."""
        return self._one(space, "DELETE", message_id, None, {"conversation_id": conversation_id})

    def _one(
        self, space: SpaceKey, method: str, message_id: str, body: bytes | None, asked: Mapping[str, str | None]
    ) -> Ingested:
        reply = self._call(method, f"{_of(space)}/messages/{quote(message_id, safe='')}", body, asked)
        return self._ingested(space, reply)

    def adjudicate(self, space: SpaceKey, wanted: AdjudicationIn) -> AdjudicatedOut:
        """An analyst's ruling."""
        return self._send(f"{_of(space)}/adjudications", wanted, AdjudicatedOut)

    def activate(self, space: SpaceKey, wanted: ActivateIn) -> ActivatedOut:
        """Choose whose sets count."""
        return self._send(f"{_of(space)}/producers", wanted, ActivatedOut)

    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int:
        """A service has no route that tells. Raises ``Refused``."""
        raise Refused(Problem(code="invalid", message="a service does not tell what it would erase", field="--yes"))

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """Erase; the receipt may not be finished yet."""
        return self._send(f"{_of(space)}/erasures", wanted, ErasureOut)

    def erasure(self, space: SpaceKey, erasure_id: str) -> ErasureOut:
        """A receipt."""
        return self._get(f"{_of(space)}/erasures/{quote(erasure_id, safe='')}", ErasureOut)

    # --- importing --------------------------------------------------------------------------------------------------

    def post(
        self,
        space: SpaceKey,
        messages: Sequence[bytes],
        *,
        received_at: str = "now",
        default_tz: str | None = None,
    ) -> Ingested:
        """Send a batch of messages. One that is refused as a whole is an answer too."""
        asked = {"received_at": received_at if received_at != "now" else None, "default_tz": default_tz}
        body = b'{"messages":[' + b",".join(messages) + b"]}"
        return self._ingested(space, self._call("POST", f"{_of(space)}/messages", body, asked))

    def _ingested(self, space: SpaceKey, reply: _Reply) -> Ingested:
        if reply.status != HTTPStatus.OK:
            statuses = self._decoded(reply.body, RefusedOut).messages
            return Ingested(statuses=statuses, wait_for=self._posted.get(space, 0))
        posted = self._decoded(reply.body, PostedOut)
        self._posted[space] = posted.wait_for
        return Ingested(statuses=posted.messages, wait_for=posted.wait_for)

    def run(self) -> int:
        """The service processes by itself."""
        return 0

    def flush(self, space: SpaceKey) -> None:
        """Until all that was sent is applied: the service publishes an open session every few seconds at most.

        Raises:
            NoServiceError: it takes messages and applies none.
        """
        offset, reached = self._posted.get(space, 0), -1
        while self._call("GET", f"{_of(space)}/state", None, {"wait_for": str(offset)}).status != HTTPStatus.OK:
            before, reached = reached, self.basis(space).messages
            if reached == before:
                raise NoServiceError(f"{self._url} has taken messages up to {offset} and stays at {reached}")

    # --- HTTP -------------------------------------------------------------------------------------------------------

    def _get(self, path: str, kind: type[T], asked: Mapping[str, str | None] | None = None) -> T:
        return self._decoded(self._call("GET", path, None, asked).body, kind)

    def _send(self, path: str, body: msgspec.Struct, kind: type[T]) -> T:
        return self._decoded(self._call("POST", path, msgspec.json.encode(body)).body, kind)

    def _call(
        self, method: str, path: str, body: bytes | None, asked: Mapping[str, str | None] | None = None
    ) -> _Reply:
        """A reply, also one that refuses.

        Raises:
            Refused: with what the service says.
            NoServiceError: nothing answers, or it is not ours.
        """
        given = {name: value for name, value in (asked or {}).items() if value is not None}
        target = self._url + path + (f"?{urlencode(given)}" if given else "")
        headers = {"Content-Type": "application/json", "X-Tenant": self._tenant}
        try:
            request = urllib.request.Request(target, data=body, method=method, headers=headers)
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:
                return _Reply(status=reply.status, body=reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return self._refused(error.code, error.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoServiceError(f"no service at {self._url}: {error}") from error

    def _refused(self, status: int, body: bytes) -> _Reply:
        """A refusal that says what became of each message is a reply; any other is raised."""
        if status == HTTPStatus.GATEWAY_TIMEOUT:
            return _Reply(status=status, body=body)
        problem = self._decoded(body, ErrorOut).error
        if b'"messages":' in body:
            return _Reply(status=status, body=body)
        raise Refused(problem)

    def _decoded(self, raw: bytes, kind: type[T]) -> T:
        try:
            return decode(raw, kind)
        except (msgspec.DecodeError, ValueError, KeyError) as error:
            raise NoServiceError(f"{self._url} answered with something else than a {kind.__name__}: {error}") from error


class _Reply(msgspec.Struct, frozen=True, kw_only=True):
    status: int
    body: bytes


def _of(space: SpaceKey) -> str:
    return f"/v1/spaces/{quote(space.space, safe='')}"


def _time(us: int | None) -> str | None:
    return None if us is None else format_time(us)
