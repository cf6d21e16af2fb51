"""Results as JSON: a tuple is a list, whatever its class, and every instant can be written."""

from __future__ import annotations

import msgspec

from query.api import ContextItem
from query.service.rendering import encode, to_json
from schemas.events import Anchor
from schemas.ids import MessageKey
from schemas.times import MAX_US, MIN_US


def test_a_message_key_among_the_ids_is_a_plain_pair() -> None:
    """The engine hands over message keys; a reply shows them as [conversation id, message id]."""
    item = ContextItem(
        kind="note", text="t", tokens=1, event_ids=("e",), message_ids=(MessageKey("c", "m"),), marker="", score=0.5
    )
    assert msgspec.json.decode(encode(item))["message_ids"] == [["c", "m"]]


def test_an_anchor_that_reaches_past_the_calendar_is_written_up_to_its_ends() -> None:
    """The local day of the first message there can be begins in the year 0 of UTC."""
    anchor = Anchor(start=MIN_US - 1, until=MAX_US * 2, precision="day", phrase=None, resolution="message_time")
    written = msgspec.json.decode(encode(anchor))
    assert (written["start"], written["until"]) == ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")


def test_whatever_a_command_prints_nested_has_a_form() -> None:
    nested = {"names": ["a", "b"], "spaces": {"s": {"equal": True, "ids": ("x",)}}, "none": None}
    assert to_json(nested) == {"names": ["a", "b"], "spaces": {"s": {"equal": True, "ids": ["x"]}}, "none": None}
