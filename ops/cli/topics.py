"""``topics create|check``: make the topics on a broker, or list every difference."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .arguments import Subcommands
from .brokers import BrokerOptions, add_broker, broker_errors, run_async
from .world import NEGATIVE, OK, CommandError, World

if TYPE_CHECKING:
    from ops.kafka.topics import Plan


class TopicsOptions(BrokerOptions):
    """Options of ``topics``."""

    action: str
    partitions: int
    replication: int


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("topics", parents=[shared], help="make or check the topics of a Kafka cluster")
    parser.add_argument(
        "action", metavar="ACTION", choices=("create", "check"), help="create (what is missing) or check"
    )
    parser.add_argument("--partitions", metavar="N", type=int, default=6, help="of each topic, chosen once; default 6")
    parser.add_argument("--replication", metavar="N", type=int, default=1, help="copies of each partition; default 1")
    add_broker(parser)
    parser.set_defaults(run=run)


def run(options: TopicsOptions, world: World) -> int:
    """Create what is missing, or only look; 1 when something is not as it should be. Nothing is ever altered."""
    from ops.kafka.admin import NotToldError

    if options.partitions < 1 or options.replication < 1:
        raise CommandError("--partitions and --replication: must be at least 1")
    try:
        with broker_errors(options.bootstrap):
            made, left = run_async(_work(options))
    except NotToldError as error:
        raise CommandError(str(error), NEGATIVE) from error
    if options.json:
        world.say_json({"created": made, "problems": left.problems})
    else:
        for name in made:
            world.say(f"created {name}")
        for problem in left.problems:
            world.say(problem)
        if not left.problems:
            world.say(f"all topics are as they should be on {options.bootstrap}")
    return NEGATIVE if left.problems else OK


async def _work(options: TopicsOptions) -> tuple[list[str], Plan]:
    """Names of the topics that were made, and what is still different."""
    from ops.distributed import STAGES
    from ops.kafka.admin import admin, create_topics, read_topics
    from ops.kafka.topics import plan, wanted, wanted_steps

    wants = wanted(options.prefix, options.partitions, options.replication)
    wants += wanted_steps(options.prefix, STAGES, options.partitions, options.replication)
    async with admin(options.bootstrap) as client:
        found = plan(wants, await read_topics(client, wants))
        if options.action == "check" or not found.create:
            return [], found
        await create_topics(client, found.create)
        return [topic.name for topic in found.create], plan(wants, await read_topics(client, wants))
