"""Parts that are opened when they are first needed, once, whoever comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_opening = threading.RLock()
"""One lock for all: opening one part opens those it is made of, and two openings at once would only be slower."""


class opened_once(Generic[T]):  # noqa: N801 - used as a decorator, like cached_property
    """A property computed at its first use and kept in the instance's dictionary under its name.

    ``functools.cached_property`` has no lock from Python 3.12 on: two first users would open a part twice.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, instance: object, owner: type | None = None) -> T:
        """Only asked while the instance's dictionary has no such name yet."""
        with _opening:
            kept = instance.__dict__
            if self._name not in kept:
                kept[self._name] = self._make(instance)
            return kept[self._name]
