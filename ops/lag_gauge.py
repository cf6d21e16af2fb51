"""The gauge of all lags: asked for at each scrape, since a consumer that hangs tells nothing."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Iterable, Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from ops.observing import Lag, Lags


class LagGauge(Collector):
    """The gauge ``stilltrue_stage_lag_records``: told, or asked for at each scrape; inputs are added up."""

    def __init__(self) -> None:
        self._watched: list[Lags] = []
        self._told: dict[tuple[str, str | None, int], Lag] = {}

    def watch(self, lags: Lags) -> None:
        """Ask these too."""
        self._watched.append(lags)

    def tell(self, lag: Lag) -> None:
        """Replaces what was told of the same partition."""
        self._told[lag.stage, lag.topic, lag.partition] = lag

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """The name, without asking anybody."""
        return [self._family()]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """As of now."""
        waiting: Counted[tuple[str, int]] = Counted()
        for lag in self._all():
            waiting[lag.stage, lag.partition] += lag.records
        family = self._family()
        for (stage, partition), records in waiting.items():
            family.add_metric((stage, str(partition)), records)
        return [family]

    def _all(self) -> Iterator[Lag]:
        yield from list(self._told.values())
        for lags in self._watched:
            yield from lags()

    @staticmethod
    def _family() -> GaugeMetricFamily:
        text = "Records of a partition that a stage has still to read"
        return GaugeMetricFamily("stilltrue_stage_lag_records", text, labels=("stage", "partition"))
