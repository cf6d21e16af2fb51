"""What every log promises, on the memory log and on RocksDB; and what only a directory can get wrong."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rocksdict import Options, Rdict

from schemas.ids import SpaceKey
from streams.log import BadStoreError, Log, MemoryLog, NoStoreError, ReadOnlyError, RocksLog, StoreInUseError
from streams.log.database import Database, peek
from streams.log.partition import murmur2, partition_of
from streams.log.rocks import FAMILIES
from streams.state import MemoryState, OverlayState

ANNA = SpaceKey("t", "anna")
BEN = SpaceKey("t", "ben")
OTHER = SpaceKey("t2", "anna")
Open = Callable[[int], Log]


@pytest.fixture(params=["memory", "rocks"])
def open_log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    opened: list[Log] = []

    def make(partitions: int) -> Log:
        log: Log = MemoryLog(partitions) if request.param == "memory" else RocksLog(tmp_path, partitions=partitions)
        opened.append(log)
        return log

    yield make
    for log in opened:
        log.close()


def append(log: Log, space: SpaceKey, *values: bytes, topic: str = "messages") -> list[int]:
    with log.batch() as batch:
        return [batch.append(topic, space, value, 7) for value in values]  # pyright: ignore[reportArgumentType]


def test_offsets_are_dense_from_zero_per_topic(open_log: Open) -> None:
    log = open_log(1)
    assert append(log, ANNA, b"a", b"b") == [0, 1]
    assert append(log, BEN, b"c") == [2]
    assert append(log, BEN, b"x", topic="sessions") == [0]
    assert log.end("messages", 0) == 3
    assert log.end("edges", 0) == 0


def test_reads_give_entries_in_order_with_their_place(open_log: Open) -> None:
    log = open_log(1)
    append(log, ANNA, b"a", b"b")
    append(log, BEN, b"c")
    found = log.read("messages", 0, 1, 10)
    assert [(e.offset, e.tenant, e.space, e.value, e.time_us) for e in found] == [
        (1, "t", "anna", b"b", 7),
        (2, "t", "ben", b"c", 7),
    ]
    assert [e.offset for e in log.read("messages", 0, 0, 2)] == [0, 1]
    assert list(log.read("messages", 0, 3, 10)) == []


def test_a_space_is_read_alone_and_from_an_offset(open_log: Open) -> None:
    log = open_log(1)
    for number in range(30):
        append(log, (ANNA, BEN, OTHER)[number % 3], str(number).encode())
    assert [e.value for e in log.read_space("messages", BEN)] == [str(n).encode() for n in range(1, 30, 3)]
    assert [e.offset for e in log.read_space("messages", ANNA, 24)] == [24, 27]
    assert list(log.read_space("sessions", ANNA)) == []


def test_spaces_of_a_tenant_are_listed_sorted(open_log: Open) -> None:
    log = open_log(4)
    for space in (BEN, OTHER, ANNA, SpaceKey("t", "ännchen"), ANNA):
        append(log, space, b"x")
    assert log.spaces("t") == ["anna", "ben", "ännchen"]
    assert log.spaces("t2") == ["anna"]
    assert log.spaces("nobody") == []


def test_all_entries_of_a_space_lie_in_its_partition(open_log: Open) -> None:
    log = open_log(4)
    spaces = [SpaceKey("t", f"s{n}") for n in range(20)]
    for space in spaces:
        append(log, space, str(space).encode())
    seen = [e for p in range(4) for e in log.read("messages", p, 0, 100)]
    assert sorted(e.value for e in seen) == sorted(str(space).encode() for space in spaces)
    assert all(e.partition == partition_of(SpaceKey(e.tenant, e.space), 4) for e in seen)
    assert len({e.partition for e in seen}) > 1


def test_a_batch_is_invisible_until_its_end_and_then_whole(open_log: Open) -> None:
    log = open_log(1)
    with log.batch() as batch:
        batch.append("messages", ANNA, b"a", 1)
        batch.append("events", ANNA, b"e", 1)
        batch.put("positions", b"k", b"1")
        assert log.end("messages", 0) == 0
        assert log.get("positions", b"k") is None
    assert log.end("messages", 0) == log.end("events", 0) == 1
    assert log.get("positions", b"k") == b"1"


def test_a_failed_batch_leaves_nothing(open_log: Open) -> None:
    log = open_log(1)
    append(log, ANNA, b"a")

    def fail_half_way() -> None:
        with log.batch() as batch:
            batch.append("messages", ANNA, b"b", 1)
            batch.put("t", b"k", b"v")
            raise KeyError

    with pytest.raises(KeyError):
        fail_half_way()
    assert log.end("messages", 0) == 1
    assert log.get("t", b"k") is None
    assert append(log, ANNA, b"c") == [1]


def test_tables_are_apart_and_scans_are_ordered_and_half_open(open_log: Open) -> None:
    log = open_log(1)
    with log.batch() as batch:
        for number in range(50):
            batch.put("t", b"%03d" % number, b"v%d" % number)
        batch.put("t2", b"005", b"other")
        batch.put("", b"005", b"no name")
        batch.delete("t", b"007")
        batch.delete("t", b"not there")
    forward = [key for key, _ in log.scan("t", b"003", b"040")]
    assert forward == [b"%03d" % n for n in range(3, 40) if n != 7]
    assert [key for key, _ in log.scan("t", b"003", b"040", reverse=True)] == forward[::-1]
    assert list(log.scan("t", b"9", b"z")) == []
    assert list(log.scan("t", b"5", b"4")) == []
    assert list(log.scan("t2", b"", b"\xff")) == [(b"005", b"other")]


def test_the_last_change_of_a_key_in_a_batch_counts(open_log: Open) -> None:
    log = open_log(1)
    with log.batch() as batch:
        batch.put("t", b"a", b"1")
        batch.delete("t", b"a")
        batch.delete("t", b"b")
        batch.put("t", b"b", b"2")
    assert list(log.scan("t", b"", b"z")) == [(b"b", b"2")]


def test_concurrent_batches_never_share_an_offset(open_log: Open) -> None:
    log = open_log(1)
    threads = [threading.Thread(target=lambda: [append(log, ANNA, b"x", b"y") for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [e.offset for e in log.read("messages", 0, 0, 1000)] == list(range(400))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("abc", 479470107),
    ],
)
def test_murmur2_gives_the_values_of_kafkas_own_test(text: str, value: int) -> None:
    assert murmur2(text.encode()) == value & 0xFFFFFFFF


KEY = st.binary(min_size=0, max_size=2)
CHANGE = st.one_of(
    st.tuples(st.just("put"), KEY, st.binary(max_size=2)),
    st.tuples(st.just("delete"), KEY, st.just(b"")),
    st.tuples(st.sampled_from(["commit", "mark", "rollback"]), st.just(b""), st.just(b"")),
)


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(CHANGE, max_size=40), start=KEY, stop=KEY)
def test_overlay_state_reads_as_if_every_change_were_made(
    changes: list[tuple[str, bytes, bytes]], start: bytes, stop: bytes
) -> None:
    log, model = MemoryLog(), MemoryState()
    with log.batch() as batch:
        batch.put("state", b"other/\x00", b"not ours")
    state = OverlayState(log, "state", b"stage/")
    saved = model.copy()
    for what, key, value in changes:
        if what == "put":
            state.put(key, value)
            model.put(key, value)
        elif what == "delete":
            state.delete(key)
            model.delete(key)
        elif what == "commit":
            with log.batch() as batch:
                state.write_to(batch)
            state.clear()
            saved = model.copy()
        elif what == "mark":
            state.mark()
            saved = model.copy()
        else:
            state.rollback()
            model = saved.copy()
        assert state.get(key) == model.get(key)
    for reverse in (False, True):
        assert list(state.scan(start, stop, reverse=reverse)) == list(model.scan(start, stop, reverse=reverse))
    with log.batch() as batch:
        state.write_to(batch)
    assert [(k[6:], v) for k, v in log.scan("state", b"stage/", b"stage0")] == list(model.scan(b"", b"\xff\xff\xff"))


def test_a_store_is_the_same_after_it_was_closed_and_opened(tmp_path: Path) -> None:
    log = RocksLog(tmp_path, partitions=3)
    append(log, ANNA, b"a", b"b")
    cluster = log.cluster_id
    scan = log.scan("t", b"", b"z")
    next(scan, None)
    log.close()
    log.close()
    again = RocksLog(tmp_path, partitions=1)
    assert (again.partitions, again.cluster_id) == (3, cluster)
    assert append(again, ANNA, b"c") == [2]
    assert [e.value for e in again.read_space("messages", ANNA)] == [b"a", b"b", b"c"]
    again.close()


def test_a_second_writer_is_refused_and_told_the_directory(tmp_path: Path) -> None:
    log = RocksLog(tmp_path)
    with pytest.raises(StoreInUseError, match=str(tmp_path)):
        RocksLog(tmp_path)
    append(log, ANNA, b"still works")
    log.close()
    RocksLog(tmp_path).close()


def test_a_reader_opens_beside_the_writer_and_cannot_write(tmp_path: Path) -> None:
    writer = RocksLog(tmp_path)
    append(writer, ANNA, b"a")
    reader = RocksLog(tmp_path, read_only=True)
    append(writer, ANNA, b"b")
    assert [e.value for e in reader.read_space("messages", ANNA)] == [b"a"]
    assert reader.spaces("t") == ["anna"]
    with pytest.raises(ReadOnlyError), reader.batch():
        pass
    reader.close()
    later = RocksLog(tmp_path, read_only=True)
    assert later.end("messages", 0) == 2
    later.close()
    writer.close()


def test_another_format_number_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    RocksLog(tmp_path).close()
    db = Database(tmp_path, families=FAMILIES, read_only=False)
    meta = msgspec.msgpack.encode({"format": 99, "cluster_id": "x", "partitions": 1})
    db.write([("meta", b"store", meta)], sync=False)
    db.close()
    for read_only in (False, True):
        with pytest.raises(BadStoreError, match=r"format 99.*--store"):
            RocksLog(tmp_path, read_only=read_only)
    db = Database(tmp_path, families=FAMILIES, read_only=False)
    assert db.get("meta", b"store") == meta
    db.close()


def test_a_database_of_something_else_is_refused_untouched(tmp_path: Path) -> None:
    options = Options(raw_mode=True)
    options.create_missing_column_families(True)
    Rdict(str(tmp_path), options, column_families={"theirs": Options(raw_mode=True)}).close()
    with pytest.raises(BadStoreError, match="theirs"):
        RocksLog(tmp_path)
    assert sorted(Rdict.list_cf(str(tmp_path))) == ["default", "theirs"]


@pytest.mark.parametrize("pattern", ["MANIFEST-*", "CURRENT"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_damaged_store_is_refused_by_name_and_let_go(tmp_path: Path, pattern: str, read_only: bool) -> None:
    RocksLog(tmp_path).close()
    [file] = tmp_path.glob(pattern)
    whole = file.read_bytes()
    file.write_bytes(b"\xff" * len(whole))
    with pytest.raises(BadStoreError, match=f"{tmp_path} (holds files|cannot be opened)"):
        RocksLog(tmp_path, read_only=read_only)
    file.write_bytes(whole)
    RocksLog(tmp_path).close()


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.75])
def test_a_manifest_that_was_cut_short_costs_nothing_but_the_manifest(tmp_path: Path, share: float) -> None:
    store = tmp_path / "log"
    log = RocksLog(store)
    append(log, ANNA, b"one", b"two")
    log.close()
    with closing(Database(store, families=FAMILIES, read_only=False)) as db:
        db.to_files()
    [manifest] = store.glob("MANIFEST-*")
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[: int(len(whole) * share)])
    for _ in range(2):
        with pytest.raises(BadStoreError, match=f"{store} (holds files|cannot be opened)"):
            RocksLog(store)
    manifest.write_bytes(whole)
    with closing(RocksLog(store)) as log:
        assert [entry.value for entry in log.read("messages", 0, 0, 9)] == [b"one", b"two"]


@pytest.mark.parametrize("read_only", [False, True])
def test_a_disk_that_takes_no_file_of_the_opening_is_named(tmp_path: Path, read_only: bool) -> None:
    RocksLog(tmp_path).close()
    options = tmp_path / "rocksdict-config.json"  # written anew whenever a database is opened, by a reader too
    options.unlink()
    options.mkdir()
    with pytest.raises(BadStoreError, match=f"{tmp_path} cannot be opened"):
        RocksLog(tmp_path, read_only=read_only)
    with pytest.raises(BadStoreError, match=f"{tmp_path} cannot be opened"):
        peek(tmp_path, "meta", b"store")
    options.rmdir()
    RocksLog(tmp_path, read_only=read_only).close()


WRITE_UNTIL_FULL = """
import resource, sys
from pathlib import Path
from schemas.ids import SpaceKey
from streams.log import BadStoreError, RocksLog
log = RocksLog(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
written = 0
try:
    while True:
        with log.batch() as batch:
            batch.append("messages", SpaceKey("t", "s"), b"v%d" % written, written)
            batch.put("text", b"%d" % written, b"x" * 5_000)
        written += 1
except BadStoreError as error:
    print(written, error, sep="\\n")
"""


def test_a_full_disk_is_told_and_what_was_written_before_stays(tmp_path: Path) -> None:
    child = [sys.executable, "-c", WRITE_UNTIL_FULL, str(tmp_path)]
    told = subprocess.run(child, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True, timeout=60)
    written, said = told.stdout.splitlines()[:2]
    assert said.startswith(f"{tmp_path} cannot be written: ")
    with closing(RocksLog(tmp_path)) as log:
        entries = log.read("messages", 0, 0, 10**6)
        assert [entry.value for entry in entries] == [b"v%d" % n for n in range(int(written))]
        assert len(entries) > 5
        append(log, SpaceKey("t", "s"), b"there is room again")


def test_a_store_where_none_can_be_made_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadStoreError, match=r"file/log cannot be written: Not a directory"):
        RocksLog(tmp_path / "file" / "log")


def test_reading_where_nothing_is_says_so_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoStoreError, match="--store"):
        RocksLog(tmp_path / "nowhere", read_only=True)
    assert not (tmp_path / "nowhere").exists()


WRITE_UNTIL_KILLED = """
import sys
from pathlib import Path
from schemas.ids import SpaceKey
from streams.log import RocksLog
log = RocksLog(Path(sys.argv[1]))
for n in range(10**9):
    with log.batch() as batch:
        batch.append("messages", SpaceKey("t", "s"), b"v%d" % n, n)
        batch.put("count", b"n", b"%d" % (n + 1))
    print(n, flush=True)
"""


def test_kill_9_loses_no_committed_batch_and_halves_none(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_UNTIL_KILLED, str(tmp_path)], stdout=subprocess.PIPE, cwd=root
    ) as child:
        assert child.stdout is not None
        seen = [int(child.stdout.readline()) for _ in range(200)][-1]
        child.kill()
        child.wait()
    log = RocksLog(tmp_path)
    entries = log.read("messages", 0, 0, 10**6)
    assert len(entries) > seen
    assert [e.value for e in entries] == [b"v%d" % n for n in range(len(entries))]
    assert log.get("count", b"n") == b"%d" % len(entries)
    log.close()


def test_a_replaced_entry_keeps_its_place_and_time(open_log: Open) -> None:
    log = open_log(1)
    append(log, ANNA, b"a", b"secret", b"c")
    [entry] = log.read("messages", 0, 1, 1)
    with log.batch() as batch:
        batch.replace(entry, b"")
        assert log.read("messages", 0, 1, 1) == [entry]
    assert [(e.offset, e.time_us, e.space, e.value) for e in log.read_space("messages", ANNA)] == [
        (0, 7, "anna", b"a"),
        (1, 7, "anna", b""),
        (2, 7, "anna", b"c"),
    ]
    assert log.end("messages", 0) == 3


def test_forgetting_changes_no_answer(open_log: Open) -> None:
    log = open_log(4)
    for space in (ANNA, BEN):
        append(log, space, *(b"%d" % n for n in range(50)))
    with log.batch() as batch:
        batch.put("t", b"k", b"v")
        batch.delete("t", b"gone")
    log.forget(ANNA, ["t", "never written"])
    log.forget(OTHER, ["t"])
    for space in (ANNA, BEN):
        assert [e.value for e in log.read_space("messages", space)] == [b"%d" % n for n in range(50)]
    assert log.get("t", b"k") == b"v"


def test_no_file_holds_what_was_replaced_or_deleted_once_it_is_forgotten(tmp_path: Path) -> None:
    """Random bytes cannot be compressed, so they stand in the files as they are, wherever they are."""
    entries, row, other = (
        random.Random(5).randbytes(400),
        random.Random(6).randbytes(400),
        random.Random(7).randbytes(400),
    )
    log = RocksLog(tmp_path)
    append(log, ANNA, b"a", entries)
    append(log, BEN, other)
    with log.batch() as batch:
        batch.put("t", b"k", row)
    log.flush()
    assert files_with(tmp_path, entries[:64])
    [_, entry] = log.read_space("messages", ANNA)
    with log.batch() as batch:
        batch.replace(entry, b"")
        batch.delete("t", b"k")
    log.forget(ANNA, ["t"])
    assert files_with(tmp_path, entries[:64]) == files_with(tmp_path, row[:64]) == []
    assert files_with(tmp_path, other[:64])
    log.close()
    assert files_with(tmp_path, entries[:64]) == files_with(tmp_path, row[:64]) == []


def files_with(directory: Path, needle: bytes) -> list[str]:
    return [str(file) for file in directory.rglob("*") if file.is_file() and needle in file.read_bytes()]


@pytest.mark.parametrize("at", [0.01, 0.3, 0.6, 0.85])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_that_meets_a_damaged_block_does_not_look_complete(tmp_path: Path, at: float, reverse: bool) -> None:
    """RocksDB's iterator takes the block for the end: a log would silently have fewer records."""
    rng = random.Random(1)
    database = Database(tmp_path, families=("a",), read_only=False)
    database.write([("a", b"%06d" % n, rng.randbytes(300)) for n in range(2_000)], sync=False)
    database.forget("a", b"", b"\xff")
    database.close()
    file = max(tmp_path.glob("*.sst"), key=lambda one: one.stat().st_size)
    raw = bytearray(file.read_bytes())
    raw[int(len(raw) * at)] ^= 1
    file.write_bytes(raw)
    database = Database(tmp_path, families=("a",), read_only=True)
    with pytest.raises(BadStoreError, match="cannot be read"):
        list(database.scan("a", b"", b"\xff", reverse=reverse))
    with pytest.raises(BadStoreError, match="cannot be read"):
        list(database.everything("a"))
    with pytest.raises(BadStoreError, match="cannot be read"):
        [database.get("a", b"%06d" % n) for n in range(2_000)]
    database.close()


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_gives_what_lies_between_its_bounds(tmp_path: Path, reverse: bool) -> None:
    keys = [b"%04d" % n for n in range(3_000)]
    with closing(Database(tmp_path, families=("a",), read_only=False)) as database:
        database.write([("a", key, key[::-1]) for key in keys], sync=False)
        for start, stop in (
            (b"", b"\xff"),
            (b"0005", b"0006"),
            (b"0005", b"0005"),
            (b"0100", b"2500"),
            (b"00055", b"00058"),
            (b"3", b"4"),
        ):
            wanted = [(key, key[::-1]) for key in keys if start <= key < stop]
            assert list(database.scan("a", start, stop, reverse=reverse)) == (wanted[::-1] if reverse else wanted)
