"""What a worker loads before it takes its first step: nothing that only later ones need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ops.distributed import STAGES, stage_inputs, stage_makers
from ops.settings import Settings
from streams.worker.late import LateStage
from streams.worker.stand_in import stand_in
from tests.kit.encoders import HashingEncoder

ROOT = Path(__file__).resolve().parents[2]
LOADED = """
import sys
import ops.cli.__main__, ops.distributed, streams.faust_app
from ops.cli.worker import lazy_encoder
from ops.settings import Settings
encoder = lazy_encoder(Settings(), lambda remembered, computed: None)
made = [make() for make in ops.distributed.stage_makers({stages}, Settings(), encoder).values()]
print(*sys.modules)
"""


def test_neither_numbers_nor_rules_nor_http_are_loaded_at_the_start() -> None:
    code = LOADED.format(stages=("sessionize", "distil", "themes", "link"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "streams.faust_app" in loaded
    assert loaded.isdisjoint({"numpy", "aiohttp", "onnxruntime", "streams.distil.offline", "streams.classify.offline"})


@pytest.mark.parametrize("model", [None, "some-model"])
@pytest.mark.parametrize(("distil", "link"), [(True, False), (False, True)])
def test_stages_read_what_was_promised(model: str | None, *, distil: bool, link: bool) -> None:
    llm = msgspec.structs.replace(Settings().llm, model=model, endpoint="http://localhost:1", distil=distil, link=link)
    settings = msgspec.structs.replace(Settings(), llm=llm)
    named = [name for name in STAGES if name != "embed"]
    for name, make in stage_makers(named, settings, HashingEncoder()).items():
        stage = make()
        assert isinstance(stage, LateStage)
        assert (stage.made.name, stage.made.inputs) == (name, stage_inputs(settings)[name])


def test_a_module_that_was_stood_in_for_can_be_loaded_afterwards() -> None:
    sys.modules.pop("colorsys", None)
    with stand_in("colorsys", ONE=5):
        import colorsys

        assert vars(colorsys)["ONE"] == 5
        assert not hasattr(colorsys, "rgb_to_hls")
    import colorsys

    assert colorsys.rgb_to_hls(0, 0, 0) == (0, 0, 0)
    with stand_in("colorsys", ONE=5):
        assert sys.modules["colorsys"] is colorsys
