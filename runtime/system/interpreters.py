"""Whether this runs in another interpreter than the first one of the process."""

from __future__ import annotations

import functools
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
