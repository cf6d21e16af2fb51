"""Every key of ``expect`` as a check: an outcome and the expected value in, what is wrong out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from .outcome import Outcome

Check = Callable[[Outcome, object], Iterable[str]]
"""Yields a line for everything that is not as expected."""

Checks = Mapping[str, Check]


def texts(value: object) -> list[str]:
    """A list of strings, or one."""
    return [value] if isinstance(value, str) else [str(item) for item in cast("Sequence[object]", value)]


def alternatives(value: object) -> list[list[str]]:
    """A list of which each item is a string, or several of which one is enough."""
    return [texts(item) for item in cast("Sequence[object]", value)]


def mapping(value: object) -> Mapping[str, object]:
    """An object."""
    return cast("Mapping[str, object]", value)


def objects(value: object) -> list[Mapping[str, object]]:
    """A list of objects."""
    return [mapping(item) for item in cast("Sequence[object]", value)]
