"""Batch mode by command: questions out as files, scripted answers in, until nothing is left to ask."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ops.cli.__main__ import main
from ops.cli.world import World
from ops.observing import Observer
from ops.parts import Parts
from ops.runtime import Embedded
from ops.settings import CONFIG_NAME, Settings
from ops.system import System
from schemas.asking import ModelReplied
from schemas.codec import decode
from schemas.events import EventsDistilled
from schemas.ids import SpaceKey
from streams.distil.offline import OfflineDistiller
from streams.llm.prompts import link as link_words
from streams.log.memory import MemoryLog
from tests.kit.asking import found
from tests.kit.encoders import HashingEncoder
from views.tables import MemoryTables
from views.vectors.memory import MemoryIndex

SPACE = SpaceKey("default", "pond")
LINES = ("I keep two ducks on the pond.", "The ducks went to the mill pond.", "I like plums.")


class Pond:
    """A store in memory that every command opens anew."""

    def __init__(self, directory: Path) -> None:
        self.log, self.tables = MemoryLog(), MemoryTables()
        self.index = MemoryIndex(HashingEncoder().dimension)
        self.now = 1_800_000_000_000_000
        self.directory = directory
        (directory / CONFIG_NAME).write_text('[llm]\nmodel = "scripted"\n')
        rows = [
            {"message_id": f"m{n}", "conversation_id": f"c{n}", "speaker": "Odile", "content": text,
             "sent_at": f"2024-03-1{n}T10:00:00Z"}
            for n, text in enumerate(LINES)
        ]  # fmt: skip
        self.messages = directory / "messages.jsonl"
        self.messages.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def settings(self, name: str, text: str) -> Path:
        """A further file of settings."""
        path = self.directory / name
        path.write_text(text)
        return path

    def open(self, store: Path, settings: Settings, *, writer: bool = True, observer: Observer | None = None) -> System:
        parts = Parts(
            log=self.log, tables=self.tables, encoder=HashingEncoder, index=lambda _: self.index,
            clock=lambda: self.now,
        )  # fmt: skip
        return Embedded(parts, settings)

    def run(self, *arguments: str) -> tuple[int, str]:
        """A command; its exit code and what it said."""
        self.now += 1_000_000
        out = io.StringIO()
        world = World(open_system=self.open, now=lambda: self.now, out=out, err=out)
        code = main(["--store", str(self.directory), *arguments], world)
        return code, out.getvalue()

    def export(self, stage: str) -> list[dict[str, Any]]:
        file = self.directory / f"{stage}.jsonl"
        code, _ = self.run("llm", "export", "pond", "--stage", stage, "--out", str(file))
        assert code == 0
        return [json.loads(line) for line in file.read_text().splitlines()]

    def answer(self, results: Iterable[dict[str, Any]], *raw: str) -> tuple[int, str]:
        file = self.directory / "results.jsonl"
        file.write_text("".join(json.dumps(result) + "\n" for result in results) + "".join(f"{line}\n" for line in raw))
        return self.run("llm", "import", str(file))

    def sets(self) -> list[EventsDistilled]:
        records = [decode("events", raw.value) for raw in self.log.read_space("events", SPACE)]
        return [r for r in records if isinstance(r, EventsDistilled) and r.producer.startswith("scripted+")]


@pytest.fixture
def pond(tmp_path: Path) -> Pond:
    pond = Pond(tmp_path)
    code, said = pond.run("import", str(pond.messages), "--space", "pond")
    assert code == 0
    assert "still to ask: distil 3" in said
    return pond


def result(request: dict[str, Any], text: str, finish: str = "stop") -> dict[str, Any]:
    """What a provider writes for a request."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    body = {
        "id": "chatcmpl-1", "object": "chat.completion", "model": "scripted-1", "choices": [choice],
        "usage": {"prompt_tokens": 700, "completion_tokens": 60},
    }  # fmt: skip
    return {
        "id": "batch_req_1", "custom_id": request["custom_id"],
        "response": {"status_code": 200, "request_id": "r", "body": body}, "error": None,
    }  # fmt: skip


