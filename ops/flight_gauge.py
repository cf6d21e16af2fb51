"""The gauge of what stages are at: asked for at each scrape, as lags are."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Callable, Iterable, Sequence

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

Flights = Callable[[], Iterable[tuple[str, int]]]
"""Asks for stages and what each of their partitions has begun and not finished; from any thread."""


class FlightGauge(Collector):
    """The gauge ``stilltrue_stage_in_flight``; partitions are added up.

    Args:
        stages: shown from the beginning, at 0.
    """

    def __init__(self, stages: Sequence[str]) -> None:
        self._stages = stages
        self._watched: list[Flights] = []

    def watch(self, flights: Flights) -> None:
        """Ask these too."""
        self._watched.append(flights)

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """The name, without asking anybody."""
        return [self._family()]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """As of now."""
        under_way: Counted[str] = Counted(dict.fromkeys(self._stages, 0))
        for flights in self._watched:
            for stage, count in flights():
                under_way[stage] += count
        family = self._family()
        for stage, count in under_way.items():
            family.add_metric((stage,), count)
        return [family]

    @staticmethod
    def _family() -> GaugeMetricFamily:
        text = "Steps and errands that a stage has begun and not finished"
        return GaugeMetricFamily("stilltrue_stage_in_flight", text, labels=("stage",))
