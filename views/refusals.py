"""When the view and the log do not fit together, nothing is applied: each case, and what the operator does about it."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.topics import TopicName


class ViewRefusedError(RuntimeError):
    """The view cannot be maintained from this log. Nothing was changed; the message says what to do."""


class GapError(ViewRefusedError):
    """Offsets of an input were skipped: the log is not the one this view was made from, or it has holes.

    Our topics have none: those the view reads are neither compacted nor written in transactions, whose markers take
    offsets. Find out who compacted, deleted or wrote transactions to the topic, set its configuration right
    (``./stilltrue topics check``), then rebuild the view: start the worker on an empty directory.
    """


class LogEndsBeforeViewError(ViewRefusedError):
    """The view has applied more records than the log holds: records were lost, or the topic was made anew.

    The broker lost acknowledged records (an unclean leader election, a disk), or somebody deleted the topic. Bring the
    log back, from a replica or a backup. If it cannot be, keep this view as the only witness of what is gone, and build
    another on an empty directory from what the log still has.
    """


class LogStartsAfterViewError(ViewRefusedError):
    """The log no longer holds the records the view must apply next: retention or somebody deleted them.

    The log is the truth, so this is loss of data. Set the topic's retention to unlimited (``./stilltrue topics
    check``). A view that was ahead of the deletion (another directory, a backup) is still whole: use that one.
    """


class OtherLogError(ViewRefusedError):
    """The view was made from another cluster, under another topic prefix, with another number of partitions, or by a
    release with another layout.

    Correct ``--bootstrap``, ``--prefix`` or ``--store``. If the log was moved on purpose, build a view anew on an empty
    directory; offsets of one cluster mean nothing in another.
    """


class TopicsError(ViewRefusedError):
    """Topics are missing, or have different numbers of partitions, so a space would not stay together.

    Run ``./stilltrue topics create``. The number of partitions is chosen once: with another, keys land elsewhere.
    """


def check_range(topic: TopicName, partition: int, *, following: int, start: int, end: int) -> None:
    """Refuse a partition that cannot be read on from where the view stands.

    Args:
        topic: what is read.
        partition: which part of it.
        following: offset of the next record the view applies.
        start: offset of the oldest record of the log.
        end: offset the next record of the log will have.

    Raises:
        LogEndsBeforeViewError: ``following > end``.
        LogStartsAfterViewError: ``following < start``.
    """
    place = f"{topic}/{partition}"
    if following > end:
        raise LogEndsBeforeViewError(
            f"{place}: the view has applied records up to offset {following}, but the log ends at {end}: records were "
            "lost or the topic was made anew; restore the log, or build a view anew on an empty --store"
        )
    if following < start:
        raise LogStartsAfterViewError(
            f"{place}: the view must go on at offset {following}, but the log starts at {start}: records were deleted; "
            "set retention to unlimited, and use a view that was ahead of the deletion"
        )


def common_partitions(found: Mapping[TopicName, int]) -> int:
    """The number of partitions all topics have; 0 stands for a missing topic.

    Raises:
        TopicsError: one is missing, or they differ.
    """
    missing = [topic for topic, count in found.items() if count == 0]
    if missing:
        raise TopicsError(f"no such topics: {', '.join(missing)}; run ./stilltrue topics create")
    if len(set(found.values())) != 1:
        counts = ", ".join(f"{topic} {count}" for topic, count in found.items())
        raise TopicsError(f"topics differ in their number of partitions ({counts}): a space would not stay together")
    return next(iter(found.values()))
