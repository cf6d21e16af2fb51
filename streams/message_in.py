"""A message from the wire: the JSON of a ``MessageIn`` to a ``MessagePosted``, or what is wrong with it. Pure."""

from __future__ import annotations

import json
import re
from typing import cast

import msgspec

from schemas.ids import SpaceKey
from schemas.messages import MessagePosted
from schemas.wire import MessageIn

from .checks import RefusedError, check_content, check_id, check_local_time, check_text, check_time, check_zone, mended

MAX_SEQ = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

_decoder = msgspec.json.Decoder(MessageIn)
_AT = re.compile(r"at `\$\.(\w+)")
_MISSING = re.compile(r"missing required field `(.+)`")
_UNKNOWN = re.compile(r"contains unknown field `(.+)`")


class IngestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What is too much. ``max_content_bytes``: of a message's content in UTF-8."""

    max_content_bytes: int = 64 * 1024

    @property
    def max_raw_bytes(self) -> int:
        r"""Of the JSON of one message: every byte of content may be sent as ``\u00xx``, and 16 KiB hold the rest."""
        return 6 * self.max_content_bytes + 16 * 1024


def read_message(space: SpaceKey, raw: bytes, seq: int, default_tz: str | None, limits: IngestLimits) -> MessagePosted:
    """The record for a message; its ``received_at`` is its ``sent_at`` until the log gives it one.

    Half a surrogate pair in the content is replaced by U+FFFD, and a NUL stays: what was said is not lost for it. In
    ids, names and zones neither is taken.

    Args:
        raw: JSON of one ``MessageIn``.
        seq: taken where the message has none.
        default_tz: IANA zone of times without an offset (the message's own ``tz`` comes first); None refuses them.

    Raises:
        RefusedError: with the field and one of the codes malformed, missing, bad_role, bad_text, empty, too_large,
            naive_time, bad_time, bad_zone, bad_seq.
    """
    wire = _decode(raw, limits)
    check_id("message_id", wire.message_id)
    check_id("conversation_id", wire.conversation_id)
    check_id("speaker", wire.speaker)
    check_content("content", wire.content, limits.max_content_bytes)
    if wire.session_id is not None:
        check_id("session_id", wire.session_id)
    if wire.speaker_id is not None:
        check_id("speaker_id", wire.speaker_id)
    sent_at, offset, assumed = _sent_at(wire, default_tz)
    return MessagePosted(
        tenant=space.tenant,
        space=space.space,
        conversation_id=wire.conversation_id,
        message_id=wire.message_id,
        session_id=wire.session_id,
        speaker=wire.speaker,
        speaker_id=wire.speaker_id,
        role=wire.role,
        content=wire.content,
        sent_at=sent_at,
        utc_offset_min=offset,
        tz=default_tz if wire.tz is None and assumed else wire.tz,
        seq=_seq(seq if wire.seq is None else wire.seq),
        received_at=sent_at,
        time_assumed=assumed,
        ends_session=wire.ends_session,
    )


def _sent_at(wire: MessageIn, default_tz: str | None) -> tuple[int, int, bool]:
    own = None if wire.tz is None else check_zone("tz", wire.tz)
    if default_tz is None:
        return *check_time("sent_at", wire.sent_at), False
    return check_local_time("sent_at", wire.sent_at, own or check_zone("default_tz", default_tz))


def _seq(seq: int) -> int:
    if not 0 <= seq <= MAX_SEQ:
        raise RefusedError("bad_seq", f"must be between 0 and {MAX_SEQ}", "seq")
    return seq


def _decode(raw: bytes, limits: IngestLimits) -> MessageIn:
    if len(raw) > limits.max_raw_bytes:
        raise RefusedError("too_large", f"the message has {len(raw)} bytes, the limit is {limits.max_raw_bytes}")
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise _invalid(str(error)) from error
    except (msgspec.DecodeError, RecursionError) as error:
        fields = loose_fields(raw)
        content = fields.get("content")
        if isinstance(content, str) and mended(content) != content:
            return _decode(json.dumps(fields | {"content": mended(content)}).encode(), limits)
        for field, value in fields.items():
            if isinstance(value, str):
                check_text(field, value)
        raise RefusedError("malformed", f"not JSON in UTF-8: {error}") from error


def _invalid(message: str) -> RefusedError:
    if missing := _MISSING.search(message):
        return RefusedError("missing", "is required", missing[1])
    if unknown := _UNKNOWN.search(message):
        return RefusedError("malformed", "is not a field of a message", unknown[1])
    at = _AT.search(message)
    field = None if at is None else at[1]
    return RefusedError("bad_role" if field == "role" else "malformed", message, field)


def loose_fields(raw: bytes) -> dict[str, object]:
    """The fields of a message that cannot be decoded, as far as they can be read, to name it in a reply."""
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
