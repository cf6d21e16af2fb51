"""Results as JSON: instants as text, tuples as lists whatever their class, the rest as it is."""

from __future__ import annotations

import msgspec

from query.api import ContextItem
from query.service.rendering import encode, to_json
from schemas.events import Stated
from schemas.ids import MessageKey


def test_a_message_key_among_the_ids_is_a_plain_pair() -> None:
    """The engine hands over message keys; a reply shows them as [conversation id, message id]."""
    item = ContextItem(
        kind="note", text="t", tokens=1, event_ids=("e",), message_ids=(MessageKey("c", "m"),), marker="", score=0.5
    )
    assert msgspec.json.decode(encode(item))["message_ids"] == [["c", "m"]]


def test_stated_keeps_its_names_and_its_time_is_text() -> None:
    assert to_json(Stated(0, 1, "m", 2)) == {
        "sent_at": "1970-01-01T00:00:00Z", "seq": 1, "message_id": "m", "offset": 2
    }  # fmt: skip
