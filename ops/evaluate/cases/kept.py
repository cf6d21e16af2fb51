"""Checks of what is kept: counts, replays, receipts, refusals, and that two ways of delivery give one view."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from schemas.codec import decode
from schemas.dead_letters import DeadLetter
from schemas.ids import SpaceKey
from schemas.topics import TOPICS

from .case import numbered
from .checks import Check, Checks, texts
from .delivery import deliver, orders, space_of
from .outcome import Outcome, sent_at
from .text import contains


def event_count(o: Outcome, value: object) -> Iterable[str]:
    if len(o.entries) != value:
        yield f"{len(o.entries)} events, not {value}: {[entry.event.text for entry in o.entries]}"


def event_count_max(o: Outcome, value: object) -> Iterable[str]:
    if len(o.entries) > int(str(value)):
        yield f"{len(o.entries)} events, more than {value}: {[entry.event.text for entry in o.entries]}"


def event_count_min(o: Outcome, value: object) -> Iterable[str]:
    if len(o.entries) < int(str(value)):
        yield f"{len(o.entries)} events, fewer than {value}: {[entry.event.text for entry in o.entries]}"


def message_status(o: Outcome, value: object) -> Iterable[str]:
    account = o.memory.system.account(o.space)
    if value == "processed_no_events" and account.read_yielded_none != account.accepted:
        yield f"not every message was read and yielded none: {account}"


def dead_letters(o: Outcome, value: object) -> Iterable[str]:
    """Records, not letters: each stage that cannot read a record says so in a letter of its own."""
    letters = (decode("dead-letters", raw) for raw in o.memory.records("dead-letters", o.space))
    parked = {(one.topic, one.partition, one.offset) for one in letters if isinstance(one, DeadLetter)}
    if len(parked) != value:
        yield f"{len(parked)} records are parked, not {value}"


def consumer_continues(o: Outcome, value: object) -> Iterable[str]:
    yield from must_not_fail(o, value)


def must_not_fail(o: Outcome, value: object) -> Iterable[str]:
    account = o.memory.system.account(o.space)
    if account.waiting:
        yield f"{account.waiting} accepted messages wait"
    asked_for = "api" in o.case.expect
    for where, status in o.delivered.statuses.items():
        if status.status == "refused" and not asked_for:
            yield f"message {where} was refused: {status.error}"


def api(o: Outcome, value: object) -> Iterable[str]:
    field = texts(value)[0].removeprefix("refused: ")
    for place, message in enumerate(o.case.messages):
        status = o.delivered.statuses[f"{place}:{message.message_id}"]
        lacks_zone = sent_at(message) is None
        got = status.error.field if status.error is not None else None
        if lacks_zone and (status.status != "refused" or got != field):
            yield f"message {message.message_id} was {status.status} ({got}), not refused for {field}"
        if not lacks_zone and status.status == "refused":
            yield f"message {message.message_id} was refused: {status.error}"


def import_with_tz(o: Outcome, value: object) -> Iterable[str]:
    if value != "accepted, marked":
        yield f"unknown expectation {value!r}"
    for where, status, assumed, zoneless in _imported(o):
        if status == "refused" or assumed != zoneless:
            yield f"message {where} was {status}, its time {'' if assumed else 'not '}marked as assumed"


def ordering_by(o: Outcome, value: object) -> Iterable[str]:
    if value != "instant after import_tz":
        yield f"unknown expectation {value!r}"
    list(_imported(o))
    space = _import_space(o)
    events = sorted(o.memory.statements(space, o.at), key=lambda entry: entry.event.stated)
    instants = [entry.event.stated.sent_at for entry in events]
    sent = {message.message_id: message.sent_at for message in o.memory.posted(space)}
    by_id = {source.message_id: entry.event.stated.sent_at for entry in events for source in entry.event.sources}
    if instants != sorted(instants) or any(sent[message_id] != at for message_id, at in by_id.items()):
        yield "statements are not ordered by the instants of their messages"


def _import_space(o: Outcome) -> SpaceKey:
    return SpaceKey(o.space.tenant, f"{o.space.space}-import")


def _imported(o: Outcome) -> Iterable[tuple[str, str, bool, bool]]:
    """Each message imported in ``import_tz``: its id, what became of it, whether its time is marked, has no zone."""
    space = _import_space(o)
    for message in numbered(o.case):
        raw = msgspec.json.encode(
            {
                "message_id": message.message_id, "conversation_id": message.conversation_id, "content": message.text,
                "speaker": message.speaker, "role": message.role, "sent_at": message.sent_at, "seq": message.seq,
            }
        )  # fmt: skip
        status = o.memory.system.post(space, [raw], received_at="sent_at", default_tz=o.case.import_tz).statuses[0]
        o.memory.system.flush(space)
        kept = next((m for m in o.memory.posted(space) if m.message_id == message.message_id), None)
        yield message.message_id, status.status, kept is not None and kept.time_assumed, sent_at(message) is None


def receipt(o: Outcome, value: object) -> Iterable[str]:
    stores = {removed.store for made in o.delivered.receipts for removed in made.removed}
    if not {"log", "view", "vectors"} <= stores:
        yield f"receipts name {sorted(stores)} only"
    yield from (f"erasure {made.id} is not finished" for made in o.delivered.receipts if made.finished_at is None)


def check_stores(o: Outcome, value: object) -> Iterable[str]:
    """No record of any topic and no file of the store holds the text."""
    for text in texts(o.case.expect.get("must_not_mention_anywhere", [])):
        for topic in TOPICS:
            for raw in o.memory.records(topic, o.space):
                if contains(raw.decode("utf-8", "replace"), text):
                    yield f"a record of {topic} contains {text!r}"
        for path in o.memory.files():
            if text.casefold().encode() in path.read_bytes().lower():
                yield f"{path.name} contains {text!r}"


def stable_ids(o: Outcome, value: object) -> Iterable[str]:
    with o.memory.another() as other:
        for _ in range(2):
            deliver(o.case, other, numbered(o.case))
        ids = {entry.event.id for entry in other.statements(o.space, o.at)}
    if ids != {entry.event.id for entry in o.entries}:
        yield "event ids differ after a replay"


def tie_break(o: Outcome, value: object) -> Iterable[str]:
    yield from _same_after(o, "reversed", [orders(o.case)[0]])


def same_result_when(o: Outcome, value: object) -> Iterable[str]:
    base = numbered(o.case)
    for how in texts(value):
        match how:
            case "rerun":
                yield from _same_after(o, how, [base])
            case "shuffled":
                yield from _same_after(o, how, orders(o.case))
            case "replayed":
                yield from _same_after(o, how, [base * max(2, o.case.replay)])
            case "rebuilt_from_log":
                before = o.memory.system.verify(o.space).checksum
                after = o.memory.system.rebuild(o.space)
                if after.checksum != before or not after.equal:
                    yield "a rebuilt view differs"
            case _:
                yield f"unknown expectation {how!r}"


def _same_after(o: Outcome, how: str, deliveries: Iterable[list]) -> Iterable[str]:
    wanted = o.memory.system.verify(space_of(o.case, o.case.tenant_id)).checksum
    for place, messages in enumerate(deliveries):
        with o.memory.another() as other:
            deliver(o.case, other, messages)
            got = other.system.verify(o.space)
            if got.checksum != wanted or not got.equal:
                said = [(e.event.text, e.status) for e in other.statements(o.space, o.at)]
                yield f"{how} {place}: another view: {said} instead of {[(e.event.text, e.status) for e in o.entries]}"


def note(o: Outcome, value: object) -> Iterable[str]:
    """For the reader."""
    del o, value
    return ()


_ALL: tuple[Check, ...] = (
    event_count, event_count_max, event_count_min, message_status, dead_letters, consumer_continues, must_not_fail, api,
    import_with_tz, ordering_by, receipt, check_stores, stable_ids, tie_break, same_result_when, note,
)  # fmt: skip
KEPT: Checks = {check.__name__: check for check in _ALL}
