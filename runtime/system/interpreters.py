"""Whether this runs in another interpreter than the first one of the process, and what is to happen at its end."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from ...encoder.deferred import deferred


@deferred
def _from_3_13() -> Any:
    import _interpreters  # type: ignore[import-not-found]

    return _interpreters


@deferred
def _to_3_12() -> Any:
    import _xxsubinterpreters  # type: ignore[import-not-found]

    return _xxsubinterpreters


_MODULES = {"_xxsubinterpreters": _to_3_12, "_interpreters": _from_3_13}
"""CPython's module of interpreters; its name depends on the version."""


@functools.cache
def in_subinterpreter() -> bool:
    """Whether this is a subinterpreter. The C API acquires the GIL for the main interpreter (`PyGILState_Ensure`), so
    machine code that calls it must not run in another one."""
    name = next(filter(find_spec, _MODULES), "")
    if not name:  # another interpreter than CPython
        return False
    interpreters = _MODULES[name]()
    return bool(interpreters.get_current() != interpreters.get_main())


def at_exit(function: Callable[..., object], *arguments: Any, **named: Any) -> None:
    """Call a function when the process ends; never in a subinterpreter.

    CPython calls the exit functions of a subinterpreter that still exists at the end of the process while it finalises
    the main interpreter. The first of them that releases the GIL, as opening a file does, ends the thread that calls
    it, which is the main thread. Other threads, such as those of numpy, then keep the process from ending.
    """
    if not in_subinterpreter():
        atexit.register(function, *arguments, **named)
