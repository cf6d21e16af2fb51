"""Dead letters as lines and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import msgspec

from ops.deadletters.letters import Found, Listed, Place
from ops.deadletters.redrive import Chosen, Left
from schemas.codec import BadRecordError, decode
from schemas.dead_letters import DeadLetter, LetterRedriven
from schemas.times import format_time, from_us
from schemas.topics import TOPICS

from .world import CommandError, World

if TYPE_CHECKING:
    from .dead_letters import ListOptions

_SHOWN_BYTES = 256
_KB = 1_000


@dataclass
class Redriven:
    """What a redrive did."""

    notes: list[LetterRedriven] = field(default_factory=list[LetterRedriven])
    left: list[Left] = field(default_factory=list[Left])
    would: list[Chosen] = field(default_factory=list[Chosen])
    failed: list[tuple[Place, str]] = field(default_factory=list[tuple[Place, str]])
    parked_again: Sequence[Listed] = ()


def letter_line(one: Listed, zone: ZoneInfo | None) -> str:
    """Id, when, size, whose, and why; whether it was re-driven."""
    letter = one.letter
    space = str(letter.key) if letter.tenant else "(no space)"
    about = "/".join(part for part in (letter.conversation_id, letter.message_id) if part)
    parts = [one.id, _when(letter.parked_at, zone), _size(one.size), space, about, _first_line(letter.error)]
    line = "  ".join(part for part in parts if part)
    if one.times > 1:
        line += f"  (lies there {one.times} times)"
    if one.redriven:
        last = one.redriven[-1]
        line += f"  re-driven {_when(last.at, zone)} as {last.topic}/{last.to_partition}/{last.to_offset}"
    elif one.begun is not None:
        line += "  a redrive was begun and not finished: redrive it again"
    return line


def letter_rows(one: Listed) -> dict[str, object]:
    """The same for machines."""
    letter = one.letter
    return {
        "id": one.id, "stage": letter.stage, "topic": letter.topic, "partition": letter.partition,
        "offset": letter.offset, "tenant": letter.tenant, "space": letter.space,
        "conversation_id": letter.conversation_id, "message_id": letter.message_id,
        "parked_at": format_time(letter.parked_at), "bytes": one.size, "carried": not letter.left_bytes,
        "times": one.times, "error": letter.error, "redriven": [_note(note) for note in one.redriven],
    }  # fmt: skip


def print_letter(world: World, options: ListOptions, one: Listed, found: Found) -> None:
    """One letter in full, and its bytes into a file when that is asked for."""
    letter = found.record
    assert isinstance(letter, DeadLetter), "listed"
    if options.bytes is not None:
        if letter.left_bytes:
            raise CommandError(f"--bytes: too many to be carried: they lie at {'/'.join(map(str, one.place))} only")
        options.bytes.write_bytes(letter.payload)
    shown = _payload(letter)
    if options.json:
        world.say_json({**letter_rows(one), "record": shown, "payload": letter.payload.hex()})
        return
    world.say(letter_line(one, options.zone))
    if one.key is not None:
        world.say(f"key     {one.key!r}")
    for name, value in found.headers:
        if not name.startswith("dlq."):
            world.say(f"header  {name} = {value!r}")
    world.say(letter.error)
    if shown is None:
        rest = len(letter.payload) - _SHOWN_BYTES
        world.say(f"{letter.payload[:_SHOWN_BYTES]!r}{f' and {rest} bytes more' if rest > 0 else ''}")
    else:
        world.say(json.dumps(shown, indent=2, ensure_ascii=False))


def told(world: World, outcome: Redriven, *, as_json: bool, here: bool) -> None:
    """What a redrive did. ``here``: the stages have read what was appended."""
    if as_json:
        world.say_json(
            {
                "redriven": [_note(note) for note in outcome.notes],
                "would": ["/".join(map(str, one.place)) for one in outcome.would],
                "left": [{"record": "/".join(map(str, one.place)), "why": one.why} for one in outcome.left],
                "failed": [{"record": "/".join(map(str, place)), "why": why} for place, why in outcome.failed],
                "parked_again": [letter_rows(one) for one in outcome.parked_again],
            },
        )
        return
    for one in outcome.would:
        world.say(f"would re-drive {'/'.join(map(str, one.place))}")
    for note in outcome.notes:
        place = f"{note.topic}/{note.partition}/{note.offset}"
        world.say(f"re-driven {place} as {note.topic}/{note.to_partition}/{note.to_offset}")
    for one in outcome.left:
        world.say(f"left {'/'.join(map(str, one.place))}: {one.why}")
    for place, why in outcome.failed:
        world.say(f"not re-driven {'/'.join(map(str, place))}: {why}")
    for one in outcome.parked_again:
        world.say(f"parked again {letter_line(one, None)}")
    if not here and outcome.notes:
        world.say("the workers read them now; what is still bad is parked again")


def _note(note: LetterRedriven) -> dict[str, object]:
    return {
        "record": f"{note.topic}/{note.partition}/{note.offset}",
        "as": f"{note.topic}/{note.to_partition}/{note.to_offset}",
        "repaired": note.repaired, "at": format_time(note.at),
    }  # fmt: skip


def _payload(letter: DeadLetter) -> object:
    """The parked record as JSON, as far as it can be read; None when it is no MessagePack."""
    if letter.topic in TOPICS:
        try:
            return json.loads(msgspec.json.encode(decode(letter.topic, letter.payload)))
        except BadRecordError:
            pass  # show it as it is
    try:
        return json.loads(msgspec.json.encode(msgspec.msgpack.decode(letter.payload)))
    except (msgspec.DecodeError, TypeError, UnicodeError, RecursionError, ValueError):
        return None


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _when(at: int, zone: ZoneInfo | None) -> str:
    return format_time(at) if zone is None else from_us(at).astimezone(zone).isoformat(timespec="seconds")


def _size(size: int) -> str:
    return f"{size} bytes" if size < _KB else f"{size / _KB:.1f} kB"
