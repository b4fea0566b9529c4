"""Shorten the traceback of a wrong argument to the caller's frames."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from ..system.torch_compile import leave_trace, untraced

if TYPE_CHECKING:
    from typing import ParamSpec

    P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Exception)
_PACKAGE = __name__.partition(".")[0] + "."
_HELPERS = ("inspect", "functools")


def shortened(error: E) -> E:
    """Return the error without the frames of this package's modules. Use `raise shortened(error)` in the called
    function.

    Frames of a traced function, which belongs to the caller, stay. Python's development mode (-X dev) keeps all frames.
    """
    if sys.flags.dev_mode:
        return error
    kept: TracebackType | None = None
    for entry in reversed(_entries(error.__traceback__)):
        name = str(entry.tb_frame.f_globals.get("__name__"))
        if not name.startswith(_PACKAGE) and name not in _HELPERS:
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return error.with_traceback(kept)


def shortening(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public method that runs kernels: its errors are `shortened`, and torch.compile does not trace it."""

    @untraced
    @wraps(method)
    def public(*given: P.args, **named: P.kwargs) -> T:
        leave_trace()
        try:
            return method(*given, **named)
        except (TypeError, ValueError, IndexError) as error:
            raise shortened(error)  # noqa: B904

    return public


def _entries(traceback: TracebackType | None) -> list[TracebackType]:
    found = []
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    return found
