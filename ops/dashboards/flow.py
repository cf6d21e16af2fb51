"""The board of the flow: is it keeping up, and if not, which stage, view, index or process is it."""

from __future__ import annotations

from .panels import Board, Panel, Row, Series, mean, quantile, rate

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
            about="From taking a message in to its being applied. An open session is published every 2 s at most.",
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
            title="Under way",
            about="Steps that are folded or written, one in a partition at most, and calls beside them.",
            series=(Series("sum by (stage) (stilltrue_stage_in_flight)", "{{stage}}"),),
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

FLOW = Board(uid="stilltrue-flow", title="StillTrue: the flow", rows=(_KEEPING_UP, _STAGES, _VIEW, _INDEX, _PROCESS))