def listed(request: dict[str, Any]) -> dict[str, Any]:
    """A good answer to a question about a session: its one message, without the full stop."""
    data = json.loads(request["body"]["messages"][1]["content"])
    return result(request, json.dumps({"events": [found(1, data["messages"][0]["text"].rstrip("."))]}))


def judged(request: dict[str, Any], name: str = "change") -> dict[str, Any]:
    """A good answer to a question about pairs: one verdict on all."""
    data = json.loads(request["body"]["messages"][1]["content"])
    verdicts = [{"pair": p["pair"], "reason": "Moved.", "verdict": name, "confidence": 0.9} for p in data["pairs"]]
    return result(request, json.dumps({"verdicts": verdicts}))


def test_a_request_is_a_line_of_a_batch_with_an_id_and_a_strict_schema(pond: Pond) -> None:
    requests = pond.export("distil")
    assert len({request["custom_id"] for request in requests}) == 3
    for request in requests:
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        assert len(request["custom_id"]) <= 64
        body = request["body"]
        assert body["model"] == "scripted"
        assert body["max_completion_tokens"] == 8192
        assert body["response_format"]["json_schema"]["strict"] is True


def test_a_file_is_for_one_model(pond: Pond) -> None:
    other = pond.settings("other.toml", '[llm]\nmodel = "other"\n')
    pond.run("redistill", "pond", "--producer", str(other), "--compare")
    assert {request["body"]["model"] for request in pond.export("distil")} == {"scripted"}
    file = pond.directory / "other.jsonl"
    export = ("llm", "export", "pond", "--stage", "distil", "--out", str(file))
    code, said = pond.run("--config", str(other), *export)
    assert code == 0
    assert [json.loads(line)["body"]["model"] for line in file.read_text().splitlines()] == ["other"] * 3
    assert "left out: 3 to scripted" in said
    assert json.loads(pond.run("--json", *export)[1])["left_out"] == {"other": 3}


def test_stages_alternate_until_nothing_is_left_to_ask(pond: Pond) -> None:
    assert pond.export("link") == []
    code, said = pond.answer(listed(request) for request in pond.export("distil"))
    assert code == 0
    assert "recorded 3" in said
    assert "still to ask: link 1" in said
    assert pond.export("distil") == []
    code, said = pond.answer(judged(request) for request in pond.export("link"))
    assert "nothing left to ask" in said
    assert pond.export("link") == []
    code, said = pond.run("state", "pond", "--as-of", "2024-06-01T00:00:00Z")
    assert "The ducks went to the mill pond" in said
    assert "two ducks on the pond" not in said
    code, said = pond.run("verify", "pond")
    assert code == 0
    code, said = pond.run("llm", "status", "pond")
    assert "nothing left to ask" in said
    assert "4 calls, 2,800 tokens asked, 240 answered" in said


def test_partial_answers_are_used_and_the_rest_stays_open(pond: Pond) -> None:
    requests = pond.export("distil")
    code, said = pond.answer([listed(requests[1])])
    assert (code, len(pond.sets())) == (0, 1)
    assert "still to ask: distil 2" in said
    assert {r["custom_id"] for r in pond.export("distil")} == {requests[0]["custom_id"], requests[2]["custom_id"]}


def test_importing_again_changes_nothing(pond: Pond) -> None:
    answers = [listed(request) for request in pond.export("distil")]
    pond.answer([*answers, answers[0]])
    before = {topic: pond.log.end(topic, 0) for topic in ("replies", "events", "edges", "asks")}
    code, said = pond.answer(answers)
    assert code == 0
    assert "recorded 0, answered before 3" in said
    assert {topic: pond.log.end(topic, 0) for topic in before} == before
    replies = [decode("replies", raw.value) for raw in pond.log.read_space("replies", SPACE)]
    assert sum(isinstance(reply, ModelReplied) for reply in replies) == 3


