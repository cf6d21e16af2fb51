"""Every ablation of the query engine is another configuration, and answers."""

from __future__ import annotations

import pytest

from ops.evaluate.ablations import ABLATIONS
from query.api import QueryRequest
from query.engine import QueryEngine
from query.settings import QuerySettings
from tests.kit.space import BASIS, SPACE, us
from tests.kit.village import village


@pytest.mark.parametrize("name", list(ABLATIONS))
def test_an_ablation_changes_the_settings_and_still_answers(name: str) -> None:
    changed, space = ABLATIONS[name](QuerySettings()), village()
    assert changed != QuerySettings()
    request = QueryRequest(
        space=SPACE, question="Where does Tilda work?", asked_at=us("2024-05-10"), as_of=None, known_at=None,
        mode="hybrid", budget_tokens=300, answer=True,
    )  # fmt: skip
    result = QueryEngine(space.search(), changed).query(request, space, space, BASIS)
    assert result.context
    if name == "no_graph":
        assert all(not path.steps for path in result.paths)
