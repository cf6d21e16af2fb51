"""A model that is still thinking when what it was shown is erased: its reply brings nothing back."""

from __future__ import annotations

import json

import pytest

from query.api import QueryRequest
from schemas.asking import ModelReplied
from schemas.erasure_wire import ErasureIn
from schemas.topics import TOPICS
from tests.integration.test_llm_runtime import SPACE, Orchard
from tests.kit.faultserver import Answer, Body, FaultServer, completion, is_probe

WORD = "Quillmark"
MESSAGE = ErasureIn(scope="message", conversation_id="c1", message_id="m1")
CONVERSATION = ErasureIn(scope="conversation", conversation_id="c1")
EVERYTHING = ErasureIn(scope="space")


class Forgetful:
    """The endpoint: while it thinks about the word for the first time, what it was shown is erased."""

    def __init__(self, wanted: ErasureIn, reply: str) -> None:
        self.home: Orchard | None = None
        self._wanted = wanted
        self._reply = reply
        self.erased = 0

    def __call__(self, body: Body, before: int) -> Answer:
        if is_probe(body):
            return completion('{"ok": true}')
        if self.home is None or WORD not in str(body["messages"][-1]):
            return completion("{}")
        if not self.erased:
            self.erased += 1
            assert self.home.system.erase(SPACE, self._wanted).finished_at is not None
        return completion(self._reply)


def said(home: Orchard) -> list[str]:
    """Where the word stands."""
    word = WORD.encode()
    found = [f"{topic}/{e.offset}" for topic in TOPICS for e in home.log.read_space(topic, SPACE) if word in e.value]
    tables = ("stages", "ingest", "dialects")
    return found + [f"{t}/{k!r}" for t in tables for k, v in home.log.scan(t, b"", b"\xff" * 9) if word in k + v]


@pytest.mark.parametrize("wanted", [MESSAGE, CONVERSATION, EVERYTHING], ids=lambda wanted: wanted.scope)
def test_a_reply_to_a_stage_that_comes_after_the_erasure_is_not_recorded(wanted: ErasureIn) -> None:
    reply = json.dumps({"events": [], "note": f"she lives in the {WORD} tower"})
    with FaultServer(served := Forgetful(wanted, reply)) as server:
        home = served.home = Orchard(server)
        home.say(f"I live in the {WORD} tower.", "I sing in the choir.")
        home.finish()
        home.finish()
        assert served.erased == 1
        assert said(home) == []
        assert home.system.verify(SPACE).equal
        assert not any(open_ for open_ in home.system.questions_of(SPACE).open.values())
        home.system.close()


@pytest.mark.parametrize("wanted", [MESSAGE, CONVERSATION, EVERYTHING], ids=lambda wanted: wanted.scope)
def test_an_answer_that_comes_after_the_erasure_is_not_recorded(wanted: ErasureIn) -> None:
    cited = [{"id": "E1", "told_as": "current"}]
    reply = json.dumps({"reason": "Said so.", "known": True, "answer": f"In the {WORD} tower.", "citations": cited})
    with FaultServer(served := Forgetful(wanted, reply)) as server:
        home = served.home = Orchard(server, distil=False, link=False, answer=True)
        home.say(f"I live in the {WORD} tower.", "I sing in the choir.")
        home.finish()
        asked = QueryRequest(
            space=SPACE, question="Where does Odile live?", asked_at=home.now, as_of=None, known_at=None, mode="hybrid",
            budget_tokens=500, answer=True,
        )  # fmt: skip
        home.system.query(asked)
        home.finish()
        assert served.erased == 1
        assert said(home) == []
        assert home.records("replies", ModelReplied) == []
        assert WORD not in repr(home.system.query(asked))
        home.system.close()
