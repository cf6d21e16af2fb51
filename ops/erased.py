"""The part of ``ops.system.System`` that erases."""

from __future__ import annotations

from ops.erasing.run import Erasing
from schemas.erasure_wire import ErasureIn, ErasureOut
from schemas.ids import SpaceKey


class Erased:
    """See ``ops.system.System`` for what each method means. ``erasing`` does the work."""

    erasing: Erasing

    def erasable(self, space: SpaceKey, wanted: ErasureIn) -> int:
        """How many messages an erasure would reach."""
        return self.erasing.erasable(space, wanted)

    def erase(self, space: SpaceKey, wanted: ErasureIn) -> ErasureOut:
        """Erase, and return the receipt."""
        return self.erasing.erase(space, wanted)

    def erasure(self, space: SpaceKey, erasure_id: str) -> ErasureOut:
        """The receipt again."""
        return self.erasing.receipt(space, erasure_id)
