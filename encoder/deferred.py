"""Imports that wait for their first use, so that `import tilesmith` and the first kernel load only what they need.

    @deferred
    def _decoder() -> ModuleType:
        from .x86 import decode

        return decode

The function imports one module and returns it or what it defines, so that editors and type checkers follow the name.
This is the only way in which modules of the project import inside a function; `tests/test_architecture.py` enforces
that, and counts these imports as edges of the layering like all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .forks import IMPORTING

T = TypeVar("T")


def deferred(load: Callable[[], T]) -> Callable[[], T]:
    """`load`, called once, under the lock that a fork waits for: see forks.py."""
    found: list[T] = []

    def loaded() -> T:
        if not found:
            with IMPORTING:
                found.append(load())
        return found[0]

    loaded.__doc__ = load.__doc__
    return loaded
