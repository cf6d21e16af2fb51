"""What becomes of a record when text it holds is erased: the same kind of record, in its place, without the text.

A record that is read again (a rebuild, another stage) must lead to the same state as before, so ids, revisions and
positions stay. What is dropped was not live any more when this is done: the flow has derived everything anew without
the erased messages by then, under higher revisions. Pure.
"""

from __future__ import annotations

import msgspec

from schemas.adjudications import AliasMerged, AliasSplit, EdgeAccepted, EdgeRuledOut, RulingWithdrawn
from schemas.asking import ModelAsked, ModelReplied, ReplyRead
from schemas.codec import BadRecordError, decode, encode
from schemas.dead_letters import ERASED, DeadLetter
from schemas.deltas import EventChanged
from schemas.edges import Edge, EdgesAsserted, EdgesInferred
from schemas.events import EventsAsserted, EventsDistilled
from schemas.ids import MessageKey
from schemas.messages import MessageEdited, MessagePosted
from schemas.record import Record
from schemas.sessions import SessionRevised
from schemas.topics import TOPICS, TopicName
from schemas.verdicts import PairsJudged
from streams.log import LogEntry

from .gone import Gone

SCRUBBED: tuple[TopicName, ...] = (
    "asks",
    "replies",
    "edges",
    "verdicts",
    "adjudications",
    "dead-letters",
    "deltas",
    "sessions",
    "events",
    "messages",
)
"""Topics whose records hold text, in the order they are worked off: ``events`` tells which edges are concerned, so it
comes after them; a run that was killed finds there what it still needs. The others hold ids, times and positions."""


def scrubbed(entry: LogEntry, gone: Gone) -> bytes:
    """The value an entry is to have; its own where it holds nothing of what is erased."""
    try:
        record = decode(entry.topic, entry.value)
    except BadRecordError:
        return b"" if _unreadable(entry.topic, entry.offset, entry.value, gone) else entry.value
    clean = _clean(entry.topic, entry.offset, record, gone)
    return entry.value if clean is record else encode(clean)


def _unreadable(topic: TopicName, offset: int, value: bytes, gone: Gone) -> bool:
    """Whether bytes that are no record may hold what is erased. They were parked; empty ones will be parked too."""
    if not value or offset >= gone.begun.ends[topic]:
        return False
    if gone.extent.whole_space:
        return True
    names = (gone.extent.message_id or gone.extent.conversation_id or "").encode("utf-8")
    return names in value


def _clean(topic: TopicName, offset: int, record: Record, gone: Gone) -> Record:
    """The record without the text; the same object where it holds none."""
    match record:
        case MessagePosted() if gone.message(record.message, offset):
            return _empty_posting(record)
        case MessageEdited() if gone.message(record.message, offset) and record.content:
            return msgspec.structs.replace(record, content="")
        case SessionRevised():
            return _clean_session(record, gone)
        case EventsDistilled() | EventsAsserted():
            events = tuple(event for event in record.events if gone.keeps(record, event))
            return record if len(events) == len(record.events) else msgspec.structs.replace(record, events=events)
        case EdgesInferred():
            return _clean_edges(record, gone, tainted=gone.tainted(record.session_id, offset, topic))
        case EdgesAsserted():
            return _clean_edges(record, gone, tainted=gone.extent.whole_space and offset < gone.begun.ends[topic])
        case PairsJudged():
            return _clean_verdicts(record, gone, tainted=gone.tainted(record.session_id, offset, topic))
        case ModelAsked() if record.ask_id in gone.asks:
            return _same(
                record, msgspec.structs.replace(record, prompt=msgspec.structs.replace(record.prompt, messages=()))
            )
        case ModelReplied() if record.ask_id in gone.asks:
            return _same(record, msgspec.structs.replace(record, text="", error=""))
        case ReplyRead() if record.ask_id in gone.asks:
            return _same(record, msgspec.structs.replace(record, problem=""))
        case EventChanged() if record.event_id in gone.events and record.about is not None:
            return msgspec.structs.replace(record, about=None)
        case DeadLetter():
            return _clean_letter(record, gone)
        case _:
            return _clean_ruling(record, gone, before=offset < gone.begun.ends[topic])


