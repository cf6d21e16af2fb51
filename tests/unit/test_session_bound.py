"""Every session fits into a record of the broker, whatever is said in it."""

from __future__ import annotations

import pytest

from ops.limits import broker_session_limits
from ops.settings import BadConfigError, Settings
from schemas.codec import BadRecordError, encode
from schemas.entry import Entry
from schemas.messages import MessageEdited, MessagePosted
from schemas.sessions import SessionRevised
from schemas.transport import OUTPUT_MAX_BYTES
from streams.sessions.accepted import check_message, session_max_bytes
from streams.sessions.definition import SessionLimits
from streams.sessions.stage import Sessionize
from streams.state import MemoryState

WIDE = "\U0001f5fc"
"""Four bytes of UTF-8."""


def largest(n: int, limits: SessionLimits, content: str | None = None) -> MessagePosted:
    """A message that is as large as one may be, in characters of four bytes; its session is named to be as long."""
    return MessagePosted(
        tenant="t" * 128, space="s" * 128, conversation_id=WIDE * 64, message_id=f"{n:04}" + WIDE * 63,
        session_id=WIDE * 64, speaker=WIDE * 64, speaker_id=WIDE * 64, role="assistant",
        content=content or WIDE * (limits.max_content_bytes // 4), sent_at=-62_135_596_800_000_000,
        utc_offset_min=-1_439, tz="America/Argentina/ComodRivadavia", seq=2**53 - 1, received_at=2**62,
        time_assumed=True, ends_session=False,
    )  # fmt: skip


@pytest.mark.parametrize("content", [None, "\x01" * 65_536, '"' * 65_536])
def test_a_full_session_of_the_largest_messages_fits(content: str | None) -> None:
    limits = broker_session_limits(Settings())
    stage, state = Sessionize(limits), MemoryState()
    sizes: list[int] = []
    for n in range(limits.max_messages):
        entry = Entry(topic="messages", partition=0, offset=2**40 + n, record=largest(n, limits, content))
        for output in stage.apply(entry, state, 2**62):
            assert isinstance(output.record, SessionRevised)
            sizes.append(len(encode(output.record)))
    assert sizes[-1] > limits.max_messages * limits.max_content_bytes
    assert max(sizes) <= session_max_bytes(limits) <= OUTPUT_MAX_BYTES


def test_one_byte_more_is_parked_and_so_is_an_edit_that_makes_it_more() -> None:
    limits = SessionLimits()
    more = WIDE * (limits.max_content_bytes // 4) + "x"
    edit = MessageEdited(tenant="t", space="s", conversation_id="c", message_id="m", content=more, received_at=0)
    for record in (largest(0, limits, more), edit):
        with pytest.raises(BadRecordError, match="content: has 65537 bytes, the limit is 65536"):
            check_message(record, limits)


def test_settings_under_which_a_session_might_not_fit_are_refused_on_a_broker() -> None:
    for changed in (Settings(session_max_messages=130), Settings(content_max_bytes=100_000)):
        with pytest.raises(BadConfigError, match="lower one of the two"):
            broker_session_limits(changed)
    assert broker_session_limits(Settings(content_max_bytes=500_000, session_max_messages=10)).max_messages == 10
