"""What the dashboards show, as data: a test evaluates every expression on a real Prometheus.

``$__rate_interval`` is Grafana's: at least four scrapes.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Unit = Literal["short", "s", "percentunit", "reqps", "ops", "bytes", "none"]
"""Names of units as Grafana knows them."""


class Series(msgspec.Struct, frozen=True):
    """A PromQL expression, and what a line of it is called in the legend."""

    expr: str
    legend: str


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """``big_number`` shows the last value instead of a curve."""

    title: str
    about: str
    series: tuple[Series, ...]
    unit: Unit = "short"
    big_number: bool = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Panels under a heading."""

    title: str
    panels: tuple[Panel, ...]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A dashboard; ``uid`` is also the name of its file."""

    uid: str
    title: str
    rows: tuple[Row, ...]


def rate(metric: str, *by: str) -> str:
    """Per second, summed over everything but ``by``."""
    return f"{_sum(by)} (rate({metric}[$__rate_interval]))"


def quantile(share: float, histogram: str, *by: str) -> str:
    """A quantile of a histogram, per value of ``by``."""
    return f"histogram_quantile({share}, {rate(f'{histogram}_bucket', 'le', *by)})"


def mean(histogram: str, *by: str) -> str:
    """The mean of what a histogram observed."""
    return f"{rate(f'{histogram}_sum', *by)} / {rate(f'{histogram}_count', *by)}"


def _sum(by: tuple[str, ...]) -> str:
    return f"sum by ({', '.join(by)})" if by else "sum"


_FRESH = "stilltrue_view_freshness_seconds"

_KEEPING_UP = Row(
    title="Is it keeping up?",
    panels=(
        Panel(
            title="Messages waiting",
            about="Accepted, not yet applied.",
            series=(Series("sum(stilltrue_messages_waiting)", "waiting"),),
            big_number=True,
        ),
        Panel(
            title="Records parked",
            about="Dead letters since the log began.",
            series=(Series("sum(stilltrue_records_parked)", "parked"),),
            big_number=True,
        ),
        Panel(
            title="Newest applied message",
            about="How long ago it was taken in. Grows while nobody writes: look at the messages waiting too.",
            series=(Series("time() - max(stilltrue_view_newest_applied_timestamp_seconds)", "age"),),
            unit="s",
            big_number=True,
        ),
        Panel(
            title="Freshness",
            about="From taking a message in to its being applied. An open session waits for 2 s of silence.",
            series=(Series(quantile(0.5, _FRESH), "p50"), Series(quantile(0.95, _FRESH), "p95")),
            unit="s",
        ),
        Panel(
            title="Lag by stage",
            about="Records still to read, over all inputs and partitions.",
            series=(Series("sum by (stage) (stilltrue_stage_lag_records)", "{{stage}}"),),
        ),
        Panel(
            title="Largest lags",
            about="One partition that lags alone has a space that is busy, or a record that is slow.",
            series=(Series("topk(10, stilltrue_stage_lag_records)", "{{stage}}/{{partition}}"),),
        ),
    ),
)

_STAGES = Row(
    title="Stages",
    panels=(
        Panel(
            title="Records in",
            about="Read and committed, per second.",
            series=(Series(rate("stilltrue_stage_records_in_total", "stage"), "{{stage}}"),),
            unit="ops",
        ),
        Panel(
            title="Records out",
            about="Written, per second, without dead letters.",
            series=(Series(rate("stilltrue_stage_records_out_total", "stage"), "{{stage}}"),),
            unit="ops",
        ),
        Panel(
            title="Parked",
            about="Records a stage could not use, per second.",
            series=(Series(rate("stilltrue_stage_records_parked_total", "stage"), "{{stage}}"),),
            unit="ops",
        ),
        Panel(
            title="Parked after a fault",
            about="Records a stage failed at twice, per second: a bug of ours, not a bad record.",
            series=(Series(rate("stilltrue_stage_records_faulted_total", "stage"), "{{stage}}"),),
            unit="ops",
        ),
        Panel(
            title="Statements left out",
            about="Beyond what is kept of one message, per second; the messages are searchable.",
            series=(Series(rate("stilltrue_statements_left_out_total"), "statements"),),
            unit="ops",
        ),
        Panel(
            title="Step, p95",
            about="Folding and committing one batch.",
            series=(Series(quantile(0.95, "stilltrue_stage_step_seconds", "stage"), "{{stage}}"),),
            unit="s",
        ),
    ),
)

_VIEW = Row(
    title="View",
    panels=(
        Panel(
            title="Batch, p95",
            about="Folding in memory, writing the deltas out, committing.",
            series=(Series(quantile(0.95, "stilltrue_view_batch_seconds", "phase"), "{{phase}}"),),
            unit="s",
        ),
        Panel(
            title="Records in a batch",
            about="Full batches (the setting stage_batch_records) mean that it is catching up.",
            series=(Series(mean("stilltrue_view_batch_records"), "mean"),),
        ),
        Panel(
            title="Deltas by cause",
            about="Changes of the view, per second, by the topic of the record that led to them.",
            series=(Series(rate("stilltrue_deltas_total", "kind", "cause"), "{{kind}} by {{cause}}"),),
            unit="ops",
        ),
        Panel(
            title="Events that changed",
            about="Gained or lost a status, per second. Many lost: something is being withdrawn or distilled anew.",
            series=(Series(rate("stilltrue_event_changes_total", "status", "change"), "{{status}} {{change}}"),),
            unit="ops",
        ),
    ),
)

_SET = "stilltrue_index_seconds"
_ENCODING = f'{_SET}_sum{{phase="encode"}}'

_INDEX = Row(
    title="Vector index",
    panels=(
        Panel(
            title="Points",
            about="Set per second. Refused ones are parked with their record; what waits is in the lag of embed.",
            series=(Series(rate("stilltrue_index_points_total", "change"), "{{change}}"),),
            unit="ops",
        ),
        Panel(
            title="Away",
            about="Attempts per second that failed because the server did not answer. All are repeated.",
            series=(Series(rate("stilltrue_index_failures_total"), "failed"),),
            unit="ops",
        ),
        Panel(
            title="Setting points, p95",
            about="A batch of one space: its texts through the encoder, then to the index.",
            series=(Series(quantile(0.95, _SET, "phase"), "{{phase}}"),),
            unit="s",
        ),
        Panel(
            title="Encoder's share",
            about="Of the time in which points are set. Near 1: more workers help, a faster server does not.",
            series=(Series(f"{rate(_ENCODING)} / {rate(f'{_SET}_sum')}", "encoder"),),
            unit="percentunit",
        ),
    ),
)

_PROCESS = Row(
    title="Processes",
    panels=(
        Panel(
            title="Memory",
            about="Resident.",
            series=(Series("process_resident_memory_bytes", "{{job}} {{instance}}"),),
            unit="bytes",
        ),
        Panel(
            title="Processor",
            about="Cores in use.",
            series=(Series("rate(process_cpu_seconds_total[$__rate_interval])", "{{job}} {{instance}}"),),
        ),
    ),
)

_HTTP = "stilltrue_http_request_seconds"
_FAILED = f'{_HTTP}_count{{status=~"5.."}}'

_REQUESTS = Row(
    title="Requests",
    panels=(
        Panel(
            title="Requests",
            about="Per second.",
            series=(Series(rate(f"{_HTTP}_count", "method", "route", "status"), "{{method}} {{route}} {{status}}"),),
            unit="reqps",
        ),
        Panel(
            title="Request, p95",
            about="Requests that wait for an offset last as long as they wait.",
            series=(Series(quantile(0.95, _HTTP, "method", "route"), "{{method}} {{route}}"),),
            unit="s",
        ),
        Panel(
            title="Failed",
            about="Share of requests answered with 5xx.",
            series=(Series(f"({rate(_FAILED)} or vector(0)) / {rate(f'{_HTTP}_count')}", "5xx"),),
            unit="percentunit",
        ),
        Panel(
            title="Messages received",
            about="Per second, by outcome.",
            series=(Series(rate("stilltrue_messages_total", "outcome"), "{{outcome}}"),),
            unit="ops",
        ),
        Panel(
            title="Delta streams",
            about="Readers connected. At the limit of an instance a further one gets a 503.",
            series=(Series("sum(stilltrue_http_streams)", "readers"),),
        ),
    ),
)

_TEXTS = "stilltrue_encoder_texts_total"
_REMEMBERED = f'{_TEXTS}{{source="memory"}}'

_QUESTIONS = Row(
    title="Questions",
    panels=(
        Panel(
            title="Step, p95",
            about="Steps of Algorithm 1 in order: read, embed, search, seeds, paths, context, answer.",
            series=(Series(quantile(0.95, "stilltrue_query_step_seconds", "step"), "{{step}}"),),
            unit="s",
        ),
        Panel(
            title="Time per second, by step",
            about="Where the time of all questions goes.",
            series=(Series(rate("stilltrue_query_step_seconds_sum", "step"), "{{step}}"),),
            unit="s",
        ),
        Panel(
            title="Context",
            about="Mean tokens of a context, by mode.",
            series=(Series(mean("stilltrue_query_context_tokens", "mode"), "{{mode}}"),),
        ),
        Panel(
            title="Scaffolding",
            about="Share of the context's tokens that are headings, labels and markers.",
            series=(
                Series(
                    f"{rate('stilltrue_query_scaffolding_tokens_sum', 'mode')}"
                    f" / {rate('stilltrue_query_context_tokens_sum', 'mode')}",
                    "{{mode}}",
                ),
            ),
            unit="percentunit",
        ),
        Panel(
            title="Texts encoded",
            about="Per second: remembered, or computed by the model.",
            series=(Series(rate(_TEXTS, "source"), "{{source}}"),),
            unit="ops",
        ),
        Panel(
            title="Encoder cache",
            about="Share of texts whose vector was remembered.",
            series=(Series(f"{rate(_REMEMBERED)} / {rate(_TEXTS)}", "remembered"),),
            unit="percentunit",
        ),
    ),
)

_MODEL = Row(
    title="Language model",
    panels=(
        Panel(
            title="Questions wait",
            about="1: the budget of the day is spent, or the endpoint does not answer; the rules' answers count.",
            series=(Series("max by (why) (stilltrue_llm_waiting)", "{{why}}"),),
        ),
        Panel(
            title="Under way",
            about="Questions that the endpoint has and has not answered yet; at most [llm] concurrency per partition.",
            series=(Series("sum by (job) (stilltrue_llm_asking)", "{{job}}"),),
        ),
        Panel(
            title="Calls",
            about="Per second, by how they went. Retries are calls of their own.",
            series=(Series(rate("stilltrue_llm_calls_total", "result"), "{{result}}"),),
            unit="ops",
        ),
        Panel(
            title="Replies",
            about="Recorded, per second, by how they ended. failed: none after several calls; the question is parked.",
            series=(Series(rate("stilltrue_llm_replies_total", "stage", "outcome"), "{{stage}} {{outcome}}"),),
            unit="ops",
        ),
        Panel(
            title="What came of replies",
            about="Per second: used up, asked once more, asked in halves, or parked.",
            series=(Series(rate("stilltrue_llm_replies_read_total", "stage", "outcome"), "{{stage}} {{outcome}}"),),
            unit="ops",
        ),
        Panel(
            title="Events and verdicts",
            about="Per second: kept; of a wrong form; with a quote that is not in its message; said by no person.",
            series=(Series(rate("stilltrue_llm_objects_total", "stage", "fate"), "{{stage}} {{fate}}"),),
            unit="ops",
        ),
        Panel(
            title="Tokens",
            about="Per second, asked and answered.",
            series=(Series(rate("stilltrue_llm_tokens_total", "stage", "kind"), "{{stage}} {{kind}}"),),
        ),
        Panel(
            title="Cost",
            about="Dollars an hour, by the prices in the settings.",
            series=(Series(f"3600 * {rate('stilltrue_llm_cost_usd_total', 'stage')}", "{{stage}}"),),
        ),
    ),
)

BOARDS = (
    Board(uid="stilltrue-flow", title="StillTrue: the flow", rows=(_KEEPING_UP, _STAGES, _VIEW, _INDEX, _PROCESS)),
    Board(uid="stilltrue-model", title="StillTrue: the language model", rows=(_MODEL,)),
    Board(uid="stilltrue-queries", title="StillTrue: queries", rows=(_REQUESTS, _QUESTIONS)),
)
