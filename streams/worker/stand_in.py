"""Keeps a package from loading what it names and never uses."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def stand_in(module: str, **names: object) -> Generator[None]:
    """While entered, the module is one that holds nothing but these names; afterwards it can be loaded as ever.

    A module that is loaded already stays what it is.
    """
    if module in sys.modules:
        yield
        return
    empty = ModuleType(module)
    vars(empty).update(names)
    sys.modules[module] = empty
    try:
        yield
    finally:
        del sys.modules[module]
