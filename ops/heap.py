"""What the search for circles of references looks through; it stops every thread of the process as long as it takes.

What a query makes is freed as soon as nothing refers to it. What stays (modules, models, cuts of spaces) was looked
through again and again beside it: 100 ms in a space of 700 messages, 1.8 s in one of 100,000 events.
"""

from __future__ import annotations

import gc

YOUNG = 20_000
"""Objects made before the young ones are looked through; a query makes some tens of thousands that it drops at once."""


def keep() -> None:
    """Whatever is there now is not looked through again. A circle among it is not found any more."""
    gc.collect(1)
    gc.freeze()


def for_serving() -> None:
    """The process answers requests from now on."""
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
    gc.collect()
    gc.freeze()
