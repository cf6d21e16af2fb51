"""What the service counts, in the one registry it is given."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from schemas.wire import MessageOutcome

from .ports import Health, Ingested

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds: a state read takes about a millisecond, a ``wait_for`` up to its time-out."""


class Metrics:
    """The service's metrics. One instance per registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._requests = Histogram(
            "stilltrue_http_request_seconds",
            "Requests: count and duration, by route and status",
            ("method", "route", "status"),
            registry=registry,
            buckets=BUCKETS,
        )
        self._messages = Counter(
            "stilltrue_messages", "Messages received over HTTP, by outcome", ("outcome",), registry=registry
        )
        self._waiting = Gauge("stilltrue_messages_waiting", "Accepted messages not yet read", registry=registry)
        self._parked = Gauge("stilltrue_records_parked", "Dead-lettered records", registry=registry)
        self._streams = Gauge("stilltrue_http_streams", "Readers of delta streams", registry=registry)
        outcomes: tuple[MessageOutcome, ...] = ("accepted", "duplicate", "refused")
        for outcome in outcomes:  # so that a rate over them is zero, not absent, before the first message
            self._messages.labels(outcome)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(method, route, str(status)).observe(seconds)

    def streams(self, connected: int) -> None:
        """A reader of deltas came or went."""
        self._streams.set(connected)

    def ingested(self, outcome: Ingested) -> None:
        """A batch was judged."""
        for status in outcome.statuses:
            self._messages.labels(status.status).inc()

    def health(self, health: Health) -> None:
        """The system was asked how it is."""
        self._waiting.set(health.waiting)
        self._parked.set(health.parked)
