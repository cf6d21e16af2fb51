"""What proves a view right: equal to its definition over the same records, and nothing lost. For every runtime."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ops.system import Verification
from schemas.entry import Entry
from schemas.ids import SpaceKey
from views.checksum import checksum, first_difference
from views.conservation import EventAccount, account_of
from views.spec import View, recompute


def verification(
    space: SpaceKey, kept: View, records: Iterable[Entry], now: int, *, forgotten: int = 0
) -> Verification:
    """The comparison of a space's stored view with its definition, and the account of its events.

    Args:
        space: its tenant and space.
        kept: the view as it is stored.
        records: what it was folded from.
        now: instant of the statuses, microseconds UTC.
        forgotten: ids of events that are erased and that no record names any more.
    """
    entries = list(records)
    plain = recompute(entries)
    here, there = checksum(kept), checksum(plain)
    return Verification(
        space=space.space,
        equal=here == there,
        checksum=here,
        recomputed=there,
        events=len(kept.events),
        edges=len(kept.edges),
        first_difference=None if here == there else first_difference(kept, plain),
        account=with_forgotten(account_of(kept, entries, now), forgotten),
    )


def with_forgotten(account: EventAccount, forgotten: int) -> EventAccount:
    """With the events that are erased and that no record names any more."""
    return msgspec.structs.replace(account, erased=account.erased + forgotten, ever=account.ever + forgotten)
