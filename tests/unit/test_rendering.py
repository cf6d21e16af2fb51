"""Results as JSON: a tuple is a list, whatever its class."""

from __future__ import annotations

import msgspec

from query.api import ContextItem
from query.service.rendering import encode
from schemas.ids import MessageKey


def test_a_message_key_among_the_ids_is_a_plain_pair() -> None:
    """The engine hands over message keys; a reply shows them as [conversation id, message id]."""
    item = ContextItem(
        kind="note", text="t", tokens=1, event_ids=("e",), message_ids=(MessageKey("c", "m"),), marker="", score=0.5
    )
    assert msgspec.json.decode(encode(item))["message_ids"] == [["c", "m"]]
