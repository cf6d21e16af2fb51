"""Options and errors that every command about a broker shares."""

from __future__ import annotations

import argparse
import os
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import TypeVar

from .world import UNAVAILABLE, CommandError, Options

T = TypeVar("T")


class BrokerOptions(Options):
    """Options of a command that talks to a broker."""

    bootstrap: str
    prefix: str


def add_broker(parser: argparse.ArgumentParser) -> None:
    """``--bootstrap`` and ``--prefix``."""
    parser.add_argument(
        "--bootstrap",
        metavar="HOST:PORT",
        default=os.environ.get("STILLTRUE_KAFKA") or "127.0.0.1:9092",
        help="a broker of the cluster; default 127.0.0.1:9092, or $STILLTRUE_KAFKA",
    )
    add_prefix(parser)


def add_prefix(parser: argparse.ArgumentParser) -> None:
    """``--prefix``."""
    parser.add_argument(
        "--prefix",
        metavar="TEXT",
        default=os.environ.get("STILLTRUE_TOPIC_PREFIX") or "",
        help="stands before every topic's name; default none, or $STILLTRUE_TOPIC_PREFIX",
    )


def add_qdrant(parser: argparse.ArgumentParser, meaning: str) -> None:
    """``--qdrant``. ``meaning``: which server, and what without one."""
    parser.add_argument(
        "--qdrant",
        metavar="URL",
        default=os.environ.get("STILLTRUE_QDRANT") or None,
        help=f"{meaning}, or $STILLTRUE_QDRANT; its key is $STILLTRUE_QDRANT_API_KEY",
    )


@contextmanager
def broker_errors(bootstrap: str) -> Generator[None]:
    """What a broker answers, or that it does not, as a command's refusal.

    A broker that is away or in trouble is unavailable; one that does not take what it was asked for refuses the input.
    """
    from aiokafka.errors import KafkaConnectionError, KafkaError

    from ops.kafka.admin import RefusedByBrokerError
    from views.refusals import ViewRefusedError

    try:
        yield
    except KafkaConnectionError as error:
        raise CommandError(f"no broker at {bootstrap}: {error}", UNAVAILABLE) from error
    except KafkaError as error:
        raise CommandError(f"broker {bootstrap}: {error!r}", UNAVAILABLE) from error
    except RefusedByBrokerError as error:
        raise CommandError(str(error)) from error
    except ViewRefusedError as error:
        raise CommandError(str(error), UNAVAILABLE) from error


def run_async(work: Coroutine[object, object, T]) -> T:
    """Run on a loop of its own, with the client's own log lines kept quiet: errors are told once, by the command."""
    import asyncio
    import logging

    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    return asyncio.run(work)
