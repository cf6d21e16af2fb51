"""The board of the language model: what is asked of it, what comes of its replies, what they cost."""

from __future__ import annotations

from .panels import Board, Panel, Row, Series, rate

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
            title="Questions withdrawn",
            about="Per second: what they show was edited, retracted, or went on, before there was a reply.",
            series=(Series(rate("stilltrue_llm_questions_withdrawn_total", "stage"), "{{stage}}"),),
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

MODEL = Board(uid="stilltrue-model", title="StillTrue: the language model", rows=(_MODEL,))
