"""Imports that are executed on first use, so that `import tilesmith` and the first kernel load only what they need.

    @deferred
    def _decoder() -> ModuleType:
        from .x86 import decode

        return decode

The function imports one module and returns it or a name from it, so that editors and type checkers can follow the name.
This is the only way in which modules of the project import inside a function. `tests/test_architecture.py` enforces
that, and counts these imports as edges of the layering like all others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import _CacheInfo, _lru_cache_wrapper
from importlib import import_module
from typing import Any, TypeVar

from .forks import IMPORTING

T = TypeVar("T")


def deferred(load: Callable[[], T]) -> Callable[[], T]:
    """Return `load` wrapped so that it is called once, under the lock that a fork waits for (forks.py)."""
    found: list[T] = []

    def loaded() -> T:
        with IMPORTING:
            if not found:  # otherwise another thread has imported it in the meantime
                found.append(load())
        return found[0]

    # functools.cache without its copying of attributes, which would take 4 us for each of some hundred functions at
    # start
    once: Any = _lru_cache_wrapper(loaded, None, False, _CacheInfo)  # type: ignore[call-arg]
    once.__module__, once.__name__, once.__qualname__ = load.__module__, load.__name__, load.__qualname__
    once.__doc__ = load.__doc__
    return once  # type: ignore[no-any-return]


def attributes(
    package: str, places: Mapping[str, str], hints: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are imported on first use (PEP 562).

    places: module of the package -> the names that it defines, in one string; "" -> modules of the package itself. Only
    the public package uses this. It repeats the names as imports for type checkers and editors.
    hints: module of the package whose `missing(name)` ends the error for another name
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in modules:
            hint = "" if name.startswith("_") else import_module(f"{package}.{hints}").missing(name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}", name=name)
        with IMPORTING:
            found = import_module(f"{package}.{modules[name]}" if modules[name] else f"{package}.{name}")
        value = getattr(found, name) if modules[name] else found
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return find, names
