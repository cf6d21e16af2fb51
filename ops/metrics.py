"""What StillTrue measures, in the one registry it is given. Nothing is registered anywhere else.

Labels are bounded: stages, topics, partitions, steps, modes. No space and no tenant: each would be a series of its own
for ever, and whoever may see a dashboard may not see who talks here. See ops/adr/0019.
"""

from __future__ import annotations

import time
from collections import Counter as Counted
from collections.abc import Callable, Sequence
from itertools import compress
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from ops.flight_gauge import FlightGauge, Flights
from ops.lag_gauge import LagGauge
from ops.observing import Applied, CallResult, Folded, Indexed, Lag, Lags, Wait
from query.api import Mode, QueryResult
from query.ports import Step
from schemas.asking import AskingStage, AskWithdrawn, ModelReplied, ReadOutcome, ReplyOutcome, ReplyRead
from schemas.deltas import DeltaRecord, EventChanged, Validity

STAGES = ("sessionize", "distil", "themes", "link", "view", "embed", "ask")
"""All consumers of topics; counters of each start at 0, so that the first parked record is seen as a rise."""

STATUSES = ("live", "superseded", "corrected", "contested")
"""What an event can become; it can be several at once."""

FATES = ("kept", "invalid", "ungrounded", "unsaid")
"""Fields of ``schemas.asking.ReplyRead``."""

STEP_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
QUERY_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
FRESH_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.5, 10.0, 20.0, 30.0, 60.0, 300.0, 3600.0)
"""Bounds at 2 s, as often as an open session is published, and at 4 s, the target (95 %)."""
RECORD_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)
TOKEN_BUCKETS = (0, 50, 100, 250, 500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 16_000, 32_000)

_MICROS = 1_000_000


