"""Files to messages: what is read, what is parked with which reason, and which files are refused whole."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from ops.importers import BadFileError, open_source
from ops.importers.locomo import parse_session_time
from schemas.wire import MessageIn

LINE = {
    "message_id": "m-1",
    "conversation_id": "harbour",
    "speaker": "Ilse",
    "content": "I moved to the lighthouse 🗼",
    "sent_at": "2024-03-01T12:00:00+01:00",
}


def line(**changes) -> str:
    return json.dumps(LINE | changes, ensure_ascii=False)


@pytest.fixture
def file(tmp_path: Path):
    def write(content: str | bytes, name: str = "chat.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def messages(source) -> list[MessageIn]:
    return [msgspec.json.decode(item.message, type=MessageIn) for item in source.items() if item.message is not None]


def problems(source) -> dict[str, str]:
    return {item.where: item.problem for item in source.items() if item.problem is not None}


# --- JSON lines


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_read_with_or_without_bom_and_with_either_line_end(file, bom, end):
    path = file(bom + end.join([line(), line(message_id="m-2", seq=40)]).encode())
    source = open_source(path)
    assert (source.format, source.total, source.default_tz) == ("jsonl", 2, None)
    first, second = messages(source)
    assert first == msgspec.structs.replace(msgspec.convert(LINE, MessageIn), seq=0)
    assert (second.message_id, second.seq) == ("m-2", 40)


def test_the_position_in_the_file_fills_a_missing_seq_whatever_lies_between(file):
    source = open_source(file("\n".join([line(), "", "not json", line(message_id="m-2"), "   "])))
    assert source.total == 3
    assert [message.seq for message in messages(source)] == [0, 3]
    assert [item.position for item in source.items()] == [0, 2, 3]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{", "truncated"),
        ("nonsense", "not JSON"),
        ("[1]", "Expected `object`"),
        (line(sent_at=5), r"\$.sent_at"),
        (line(sentat="x"), "unknown field `sentat`"),
        (line(role="king"), r"'king' - at `\$.role`"),
        (json.dumps({k: v for k, v in LINE.items() if k != "speaker"}), "missing required field `speaker`"),
        (line(content="X").replace('"X"', r'"\ud800 alone"'), "not JSON"),
        (line(content="X").replace('"X"', "[" * 100_000), "Expected `str`, got `array`"),
        (line() + line(), "trailing"),
        ("null", "Expected `object`"),
        ('"m-2"', "Expected `object`"),
    ],
)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_bad_line_is_parked_with_its_number_and_reason_and_the_rest_is_read(file, bad, says, number):
    """Wherever it stands, also at the beginning, where the format is told by."""
    lines = [line(), line(message_id="m-3")]
    lines.insert(number - 1, bad)
    source = open_source(file("\n".join(lines)))
    assert (source.format, source.total) == ("jsonl", 3)
    assert [message.message_id for message in messages(source)] == ["m-1", "m-3"]
    assert list(problems(source)) == [f"line {number}"]
    assert re.search(says, problems(source)[f"line {number}"])


def test_a_line_with_broken_characters_is_parked_when_the_file_is_otherwise_utf8(file):
    source = open_source(file(line().encode() + b"\n" + line().encode().replace(b"Ilse", b"Il\xffse") + b"\n"))
    assert problems(source) == {"line 2": "not UTF-8"}
    assert len(messages(source)) == 1


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_file_in_another_encoding_is_refused_by_name(file, encoding):
    text = "\n".join([line(content="plain"), line(content="na\u00efve")])
    path = file(text.encode(encoding))
    with pytest.raises(BadFileError, match=r"chat\.txt: not UTF-8"):
        open_source(path)


def test_an_empty_file_has_no_items(file):
    source = open_source(file(""))
    assert (source.total, list(source.items())) == (0, [])


def test_items_can_be_read_twice(file):
    source = open_source(file(line()))
    assert list(source.items()) == list(source.items())


def test_a_missing_file_a_directory_and_other_content_are_refused(file, tmp_path):
    with pytest.raises(BadFileError, match="no such file"):
        open_source(tmp_path / "none")
    with pytest.raises(BadFileError, match="not a regular file"):
        open_source(tmp_path)
    with pytest.raises(BadFileError, match="neither JSON lines nor LoCoMo"):
        open_source(file("Ilse: hello\n"))
    with pytest.raises(BadFileError, match="--conversation"):
        open_source(file(line()), conversation=0)


# --- LoCoMo


def turn(identity: str, text: str, **more) -> dict[str, object]:
    return {"speaker": "Tomáš", "dia_id": identity, "text": text} | more


def conversation(name: str, **sessions) -> dict[str, object]:
    return {"sample_id": name, "conversation": {"speaker_a": "Tomáš"} | sessions, "qa": []}


TWO = [
    conversation(
        "pier",
        session_10=[turn("D10:1", "Later")],
        session_10_date_time="12:05 am on 1 January, 2024",
        session_2=[turn("D2:1", "Look", blip_caption="a red boat"), turn("D2:2", "", blip_caption="a net")],
        session_2_date_time="1:07 pm on 9 December, 2023",
        session_11_date_time="3:00 pm on 2 January, 2024",
    ),
    conversation("mole", session_1=[turn("D2:1", "Hello")], session_1_date_time="9:30 am on 3 March, 2024"),
]


@pytest.mark.parametrize("indent", [None, 1])
def test_every_conversation_of_a_file_is_read_in_the_order_of_its_sessions(file, indent):
    source = open_source(file(json.dumps(TWO, indent=indent)))
    assert (source.format, source.total) == ("locomo", 4)
    assert [(m.conversation_id, m.message_id, m.session_id, m.sent_at, m.seq, m.content) for m in messages(source)] == [
        ("pier", "D2:1", "session_2", "2023-12-09T13:07:00", 0, "[Image: a red boat] Look"),
        ("pier", "D2:2", "session_2", "2023-12-09T13:07:00", 1, "[Image: a net]"),
        ("pier", "D10:1", "session_10", "2024-01-01T00:05:00", 2, "Later"),
        ("mole", "D2:1", "session_1", "2024-03-03T09:30:00", 0, "Hello"),
    ]
    assert [item.position for item in source.items()] == [0, 1, 2, 3]
    assert {(m.speaker, m.role) for m in messages(source)} == {("Tomáš", "user")}


def test_times_are_passed_on_without_a_zone_and_default_to_utc(file):
    assert open_source(file(json.dumps(TWO))).default_tz == "UTC"


def test_one_conversation_can_be_picked(file):
    source = open_source(file(json.dumps(TWO)), conversation=1)
    assert source.total == 1
    assert [m.conversation_id for m in messages(source)] == ["mole"]
    with pytest.raises(BadFileError, match="no conversation 2; the file has 0 to 1"):
        open_source(file(json.dumps(TWO)), conversation=2)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_single_conversation_need_not_stand_in_an_array(file, indent):
    source = open_source(file(json.dumps(TWO[1], indent=indent)))
    assert source.format == "locomo"
    assert [m.content for m in messages(source)] == ["Hello"]


def test_a_bad_turn_and_a_session_without_a_time_are_parked_and_the_rest_is_read(file):
    broken = conversation(
        "pier",
        session_1=[turn("D1:1", "One"), {"speaker": "Tomáš", "dia_id": "D1:2"}, turn("D1:3", "Three")],
        session_1_date_time="9:30 am on 3 March, 2024",
        session_2=[turn("D2:1", "Four")],
        session_2_date_time="some day",
        session_3=[turn("D3:1", "Five")],
    )
    source = open_source(file(json.dumps([broken])))
    assert source.total == 5
    assert [(m.content, m.seq) for m in messages(source)] == [("One", 0), ("Three", 2)]
    found = problems(source)
    assert "missing required field `text`" in found["conversation 0, session_1, turn 2"]
    assert "session_2_date_time: not a session time: 'some day'" in found["conversation 0, session_2, turn 1"]
    assert "session_3_date_time" in found["conversation 0, session_3, turn 1"]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("12:00 am on 29 February, 2024", "2024-02-29T00:00:00"),
        ("12:59 pm on 1 Sept, 2023", "2023-09-01T12:59:00"),
        (" 1:01 AM on 31 May 2022 ", "2022-05-31T01:01:00"),
    ],
)
def test_session_times(text, time):
    assert parse_session_time(text) == time


@pytest.mark.parametrize(
    "text",
    ["", "13:00 pm on 1 May, 2023", "0:10 am on 1 May, 2023", "1:61 pm on 1 May, 2023", "1:00 pm on 30 February, 2023"],
)
def test_what_is_no_session_time_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the reason is the standard library's for days that do not exist
        parse_session_time(text)


@pytest.mark.parametrize("content", ['[{"sample_id": 5}]', "[1", '[{"conversation": {}}]', "[" * 100_000])
def test_what_is_no_locomo_file_is_refused_by_name(file, content):
    with pytest.raises(BadFileError, match=r"chat\.txt: not a LoCoMo file"):
        open_source(file(content))


def test_a_named_format_is_not_second_guessed(file):
    assert open_source(file("nonsense"), format="jsonl").total == 1
    with pytest.raises(BadFileError, match="not a LoCoMo file"):
        open_source(file(line() + "\n" + line()), format="locomo")
