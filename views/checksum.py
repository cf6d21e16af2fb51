"""Checksum of a space's view: events, edges, valid_from, valid_until and supports.

Not in it: offsets, transaction times, delta history. Two views with the same checksum are equal byte for byte.
"""

from __future__ import annotations

import hashlib

import msgspec

from .spec import View

_encoder = msgspec.msgpack.Encoder(order="deterministic")


def checksum(view: View) -> str:
    """SHA-256 (hex) over every row in id order."""
    h = hashlib.sha256()
    for rows in (view.events, view.edges):
        for _, row in sorted(rows.items()):
            encoded = _encoder.encode(row)
            h.update(len(encoded).to_bytes(4, "big"))
            h.update(encoded)
        h.update(b"|")
    return h.hexdigest()


def first_difference(left: View, right: View) -> str | None:
    """The first id whose rows differ, with which side has what; None when the views are equal."""
    for name, a, b in (("event", left.events, right.events), ("edge", left.edges, right.edges)):
        for key in sorted({*a, *b}):
            if a.get(key) != b.get(key):
                return f"{name} {key}: {a.get(key)} instead of {b.get(key)}"
    return None