class Metrics:
    """``ops.observing.Observer`` that counts. One instance per registry.

    Args:
        registry: where everything goes.
        clock: microseconds UTC, the clock that the log's times come from.
        tick: seconds that only ever grow, for how long something took.
    """

    def __init__(
        self, registry: CollectorRegistry, *, clock: Callable[[], int], tick: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock = clock
        self._tick = tick
        self._lags = LagGauge()
        registry.register(self._lags)
        self._flights = FlightGauge(STAGES)
        registry.register(self._flights)
        ProcessCollector(registry=registry)

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"stilltrue_{name}", text, labels, registry=registry)

        def histogram(name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(f"stilltrue_{name}", text, labels, registry=registry, buckets=buckets)

        self._in = counter("stage_records_in", "Records a stage has read and committed", "stage")
        self._out = counter("stage_records_out", "Records it wrote, without dead letters", "stage")
        self._parked = counter("stage_records_parked", "Records it parked", "stage")
        self._faulted = counter("stage_records_faulted", "... of these, because it failed at them again", "stage")
        self._left_out = counter(
            "statements_left_out", "Statements beyond what is kept of one message, of sessions distilled closed"
        )
        self._steps = histogram("stage_step_seconds", "One step: fold and commit a batch", STEP_BUCKETS, "stage")
        self._batch = histogram("view_batch_seconds", "One batch of the view, by phase", STEP_BUCKETS, "phase")
        self._batch_records = histogram("view_batch_records", "Records in a batch of the view", RECORD_BUCKETS)
        self._fresh = histogram(
            "view_freshness_seconds", "From taking a message in to its being applied, newest of a batch", FRESH_BUCKETS
        )
        self._newest = Gauge(
            "stilltrue_view_newest_applied_timestamp_seconds",
            "When the newest applied message was taken in",
            registry=registry,
        )
        self._deltas = counter(
            "deltas", "Changes of the view, by what changed and the topic of its cause", "kind", "cause"
        )
        self._changes = counter("event_changes", "Events that gained or lost a status", "status", "change")
        self._query = histogram("query_step_seconds", "One step of a query", QUERY_BUCKETS, "step")
        self._context = histogram("query_context_tokens", "Tokens of a context", TOKEN_BUCKETS, "mode")
        self._scaffolding = histogram(
            "query_scaffolding_tokens", "... of these, headings, labels and markers", TOKEN_BUCKETS, "mode"
        )
        self._points = counter("index_points", "Points of the vector index, by what was done with them", "change")
        self._away = counter("index_failures", "Attempts to write to the vector index that failed; all are repeated")
        self._index = histogram("index_seconds", "Setting points of one space, by phase", STEP_BUCKETS, "phase")
        self._encoded = counter("encoder_texts", "Texts to encode: remembered, or computed", "source")
        self._calls = counter("llm_calls", "Calls of the model's endpoint, by how they went", "result")
        self._replies = counter("llm_replies", "Recorded replies, by how they ended", "stage", "outcome")
        self._tokens = counter("llm_tokens", "Tokens of replies and of what was asked", "stage", "kind")
        self._cost = counter("llm_cost_usd", "What they cost, by the prices in the settings", "stage")
        self._read = counter("llm_replies_read", "Replies a stage has read, by what came next", "stage", "outcome")
        self._objects = counter("llm_objects", "Events or verdicts in replies, by what became of them", "stage", "fate")
        self._withdrawn = counter(
            "llm_questions_withdrawn", "Questions that nobody waits for any more: what they show changed", "stage"
        )
        self._waits = Gauge(
            "stilltrue_llm_waiting", "1 while questions wait and the rules' answers count", ("why",), registry=registry
        )
        self._asking = Gauge("stilltrue_llm_asking", "Questions that are under way to the endpoint", registry=registry)
        self._begin()

    def _begin(self) -> None:
        """Series that exist before anything happens: a rate over them is 0 rather than absent."""
        for stage in STAGES:
            self._in.labels(stage)
            self._out.labels(stage)
            self._parked.labels(stage)
            self._faulted.labels(stage)
            self._steps.labels(stage)
        for change in ("written", "deleted", "refused"):
            self._points.labels(change)
        for phase in ("encode", "write"):
            self._index.labels(phase)
        for phase in ("fold", "write", "commit"):
            self._batch.labels(phase)
        for status in STATUSES:
            for change in ("gained", "lost"):
                self._changes.labels(status, change)
        for step in get_args(Step):
            self._query.labels(step)
        for mode in get_args(Mode):
            self._context.labels(mode)
            self._scaffolding.labels(mode)
        for source in ("memory", "model"):
            self._encoded.labels(source)
        for result in get_args(CallResult):
            self._calls.labels(result)
        for why in get_args(Wait):
            self._waits.labels(why).set(0)
        for asking in get_args(AskingStage):
            self._cost.labels(asking)
            for kind in ("prompt", "completion"):
                self._tokens.labels(asking, kind)
            for outcome in get_args(ReplyOutcome):
                self._replies.labels(asking, outcome)
            for outcome in get_args(ReadOutcome):
                self._read.labels(asking, outcome)
            self._withdrawn.labels(asking)
            for fate in FATES:
                self._objects.labels(asking, fate)

    # --- stages -----------------------------------------------------------------------------------------------------

    def folded(self, step: Folded) -> None:
        """A step of a stage."""
        self._in.labels(step.stage).inc(step.read)
        self._out.labels(step.stage).inc(step.written)
        self._parked.labels(step.stage).inc(step.parked)
        self._faulted.labels(step.stage).inc(step.faulted)
        self._left_out.inc(step.left_out)
        self._steps.labels(step.stage).observe(step.seconds)

    def watch(self, lags: Lags) -> None:
        """Lags are read when somebody scrapes."""
        self._lags.watch(lags)

    def watch_flights(self, flights: Flights) -> None:
        """What is under way is read when somebody scrapes."""
        self._flights.watch(flights)

    def lag(self, lag: Lag) -> None:
        """Of a consumer that can only tell its lag when it has read something."""
        self._lags.tell(lag)

    def indexed(self, points: Indexed) -> None:
        """Points were set in the vector index, or it was away."""
        if points.away:
            self._away.inc()
            return
        self._points.labels("written").inc(points.written)
        self._points.labels("deleted").inc(points.deleted)
        self._points.labels("refused").inc(points.refused)
        self._index.labels("encode").observe(points.encode_s)
        self._index.labels("write").observe(points.write_s)

    # --- the view ---------------------------------------------------------------------------------------------------

    def applied(self, batch: Applied) -> None:
        """A batch of the view: a step of the stage ``view`` as well."""
        seconds = batch.fold_s + batch.write_s + batch.commit_s
        self.folded(
            Folded(
                stage="view",
                read=batch.read,
                written=len(batch.deltas),
                parked=batch.parked,
                faulted=batch.faulted,
                seconds=seconds,
            )
        )
        self._batch.labels("fold").observe(batch.fold_s)
        self._batch.labels("write").observe(batch.write_s)
        self._batch.labels("commit").observe(batch.commit_s)
        self._batch_records.observe(batch.read)
        self._count(batch.deltas)

    def _count(self, deltas: Sequence[DeltaRecord]) -> None:
        """Added up first: a batch has thousands, and a label costs more than a count."""
        causes: Counted[tuple[str, str]] = Counted()
        changes: Counted[tuple[str, str]] = Counted()
        for delta in deltas:
            causes["event" if isinstance(delta, EventChanged) else "edge", delta.cause.topic] += 1
            if isinstance(delta, EventChanged):
                before, after = _statuses(delta.old), _statuses(delta.new)
                if before != after:
                    changes.update((status, "gained") for status in after if status not in before)
                    changes.update((status, "lost") for status in before if status not in after)
        for (kind, topic), count in causes.items():
            self._deltas.labels(kind, topic).inc(count)
        for (status, change), count in changes.items():
            self._changes.labels(status, change).inc(count)

    def reached(self, received_at: int) -> None:
        """The newest applied message, and how long it took."""
        self._newest.set(received_at / _MICROS)
        self._fresh.observe(max(0, self._clock() - received_at) / _MICROS)

    # --- queries ----------------------------------------------------------------------------------------------------

    def asked(self) -> StepTimes:
        """A question begins."""
        return StepTimes(self._query, self._tick)

    def answered(self, result: QueryResult) -> None:
        """It was answered."""
        self._context.labels(result.mode).observe(result.context_tokens)
        self._scaffolding.labels(result.mode).observe(result.scaffolding_tokens)

    def encoded(self, remembered: int, computed: int) -> None:
        """Texts were encoded."""
        self._encoded.labels("memory").inc(remembered)
        self._encoded.labels("model").inc(computed)

    # --- the language model -----------------------------------------------------------------------------------------

    def model_called(self, result: CallResult) -> None:
        """A call of the endpoint."""
        self._calls.labels(result).inc()

    def model_asked(self, *, open: bool) -> None:
        """A question is under way, or no more."""
        self._asking.inc(1 if open else -1)

    def model_replied(self, reply: ModelReplied) -> None:
        """A reply, and what it took."""
        self._replies.labels(reply.stage, reply.outcome).inc()
        self._tokens.labels(reply.stage, "prompt").inc(reply.prompt_tokens)
        self._tokens.labels(reply.stage, "completion").inc(reply.completion_tokens)
        self._cost.labels(reply.stage).inc(reply.cost_usd)

    def model_told(self, told: ReplyRead | AskWithdrawn) -> None:
        """What a stage made of one, or that it waits for none any more."""
        if isinstance(told, AskWithdrawn):
            self._withdrawn.labels(told.stage).inc()
            return
        self._read.labels(told.stage, told.outcome).inc()
        for fate in FATES:
            self._objects.labels(told.stage, fate).inc(getattr(told, fate))

    def model_waits(self, why: Wait, *, waits: bool) -> None:
        """Whether questions wait."""
        self._waits.labels(why).set(waits)


class StepTimes:
    """The steps of one query: each lasted since the one before."""

    def __init__(self, seconds: Histogram, tick: Callable[[], float]) -> None:
        self._seconds = seconds
        self._tick = tick
        self._since = tick()

    def done(self, step: Step) -> None:
        """The step ended; the next begins."""
        now = self._tick()
        self._seconds.labels(step).observe(now - self._since)
        self._since = now


def _statuses(validity: Validity | None) -> tuple[str, ...]:
    """Which of ``STATUSES`` an event has; none when it is not there."""
    if validity is None:
        return ()
    has = (True, bool(validity.superseded_by), validity.corrected, bool(validity.contested_by))
    return tuple(compress(STATUSES, has))
