"""Imports that wait for their first use, so that `import tilesmith` and the first kernel load only what they need.

    @deferred
    def _decoder() -> ModuleType:
        from .x86 import decode

        return decode

The function imports one module and returns it or what it defines, so that editors and type checkers follow the name.
This is the only way in which modules of the project import inside a function; `tests/test_architecture.py` enforces
that, and counts these imports as edges of the layering like all others.

`seldom` is a scope for what makes many objects at once, modules and kernels: there Python collects garbage less often.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import _CacheInfo, _lru_cache_wrapper
from importlib import import_module
from typing import Any, TypeVar

from .forks import IMPORTING

T = TypeVar("T")


def deferred(load: Callable[[], T]) -> Callable[[], T]:
    """`load`, called once, under the lock that a fork waits for: see forks.py."""
    found: list[T] = []

    def loaded() -> T:
        with IMPORTING:
            if not found:  # else another thread has imported it meanwhile
                found.append(load())
        return found[0]

    # functools.cache without its copying of attributes, which takes 4 us of each of some hundred functions at a start
    once: Any = _lru_cache_wrapper(loaded, None, False, _CacheInfo)  # type: ignore[call-arg]
    once.__module__, once.__name__, once.__qualname__ = load.__module__, load.__name__, load.__qualname__
    once.__doc__ = load.__doc__
    return once  # type: ignore[no-any-return]


def attributes(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose names are imported when they are first asked for (PEP 562).

    places: module of the package -> the names that it defines, in one string; "" -> modules of the package itself.
    For the public package alone, which states the same as imports for type checkers and editors.
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        with IMPORTING:
            found = import_module(f"{package}.{modules[name]}" if modules[name] else f"{package}.{name}")
        value = getattr(found, name) if modules[name] else found
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return find, names


# Garbage

_YOUNG = 100_000
"""New objects until a collection: some megabytes, if all of them were garbage."""
_usual = gc.get_threshold()


@contextmanager
def seldom() -> Iterator[None]:
    """A scope in which the garbage collector runs less often, but for callers who have switched it off or made it as
    rare.

    The modules that `import tilesmith` reads are some ten thousand objects, and so is a kernel. They are made within
    milliseconds, and hardly any of them is garbage: a dozen collections meanwhile, some of all objects of the process,
    take a tenth of the import and a fifth of the time of a large kernel. The threshold is one for all threads, and
    callers set it at any time. Whoever raises it restores what was there, unless somebody has set it meanwhile; a
    thread that finds it raised leaves it to the one that raised it, and at worst has a collection more. So
    threads need no lock, which a fork or a finaliser might find taken.
    """
    global _usual
    before = gc.get_threshold()
    raised = _YOUNG, *before[1:]
    if not 0 < before[0] < _YOUNG:
        yield
        return
    _usual = before
    gc.set_threshold(*raised)
    try:
        yield
    finally:
        if gc.get_threshold() == raised:
            gc.set_threshold(*before)


def _collect_as_usual() -> None:
    """In a child of a fork, which has no thread that would do so."""
    if gc.get_threshold()[0] == _YOUNG and _usual[0] != _YOUNG:
        gc.set_threshold(*_usual)


os.register_at_fork(after_in_child=_collect_as_usual)
