"""What a view says about itself: its layout, and the log it was made from. Stored beside the positions."""

from __future__ import annotations

from typing import Literal

import msgspec

from .refusals import OtherLogError
from .tables import Tables

VIEW_FORMAT = 7
"""Number of the view's layout. A change of keys or rows raises it and says so in the changelog."""

ORIGIN_KEY = b"\0view"
"""In the table ``positions``."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The layout of a view and the log its positions are offsets of.

    ``cluster_id`` is the log's own identity; of a broker's log also the topic prefix. ``partitions``: of every topic.
    """

    format: int
    cluster_id: str
    partitions: int = 1


def origin_on_broker(cluster_id: str, prefix: str, partitions: int) -> Origin:
    """The origin of a view that is made now, from the topics under a prefix of a cluster."""
    log = f"{cluster_id}/{prefix}" if prefix else cluster_id
    return Origin(format=VIEW_FORMAT, cluster_id=log, partitions=partitions)


def read_origin(raw: bytes | None) -> Origin | None:
    """The origin as it is stored; None for a new view. One that cannot be read is of another layout."""
    if raw is None:
        return None
    try:
        return msgspec.msgpack.decode(raw, type=Origin)
    except msgspec.DecodeError:
        return Origin(format=0, cluster_id="", partitions=0)


def misfit(found: Origin, ours: Origin) -> Literal["layout", "log"] | None:
    """What keeps a view from being maintained as ours; the layout first, for it decides how the rest is read."""
    if found.format != ours.format:
        return "layout"
    return None if found == ours else "log"


def claim(tables: Tables, ours: Origin) -> None:
    """Note the origin in a new view, and hold an old one to its own.

    Raises:
        OtherLogError: the view was made from something else.
    """
    found = read_origin(tables.get("positions", ORIGIN_KEY))
    if found is None:
        tables.commit([("positions", ORIGIN_KEY, msgspec.msgpack.encode(ours))])
    elif misfit(found, ours) is not None:
        raise OtherLogError(
            f"this view is of {_told(found)}; the broker offers {_told(ours)}: "
            "correct --bootstrap, --prefix or --store, or build a view anew on an empty --store"
        )


def _told(origin: Origin) -> str:
    return f"log {origin.cluster_id} ({origin.partitions} partitions, layout {origin.format})"
