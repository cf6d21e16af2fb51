"""Scoring replies that were given elsewhere: export, an endpoint that answers line by line, import, evaluate.

The endpoint is a script that knows its two lines; the conversation and its gold are invented here.
"""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from ops.cli.__main__ import main
from ops.model import load_encoder
from tests.kit.faultserver import Answer, Body, FaultServer, completion
from views.encoder.resolve import ModelUnavailableError

SPACE = "locomo-0"
OLD, NEW = "We keep the skiff at Brackwater Quay", "The skiff is up at Holloway Sound these days"
SESSIONS = {
    "session_1": [("Ulla", "D1:1", f"{OLD}."), ("Pim", "D1:2", "Lovely spot, is it not?")],
    "session_2": [("Ulla", "D2:1", f"{NEW}."), ("Pim", "D2:2", "Good for you!")],
}


@pytest.fixture(scope="module", autouse=True)
def _model() -> None:
    """The commands load the installed encoder."""
    try:
        load_encoder()
    except ModelUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of test data with one conversation and one gold pair."""
    conversation: dict[str, Any] = {"speaker_a": "Ulla", "speaker_b": "Pim"}
    for number, (name, turns) in enumerate(SESSIONS.items(), start=1):
        conversation[f"{name}_date_time"] = f"1:56 pm on {number} May, 2031"
        conversation[name] = [{"speaker": s, "dia_id": d, "text": t} for s, d, t in turns]
    sample = {"sample": 0, "sample_id": "x", "qa": [], "conversation": conversation}
    pair = {
        "id": "g0", "sample": 0, "kind": "supersession", "old": {"dia_ids": ["D1:1"], "fact": OLD},
        "new": {"dia_ids": ["D2:1"], "fact": NEW}, "valid_until": "2031-05-02", "valid_until_precision": "day",
    }  # fmt: skip
    folder = tmp_path / "data"
    for name, text in (("locomo/conversations.json", json.dumps([sample])), ("gold/gold0.jsonl", json.dumps(pair))):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    return folder


def script(body: Body, before: int) -> Answer:
    """Two statements about one berth; the later one changes the earlier."""
    asked = json.loads(body["messages"][1]["content"])
    if "pairs" in asked:
        verdicts = [
            {"pair": p["pair"], "reason": "Moved.", "verdict": "change", "confidence": 0.9} for p in asked["pairs"]
        ]
        return completion(json.dumps({"verdicts": verdicts}))
    return completion(json.dumps({"events": [_berth(m) for m in asked["messages"] if "skiff" in m["text"]]}))


def _berth(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "state_change", "subject": "Ulla", "participants": ["Ulla"], "modality": "asserted",
        "polarity": "affirmed", "attribute": "berth", "value": None, "when": None, "tense": "present", "holds": True,
        "sources": [{"message": message["n"], "quote": message["text"].rstrip(".")}], "confidence": 0.6,
    }  # fmt: skip


def answered(requests: Path, url: str) -> Path:
    """What a loop over the lines of a request file makes of them."""
    results = requests.with_suffix(".results")
    with results.open("w") as file:
        for line in requests.read_text().splitlines():
            asked = json.loads(line)
            post = urllib.request.Request(
                url.removesuffix("/v1") + asked["url"], json.dumps(asked["body"]).encode(),
                {"content-type": "application/json"},
            )  # fmt: skip
            with urllib.request.urlopen(post) as reply:
                body = json.load(reply)
            result = {"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
            file.write(json.dumps(result) + "\n")
    return results


def test_replies_given_elsewhere_are_imported_and_scored(data: Path, tmp_path: Path) -> None:
    store, config = str(tmp_path / "store"), tmp_path / "llm.toml"
    config.write_text('[llm]\nmodel = "scripted"\n')

    def metrics(*more: str, keep: str = store) -> dict[str, float]:
        report = tmp_path / "report.json"
        evaluate = ["evaluate", "supersession", "--data", str(data), "--keep", keep, "--config", str(config)]
        assert main([*evaluate, "--json", str(report), *more]) == 0
        return json.loads(report.read_text())["metrics"]

    def ask(stage: str) -> int:
        out = tmp_path / f"{stage}.jsonl"
        shared = ["--store", store, "--config", str(config)]
        assert main([*shared, "--tenant", "evaluate", "llm", "export", SPACE, "--stage", stage, "--out", str(out)]) == 0
        with FaultServer(script) as server:
            results = answered(out, server.url)
        assert main([*shared, "llm", "import", str(results)]) == 0
        return len(out.read_text().splitlines())

    rules = metrics("--distiller", "offline", keep=str(tmp_path / "by-rules"))
    assert (rules["found"], rules["gold"]) == (0, 1)
    assert metrics()["found"] == 0, "asked, and nobody has answered"
    assert ask("distil") == 2
    assert ask("link") == 1
    scored = metrics("--distiller", "model")
    assert (scored["found"], scored["precision"], scored["recall"], scored["valid_until_ok"]) == (1, 1.0, 1.0, 1.0)


def test_a_model_that_the_settings_do_not_name_cannot_be_scored(data: Path, tmp_path: Path) -> None:
    assert main(["evaluate", "supersession", "--data", str(data), "--distiller", "model"]) == 2


CASE: dict[str, Any] = {
    "id": "geese", "category": "x", "needs_model": False, "source": "x", "question": "Does Odo raise geese?",
    "messages": [
        {
            "message_id": str(n), "conversation_id": "c", "session_id": f"s{n}", "speaker": "Odo", "role": "user",
            "content": content, "sent_at": f"2031-03-{n:02}T10:00:00Z",
        }
        for n, content in enumerate(
            ["I raise geese, I mend clocks, and I quit tea in April.", "The geese went to my aunt today."], 1
        )
    ],
    "llm_fault": {"stage": "extract", "kind": "truncated_json", "on_message": "1", "times": 1},
    "expect": {
        "after_retry": {"current_must_mention": ["aunt"], "must_not_present_as_current": ["raise geese"]},
        "complete_objects_kept": True, "failed_message_visible": True, "other_messages_unaffected": True,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("expect", "passed"),
    [({}, 1), ({"after_retry": {"must_not_present_as_current": ["mend clocks"]}}, 0)],
)
def test_a_case_whose_model_is_damaged_is_run_with_a_scripted_one(
    tmp_path: Path, expect: dict[str, Any], passed: int
) -> None:
    """And what is expected once it has answered well is looked at, also where it is not so."""
    folder, report = tmp_path / "data", tmp_path / "report.json"
    (folder / "cases").mkdir(parents=True)
    (folder / "cases" / "cases.jsonl").write_text(json.dumps(CASE | {"expect": CASE["expect"] | expect}))
    main(["evaluate", "cases", "--data", str(folder), "--json", str(report)])
    assert json.loads(report.read_text())["metrics"]["passed"] == passed
