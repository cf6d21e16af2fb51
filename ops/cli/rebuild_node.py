"""``rebuild --kafka``: the view of a query node, folded anew beside the one it serves, compared, and handed over."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .brokers import BrokerOptions, broker_errors, run_async
from .world import INTERRUPTED, NEGATIVE, OK, World

if TYPE_CHECKING:
    from pathlib import Path

    from ops.node.generations import Generations
    from ops.node.rebuilding import Compared, Former

LOOK_S = 0.2
"""How often to look whether the node serves the new view."""


class NodeOptions(BrokerOptions):
    """Options of ``rebuild --kafka``."""

    qdrant: str | None


def rebuild_node(options: NodeOptions, world: World) -> int:
    """Build, compare, hand over. Interrupted, it leaves the node as it was. 1 when a space came out otherwise."""
    from ops.kafka.checking import check_topics
    from ops.node.generations import Generations
    from ops.node.rebuilding import Former
    from streams.log.errors import StoreError

    generations = Generations(options.store)
    with ExitStack() as held, broker_errors(options.bootstrap):
        held.enter_context(generations.building())
        run_async(check_topics(options.bootstrap, options.prefix, world.note))
        former: Former | None = None
        try:
            former = Former(generations.current)
            held.callback(former.close)
        except StoreError as error:
            world.note(f"stilltrue: nothing to compare with: {error}")
        made = generations.fresh()
        interrupted, compared = run_async(_build(made, former, options, world))
        if interrupted:
            generations.remove(made)
            return INTERRUPTED
        _hand_over(generations, made, world)
    return _report(compared, options, world)


async def _build(made: Path, former: Former | None, options: NodeOptions, world: World) -> tuple[bool, Compared | None]:
    """Whether it was interrupted, and how the two compare."""
    from ops.node.rebuilding import build
    from views.source import Source

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    source = Source(bootstrap=options.bootstrap, prefix=options.prefix, emits=False)
    compared = await build(
        made, source, former=former, marking=options.qdrant is None, clock=world.now, stop=stop, told=world.note
    )
    return stop.is_set(), compared


def _hand_over(generations: Generations, made: Path, world: World) -> None:
    """To the node that serves; at once where none does."""
    from streams.log.errors import StoreInUseError

    generations.propose(made)
    world.note("waiting for the node to take it over")
    while generations.current != made:
        try:
            with generations.serving():
                former = generations.current
                generations.switch(made)
                generations.remove(former)
        except StoreInUseError:
            time.sleep(LOOK_S)


def _report(compared: Compared | None, options: NodeOptions, world: World) -> int:
    differing = () if compared is None else compared.differing
    if options.json:
        spaces = 0 if compared is None else compared.spaces
        world.say_json({"compared": spaces, "differing": tuple(f"{name}: {how}" for name, how in differing)})
    elif compared is None:
        world.say("a new view is served; there was none to compare it with")
    else:
        world.say(f"a new view is served; of {compared.spaces} spaces {len(differing)} differ from the former one")
        for space, difference in differing:
            world.say(f"  {space}: {difference}")
    return NEGATIVE if differing else OK
