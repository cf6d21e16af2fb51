"""Once a message is erased, no file of the store holds it: written as people write, grepped as a stranger would."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from rocksdict import Cache, DBCompressionType, Options

from ops.opening import open_parts
from ops.runtime import Embedded
from ops.settings import Settings
from query.api import QueryRequest
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import MessageKey, SpaceKey
from schemas.ruling_wire import MergeIn
from schemas.wire import AssertionsIn, EventIn, SourceIn
from streams.log import database
from tests.kit.encoders import HashingEncoder
from views.vectors.edge import open_edge
from views.vectors.refs import note_ref

SPACE, OTHER = SpaceKey("default", "ilse"), SpaceKey("default", "ben")
MARK = "Zwirbelquark"
NOW = 2_000_000_000_000_000


@pytest.fixture(autouse=True)
def _uncompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of the databases as plain bytes, so that also what no key leads to any more can be grepped."""
    make = database.options_of

    def plain(cache: Cache) -> Options:
        options = make(cache)
        options.set_compression_type(DBCompressionType.none())
        return options

    monkeypatch.setattr(database, "options_of", plain)


def opened(store: Path) -> Embedded:
    encoder = HashingEncoder(64)
    parts = msgspec.structs.replace(
        open_parts(store, Settings(), writer=True),
        encoder=lambda: encoder,
        index=lambda _: open_edge(store / "vectors", dimension=64, encoder=encoder.name),
        clock=lambda: NOW,
    )
    return Embedded(parts, Settings())


def files_with(store: Path, needle: bytes) -> list[str]:
    return sorted(str(f.relative_to(store)) for f in store.rglob("*") if f.is_file() and needle in f.read_bytes())


def files_that_say(store: Path) -> list[str]:
    """Where the word stands, in whatever case: names are looked up case-folded, and are keys of rows."""
    word = MARK.lower().encode()
    return sorted(str(f.relative_to(store)) for f in store.rglob("*") if f.is_file() and word in f.read_bytes().lower())


def lived(store: Path) -> Embedded:
    """A store in which the marked word went everywhere a word can go."""
    system = opened(store)
    said = [
        ("m0", "I live in Oslo."),
        ("m1", f"I moved to {MARK} last month."),
        ("m2", "I work at the harbour."),
        ("m3", f"Correction: I meant {MARK}holm, not {MARK}."),
        ("m4", "I sold the boat."),
    ]
    for space in (SPACE, OTHER):
        lines = [
            {"message_id": name, "conversation_id": "c", "speaker": f"{MARK}a", "content": text,
             "sent_at": f"2031-01-0{n + 1}T10:00:00Z"}
            for n, (name, text) in enumerate(said)
        ]  # fmt: skip
        lines[-1] |= {"conversation_id": "d", "speaker": "Tove"}
        if space == OTHER:
            lines = [line | {"speaker": "Ben", "content": line["content"].replace(MARK, "Kiel")} for line in lines]
        system.post(space, [json.dumps(line).encode() for line in lines])
    system.flush()
    system.edit(SPACE, "c", "m2", f"I work at the {MARK} mill.")
    system.retract(SPACE, "c", "m3")
    system.flush()
    fact = EventIn(
        key="k", type="state_change", text=f"Ilse is at home in {MARK}.",
        sources=(SourceIn(conversation_id="c", message_id="m1"),),
    )  # fmt: skip
    system.assert_events(
        SPACE, AssertionsIn(batch_id="b", producer="crm", asserted_at="2031-02-01T00:00:00Z", events=(fact,))
    )
    with system._log.batch() as batch:
        batch.append("messages", SPACE, b"\x82\xafconversation_id\xa1c\xaamessage_id" + MARK.encode(), NOW)
    system.flush()
    asked = QueryRequest(
        space=SPACE, question=f"Who lives in {MARK}?", asked_at=NOW, as_of=None, known_at=None, mode="hybrid",
        budget_tokens=1_000, answer=True,
    )  # fmt: skip
    assert MARK in str(system.query(asked))
    return system


def merge_at_the_border(system: Embedded) -> None:
    """A name that is the last key of a file: the list of files names that."""
    system._log._open.to_files()
    system.adjudicate(SPACE, MergeIn(analyst="mo", alias=f"{MARK}x", canonical="Tove", evidence=f"{MARK} says so"))
    system._log._open.to_files()


def erased(system: Embedded, wanted: ErasureIn) -> ErasureOut:
    receipt = system.erase(SPACE, wanted)
    assert receipt.finished_at is not None
    assert system.verify(SPACE).equal
    assert system.verify(OTHER).equal
    return receipt


@pytest.mark.parametrize("scope", ["conversation", "space"])
def test_no_file_holds_the_word_once_it_is_erased(tmp_path: Path, scope: str) -> None:
    system = lived(tmp_path)
    before = {name.split("/")[0] for name in files_that_say(tmp_path)}
    assert before == {"log", "view"}, "the word went where words go (vectors hold numbers and ids)"
    ref = note_ref(MessageKey("c", "m1"))
    numbers = system._index.dense_vectors(SPACE, "note", [ref])[ref].tobytes()
    assert files_with(tmp_path / "vectors", numbers)
    kept = system.verify(OTHER).checksum
    if scope == "space":
        merge_at_the_border(system)
    wanted = ErasureIn(scope="space") if scope == "space" else ErasureIn(scope="conversation", conversation_id="c")
    erased(system, wanted)
    assert files_that_say(tmp_path) == []
    assert system.verify(OTHER).checksum == kept
    assert files_with(tmp_path / "vectors", numbers) == []
    system.close()
    assert files_that_say(tmp_path) == []
    again = opened(tmp_path)
    assert again.verify(SPACE).equal
    assert again.rebuild(SPACE).equal
    again.close()
    assert files_that_say(tmp_path) == []


def test_the_list_of_files_names_no_key_that_is_gone(tmp_path: Path) -> None:
    """RocksDB notes the first and last key of every file, and keeps the note when the file is gone."""
    kept = database.Database(tmp_path, families=("rows",), read_only=False)
    kept.write([("rows", MARK.encode(), b"a name")], sync=False)
    kept.to_files()
    assert any("MANIFEST" in name for name in files_that_say(tmp_path))
    kept.write([("rows", MARK.encode(), None)], sync=False)
    kept.forget("rows", b"", b"\xff")
    kept.forget_files()
    assert files_that_say(tmp_path) == []
    kept.close()
