"""Records on disk and on topics stay readable: their bytes are pinned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from schemas.codec import decode, encode
from schemas.topics import TOPICS
from tests.golden.samples import SAMPLES

GOLDEN = {
    (row["topic"], row["tag"]): row for row in json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
}


def record_types() -> set[tuple[str, str]]:
    return {
        (name, str(record.__struct_config__.tag))
        for name, topic in TOPICS.items()
        for record in (get_args(topic.records) or (topic.records,))
    }


def test_every_record_type_has_a_sample_and_golden_bytes():
    sampled = {(topic, str(record.__struct_config__.tag)) for topic, record in SAMPLES}
    assert sampled == record_types()
    assert set(GOLDEN) == record_types(), "run python -m tests.golden.write"


@pytest.mark.parametrize(("topic", "record"), SAMPLES, ids=lambda value: getattr(type(value), "__name__", str(value)))
def test_a_record_encodes_to_its_golden_bytes_and_back(topic, record):
    golden = GOLDEN[topic, str(record.__struct_config__.tag)]
    assert encode(record).hex() == golden["hex"]
    assert decode(topic, bytes.fromhex(golden["hex"])) == record


@pytest.mark.parametrize("key", sorted(GOLDEN), ids="/".join)
def test_the_json_form_is_the_same_record(key):
    topic, _ = key
    golden = GOLDEN[key]
    from_json = msgspec.json.decode(json.dumps(golden["json"]), type=TOPICS[topic].records)
    assert encode(from_json).hex() == golden["hex"]
