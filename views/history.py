"""The view as it was known at a transaction time, from the versions that were kept.

``known_at`` K means: the view over the records whose transaction time is at most K. Where the history of a space is not
exact (``moments``), that is folded from the records instead; whoever reads decides from which log.
"""

from __future__ import annotations

from .maintain import Maintainer
from .moments import is_exact
from .tables import MemoryTables, Tables
from .versions import VERSIONED, since_of


def space_at(maintainer: Maintainer, prefix: bytes, known_at: int) -> Maintainer | None:
    """A space as it was known at a transaction time, in memory, to be read and not to be folded on.

    Costs the space, and what changed of it since.

    Args:
        maintainer: the view; everything folded must be committed.
        prefix: the space.
        known_at: microseconds UTC.

    Returns:
        None when the versions kept do not tell exactly.
    """
    if not is_exact(maintainer.state.clocks.get(prefix), known_at):
        return None
    tables = MemoryTables()
    stored: Tables = maintainer.tables
    for table in VERSIONED:
        cells = stored.scan(table, prefix)
        tables.commit([(table, key, raw) for key, raw in cells if since_of(raw) <= known_at])
    versions = maintainer.state.versions.scan(prefix, after=known_at)
    tables.commit([(v.table, v.key, v.raw) for v in versions if v.since <= known_at])
    return Maintainer(tables, history=False)
