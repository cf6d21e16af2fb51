"""The client against a real HTTP server that fails in every way an endpoint can. Nothing here is a model."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from ops.llm.bodies import Dialect
from ops.llm.client import ASKED_WAIT_MAX_S, BACKOFF_S, UNUSABLE_S, ChatClient, EndpointAwayError
from ops.llm.completion import RESPONSE_BYTES_MAX, Answered, GarbledError, read_completion
from ops.llm.errands import ModelErrands
from ops.llm.settings import LlmSettings
from ops.observing import SILENT
from ops.settings import BadConfigError
from schemas.asking import ChatMessage, Prompt
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe, no_choices, status

PROMPT = Prompt(
    model="scripted", messages=(ChatMessage(role="system", content="List."), ChatMessage(role="user", content="Data")),
    schema_name="list", schema='{"type":"object"}', reply_max_tokens=500,
)  # fmt: skip
CLASSIC = Dialect(format="json_schema", limit="max_tokens")


class Asked:
    """A client of a scripted server: what it was told of its calls, and how long it would have waited."""

    def __init__(self, server: FaultServer, *, dialect: Dialect | None = CLASSIC, **settings: Any) -> None:
        self.waits: list[float] = []
        self.calls: list[str] = []
        self.learned: list[Dialect] = []
        self._dialect = dialect
        self._settings = LlmSettings(endpoint=server.url, model="scripted", **{"timeout_s": 20.0} | settings)

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def ask(self, prompt: Prompt = PROMPT, times: int = 1) -> Answered:
        """The answer; of several at once the last."""
        return asyncio.run(self._ask(prompt, times))[-1]

    async def _ask(self, prompt: Prompt, times: int) -> list[Answered]:
        client = ChatClient(
            self._settings, dialect=self.learned[-1] if self.learned else self._dialect, learned=self.learned.append,
            wait=self._wait, told=self.calls.append,
        )  # fmt: skip
        try:
            return await asyncio.gather(*(client.ask(prompt) for _ in range(times)))
        finally:
            await client.close()


def script(*answers: Answer) -> Any:
    """These in turn; the last again and again."""
    return lambda body, before: answers[min(before, len(answers) - 1)]


def test_a_good_reply_says_what_it_is_and_what_it_took() -> None:
    with FaultServer(script(completion('{"events": []}'))) as server:
        asked = Asked(server)
        got = asked.ask()
    assert (got.outcome, got.text, got.model, got.calls) == ("stop", '{"events": []}', "scripted-1", 1)
    assert (got.prompt_tokens, got.completion_tokens) == (100, 50)
    (body,) = server.requests
    assert body["response_format"]["json_schema"]["strict"] is True
    assert (body["max_tokens"], body["temperature"], body["model"]) == (500, 0, "scripted")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (completion('{"events": [', "length"), "length"),
        (completion(None, refusal="I will not."), "refusal"),
        (completion("", "content_filter"), "refusal"),
        (completion(""), "empty"),
        (completion(None), "empty"),
        (no_choices(), "empty"),
    ],
)  # fmt: skip
def test_every_way_a_reply_can_end_is_told(answer: Answer, outcome: str) -> None:
    with FaultServer(script(answer)) as server:
        assert Asked(server).ask().outcome == outcome


def test_a_reply_of_100_kb_comes_whole() -> None:
    with FaultServer(script(completion("x" * 100_000))) as server:
        assert len(Asked(server).ask().text) == 100_000


def test_a_reply_that_no_record_would_hold_is_no_answer() -> None:
    with pytest.raises(GarbledError, match="bytes"):
        read_completion(completion("x" * RESPONSE_BYTES_MAX).body, 1)


def test_retry_after_is_honoured_in_seconds_and_as_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    busy = (status(429, retry_after="7"), status(429, retry_after=date), status(503, retry_after="3"))
    with FaultServer(script(*busy, completion("{}"))) as server:
        asked = Asked(server)
        got = asked.ask()
    assert (got.outcome, got.calls, asked.calls) == ("stop", 4, ["busy", "busy", "server_error", "ok"])
    assert (asked.waits[0], asked.waits[2]) == (7.0, 3.0)
    assert 25 < asked.waits[1] <= 30


def test_an_endpoint_that_wants_a_long_wait_is_left_alone_so_long_and_the_question_stays_open() -> None:
    with FaultServer(script(status(429, retry_after="900"))) as server:
        asked = Asked(server)
        with pytest.raises(EndpointAwayError) as away:
            asked.ask()
    assert (away.value.wait_s, away.value.calls, asked.waits) == (900.0, 1, [])


@pytest.mark.parametrize(
    ("told", "wait_s"),
    [
        ("inf", ASKED_WAIT_MAX_S), ("1e300", ASKED_WAIT_MAX_S), ("Fri, 31 Dec 9999 23:59:59 -1200", ASKED_WAIT_MAX_S),
        ("Mon, 01 Jan 2435 00:00:00 -0000", ASKED_WAIT_MAX_S), ("Mon, 01 Jan 0001 00:00:00 +1200", 0.0), ("-5", 0.0),
        ("nan", BACKOFF_S), ("soon", BACKOFF_S), ("", BACKOFF_S),
    ],
)  # fmt: skip
def test_an_absurd_wait_is_not_believed(told: str, wait_s: float) -> None:
    with FaultServer(script(status(429, retry_after=told), completion("{}"))) as server:
        asked = Asked(server)
        try:
            assert asked.ask().outcome == "stop"
        except EndpointAwayError as away:
            asked.waits.append(away.wait_s)
    assert asked.waits == [wait_s]


def test_an_error_told_in_half_a_character_is_one_that_a_record_can_hold() -> None:
    with FaultServer(script(Answer(status=400, body=b'{"error": {"message": "bad \\ud800 input"}}'))) as server:
        assert b"bad ? input" in Asked(server).ask().error.encode()


NONSENSE = [
    {"usage": None}, {"usage": []}, {"usage": {"prompt_tokens": None, "completion_tokens": "many"}},
    {"usage": {"prompt_tokens": -3, "completion_tokens": 10**30}}, {"usage": {"prompt_tokens": 2**63}}, {"model": None},
    {"model": 3}, {"choices": [{"message": {"content": "{}"}, "finish_reason": 3}]},
    {"choices": [{"message": {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "{}"}]}}]},
]  # fmt: skip


@pytest.mark.parametrize("odd", NONSENSE)
def test_no_answer_is_lost_to_what_only_tells_of_it(odd: dict[str, Any]) -> None:
    whole = json.loads(completion("{}").body) | odd
    with FaultServer(script(Answer(body=json.dumps(whole).encode()))) as server:
        got = Asked(server).ask()
    assert (got.outcome, got.text) == ("stop", "{}")
    counted = got.counted(PROMPT)
    assert 0 < counted.prompt_tokens <= 100
    assert 0 < counted.completion_tokens <= 50
    assert isinstance(got.model, str)


def test_tokens_that_are_told_as_text_count() -> None:
    whole = json.loads(completion("{}").body) | {"usage": {"prompt_tokens": "12", "completion_tokens": 3.0}}
    with FaultServer(script(Answer(body=json.dumps(whole).encode()))) as server:
        got = Asked(server).ask()
    assert (got.prompt_tokens, got.completion_tokens) == (12, 3)


def test_an_endpoint_that_stays_busy_is_left_alone() -> None:
    with FaultServer(script(status(429))) as server:
        asked = Asked(server, tries=3)
        with pytest.raises(EndpointAwayError):
            asked.ask()
    assert (asked.calls, asked.waits) == (["busy"] * 3, [0.5, 1.0])


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_key_name_or_address_is_no_fault_of_the_question(code: int) -> None:
    with FaultServer(script(status(code, "who are you"))) as server:
        asked = Asked(server)
        with pytest.raises(EndpointAwayError, match="who are you") as away:
            asked.ask()
    assert (away.value.wait_s, asked.calls) == (UNUSABLE_S, ["unusable"])


def test_a_question_the_endpoint_cannot_take_fails_at_once() -> None:
    """The dialect is tried once, for the server may be another than it was found with; after that no more."""

    def serve(body: Body, before: int) -> Answer:
        return completion('{"ok": true}') if is_probe(body) else status(400, "too long")

    with FaultServer(serve) as server:
        asked = Asked(server)
        got = asked.ask(times=2)
    assert (got.outcome, got.calls, sorted(asked.calls)) == ("failed", 1, ["bad_request", "bad_request", "ok"])
    assert "too long" in got.error
    assert asked.learned == []


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (status(500), "server_error"),
        (completion("{}" * 5_000), "connection"),
        (Answer(body=b'{"choices": [{"mess'), "garbled"),
        (Answer(body=b"<html>"), "garbled"),
        (Answer(body=b'{"choices": 3}'), "garbled"),
        (Answer(body=b'{"error": {"message": "overloaded"}}'), "garbled"),
        (Answer(silent=True), "timeout"),
        (Answer(trickles=True), "timeout"),
    ],
    ids=["500", "cut", "truncated", "html", "odd", "error", "silent", "trickle"],
)  # fmt: skip
def test_what_may_pass_is_tried_again_and_fails_in_words(answer: Answer, result: str) -> None:
    if result == "connection":
        answer = Answer(body=answer.body, send=200)
    with FaultServer(script(answer, answer, completion("{}"))) as server:
        asked = Asked(server, tries=3, timeout_s=0.3)
        assert asked.ask().calls == 3
        assert asked.calls == [result, result, "ok"]
    with FaultServer(script(answer)) as server:
        asked = Asked(server, tries=2, timeout_s=0.3)
        got = asked.ask()
    assert (got.outcome, got.calls, got.text) == ("failed", 2, "")
    assert got.error


def test_nobody_there_is_a_failed_connection() -> None:
    with FaultServer(script(status(500))) as server:
        pass
    assert Asked(server, tries=1).ask().outcome == "failed"


def picky(accepts: Any) -> Any:
    """A server that answers only requests it likes."""

    def serve(body: Body, before: int) -> Answer:
        if not accepts(body):
            return status(500 if "json_schema" in str(body.get("response_format")) else 400, "unknown parameter")
        return completion('{"ok": true}' if is_probe(body) else '{"events": []}')

    return serve


@pytest.mark.parametrize(
    ("accepts", "dialect"),
    [
        (lambda body: "max_tokens" in body, ("json_schema", "max_tokens")),
        (lambda body: "max_completion_tokens" in body, ("json_schema", "max_completion_tokens")),
        (lambda body: body.get("response_format", {}).get("type") == "json_object", ("json_object", "max_tokens")),
        (lambda body: "response_format" not in body and "max_tokens" in body, ("plain", "max_tokens")),
    ],
)
def test_the_dialect_is_tried_once_and_remembered(accepts: Any, dialect: tuple[str, str]) -> None:
    """llama-cpp-python answers 500 to a schema and takes a flag; others take neither; new models no ``max_tokens``."""
    with FaultServer(picky(accepts)) as server:
        asked = Asked(server, dialect=None, tries=1)
        assert asked.ask().outcome == "stop"
        probes = sum(is_probe(body) for body in server.requests)
        assert asked.ask().outcome == "stop"
        assert sum(is_probe(body) for body in server.requests) == probes
    assert [(one.format, one.limit) for one in asked.learned] == [dialect]
    told = [m for m in server.requests[-1]["messages"] if PROMPT.schema in m["content"]]
    assert len(told) == (0 if dialect[0] == "json_schema" else 1)


@pytest.mark.parametrize("refusal", [400, 500])
def test_a_remembered_dialect_that_the_server_no_longer_takes_is_found_anew(refusal: int) -> None:
    def serve(body: Body, before: int) -> Answer:
        if "response_format" in body:
            return status(refusal, "unknown parameter: response_format")
        return completion('{"ok": true}' if is_probe(body) else '{"events": []}')

    with FaultServer(serve) as server:
        asked = Asked(server, dialect=CLASSIC, tries=1)
        got = asked.ask()
        assert (got.outcome, got.text, got.calls) == ("stop", '{"events": []}', 2)
        assert [one.format for one in asked.learned] == ["plain"]
        assert asked.ask().calls == 1


def test_a_schema_that_is_taken_and_ignored_is_not_trusted() -> None:
    def serve(body: Body, before: int) -> Answer:
        ignores = "json_schema" in str(body.get("response_format"))
        return completion("Sure! Here you go." if ignores else '{"ok": true}')

    with FaultServer(serve) as server:
        asked = Asked(server, dialect=None)
        asked.ask()
    assert asked.learned[0].format == "json_object"


@pytest.mark.parametrize("answer", [Answer(silent=True), status(500), Answer(send=0, body=b"{}")])
def test_an_endpoint_that_is_away_is_not_taken_for_one_that_knows_nothing(answer: Answer) -> None:
    with FaultServer(script(answer)) as server:
        asked = Asked(server, dialect=None, tries=1, timeout_s=0.3)
        with pytest.raises(EndpointAwayError):
            asked.ask()
    assert asked.learned == []


def test_many_questions_at_once_share_a_client_and_one_of_them_tries_the_dialect() -> None:
    with FaultServer(script(completion('{"ok": true}'))) as server:
        asked = Asked(server, dialect=None)
        asked.ask(times=8)
    assert asked.calls == ["ok"] * 9


def test_an_endpoint_without_the_package_that_asks_it_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ops.llm.errands.find_spec", lambda name: None)
    settings = LlmSettings(model="m", endpoint="http://127.0.0.1:9/v1")
    with pytest.raises(BadConfigError, match=r"requirements-llm\.txt"):
        ModelErrands(settings, clock=lambda: 0, observer=SILENT)


def test_a_call_that_is_cancelled_ends_at_once() -> None:
    async def ask(asked: Asked) -> None:
        await asyncio.wait_for(asked._ask(PROMPT, 1), 0.3)

    with FaultServer(script(Answer(silent=True))) as server, pytest.raises(TimeoutError):
        asyncio.run(ask(Asked(server)))