def test_unknown_failed_and_broken_lines_are_named_and_in_nobodys_way(pond: Pond) -> None:
    first, second, _ = pond.export("distil")
    stranger = listed(first) | {"custom_id": "q-of-another-store"}
    expired = {
        "custom_id": second["custom_id"],
        "response": None,
        "error": {"code": "batch_expired", "message": "too late"},
    }
    code, said = pond.answer([stranger, expired, listed(first)], "{oops", "[]")
    assert code == 0
    assert "recorded 1, answered before 0, out of date 0, failed 1, unknown 1, broken 2" in said
    assert "unknown: q-of-another-store" in said
    assert f"failed: {second['custom_id']}: too late" in said
    assert "results.jsonl:4" in said
    assert len(pond.export("distil")) == 2


def test_results_of_another_hand_are_read(pond: Pond) -> None:
    first, second, third = (listed(request) for request in pond.export("distil"))
    first["response"]["body"] |= {"model": None, "usage": {"prompt_tokens": 10**30}}
    second["response"]["body"]["choices"][0]["message"]["content"] = [
        {"type": "text", "text": second["response"]["body"]["choices"][0]["message"]["content"]}
    ]
    third["response"]["body"] = {"error": {"message": "overloaded"}}
    file = pond.directory / "edited.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(json.dumps(one).encode() for one in (first, second, third)))
    code, said = pond.run("llm", "import", str(file))
    assert code == 0
    assert "recorded 2, answered before 0, out of date 0, failed 1, unknown 0, broken 0" in said
    assert "overloaded" in said
    assert len(pond.sets()) == 2
    replies = [decode("replies", raw.value) for raw in pond.log.read_space("replies", SPACE)]
    told = [reply for reply in replies if isinstance(reply, ModelReplied)]
    assert told[0].model == "scripted"
    assert 100 < told[0].prompt_tokens < 10_000, "counted by characters"


@pytest.mark.parametrize("budget", ["space_tokens_per_day", "tokens_per_day"])
def test_a_spent_budget_is_told(pond: Pond, budget: str) -> None:
    pond.answer([listed(pond.export("distil")[0])])
    pond.settings(CONFIG_NAME, f'[llm]\nmodel = "scripted"\n{budget} = 5\n')
    assert "budget of today" not in pond.run("llm", "status", "pond")[1], "files wait for nothing"
    with_endpoint = f'[llm]\nmodel = "scripted"\nendpoint = "http://127.0.0.1:9/v1"\n{budget} = 5\n'
    pond.settings(CONFIG_NAME, with_endpoint)
    assert "still to ask: distil 2 (the budget of today is spent)" in pond.run("llm", "status", "pond")[1]
    pond.now += 24 * 3_600_000_000
    assert "budget of today" not in pond.run("llm", "status", "pond")[1]


def test_a_file_without_a_useful_line_is_refused(pond: Pond) -> None:
    code, said = pond.answer([], "{oops")
    assert code == 2
    assert "broken 1" in said


def test_a_bad_answer_is_asked_once_more_in_the_next_file(pond: Pond) -> None:
    requests = pond.export("distil")
    pond.answer([result(requests[0], "Sorry."), listed(requests[1]), listed(requests[2])])
    (again,) = pond.export("distil")
    assert again["custom_id"] != requests[0]["custom_id"]
    assert "could not be used" in again["body"]["messages"][-1]["content"]
    pond.answer([listed(again)])
    assert len(pond.sets()) == 3


# --- reading anew -------------------------------------------------------------------------------------------------


@pytest.fixture
def ruled(tmp_path: Path) -> Pond:
    """A pond that the rules alone have read."""
    pond = Pond(tmp_path)
    (tmp_path / CONFIG_NAME).write_text("")
    pond.run("import", str(pond.messages), "--space", "pond")
    return pond


