"""The base of everything written to a topic."""

from __future__ import annotations

import msgspec

from .ids import SpaceKey


class Record(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag_field="t"):
    """A record: immutable, tagged, of one tenant and space.

    No field has a default on first publication, so every construction site says what it means. A field added later
    needs a default; a tag or a type never changes. Subclasses repeat ``frozen`` and ``kw_only``: msgspec applies the
    second to a class's own fields only, and type checkers want to see the first.
    """

    tenant: str
    space: str

    @property
    def key(self) -> SpaceKey:
        """The partition key."""
        return SpaceKey(self.tenant, self.space)
