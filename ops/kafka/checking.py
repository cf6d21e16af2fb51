"""Refuses topics that would lose records or put spaces apart, before anything is read from them."""

from __future__ import annotations

from collections.abc import Callable

from views.refusals import TopicsError

from .admin import NotToldError, admin, read_topics
from .topics import plan, wanted


async def check_topics(bootstrap: str, prefix: str, note: Callable[[str], None]) -> int:
    """Compare the topics that are there with what is wanted; missing ones are for the reader to refuse.

    Returns how many partitions each has; 0 where none is there, or that is not told.

    Raises:
        TopicsError: something differs.
        KafkaConnectionError: no broker.
    """
    async with admin(bootstrap) as client:
        try:
            found = await read_topics(client, wanted(prefix, 1, 1))
        except NotToldError as error:
            note(f"stilltrue: topics not checked: {error}")
            return 0
    if found:
        problems = plan(wanted(prefix, found[0].partitions, found[0].replication), found).problems
        if problems:
            raise TopicsError("topics are not as they should be (./stilltrue topics): " + "; ".join(problems))
    return found[0].partitions if found else 0
