"""The words in which dashboards are written: boards of rows of panels of series, and the usual expressions.

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
