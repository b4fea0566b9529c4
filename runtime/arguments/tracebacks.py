"""Shorten the traceback of a wrong argument to the caller's frames."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar, cast

from ...microkernels.names import nearest
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
            better = of_arguments(method, given, named) if type(error) is TypeError else None
            raise shortened(error) if better is None else better from None

    return public


def of_arguments(
    function: Callable[..., object], given: tuple[object, ...], named: Mapping[str, object]
) -> TypeError | None:
    """Return the error of a call whose arguments are not those of the function, or None if they are."""
    try:
        inspect.signature(function).bind(*given, **named)
    except TypeError as error:
        return of_unknown_names(function, named) or TypeError(f"{_called(function)}: {error}")
    return None


def _called(function: Callable[..., object]) -> str:
    """Return the name by which a function is called."""
    owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    return {"__call__": "this call", "__init__": owner}.get(function.__name__, function.__name__)


C = TypeVar("C", bound=Callable[..., None])


def with_hints(init: C) -> C:
    """Let a constructor refuse a name that it does not know with its options, and the one that may be meant."""

    @wraps(init)
    def checked(*given: object, **named: object) -> None:
        error = of_unknown_names(init, named)
        if error is not None:
            raise error
        init(*given, **named)

    return cast("C", checked)


def of_unknown_names(function: Callable[..., object], named: Mapping[str, object]) -> TypeError | None:
    """Return the error of a call with a name that is no argument of the function, or None if there is none."""
    parameters = inspect.signature(function).parameters
    unknown = next((each for each in named if each not in parameters), None)
    if unknown is None or any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return None
    names = [name for name, each in parameters.items() if each.kind is not each.POSITIONAL_ONLY and name != "self"]
    options = [name for name in names if parameters[name].kind is inspect.Parameter.KEYWORD_ONLY] or names
    return TypeError(
        f"{_called(function)}: {unknown}= is no argument of it; its options are {listed(options)}"
        f"{nearest_option(unknown, names)}"
    )


_OTHER_WORDS = {"activation": "epilogue", "epilogue": "activation", "learning_rate": "lr"}
"""What an option is called elsewhere: layers have an activation and products an epilogue; optax has learning rates."""


def nearest_option(unknown: str, options: list[str]) -> str:
    """Return a question that names the option that was meant, or nothing."""
    same = _OTHER_WORDS.get(unknown, "")
    near = same if same in options else nearest(unknown, options)
    return f"; did you mean {near}=?" if near else ""


def listed(options: list[str]) -> str:
    """Return options as they are written."""
    return ", ".join(f"{name}=" for name in options)


def _entries(traceback: TracebackType | None) -> list[TracebackType]:
    found = []
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    return found
