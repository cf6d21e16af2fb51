"""What stays in memory is not looked through again for circles."""

from __future__ import annotations

import gc

from ops.cuts import Cuts
from ops.heap import for_serving
from tests.kit.records import SPACE
from views.maintain import Maintainer
from views.tables import MemoryTables


def looked_through(thing: object) -> bool:
    """Whether the search for circles still meets it."""
    return any(other is thing for other in gc.get_objects())


def test_a_cut_that_was_read_whole_is_not_looked_through() -> None:
    made = Cuts(Maintainer(MemoryTables())).current(SPACE)
    assert not looked_through(made.memo)


def test_what_a_service_has_loaded_is_not_looked_through() -> None:
    loaded, before = {"part": ["of", {"it"}]}, gc.get_threshold()
    try:
        assert looked_through(loaded)
        for_serving()
        assert not looked_through(loaded)
        assert gc.get_threshold()[0] > before[0]
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
