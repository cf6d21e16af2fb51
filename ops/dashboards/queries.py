"""The board of queries: what is requested over HTTP, and what answering a question takes."""

from __future__ import annotations

from .panels import Board, Panel, Row, Series, mean, quantile, rate

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

QUERIES = Board(uid="stilltrue-queries", title="StillTrue: queries", rows=(_REQUESTS, _QUESTIONS))
