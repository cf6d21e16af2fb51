"""``python -m ops.dashboards.generate``: write the dashboards' JSON; ``--check`` only compares.

Needs ``requirements-ops.txt``; nothing that runs imports it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.builders.dashboard import Row as RowBuilder
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.stat import Panel as BigNumber
from grafana_foundation_sdk.builders.timeseries import Panel as Curve
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import DataSourceRef

from ops.dashboards.boards import BOARDS
from ops.dashboards.panels import Board, Panel

DIRECTORY = Path(__file__).parent
SOURCE = DataSourceRef(type_val="prometheus", uid="prometheus")
"""As provisioned in ``ops/compose/grafana``."""

_COLUMNS = 24
_HEIGHT = 8
_LOW = 4


def render(board: Board) -> str:
    """The JSON of a dashboard: equal for equal boards."""
    dashboard = (
        Dashboard(board.title).uid(board.uid).tags(["stilltrue"]).refresh("10s").time("now-30m", "now").editable()
    )
    for row in board.rows:
        dashboard = dashboard.with_row(RowBuilder(row.title))
        for panel in row.panels:
            dashboard = dashboard.with_panel(_panel(panel))
    return json.dumps(dashboard.build(), cls=JSONEncoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _panel(panel: Panel) -> Curve | BigNumber:
    if panel.big_number:
        built = BigNumber().span(_COLUMNS // 3).height(_LOW)
    else:
        built = Curve().span(_COLUMNS // 2).height(_HEIGHT)
    built = built.title(panel.title).description(panel.about).unit(panel.unit).min(0).datasource(SOURCE)
    for letter, series in zip("ABCDEFGH", panel.series, strict=False):
        query = Dataquery().expr(series.expr).legend_format(series.legend).ref_id(letter).datasource(SOURCE)
        built = built.with_target(query)
    return built


def main(arguments: list[str]) -> int:
    """1 when ``--check`` finds a file that is not what the code generates."""
    stale = [board.uid for board in BOARDS if not _is_current(board)]
    if "--check" in arguments:
        for uid in stale:
            sys.stderr.write(f"{uid}.json is stale: run python -m ops.dashboards.generate\n")
        return 1 if stale else 0
    for board in BOARDS:
        _path(board).write_text(render(board), "utf-8")
    return 0


def _path(board: Board) -> Path:
    return DIRECTORY / f"{board.uid}.json"


def _is_current(board: Board) -> bool:
    return _path(board).exists() and _path(board).read_text("utf-8") == render(board)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
