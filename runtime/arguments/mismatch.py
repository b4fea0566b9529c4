"""Explain a call of a public function whose arguments do not fit its signature: too many by position, unknown names,
arrays in the place of extents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ...microkernels.dtypes import element_type
from .tracebacks import listed, nearest_option, of_unknown_names, shortened

_TORCH_OPTIONS = {
    "dim": "write axis=1 for each row, axis=0 for each column",
    **dict.fromkeys(("keepdim", "keepdims"), "leave it out, results keep both dimensions and broadcast"),
}
"""Options of torch's reductions, and what to write instead."""


def explained(
    error: TypeError | ValueError, function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]
) -> TypeError | ValueError:
    """Return the error of a call, or a better one if the arguments do not fit the function's signature. The traceback
    has only the caller's frames (`shortened`)."""
    better = _mismatch(error, function, given, named) if isinstance(error, TypeError) else None
    if better is None and isinstance(error, TypeError):
        better = _in_torchs_words(error)
    if better is None:
        return shortened(error)
    better.__suppress_context__ = True
    return better


def _mismatch(
    error: TypeError, function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]
) -> TypeError | None:
    """Return the error of a call with these arguments, or None if they fit or if only Python's own error helps."""
    parameters = inspect.signature(function).parameters.values()
    places = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    options = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    kinds = {each.kind: each.name for each in parameters}
    name, rest = function.__name__, kinds.get(inspect.Parameter.VAR_KEYWORD, "")
    numbers = [value for value, each in zip(given, parameters) if each.annotation != "ArrayLike"]
    if any(map(_is_array, numbers[: len(places)])) and f"ts.{name}(" not in str(error):
        return _of_arrays(name, places)
    if len(given) > len(places) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        return TypeError(
            f"{name}: takes {_number_of_arguments(len(places))} by position ({', '.join(places)}), not {len(given)}; "
            f"{_by_name(given[len(places)], options, rest)}"
        )
    if (better := of_unknown_names(function, named)) is not None:
        return better
    unknown = [each for each in named if each not in places and each not in options]
    refused = next((each for each in unknown if str(error).startswith(f"{each}: no argument of")), None)
    if refused is not None and (hint := nearest_option(refused, options)):
        return TypeError(f"{error}{hint}")
    return None


def _is_array(value: Any) -> bool:
    """Whether a value is an array of one axis or more. Numbers of numpy have a shape too, the empty one."""
    return isinstance(getattr(value, "shape", None), tuple) and value.shape != () and hasattr(value, "dtype")


def _of_arrays(name: str, places: list[str]) -> TypeError:
    """Return the error for arrays in the place of extents."""
    at_once = "; ts.matmul(a, b) multiplies arrays at once" if name in ("brgemm", "gemm") else ""
    return TypeError(
        f"{name}: makes a kernel from numbers and names, not from arrays; write k = "
        f"ts.{name}({', '.join(places)}), and then k(...) takes the arrays{at_once}"
    )


def _in_torchs_words(error: TypeError) -> TypeError | None:
    """Return the error for torch's names of options inside a traced function, or None if it is another error."""
    text = str(error)
    for name, instead in _TORCH_OPTIONS.items():
        if text.endswith(f"unexpected keyword argument '{name}'"):
            return shortened(TypeError(f"{text}: {instead}").with_traceback(error.__traceback__))
    return None


def _number_of_arguments(count: int) -> str:
    return f"{count} argument{'s' * (count != 1)}"


def _by_name(value: Any, options: list[str], rest: str) -> str:
    """Return how to write the first argument that is too many. `rest` is the name of a **parameter, or ""."""
    if "dtype" in options and (dtype := _type(value)):
        return f'write dtype="{dtype}"'
    return f"give {f'{rest} and ' if rest else ''}options by name: {listed(options)}"


def _type(value: Any) -> str:
    """Return the name of the element type that a value spells, or ""."""
    try:
        return element_type("", value)
    except (TypeError, ValueError):
        return ""
