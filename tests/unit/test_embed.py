"""The embed maintainer: the index follows the messages and the live events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from schemas.entry import Entry
from schemas.events import Event, Source
from schemas.ids import MessageKey, SpaceKey
from schemas.messages import MessageEdited, MessagePosted, MessageRecord, MessageRetracted
from schemas.times import MAX_US
from tests.kit import messages
from tests.kit.encoders import HashingEncoder
from tests.kit.events import stated
from views.embed import Embed
from views.reader import MessageText
from views.vectors.memory import MemoryIndex
from views.vectors.points import PointsRefusedError
from views.vectors.protocol import Point
from views.vectors.refs import note_key, note_ref
from views.vectors.sparse import document_vector

HOME = SpaceKey("acme", "home")
AWAY = SpaceKey("acme", "away")
ENCODER = HashingEncoder()


class FoldedMessages:
    """The current messages of a space, folded from records in memory."""

    def __init__(self) -> None:
        self._held: dict[MessageKey, MessageText] = {}

    def apply(self, record: MessageRecord) -> None:
        match record:
            case MessagePosted():
                fresh = message(record.message, record.speaker, record.content)
                times = {"sent_at": record.sent_at, "utc_offset_min": record.utc_offset_min}
                self._held.setdefault(record.message, msgspec.structs.replace(fresh, **times))
            case MessageEdited():
                held = self._held[record.message]
                self._held[record.message] = message(record.message, held.speaker, record.content)
            case MessageRetracted():
                held = self._held[record.message]
                self._held[record.message] = message(record.message, held.speaker, held.content, retracted=True)

    def message(self, key: MessageKey) -> MessageText | None:
        return self._held.get(key)

    def messages(self, keys: Iterable[MessageKey]) -> Sequence[MessageText]:
        return [self._held[key] for key in keys if key in self._held]


class World:
    """A log, the folded messages, and an index kept by ``Embed``."""

    def __init__(self) -> None:
        self.index = MemoryIndex(ENCODER.dimension)
        self.log: list[Entry] = []
        self._spaces: dict[SpaceKey, FoldedMessages] = {}
        self.embed = Embed(self.index, ENCODER)

    def space(self, key: SpaceKey) -> FoldedMessages:
        return self._spaces.setdefault(key, FoldedMessages())

    def write(self, *records: MessageRecord) -> None:
        start = len(self.log)
        for record in records:
            self.space(record.key).apply(record)
            self.log.append(Entry(topic="messages", partition=0, offset=len(self.log), record=record))
        self.sync(self.log[start:])

    def sync(self, entries: Sequence[Entry]) -> None:
        """Set what the entries name to what it is by now."""
        for space in (HOME, AWAY):
            keys = [entry.record.message for entry in entries if entry.record.key == space]
            self.embed.sync(space, {key: self.space(space).message(key) for key in keys}, {})

    def notes(self, space: SpaceKey = HOME) -> dict[str, bytes]:
        refs = self.index.refs(space, "note")
        return {ref: vector.tobytes() for ref, vector in self.index.dense_vectors(space, "note", refs).items()}

    def counted(self, text: str, space: SpaceKey = HOME) -> tuple[int, ...]:
        return self.index.document_frequencies(space, "note", document_vector(text).indices).counts


def message(key: MessageKey, speaker: str, content: str, *, retracted: bool = False) -> MessageText:
    return MessageText(
        conversation_id=key.conversation_id,
        message_id=key.message_id,
        speaker=speaker,
        role="user",
        content=content,
        sent_at=1_000,
        utc_offset_min=0,
        seq=0,
        retracted=retracted,
    )


def posted(message_id: str, content: str, conversation: str = "c1", space: SpaceKey = HOME) -> MessagePosted:
    return messages.posted(message_id, 1_000, space=space, conversation=conversation, content=content, speaker="Mira")


def edited(message_id: str, content: str) -> MessageEdited:
    return messages.edit(message_id, content, space=HOME, conversation="c1")


def retracted(message_id: str) -> MessageRetracted:
    return messages.retract(message_id, space=HOME, conversation="c1")


def event(event_id: str, text: str, participants: tuple[str, ...] = (), sources: tuple[Source, ...] = ()) -> Event:
    return stated(event_id, text, 1_000, participants=participants, sources=sources)


def dense(text: str) -> bytes:
    return ENCODER.encode([text])[0].tobytes()


def test_a_message_becomes_a_note_dense_by_content_and_sparse_with_the_speaker() -> None:
    world = World()
    world.write(posted("m1", "I bought a red bicycle"))
    assert world.notes() == {'["c1","m1"]': dense("I bought a red bicycle")}
    assert world.counted("mira") == (1,)
    assert world.counted("bicycle") == (1,)


def test_a_note_is_found_by_the_date_where_it_was_written() -> None:
    """23:30 UTC on 30 April 2024 is 1 May two hours further east."""
    late = 1_714_519_800_000_000
    world = World()
    held = msgspec.structs.replace(posted("m1", "It rains"), sent_at=late, utc_offset_min=120)
    world.write(held)
    assert world.counted("May") == world.counted("2024") == (1,)
    assert world.counted("April") == (0,)


def test_a_note_from_beyond_the_calendar_is_indexed_under_its_last_day() -> None:
    """A record that was once accepted must never stop the index."""
    world = World()
    world.write(msgspec.structs.replace(posted("m1", "It rains"), sent_at=MAX_US, utc_offset_min=1_440))
    assert world.counted("9999") == (1,)


def test_an_edit_replaces_the_note_and_a_retraction_removes_it() -> None:
    world = World()
    world.write(posted("m1", "I bought a red bicycle"), posted("m2", "It rains"))
    world.write(edited("m1", "I bought a green boat"))
    assert world.notes()['["c1","m1"]'] == dense("I bought a green boat")
    assert world.counted("bicycle") == (0,)
    world.write(retracted("m1"))
    assert world.notes().keys() == {'["c1","m2"]'}


def test_the_same_message_id_in_two_conversations_and_spaces_is_as_many_notes() -> None:
    world = World()
    world.write(posted("m1", "one"), posted("m1", "two", "c2"), posted("m1", "three", space=AWAY))
    assert world.notes() == {'["c1","m1"]': dense("one"), '["c2","m1"]': dense("two")}
    assert world.notes(AWAY) == {'["c1","m1"]': dense("three")}


def test_repeating_any_suffix_in_any_batches_gives_the_same_index() -> None:
    world = World()
    world.write(
        posted("m1", "I bought a red bicycle"),
        posted("m2", "It rains"),
        edited("m1", "I bought a green boat"),
        posted("m3", "Later then"),
        retracted("m2"),
        posted("m1", "I bought a red bicycle"),
    )
    expected = world.notes()
    assert expected == {'["c1","m1"]': dense("I bought a green boat"), '["c1","m3"]': dense("Later then")}
    for start in range(len(world.log)):
        for size in (1, 2, len(world.log)):
            for at in range(start, len(world.log), size):
                world.sync(world.log[at : at + size])
            assert world.notes() == expected


def test_an_index_made_anew_from_the_log_is_the_same() -> None:
    world = World()
    world.write(posted("m1", "one"), edited("m1", "two"), posted("m2", "three"), retracted("m2"))
    expected = world.notes()
    world.index.delete_space(HOME)
    world.sync(world.log)
    assert world.notes() == expected


def test_what_was_erased_or_never_posted_is_no_note() -> None:
    world = World()
    world.write(posted("m1", "one"))
    world.embed.sync(HOME, {MessageKey("c1", "m1"): None, MessageKey("c1", "m2"): None}, {})
    assert world.notes() == {}


def test_a_point_the_index_refuses_is_told_and_the_others_are_written() -> None:
    class Particular(MemoryIndex):
        def upsert(self, space: SpaceKey, points: Sequence[Point]) -> None:
            if any(point.ref in ("e3", "e6") for point in points):
                raise PointsRefusedError("not these")
            super().upsert(space, points)

    index = Particular(ENCODER.dimension)
    done = Embed(index, ENCODER).sync(HOME, {}, {f"e{n}": event(f"e{n}", f"number {n}") for n in range(9)})
    assert [(one.kind, one.ref) for one in done.refused] == [("event", "e3"), ("event", "e6")]
    assert done.written == 7
    assert index.refs(HOME, "event") == ["e0", "e1", "e2", "e4", "e5", "e7", "e8"]


def test_events_are_indexed_replaced_and_removed() -> None:
    world = World()
    source = Source(conversation_id="c7", message_id="m1", start=0, end=3)
    first = event("e1", "Mira lives in Oslo", ("Mira", "Tomas"), (source,))
    world.embed.sync(HOME, {}, {"e1": first, "e2": event("e2", "It rains"), "e9": None})
    index = world.index
    assert index.refs(HOME, "event") == ["e1", "e2"]
    assert index.dense_vectors(HOME, "event", ["e1"])["e1"].tobytes() == dense("Mira lives in Oslo")
    query = ENCODER.encode(["Oslo"])[0]
    assert [hit.ref for hit in index.search_dense(HOME, "event", query, 5, ["c7"])] == ["e1"]
    assert index.document_frequencies(HOME, "event", document_vector("Tomas").indices).counts == (1,)
    world.embed.sync(HOME, {}, {"e1": None, "e2": event("e2", "It snows")})
    world.embed.sync(HOME, {}, {"e1": None, "e2": event("e2", "It snows")})
    assert index.refs(HOME, "event") == ["e2"]
    assert index.dense_vectors(HOME, "event", ["e2"])["e2"].tobytes() == dense("It snows")
    assert index.refs(HOME, "note") == []


def test_a_notes_ref_names_its_message_whatever_is_in_the_ids() -> None:
    for key in (MessageKey("c1", "m1"), MessageKey('a","b', "c"), MessageKey("ключ", "\u2028 /")):
        assert note_key(note_ref(key)) == key
    assert note_ref(MessageKey("c1", "m1")) == '["c1","m1"]'
