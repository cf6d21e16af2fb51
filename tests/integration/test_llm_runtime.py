"""The embedded system beside an endpoint that fails in every way: nothing is lost, nothing twice, nobody waits.

The endpoint is a script; what it says is made up here and says nothing about any model.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from prometheus_client import CollectorRegistry

from ops.llm.asker import Asker
from ops.llm.errands import CLOSED, FAILURES_MAX, ModelErrands
from ops.llm.settings import LlmSettings
from ops.metrics import Metrics
from ops.parts import Parts
from ops.runtime import Embedded
from ops.settings import Settings
from query.api import StateRequest
from schemas.asking import ModelAsked, ModelReplied, ReadOutcome, ReplyOutcome, ReplyRead
from schemas.codec import decode
from schemas.dead_letters import DeadLetter
from schemas.erasure_wire import ErasureIn
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from schemas.topics import TopicName
from schemas.verdicts import PairsJudged
from streams.log.memory import MemoryLog
from tests.kit.encoders import HashingEncoder
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe, no_choices, status
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

SPACE = SpaceKey("default", "orchard")
HOUR = 3_600_000_000
BEGIN = 1_710_496_800_000_000


class Orchard:
    """A system in memory whose model is the server's script."""

    def __init__(self, server: FaultServer | None, log: MemoryLog | None = None, **llm: Any) -> None:
        self.now = BEGIN
        self.registry = CollectorRegistry()
        metrics = Metrics(self.registry, clock=lambda: self.now)
        self.log = log or MemoryLog()
        settings = LlmSettings(
            endpoint=None if server is None else server.url,
            **{"model": "scripted", "tries": 2, "retry_wait_max_s": 0.05, "timeout_s": 5.0, "link": False} | llm,
        )  # fmt: skip
        asker = None
        if server is not None:
            asker = Asker(
                self.log,
                lambda dialect, learned: ModelErrands(
                    settings, clock=lambda: self.now, observer=metrics, dialect=dialect, learned=learned
                ),
                server.url,
                lambda: self.now,
            )
        parts = Parts(
            log=self.log, tables=MemoryTables(), encoder=HashingEncoder,
            index=lambda encoder: MemoryIndex(encoder.dimension), clock=lambda: self.now, observer=metrics, asker=asker,
        )  # fmt: skip
        self.system = Embedded(parts, Settings(llm=settings))
        self._said = 0

    def say(self, *contents: str, conversation: str = "c") -> None:
        """A session of its own, hours after the one before."""
        self.now += 5 * HOUR
        for content in contents:
            self._said += 1
            sent = f"2024-03-{15 + self._said // 20:02d}T{self._said % 20:02d}:00:00Z"
            message = {
                "message_id": f"m{self._said}", "conversation_id": f"{conversation}{self._said}", "speaker": "Odile",
                "role": "user", "content": content, "sent_at": sent,
            }  # fmt: skip
            self.system.post(SPACE, [json.dumps(message).encode()])

    def finish(self) -> None:
        """Close every session, and wait for all replies there will be."""
        self.system.flush(SPACE)
        while self.system.settle():
            pass

    def records(self, topic: TopicName, kind: type[Any]) -> list[Any]:
        """Of a topic, those of a type, in order."""
        found = [decode(topic, raw.value) for raw in self.log.read_space(topic, SPACE)]
        return [record for record in found if isinstance(record, kind)]

    def texts(self) -> list[str]:
        """What holds."""
        request = StateRequest(
            space=SPACE, as_of=self.now + 10_000 * HOUR, known_at=None, participant=None, attribute=None,
            include_all=True,
        )  # fmt: skip
        return sorted(entry.event.text for entry in self.system.state(request).entries)

    def value(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(f"stilltrue_{name}", labels) or 0.0

    def total(self, name: str, outcomes: Any) -> float:
        """Over all outcomes of the stage distil."""
        return sum(self.value(name, stage="distil", outcome=outcome) for outcome in get_args(outcomes))


def answers(quote: Callable[[str], Answer]) -> Callable[[Body, int], Answer]:
    """A script that answers by the text of the last message it is shown; probes are answered as they ask."""

    def serve(body: Body, before: int) -> Answer:
        if is_probe(body):
            return completion('{"ok": true}')
        data = json.loads(body["messages"][1]["content"])
        if "pairs" in data:
            return completion(judged(data))
        return quote(data["messages"][-1]["text"])

    return serve


def judged(data: Body) -> str:
    """A reply about pairs: whatever is said of the same thing later is a change."""
    verdicts = [
        {"pair": pair["pair"], "reason": "Later.", "verdict": "change", "confidence": 0.9} for pair in data["pairs"]
    ]
    return json.dumps({"verdicts": verdicts})


def listed(text: str) -> str:
    """A reply that lists one statement: the message's first sentence."""
    quote = text.split(".")[0]
    return json.dumps({"events": [_state(quote)]})


def _state(quote: str, **changes: Any) -> dict[str, Any]:
    return {
        "type": "state_change", "subject": "Odile", "participants": ["Odile"], "modality": "asserted",
        "polarity": "affirmed", "attribute": None, "value": None, "when": None, "tense": "present", "holds": True,
        "sources": [{"message": 1, "quote": quote}], "confidence": 0.9,
    } | changes  # fmt: skip


def good(text: str) -> Answer:
    return completion(listed(text))


def test_a_session_is_asked_about_once_and_the_models_set_counts() -> None:
    with FaultServer(answers(lambda text: completion(json.dumps({"events": [_state(text[:16])]})))) as server:
        orchard = Orchard(server)
        orchard.say("I keep bees here. Lovely.")
        orchard.finish()
        assert orchard.texts() == ["I keep bees here"]
        producers = [made.producer for made in orchard.records("events", EventsDistilled)]
        assert producers[0].startswith("offline-")
        assert producers[-1].startswith("scripted+")
        orchard.finish()
        assert [is_probe(body) for body in server.requests] == [True, False]
        assert orchard.system.verify(SPACE).equal
        orchard.system.close()
    assert orchard.value("llm_replies_total", stage="distil", outcome="stop") == 1
    assert orchard.value("llm_tokens_total", stage="distil", kind="prompt") == 100
    assert orchard.value("llm_objects_total", stage="distil", fate="kept") == 1


def test_reads_and_writes_go_on_while_the_model_thinks() -> None:
    """The first question is never answered while the test looks; other messages are taken in and read meanwhile."""
    with FaultServer(answers(lambda text: Answer(silent=True))) as server:
        orchard = Orchard(server, timeout_s=30.0)
        orchard.say("I keep bees.")
        orchard.system.flush(SPACE)
        orchard.say("I keep goats.")
        orchard.system.flush(SPACE)
        assert orchard.texts() == ["I keep bees", "I keep goats"]
        assert orchard.system.questions_of(SPACE).open == {"distil": 2, "link": 0, "answer": 0}
        orchard.system.close()


FAULTS: dict[str, tuple[Callable[[str], Answer], str]] = {
    "429": (lambda _: status(429, retry_after="0.01"), "away"),
    "401": (lambda _: status(401), "away"),
    "400": (lambda _: status(400), "parked"),
    "500": (lambda _: status(500), "parked"),
    "cut": (lambda _: Answer(body=b"{" + b" " * 500, send=100), "parked"),
    "no json": (lambda _: Answer(body=b"<html>"), "parked"),
    "refusal": (lambda _: completion(None, refusal="no"), "parked"),
    "empty": (lambda _: no_choices(), "parked"),
    "prose": (lambda _: completion("I could not find any."), "parked"),
    "100 kB": (lambda _: completion("x" * 100_000), "parked"),
    "length": (lambda _: completion('{"events": [{', "length"), "parked"),
    "truncated": (lambda text: completion(listed(text)[:-9]), "parked"),
    "wrong enum": (lambda text: completion(listed(text).replace("state_change", "rumour")), "parked"),
    "nan": (lambda text: completion(listed(text).replace("0.9", "NaN")), "parked"),
    "unknown id": (lambda text: completion(listed(text).replace('"message": 1', '"message": 88')), "parked"),
    "ungrounded": (lambda text: completion(listed(text).replace("I keep", "I love")), "parked"),
}


@pytest.mark.parametrize("name", list(FAULTS))
def test_whatever_goes_wrong_with_one_session_its_neighbours_are_read_and_nothing_is_lost(name: str) -> None:
    fault, fate = FAULTS[name]
    with FaultServer(answers(lambda text: fault(text) if "bees" in text else good(text))) as server:
        orchard = Orchard(server, concurrency=1)
        orchard.say("I keep goats.")
        orchard.finish()
        orchard.say("I keep bees.")
        orchard.finish()
        if fate != "away":
            orchard.say("I keep hens.")
            orchard.finish()
        orchard.system.close()
    account = orchard.system.account(SPACE)
    said = 2 if fate == "away" else 3
    assert (account.accepted, account.waiting, account.parked) == (said, 0, 0)
    model = [made for made in orchard.records("events", EventsDistilled) if made.producer.startswith("scripted+")]
    assert len(model) == said - 1
    texts = orchard.texts()
    assert len(texts) == len(set(texts)), "no event twice"
    kept = {"I keep goats", "I keep hens"} if said == 3 else {"I keep goats"}
    assert kept <= set(texts)
    assert ("I keep bees" in texts) == (fate in ("away", "parked")), "the rules' set counts where the model has none"
    letters = orchard.records("dead-letters", DeadLetter)
    assert len(letters) == (1 if fate == "parked" else 0)
    assert orchard.total("llm_replies_total", ReplyOutcome) == len(orchard.records("replies", ModelReplied))
    assert orchard.total("llm_replies_read_total", ReadOutcome) == len(orchard.records("replies", ReplyRead))
    assert orchard.system.questions_of(SPACE).open["distil"] == (1 if fate == "away" else 0)
    assert orchard.value("llm_waiting", why="endpoint") == (1 if fate == "away" else 0)


def test_an_endpoint_that_fails_again_and_again_parks_a_few_and_the_rest_wait_for_it() -> None:
    with FaultServer(answers(lambda text: status(500))) as server:
        orchard = Orchard(server, concurrency=1, tries=1)
        for number in range(8):
            orchard.say(f"I own {number} goats.")
        orchard.finish()
        standing = orchard.system.questions_of(SPACE)
        orchard.system.close()
    assert len(orchard.records("dead-letters", DeadLetter)) == FAILURES_MAX
    assert standing.open["distil"] == 8 - FAILURES_MAX
    assert standing.away is not None


def test_what_is_erased_while_its_question_waits_for_the_endpoint_is_not_sent_again() -> None:
    with FaultServer(answers(lambda text: status(429) if "bees" in text else good(text))) as server:
        orchard = Orchard(server, tries=1)
        orchard.say("I keep bees.")
        orchard.finish()
        orchard.system.erase(SPACE, ErasureIn(scope="conversation", conversation_id="c1", message_id=None))
        seen: list[int] = []
        for number in range(8):
            orchard.say(f"I own {number} goats.")
            orchard.finish()
            seen.append(sum("bees" in json.dumps(body) for body in server.requests))
        orchard.system.close()
    assert seen[-1] == seen[1]
    assert orchard.system.questions_of(SPACE).open["distil"] == 0


@pytest.mark.parametrize("change", ["edit", "retract"])
def test_what_was_edited_or_taken_back_while_its_question_waits_is_not_sent_any_more(change: str) -> None:
    """The endpoint is busy when it is asked first; by the time it is not, the message says something else."""
    busy = [True]

    def serve(body: Body, before: int) -> Answer:
        if is_probe(body):
            return completion('{"ok": true}')
        if busy[0]:
            return status(429)
        return good(json.loads(body["messages"][1]["content"])["messages"][-1]["text"])

    with FaultServer(serve) as server:
        orchard = Orchard(server, tries=1)
        orchard.say("I keep bees.", "I keep hens.")
        orchard.finish()
        assert orchard.system.questions_of(SPACE).open["distil"] == 2
        if change == "edit":
            orchard.system.edit(SPACE, "c1", "m1", "I keep wasps.")
        else:
            orchard.system.retract(SPACE, "c1", "m1")
        orchard.system.flush(SPACE)
        assert orchard.system.questions_of(SPACE).open["distil"] == (2 if change == "edit" else 1)
        while CLOSED not in [reply.error for reply in orchard.records("replies", ModelReplied)]:
            orchard.finish()
        sent = sum("bees" in json.dumps(body) for body in server.requests)
        busy[0] = False
        while orchard.system.questions_of(SPACE).open["distil"]:
            orchard.finish()
        assert sum("bees" in json.dumps(body) for body in server.requests) == sent
        assert orchard.texts() == (["I keep hens", "I keep wasps"] if change == "edit" else ["I keep hens"])
        assert orchard.value("llm_questions_withdrawn_total", stage="distil") == 1
        assert orchard.system.verify(SPACE).equal
        orchard.system.close()


def test_calls_that_found_the_endpoint_away_are_counted_in_the_reply() -> None:
    def serve(body: Body, before: int) -> Answer:
        if is_probe(body):
            return completion('{"ok": true}')
        return good("I keep bees.") if before > 3 else status(429)

    with FaultServer(serve) as server:
        orchard = Orchard(server, tries=1)
        orchard.say("I keep bees.")
        while not orchard.records("replies", ModelReplied):
            orchard.finish()
        orchard.system.close()
    (reply,) = orchard.records("replies", ModelReplied)
    assert reply.calls == 4


def test_a_parked_question_that_is_asked_again_is_answered() -> None:
    down = [True]
    with FaultServer(answers(lambda text: status(500) if down[0] else good(text))) as server:
        orchard = Orchard(server)
        orchard.say("I keep bees. Yes.")
        orchard.finish()
        (letter,) = orchard.records("dead-letters", DeadLetter)
        assert isinstance(decode("asks", letter.payload), ModelAsked)
        down[0] = False
        with orchard.log.batch() as batch:
            batch.append("asks", SPACE, letter.payload, orchard.now)
        orchard.finish()
        assert orchard.records("events", EventsDistilled)[-1].producer.startswith("scripted+")
        orchard.system.close()


@pytest.mark.parametrize("budget", ["space_tokens_per_day", "tokens_per_day"])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_spent_budget_leaves_the_rest_to_the_rules_until_the_next_day(concurrency: int, budget: str) -> None:
    """However many are asked at once: what is on the way counts with the most it may take."""
    with FaultServer(answers(good)) as server:
        orchard = Orchard(server, **{budget: 200}, concurrency=concurrency)
        for number in range(4):
            orchard.say(f"I own {number} goats.")
        orchard.finish()
        standing = orchard.system.questions_of(SPACE)
        assert (standing.open["distil"], standing.held_back, standing.spent_today.tokens) == (2, True, 300)
        assert orchard.value("llm_waiting", why="budget") == 1
        assert len(orchard.texts()) == 4
        orchard.now += 24 * HOUR
        orchard.finish()
        assert orchard.system.questions_of(SPACE).open["distil"] == 0
        assert orchard.value("llm_waiting", why="budget") == 0
        orchard.system.close()


def test_a_new_process_asks_what_is_open_and_nothing_that_was_answered_nor_tries_the_dialect_again() -> None:
    with FaultServer(answers(lambda text: Answer(silent=True) if "bees" in text else good(text))) as server:
        orchard = Orchard(server)
        orchard.say("I keep goats.")
        orchard.finish()
        orchard.say("I keep bees.")
        orchard.system.flush(SPACE)
        orchard.system.close()
        log = orchard.log
    with FaultServer(answers(good)) as server:
        server_url = server.url
        again = Orchard(server, log)
        again.finish()
        again.system.close()
        asked = [body for body in server.requests if not is_probe(body)]
        assert server_url
    assert len(asked) == 1
    assert again.system.questions_of(SPACE).open["distil"] == 0


@pytest.mark.parametrize("sessions", [1, 10, 100])
def test_a_session_is_two_questions_at_most_whatever_the_history(sessions: int) -> None:
    """Each session speaks of the same thing as all those before it, so that there is always something to compare."""
    with FaultServer(answers(good)) as server:
        orchard = Orchard(server, link=True)
        for number in range(sessions):
            orchard.say(f"The goats of row {number} went to the far orchard.")
            orchard.finish()
        asked = [body for body in server.requests if not is_probe(body)]
        about_pairs = sum("pairs" in json.loads(body["messages"][1]["content"]) for body in asked)
        assert len(asked) - about_pairs == sessions
        assert about_pairs <= sessions
        assert (about_pairs > 0) == (sessions > 1)
        assert orchard.system.verify(SPACE).equal
        assert orchard.system.questions_of(SPACE).open == {"distil": 0, "link": 0, "answer": 0}
        orchard.system.close()


def test_the_models_verdicts_end_what_they_are_about_and_are_recorded_with_their_judge() -> None:
    with FaultServer(answers(good)) as server:
        orchard = Orchard(server, link=True)
        orchard.say("The goats of row 1 went to the far orchard.")
        orchard.finish()
        orchard.say("The goats of row 1 went to the barn.")
        orchard.finish()
        orchard.system.close()
    verdicts = [one for record in orchard.records("verdicts", PairsJudged) for one in record.verdicts]
    assert any(one.judge.startswith("scripted+") and one.kind == "change" for one in verdicts)
    request = StateRequest(
        space=SPACE, as_of=orchard.now + 10_000 * HOUR, known_at=None, participant=None, attribute=None,
        include_all=False,
    )  # fmt: skip
    assert [entry.event.text for entry in orchard.system.state(request).entries] == [
        "The goats of row 1 went to the barn"
    ]


def test_a_rerun_from_the_recorded_replies_asks_nobody_and_ends_in_the_same_view() -> None:
    """The messages and the replies, in a store that has no endpoint: what the model said is all there."""
    with FaultServer(answers(good)) as server:
        orchard = Orchard(server, link=True)
        for number in range(4):
            orchard.say(f"The goats of row {number} went to the far orchard.")
        orchard.finish()
        first = orchard.system.verify(SPACE).checksum
        orchard.system.close()
    replay = Orchard(None, link=True)
    with replay.log.batch() as batch:
        for topic in ("messages", "replies"):
            for raw in orchard.log.read_space(topic, SPACE):
                batch.append(topic, SPACE, raw.value, raw.time_us)
    replay.now = orchard.now
    replay.finish()
    assert replay.system.verify(SPACE).checksum == first
    assert replay.system.questions_of(SPACE).open == {"distil": 0, "link": 0, "answer": 0}