def answered(pond: Pond, other: Path, text: str) -> None:
    """All open questions of a settings file answered: the first words of each message, so many."""
    file = pond.directory / "anew.jsonl"
    pond.run("--config", str(other), "llm", "export", "pond", "--stage", "distil", "--out", str(file))
    results = []
    for line in file.read_text().splitlines():
        request = json.loads(line)
        told = json.loads(request["body"]["messages"][1]["content"])["messages"][0]["text"]
        results.append(
            result(request, json.dumps({"events": [found(1, told[: told.index(text)])] if text in told else []}))
        )
    (pond.directory / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in results))
    pond.run("--config", str(other), "llm", "import", str(pond.directory / "results.jsonl"))


def test_another_model_is_compared_with_what_counts_and_changes_nothing(ruled: Pond) -> None:
    other = ruled.settings("other.toml", '[llm]\nmodel = "other"\nlink = false\n')
    before = ruled.run("state", "pond", "--all")[1]
    code, said = ruled.run("redistill", "pond", "--producer", str(other), "--compare")
    assert code == 0
    assert "3 questions are open" in said
    answered(ruled, other, " on the pond")
    code, said = ruled.run("redistill", "pond", "--producer", str(other), "--compare")
    assert "1 appear, 3 vanish, 0 hold for another time, 0 as before" in said
    assert "+ Odile: I keep two ducks  [from 2024-03-10" in said
    assert "- Odile: I keep two ducks on the pond" in said
    assert ruled.run("state", "pond", "--all")[1] == before
    assert ruled.run("verify", "pond")[0] == 0


def test_a_switch_waits_until_nothing_is_left_to_ask_then_counts_and_can_be_undone(ruled: Pond) -> None:
    other = ruled.settings("other.toml", '[llm]\nmodel = "other"\nlink = false\n')
    code, said = ruled.run("redistill", "pond", "--producer", str(other), "--switch")
    assert (code, "not switched" in said) == (1, True)
    answered(ruled, other, " on the pond")
    former = ruled.run("state", "pond", "--all")[1]
    code, said = ruled.run("redistill", "pond", "--producer", str(other), "--switch")
    assert (code, "counts now" in said) == (0, True)
    assert "I keep two ducks  " in ruled.run("state", "pond", "--all")[1]
    assert "plums" not in ruled.run("state", "pond", "--all")[1]
    assert ruled.run("verify", "pond")[0] == 0
    code, said = ruled.run("producer", "activate", "pond", "distil", OfflineDistiller.producer)
    assert code == 0
    assert ruled.run("state", "pond", "--all")[1] == former


ENDED = "superseded on 2024-03-11"


@pytest.mark.parametrize("former", ["", '[llm]\nmodel = "scripted"\n'])
def test_a_switch_gives_what_was_compared_links_too(ruled: Pond, former: str) -> None:
    ruled.settings(CONFIG_NAME, former)
    other = ruled.settings("other.toml", '[llm]\nmodel = "other"\n')
    anew = ("redistill", "pond", "--producer", str(other))
    ruled.run(*anew, "--compare")
    for stage, good in (("distil", listed), ("link", judged)):
        file, results = ruled.directory / f"{stage}.jsonl", ruled.directory / "results.jsonl"
        ruled.run("--config", str(other), "llm", "export", "pond", "--stage", stage, "--out", str(file))
        lines = file.read_text().splitlines()
        results.write_text("".join(json.dumps(good(json.loads(line))) + "\n" for line in lines))
        ruled.run("--config", str(other), "llm", "import", str(results))
        ruled.run(*anew, "--compare")
    asked = ruled.log.end("asks", 0)
    code, said = ruled.run(*anew, "--switch")
    assert (code, "1 hold for another time" in said, "counts now" in said) == (0, True, True)
    assert ENDED in ruled.run("state", "pond", "--all")[1], "at once, whatever the store's settings say"
    ruled.settings(CONFIG_NAME, other.read_text())
    assert "0 appear, 0 vanish, 0 hold for another time" in ruled.run(*anew, "--compare")[1]
    assert ENDED in ruled.run("state", "pond", "--all")[1]
    assert ruled.log.end("asks", 0) == asked, "nobody was asked anything to switch"
    assert ruled.run("verify", "pond")[0] == 0


