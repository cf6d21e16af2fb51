"""The JSON Schemas that are checked in say what the types say, and the golden records conform to them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from ops.export_schemas import DIRECTORY, differing, main, write
from schemas.export import documents
from schemas.topics import TOPICS
from tests.golden.samples import SAMPLES


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((DIRECTORY / name).read_text("utf-8")))


def test_the_files_checked_in_are_those_of_the_types():
    assert differing() == [], "run python -m ops.export_schemas"


def test_every_topic_has_a_document_and_each_is_a_valid_schema():
    assert set(documents()) == {f"{name}.json" for name in TOPICS} | {"wire.json"}
    for text in documents().values():
        Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize(("topic", "record"), SAMPLES, ids=lambda value: getattr(type(value), "__name__", str(value)))
def test_a_record_conforms_to_the_schema_of_its_topic_and_to_no_other(topic, record):
    value = json.loads(msgspec.json.encode(record))
    validator(f"{topic}.json").validate(value)
    for other in TOPICS:
        if other != topic:
            assert not validator(f"{other}.json").is_valid(value)


def test_the_wire_schema_tells_a_good_batch_from_one_with_a_typing_error():
    document = json.loads((DIRECTORY / "wire.json").read_text("utf-8"))
    batch = Draft202012Validator(document | {"$ref": "#/$defs/MessagesIn"})
    message = {
        "message_id": "m-1",
        "conversation_id": "harbour",
        "speaker": "Ilse",
        "content": "I left",
        "sent_at": "2024-03-01T12:00:00Z",
    }
    assert batch.is_valid({"messages": [message]})
    assert not batch.is_valid({"messages": [message | {"sentat": "x"}]})
    assert not batch.is_valid({"massages": [message]})


def test_check_fails_on_an_edited_a_missing_and_a_left_over_file(tmp_path: Path, capsys):
    assert write(tmp_path) == sorted(documents())
    assert main(["--check", "--directory", str(tmp_path)]) == 0
    (tmp_path / "clock.json").write_text("{}\n")
    (tmp_path / "edges.json").unlink()
    (tmp_path / "gone.json").write_text("{}\n")
    assert main(["--check", "--directory", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert all(name in said for name in ("clock.json", "edges.json", "gone.json"))
    assert "events.json" not in said
    assert main(["--directory", str(tmp_path)]) == 0
    assert main(["--check", "--directory", str(tmp_path)]) == 0
    assert not (tmp_path / "gone.json").exists()
