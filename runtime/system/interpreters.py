"""Whether this runs in another interpreter than the first one of the process."""

from __future__ import annotations

import functools
import sys
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


@functools.cache
def in_subinterpreter() -> bool:
    """Whether this is a subinterpreter. The C API acquires the GIL for the main interpreter (`PyGILState_Ensure`), so
    machine code that calls it must not run in another one."""
    if sys.implementation.name != "cpython":
        return False
    found = _from_3_13() if sys.version_info >= (3, 13) else _to_3_12()
    return bool(found.get_current() != found.get_main())