def test_another_prompt_for_pairs_alone_is_asked_compared_and_switched_to(
    pond: Pond, monkeypatch: pytest.MonkeyPatch
) -> None:
    pond.answer(listed(request) for request in pond.export("distil"))
    pond.answer(judged(request, "none") for request in pond.export("link"))
    assert ENDED not in pond.run("state", "pond", "--all")[1]
    monkeypatch.setattr(link_words, "SYSTEM", link_words.SYSTEM + " Please.")
    anew = ("redistill", "pond", "--producer", str(pond.directory / CONFIG_NAME))
    assert "1 questions are open" in pond.run(*anew, "--compare")[1]
    pond.answer(judged(request) for request in pond.export("link"))
    assert "0 appear, 0 vanish, 1 hold for another time" in pond.run(*anew, "--compare")[1]
    assert ENDED not in pond.run("state", "pond", "--all")[1], "it was only compared"
    assert pond.run(*anew, "--switch")[0] == 0
    assert ENDED in pond.run("state", "pond", "--all")[1]
    assert pond.run("verify", "pond")[0] == 0


@pytest.mark.parametrize(
    "apart",
    [
        'model = "other"',
        'model = "other"\nlink = false',
        'model = "scripted"\nlink = false',
        'model = "other"\ndistil = false',
    ],
)
@pytest.mark.parametrize("verdict", ["none", "change"])
def test_a_switch_and_a_switch_back_end_in_the_very_same_view_and_ask_nobody_twice(
    pond: Pond, apart: str, verdict: str
) -> None:
    """Whatever differs: who reads, who compares, or both. The former settings and their recorded replies are all."""
    for answer, stage in ((listed, "distil"), (judged, "link")):
        pond.answer(answer(request) for request in pond.export(stage))
    former = pond.run("verify", "pond")[1].splitlines()[0]
    mine = pond.settings("mine.toml", (pond.directory / CONFIG_NAME).read_text())
    other = pond.settings("other.toml", f"[llm]\n{apart}\n")
    there, back = (("redistill", "pond", "--producer", str(file)) for file in (other, mine))
    for stage, good in (("distil", _first_word), ("link", lambda request: judged(request, verdict))):
        pond.run(*there, "--compare")
        pond.run("--config", str(other), "llm", "export", "pond", "--stage", stage, "--out", str(pond.directory / "x"))
        requests = [json.loads(line) for line in (pond.directory / "x").read_text().splitlines()]
        pond.answer(good(request) for request in requests)
    assert pond.run(*there, "--switch")[0] == 0
    asked = pond.log.end("asks", 0)
    pond.settings(CONFIG_NAME, other.read_text())
    assert pond.run("verify", "pond")[1].splitlines()[0] != former
    assert pond.run(*back, "--switch")[0] == 0
    pond.settings(CONFIG_NAME, mine.read_text())
    assert pond.run("verify", "pond")[1].splitlines()[0] == former
    pond.run("import", str(pond.messages), "--space", "pond")
    assert pond.run("verify", "pond")[1].splitlines()[0] == former, "nor later, by itself"
    assert pond.log.end("asks", 0) == asked


def _first_word(request: dict[str, Any]) -> dict[str, Any]:
    """An answer to a question about a session: the first words of its message."""
    told = json.loads(request["body"]["messages"][1]["content"])["messages"][0]["text"]
    return result(request, json.dumps({"events": [found(1, " ".join(told.split()[:4]))]}))


