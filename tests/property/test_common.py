"""The way in arrays and the general one find the same links through sessions and themes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from query.common import Common, common_of_one, in_common
from query.event_columns import NONE

NAMES = ("s1", "events2:s1", "s2", "batch:x", None)
OF_NAME = {"s1": 0, "events2:s1": 0, "s2": 1, "batch:x": 2}


def told(common: Common) -> object:
    return (common.srcs.tolist(), common.dsts.tolist(), common.names, common.sessions)


@given(
    events=st.lists(st.sampled_from(NAMES), max_size=12),
    themes=st.dictionaries(st.sampled_from(["s1", "s2", "batch:x"]), st.sampled_from(["t", "u"])),
    seed=st.randoms(use_true_random=False),
)
def test_events_of_one_session_each_are_linked_as_by_the_general_way(
    events: list[str | None], themes: dict[str, str], seed: object
) -> None:
    stated = list(range(len(events)))
    seed.shuffle(stated)  # type: ignore[attr-defined]
    sessions = np.array([NONE if name is None else OF_NAME[name] for name in events], dtype=np.int64)
    parts = np.array([NAMES.index(name) for name in events], dtype=np.int64)
    quick = common_of_one(sessions, parts, ("s1", "s2", "batch:x"), themes.get, np.array(stated, dtype=np.int64))
    general = in_common([() if name is None else (name,) for name in events], themes.get, stated, 1)
    assert quick is not None
    assert told(quick) == told(general)
