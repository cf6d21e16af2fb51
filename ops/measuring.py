"""What the workers on a broker tell, in the words of the metrics: the same ones the embedded runtime uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ops.metrics import Metrics
from ops.observing import Applied, Folded, Lag

if TYPE_CHECKING:
    from streams.worker.fleet import Fleet
    from streams.worker.runner import Ran
    from views.worker import Applied as ViewApplied


def tell_stage(metrics: Metrics, ran: Ran) -> None:
    """A step of a stage worker."""
    metrics.folded(
        Folded(
            stage=ran.stage, read=ran.records, written=ran.outputs, parked=ran.parked, faulted=ran.faulted,
            seconds=ran.fold_s + ran.write_s, left_out=ran.left_out,
        )
    )  # fmt: skip
    for told in ran.told:
        metrics.model_told(told)


def fleet_lags(fleet: Fleet) -> Iterable[Lag]:
    """What waits for the stages that a worker runs now."""
    for stage, partition, records in fleet.lags():
        yield Lag(stage=stage, topic=None, partition=partition, records=records)


def fleet_flights(fleet: Fleet) -> Iterable[tuple[str, int]]:
    """What the stages that a worker runs now have begun and not finished."""
    for stage, _, count in fleet.in_flight():
        yield stage, count


def tell_view(metrics: Metrics, applied: ViewApplied) -> None:
    """A batch of the view worker."""
    metrics.applied(
        Applied(
            read=applied.records, parked=applied.parked, faulted=applied.faulted, deltas=applied.deltas,
            fold_s=applied.fold_s, write_s=applied.acknowledge_s, commit_s=applied.commit_s,
        )
    )  # fmt: skip
    for (topic, partition), records in applied.lags.items():
        metrics.lag(Lag(stage="view", topic=topic, partition=partition, records=records))
    for received_at in applied.reached:
        metrics.reached(received_at)
