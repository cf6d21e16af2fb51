"""Nothing anybody writes stops a stage: it is parked, told, counted, and read again after a fix."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from unittest import mock

import msgspec
import pytest

from ops.deadletters.erased import erased_by
from ops.deadletters.letters import found_at, listed_of
from ops.deadletters.local import LocalLetters
from ops.deadletters.redrive import CannotRedriveError, choose, copy_of, repaired_copy
from schemas.codec import decode, encode
from schemas.control import ConversationErased, ErasureRecord, MessageErased, SpaceErased
from schemas.dead_letters import ERASED, DeadLetter, LetterRedriven
from schemas.entry import Entry
from schemas.ids import SpaceKey
from schemas.messages import MessagePosted
from schemas.sessions import SessionRevised
from schemas.topics import TOPICS, TopicName
from schemas.transport import NO_SPACE, RECORD_MAX_BYTES, carried, own_of
from streams.distil.stage import DistilStage
from streams.link.stage import LinkStage
from streams.sessions.stage import Sessionize
from streams.state import MemoryState
from streams.themes.stage import ThemesStage
from tests.kit.messages import posted
from tests.kit.parked import BOOM, BROKEN, NOW, OTHER, SPACE, BugError, World, broken, chat, poison, said
from views.maintain import VIEW_TOPICS
from views.reader import MessageAccount

CHAT = ("I live in Utrecht.", "I work at the mill.", f"I moved to {BOOM} last week.", "I adopted a goat.")


def readers(topic: TopicName) -> int:
    """How many consumers of the embedded system fold a topic."""
    stages = (Sessionize, DistilStage, ThemesStage, LinkStage)
    return sum(topic in stage.inputs for stage in stages) + (topic in VIEW_TOPICS)


@pytest.fixture(scope="module")
def plain() -> World:
    """What the chat leaves behind when nothing goes wrong."""
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    world.settle()
    return world


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if readers(topic)])
def test_poison_of_every_kind_is_parked_once_by_every_reader_and_changes_nothing(topic: TopicName, plain: World):
    world = World()
    kinds = poison(topic)
    world.system.post(SPACE, chat(*CHAT[:2]))
    with world.log.batch() as batch:
        places = {kind: batch.append(topic, SPACE, value, NOW) for kind, value in kinds.items()}
    for n, content in enumerate(CHAT[2:], start=2):
        world.system.post(SPACE, [said(n, content, day=n)])
    world.settle()
    world.settle()
    assert world.restarts == 0
    parked = [one for one in world.letters() if one.letter.topic == topic]
    for kind, offset in places.items():
        of_kind = [one for one in parked if one.letter.offset == offset]
        assert (len(of_kind), {one.times for one in of_kind}) == (readers(topic), {1}), kind
        assert {world.payload(one) for one in of_kind} == {kinds[kind]}
    verified = world.system.verify(SPACE)
    assert verified.equal
    assert verified.checksum == plain.system.verify(SPACE).checksum
    assert world.account() == plain.account()


def test_what_is_of_another_space_is_in_nobodys_view():
    world = World()
    world.system.post(OTHER, chat("I live in Utrecht."))
    stolen = encode(
        msgspec.structs.replace(
            decode("messages", world.log.read("messages", 0, 0, 1)[0].value), space=SPACE.space, content="I spy."
        )  # pyright: ignore[reportCallIssue]
    )
    with world.log.batch() as batch:
        batch.append("messages", OTHER, stolen, NOW)
    world.settle()
    assert world.account().accepted == 0
    assert world.account(OTHER) == MessageAccount(
        accepted=1, source_of_event=1, read_yielded_none=0, waiting=0, parked=0
    )
    assert {one.letter.message_id for one in world.letters()} == {None}, "whose message it is stays untold"


@pytest.mark.parametrize("stage", sorted(BROKEN))
def test_a_fault_costs_one_restart_and_parks_its_record_with_the_traceback(stage: str, plain: World):
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    with broken(stage):
        world.settle()
        world.settle()
    assert world.restarts == 1
    letters = world.letters()
    assert {one.letter.stage for one in letters} == {stage}
    assert all("BugError" in one.letter.error and "Traceback" in one.letter.error for one in letters)
    account = world.account()
    assert account.accepted == len(CHAT)
    assert account.waiting == 0
    assert account.parked == (1 if stage in {"sessionize", "distil"} else account.parked)
    assert world.system.verify(SPACE).equal

    assert world.redrive() == len({one.place for one in letters})
    world.account()
    world.settle()
    assert world.account() == plain.account()
    assert world.system.verify(SPACE).checksum == plain.system.verify(SPACE).checksum
    assert world.redrive() == 0, "each is re-driven at most once"


@pytest.mark.parametrize("stage", sorted(BROKEN))
def test_what_is_redriven_before_the_fix_is_parked_again_and_does_not_loop(stage: str):
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    with broken(stage):
        world.settle()
        first = {one.place for one in world.letters()}
        restarts = world.restarts
        assert world.redrive() == len(first)
        world.settle()
        assert world.restarts == restarts, "the bug is known by now"
        again = [one for one in world.letters() if not one.redriven]
        assert again
        assert first.isdisjoint(one.place for one in again)
        before = world.letters()
        world.settle()
        assert world.letters() == before
    world.redrive()
    world.settle()
    assert world.account().parked == 0
    assert all(one.redriven for one in world.letters())


def test_a_bug_that_many_records_meet_costs_one_restart():
    world = World()
    world.system.post(SPACE, chat(*(f"I moved to {BOOM} street {n}." for n in range(5)), "I adopted a goat."))
    with broken("sessionize"):
        world.settle()
    assert world.restarts == 1
    assert world.account().parked == 5


def test_a_fault_that_a_restart_mends_parks_nothing(plain: World):
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    for stage in BROKEN:  # in the order of the flow
        with broken(stage), pytest.raises(BugError, match=stage):
            world.system.flush()
    world.settle()
    assert world.letters() == []
    assert world.system.verify(SPACE).checksum == plain.system.verify(SPACE).checksum


@pytest.mark.parametrize("error", [OSError("no space left on device"), Exception("Corruption: block checksum")])
def test_what_is_the_disks_fault_parks_nothing(error: Exception):
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    for path in ("streams.sessions.stage.said", "views.maintain.apply"):
        for _ in range(3):
            with mock.patch(path, side_effect=error), pytest.raises(type(error)):
                world.system.flush()
    world.settle()
    assert world.letters() == []


@pytest.mark.parametrize("stage", ["sessionize", "distil", "view"])
def test_where_the_messages_are_adds_up_at_every_step(stage: str):
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    seen: list[tuple[int, int]] = []

    def steps() -> None:
        while True:
            account = world.account()
            assert account.accepted == len(CHAT)
            seen.append((account.waiting, account.parked))
            try:
                if world.system.step() == 0:
                    return world.settle()
            except BugError:
                pass

    with broken(stage):
        steps()
    assert world.account().parked == 1
    seen.clear()
    world.redrive()
    steps()
    assert seen[0][1] <= 1
    assert world.account().parked == world.account().waiting == 0


def test_a_letter_left_twice_is_one_letter_and_two_stages_letters_are_one_copy():
    world = World()
    with world.log.batch() as batch:
        batch.append("messages", SPACE, b"\xc1", NOW)
    world.settle()
    twice = world.log.read("dead-letters", 0, 0, 1)[0]
    with world.log.batch() as batch:
        batch.append("dead-letters", SPACE, twice.value, NOW)
    letters = world.letters()
    assert sorted((one.letter.stage, one.times) for one in letters) == [("sessionize", 2), ("view", 1)]
    assert world.redrive() == 1
    assert world.log.end("messages", 0) == 2
    assert world.redrive() == 0
    assert world.redrive(again=True) == 1
    assert [len(one.redriven) for one in world.letters()] == [2, 2]


def test_a_message_is_waiting_once_its_record_is_redriven():
    world = World()
    world.system.post(SPACE, [said(n, content, day=0) for n, content in enumerate(CHAT[1:3])])
    with broken("sessionize"):
        world.settle()
    world.redrive()
    world.system.step()  # it is in a session that was published just now, and is not published again yet
    account = world.account()
    assert (account.accepted, account.waiting, account.parked) == (2, 1, 0)


def posted_again(world: World) -> MessagePosted:
    """A good record of the chat, as it lies in the log."""
    record = decode("messages", world.log.read("messages", 0, 0, 1)[0].value)
    assert isinstance(record, MessagePosted)
    return record


def test_a_message_that_got_through_otherwise_is_not_parked_any_more():
    world = World()
    world.system.post(SPACE, chat(*CHAT))
    with broken("sessionize"):
        world.settle()
    parked = next(one for one in world.letters())
    with world.log.batch() as batch:
        batch.append("messages", SPACE, world.payload(parked), NOW)  # its producer sends it once more
    world.settle()
    assert world.account().parked == 0
    assert not world.letters()[0].redriven


def test_an_edit_that_was_parked_is_not_stronger_than_a_later_one():
    world = World()
    world.system.post(SPACE, chat("I live in Utrecht.", "I work at the mill."))
    world.system.flush()
    world.now += 5
    world.system.edit(SPACE, "c", "m0", f"I live in {BOOM}.")
    with mock.patch("streams.sessions.stage.edited", side_effect=BugError("edit")):
        world.settle()
    assert world.account().parked == 1
    world.now += 5
    world.system.edit(SPACE, "c", "m0", "I live in Delft.")
    world.settle()
    world.redrive()
    world.settle()
    assert any("Delft" in text for text in world.told())
    assert not any(BOOM in text for text in world.told())
    assert world.account().parked == world.account().waiting == 0
    assert world.system.verify(SPACE).equal


def test_a_session_with_a_late_message_is_not_known_before_its_newest():
    early, late = posted_of("row"), msgspec.structs.replace(posted_of("row"), message_id="late", received_at=NOW - 50)
    stage, state = Sessionize(), MemoryState()
    outputs = [
        output
        for offset, record in enumerate((early, late))
        for output in stage.apply(Entry(topic="messages", partition=0, offset=offset, record=record), state, NOW)
    ]
    outputs += stage.flush(state, NOW)
    session = outputs[-1].record
    assert isinstance(session, SessionRevised)
    assert (len(session.messages), session.learned_at) == (2, early.received_at)


def test_a_repaired_record_takes_the_parked_ones_place():
    world = World()
    world.system.post(SPACE, chat(*CHAT[:2]))
    good = msgspec.structs.replace(posted_again(world), message_id="m9", content="I adopted a goat.")
    with world.log.batch() as batch:
        batch.append("messages", SPACE, encode(good)[:-4], NOW)
    world.settle()
    letters = world.letters()
    (chosen,), _ = choose(letters, letters, again=False)
    with pytest.raises(CannotRedriveError, match="no record of messages"):
        repaired_copy(chosen, b"{}")
    as_json = msgspec.json.encode(good)
    (note,) = asyncio.run(LocalLetters(world.log).redrive(chosen, as_json, NOW))
    assert isinstance(note, LetterRedriven)
    assert note.repaired
    world.settle()
    assert world.account().accepted == 3
    assert world.account().parked == 0


def test_letters_about_letters_end():
    """A view that fails at every dead letter parks a letter about the letter, and no third."""
    world = World()
    with world.log.batch() as batch:
        batch.append("messages", SPACE, b"\xc1", NOW)
        batch.append("dead-letters", SPACE, b"\xc1", NOW)
    with mock.patch("views.parked.concerned", side_effect=BugError("letters")):
        for _ in range(60):
            try:
                world.system.step()
            except BugError:
                continue
        assert world.log.end("dead-letters", 0) < 20
        assert world.system.step() == 0


def test_a_record_under_no_key_is_parked_and_its_letter_is_readable():
    world = World()
    with world.log.batch() as batch:
        batch.append("messages", NO_SPACE, encode(posted_of("row")), NOW)
    world.settle()
    world.settle()
    letters = world.letters()
    assert {(one.letter.stage, one.letter.topic, one.letter.key) for one in letters} == {
        ("sessionize", "messages", NO_SPACE), ("view", "messages", NO_SPACE),
    }  # fmt: skip


def posted_of(space: str) -> MessagePosted:
    return posted(
        "m", NOW, space=SpaceKey("orchard", space), speaker="Ewout", content="I live in Utrecht.", received_at=NOW
    )


BAD_FIELDS: dict[str, object] = {
    "content": "x" * 70_000, "message_id": "m" * 300, "speaker": "", "session_id": "a\nb", "tz": "Mars/Base",
    "sent_at": 2**63 - 1, "utc_offset_min": 10**6, "seq": 2**60, "conversation_id": "c" * 300,
}  # fmt: skip


@pytest.mark.parametrize("field", sorted(BAD_FIELDS))
def test_a_message_the_edge_would_refuse_is_parked_when_a_producer_writes_it_itself(field: str):
    world = World()
    record = msgspec.structs.replace(posted_of("row"), **{field: BAD_FIELDS[field]})
    with world.log.batch() as batch:
        batch.append("messages", SPACE, encode(record), NOW)
        batch.append("messages", SPACE, encode(msgspec.structs.replace(posted_of("row"), message_id="good")), NOW)
    world.settle()
    assert world.restarts == 0
    assert [one.letter.stage for one in world.letters()] == ["sessionize"]
    assert field in world.letters()[0].letter.error
    account = world.account()
    assert (account.accepted, account.source_of_event, account.parked, account.waiting) == (2, 1, 1, 0)


def test_a_record_of_extreme_numbers_stops_nobody():
    """Whatever decodes is folded or parked, with one restart for each bug it finds."""
    world = World()
    with world.log.batch() as batch:
        for topic in TOPICS:
            for kind in extremes(topic):
                batch.append(topic, SPACE, kind, NOW)
    neighbour = SpaceKey(SPACE.tenant, "next-door")
    for space in (SPACE, neighbour):
        world.system.post(space, [said(0, "I live in Utrecht.", day=0)])
    for _ in range(200):
        try:
            world.system.flush()
            break
        except Exception:  # noqa: BLE001 - of any kind
            continue
    else:
        pytest.fail("it never ends")
    assert world.account().accepted == 1
    assert world.system.account(neighbour).source_of_event == 1


def extremes(topic: TopicName) -> Iterator[bytes]:
    """The samples of a topic with every number in turn as large or as small as one can be."""
    from tests.golden.samples import SAMPLES

    for name, record in SAMPLES:
        if name != topic:
            continue
        own = msgspec.structs.replace(record, tenant=SPACE.tenant, space=SPACE.space)
        fields = msgspec.msgpack.decode(encode(own))
        for field, value in fields.items():
            if isinstance(value, int) and not isinstance(value, bool):
                for extreme in (2**64 - 1, -(2**63), 2**62):
                    yield msgspec.msgpack.encode({**fields, field: extreme})


def test_a_letter_that_carries_its_bytes_is_written_as_it_always_was():
    letter = DeadLetter(
        tenant="a", space="b", stage="distil", topic="sessions", partition=0, offset=1, error="e", payload=b"x",
        conversation_id=None, message_id=None, parked_at=NOW,
    )  # fmt: skip
    assert "left_bytes" not in msgspec.msgpack.decode(encode(letter))
    large = msgspec.structs.replace(letter, payload=b"x" * (RECORD_MAX_BYTES + 1))
    carrying, headers = carried(large, b"a/b", [("h", b"v")])
    assert (carrying.payload, carrying.left_bytes) == (b"", RECORD_MAX_BYTES + 1)
    assert own_of(headers) == (None, [])
    carrying, headers = carried(letter, b"a/b", [("h", b"v"), ("dlq.stage", b"older")])
    assert carrying == letter
    assert own_of(headers) == (b"a/b", [("h", b"v"), ("dlq.stage", b"older")])


def letter_about(message_id: str, *, topic: str = "messages", offset: int = 5, parked_at: int = NOW) -> DeadLetter:
    return DeadLetter(
        tenant=SPACE.tenant, space=SPACE.space, stage="sessionize", topic=topic, partition=0, offset=offset, error="e",
        payload=b"\xc1", conversation_id="c", message_id=message_id, parked_at=parked_at,
    )  # fmt: skip


ABOUT = {"tenant": SPACE.tenant, "space": SPACE.space, "at": NOW}


@pytest.mark.parametrize(
    ("letter", "erasure", "covered"),
    [
        (letter_about("m1"), MessageErased(conversation_id="c", message_id="m1", upto=6, **ABOUT), True),
        (letter_about("m1"), MessageErased(conversation_id="c", message_id="m1", upto=5, **ABOUT), False),
        (letter_about("m1"), MessageErased(conversation_id="c", message_id="m2", upto=6, **ABOUT), False),
        (letter_about("m1"), ConversationErased(conversation_id="c", upto=6, **ABOUT), True),
        (letter_about("m1"), ConversationErased(conversation_id="d", upto=6, **ABOUT), False),
        (letter_about("m1"), SpaceErased(upto=6, **ABOUT), True),
        (letter_about("m1", topic="events"), SpaceErased(upto=0, **ABOUT), True),
        (letter_about("m1", topic="events", parked_at=NOW + 1), SpaceErased(upto=9, **ABOUT), False),
    ],
)
def test_a_letter_is_covered_by_an_erasure_of_what_it_is_about(
    letter: DeadLetter, erasure: ErasureRecord, covered: bool
):
    assert (erased_by(letter, [erasure]) is erasure) == covered


def test_a_letter_of_which_nothing_is_left_is_not_redriven():
    gone = msgspec.structs.replace(letter_about("m1"), payload=b"", error=ERASED)
    (listed,) = listed_of([found_at(0, 0, gone, [])])
    (chosen,), _ = choose([listed], [listed], again=False)
    with pytest.raises(CannotRedriveError, match="was erased"):
        copy_of(chosen, found_at(0, 0, gone, []))
