"""``bench stream``: rates of the view and of every stage on a broker, freshness under load, recovery after kill -9."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from views.encoder.protocol import Encoder

from .freshness import freshness
from .processes import Cluster, a_broker
from .recovery import recovery
from .stage_rate import stage_rates
from .view_rate import view_rates

PARTS = ("view", "stages", "freshness", "recovery")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be measured.

    Attributes:
        bootstrap: a broker to use; None starts one, as the tests do. The topics, under a prefix, are left.
        parts: some of ``PARTS``.
        per_s: messages a second for the freshness.
        seconds: for how long.
    """

    bootstrap: str | None = None
    parts: tuple[str, ...] = PARTS
    per_s: float = 50.0
    seconds: float = 60.0


async def measure(asked: Asked, encoder: Callable[[], Encoder], say: Callable[[str], None]) -> Mapping[str, float]:
    """Measure, one part after another; nothing else should run meanwhile.

    Args:
        asked: see there.
        encoder: loaded for the view's part.
        say: told what is measured now.

    Raises:
        BenchError: no broker, or a process that did not do its work.
    """
    found: dict[str, float] = {}
    with ExitStack() as stack:
        bootstrap = stack.enter_context(a_broker(asked.bootstrap))
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stilltrue-bench-")))

        def cluster() -> Cluster:
            made = Cluster(bootstrap, directory)
            stack.callback(made.kill)
            return made

        for part in asked.parts:
            say(f"measuring: {part}")
            match part:
                case "view":
                    found |= await view_rates(bootstrap, cluster, encoder())
                case "stages":
                    found |= await stage_rates(bootstrap, cluster())
                case "freshness":
                    found |= await freshness(bootstrap, cluster(), per_s=asked.per_s, seconds=asked.seconds)
                case _:
                    found |= await recovery(bootstrap, cluster())
    return found
