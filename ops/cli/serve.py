"""``serve``: ingest, processors, view and queries in one process, over HTTP."""

from __future__ import annotations

import argparse

from .world import OK, Options, Subcommands, World


class ServeOptions(Options):
    """Options of ``serve``."""


def add(commands: Subcommands, shared: argparse.ArgumentParser) -> None:
    """Register the command."""
    parser = commands.add_parser("serve", parents=[shared], help="the HTTP service, until Ctrl-C")
    parser.set_defaults(run=run)


def run(options: ServeOptions, world: World) -> int:
    """Serve until Ctrl-C."""
    return OK