def test_what_was_asked_before_is_not_asked_again(ruled: Pond) -> None:
    other = ruled.settings("other.toml", '[llm]\nmodel = "other"\nlink = false\n')
    ruled.run("redistill", "pond", "--producer", str(other), "--compare")
    answered(ruled, other, " on the pond")
    asked = ruled.log.end("asks", 0)
    ruled.run("redistill", "pond", "--producer", str(other), "--compare")
    assert ruled.log.end("asks", 0) == asked


def test_a_settings_file_that_is_not_there_is_named(ruled: Pond) -> None:
    code, said = ruled.run("redistill", "pond", "--producer", str(ruled.directory / "none.toml"), "--compare")
    assert code == 2
    assert "none.toml" in said


def test_without_a_model_in_the_settings_the_command_says_what_to_set(tmp_path: Path) -> None:
    pond = Pond(tmp_path)
    (tmp_path / CONFIG_NAME).write_text("")
    code, said = pond.run("llm", "import", str(tmp_path / "results.jsonl"))
    assert code == 2
    assert "[llm]" in said


def test_a_missing_file_is_named(pond: Pond) -> None:
    code, said = pond.run("llm", "import", str(pond.directory / "nowhere.jsonl"))
    assert code == 2
    assert "nowhere.jsonl" in said


def ask_file(pond: Pond, *questions: dict[str, Any]) -> list[dict[str, Any]]:
    """Export what a model is to be asked for these questions."""
    file, out = pond.directory / "asked.jsonl", pond.directory / "answer.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in questions))
    code, said = pond.run(
        "llm",
        "export",
        "pond",
        "--stage",
        "answer",
        "--questions",
        str(pond.directory / "asked.jsonl"),
        "--out",
        str(out),
    )
    assert code == 0, said
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_questions_are_exported_answered_elsewhere_and_told(pond: Pond) -> None:
    pond.settings(CONFIG_NAME, '[llm]\nmodel = "scripted"\nanswer = true\n')
    asked = {"question": "What does Odile like?", "asked_at": "2024-06-01T10:00:00Z"}
    (request,) = ask_file(pond, asked)
    assert ask_file(pond, asked) == [request], "it is one question, however often it is exported"
    ask = ("ask", "pond", asked["question"], "--asked-at", asked["asked_at"])
    _, said = pond.run(*ask)
    assert "no endpoint is set, and no reply was imported" in said
    given = {"reason": "Said.", "known": True, "answer": "Plums.", "citations": [{"id": "E1", "told_as": "current"}]}
    _, said = pond.answer([result(request, json.dumps(given))])
    assert "recorded 1" in said
    _, said = pond.run(*ask)
    assert said.startswith("Plums.")
    assert "generated by scripted+" in said
    assert "the answer is" in said
    assert ask_file(pond, asked) == []


def test_an_answer_that_cannot_be_read_is_exported_once_more_and_then_no_more(pond: Pond) -> None:
    asked = {"question": "What does Odile like?", "asked_at": "2024-06-01T10:00:00Z"}
    (first,) = ask_file(pond, asked)
    pond.answer([result(first, "Sorry.")])
    (second,) = ask_file(pond, asked)
    assert second["custom_id"] != first["custom_id"]
    pond.answer([result(second, "Sorry.")])
    assert ask_file(pond, asked) == []


def test_a_file_with_a_line_that_is_no_question_is_refused(pond: Pond) -> None:
    (pond.directory / "asked.jsonl").write_text('{"question": "Who?"}\n{"question": ""}\n')
    export = ("llm", "export", "pond", "--out", str(pond.directory / "o"), "--stage")
    code, said = pond.run(*export, "answer", "--questions", str(pond.directory / "asked.jsonl"))
    assert code == 2
    assert "asked.jsonl:2" in said
    assert pond.run(*export, "answer")[0] == pond.run(*export, "link", "--questions", "x")[0] == 2
