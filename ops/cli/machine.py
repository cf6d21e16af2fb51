"""Results as JSON for machines: the same shapes as the HTTP service's replies, instants as RFC 3339 UTC."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from query.service.rendering import to_json

from .world import World


def print_json(world: World, result: msgspec.Struct | Mapping[str, object]) -> None:
    """One JSON document and a line end on standard output."""
    world.say(msgspec.json.format(msgspec.json.encode(to_json(result)), indent=2).decode("utf-8"))