def _same(record: Record, clean: Record) -> Record:
    """The record itself when there was nothing to clean."""
    return record if clean == record else clean


def _empty_posting(record: MessagePosted) -> MessagePosted:
    """What is left: that a message of this id was taken in, and when the log learned it."""
    return msgspec.structs.replace(
        record, session_id=None, speaker="", speaker_id=None, role="user", content="", sent_at=0, utc_offset_min=0,
        tz=None, seq=0, time_assumed=False, ends_session=False,
    )  # fmt: skip


def _clean_session(record: SessionRevised, gone: Gone) -> Record:
    conversation = record.conversation_id
    kept = tuple(m for m in record.messages if not gone.message(MessageKey(conversation, m.message_id), m.offset))
    return record if len(kept) == len(record.messages) else msgspec.structs.replace(record, messages=kept)


def _clean_edges(record: EdgesInferred | EdgesAsserted, gone: Gone, *, tainted: bool) -> Record:
    """Without edges of events that are gone. The reasons of the others go too, where they may speak of them: such a set
    has been replaced by then."""
    edges = tuple(edge for edge in record.edges if gone.events.isdisjoint((edge.src, edge.dst)))
    if len(edges) < len(record.edges) or tainted:
        edges = tuple(_without_reason(edge) for edge in edges)
    return _same(record, msgspec.structs.replace(record, edges=edges))


def _without_reason(edge: Edge) -> Edge:
    return msgspec.structs.replace(edge, justification="")


def _clean_verdicts(record: PairsJudged, gone: Gone, *, tainted: bool) -> Record:
    verdicts = tuple(v for v in record.verdicts if gone.events.isdisjoint((v.newer, v.older)))
    if len(verdicts) < len(record.verdicts) or tainted:
        verdicts = tuple(msgspec.structs.replace(verdict, reason="") for verdict in verdicts)
    return _same(record, msgspec.structs.replace(record, verdicts=verdicts))


def _clean_letter(letter: DeadLetter, gone: Gone) -> Record:
    """The parked bytes, cleaned as they would be where they came from; of no use to a redrive when nothing is left."""
    topic = letter.topic
    if topic not in TOPICS or not letter.payload:
        return letter
    entry = LogEntry(
        topic=topic, partition=letter.partition, offset=letter.offset, time_us=0, tenant=letter.tenant,
        space=letter.space, value=letter.payload,
    )  # fmt: skip
    payload = scrubbed(entry, gone)
    if payload == letter.payload:
        return letter
    if topic == "messages":
        payload = b""  # an empty message, re-driven, would be one posted anew
    return msgspec.structs.replace(letter, payload=payload, error=ERASED)


def _clean_ruling(record: Record, gone: Gone, *, before: bool) -> Record:
    """Rulings on what is gone, taken back by nobody: the same statement, said again, is ruled on by nobody either. Of a
    whole space all of them, names included; else of names what was learned from what is gone."""
    everything = gone.extent.whole_space and before
    match record:
        case EdgeAccepted() | EdgeRuledOut() if everything or _rules_on_gone(record, gone, before=before):
            return RulingWithdrawn(
                tenant=record.tenant, space=record.space, edge_id=record.edge_id, analyst="", at=record.at
            )
        case AliasMerged() | AliasSplit() if record.alias and (
            everything or (record.alias.casefold(), record.at) in gone.words
        ):
            return AliasSplit(tenant=record.tenant, space=record.space, alias="", analyst="", at=record.at)
        case _:
            return record


def _rules_on_gone(record: EdgeAccepted | EdgeRuledOut, gone: Gone, *, before: bool) -> bool:
    """Whether an end is gone, under the id it was ruled on or any other."""
    ends = (record.src, record.dst)
    if not gone.events.isdisjoint(end.event_id for end in ends):
        return True
    keys = (MessageKey(s.conversation_id, s.message_id) for end in ends for s in end.sources)
    return before and any(gone.extent.holds(key) for key in keys)
