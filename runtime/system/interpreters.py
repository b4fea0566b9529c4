"""Whether this runs in another interpreter than the first one of the process, and what is to happen at its end."""

from __future__ import annotations

import atexit
import functools
import sys
from collections.abc import Callable
from typing import Any

from ...encoder.deferred import lazy

_interpreters = lazy(None, "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")


@functools.cache
def in_subinterpreter() -> bool:
    """Whether this is a subinterpreter. The C API acquires the GIL for the main interpreter (`PyGILState_Ensure`), so
    machine code that calls it must not run in another one.

    The module is imported, not looked for: `importlib.util.find_spec` raises ValueError for a module that another
    thread is importing, while an import waits for that thread.
    """
    if sys.implementation.name != "cpython":
        return False
    try:
        return bool(_interpreters.get_current() != _interpreters.get_main())
    except ImportError:  # a build without the module
        return False


def at_exit(function: Callable[..., object], *arguments: Any, **named: Any) -> None:
    """Call a function when the process ends; never in a subinterpreter.

    CPython calls the exit functions of a subinterpreter that still exists at the end of the process while it finalises
    the main interpreter. The first of them that releases the GIL, as opening a file does, ends the thread that calls
    it, which is the main thread. Other threads, such as those of numpy, then keep the process from ending.
    """
    if not in_subinterpreter():
        atexit.register(function, *arguments, **named)
