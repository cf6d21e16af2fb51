"""Arguments that several commands take: the same word, place and default for the same thing."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from .times import TIME_HELP
from .world import CommandError


class Subcommands:
    """Commands, or the actions of one. The help of each begins with what the list of them says of it."""

    def __init__(self, parser: argparse.ArgumentParser, metavar: str) -> None:
        self._made = parser.add_subparsers(metavar=metavar, required=True)

    def add_parser(
        self,
        name: str,
        *,
        parents: Sequence[argparse.ArgumentParser],
        help: str,
        description: str | None = None,
    ) -> argparse.ArgumentParser:
        """A command. ``help``: its line in the list; ``description``: what there is to say besides."""
        said = f"{help[0].upper()}{help[1:]}."
        return self._made.add_parser(
            name,
            parents=parents,
            help=help,
            description=said if description is None else f"{said} {description}",
            epilog="exit codes: see ./stilltrue --help",
            allow_abbrev=False,
        )


def add_space(parser: argparse.ArgumentParser) -> None:
    """``SPACE``, the first of the positional ones."""
    parser.add_argument("space", metavar="SPACE", help="the memory: of a user, of a case")


def add_moments(parser: argparse.ArgumentParser, as_of: str) -> None:
    """``--as-of`` and ``--known-at``: the two clocks of a read. ``as_of``: what the first one means here."""
    parser.add_argument("--as-of", metavar="T", help=f"{as_of}. {TIME_HELP}")
    parser.add_argument("--known-at", metavar="T", help="as it was known at T; default all that is known")


def add_filters(parser: argparse.ArgumentParser) -> None:
    """``--participant`` and ``--attribute``: which statements."""
    parser.add_argument("--participant", metavar="NAME", help="only what is about, or said by, this person")
    parser.add_argument("--attribute", metavar="NAME", help="only this attribute (employer, home ...)")


def filled(value: str | None, option: str) -> str | None:
    """What was given for a filter, if anything was. ``CommandError`` when that is nothing but blanks."""
    if value is not None and not value.strip():
        raise CommandError(f"{option}: is empty; leave it out instead")
    return value


def add_analyst(parser: argparse.ArgumentParser) -> None:
    """``--analyst``: whose word it is."""
    parser.add_argument("--analyst", metavar="NAME", default="analyst", help="who says so; default analyst")


def add_url(parser: argparse.ArgumentParser) -> None:
    """``--url``: of the commands that can ask a service instead of opening the store."""
    parser.add_argument(
        "--url",
        metavar="URL",
        default=os.environ.get("STILLTRUE_URL") or None,
        help="ask the service that runs there instead of opening the store; default not, or $STILLTRUE_URL",
    )
