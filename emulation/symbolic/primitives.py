"""The emulator's arithmetic as nodes: one operation for each function of `emulation.numerics` that rounds.

Under the environment in which programs start (nearest even, nothing flushed) an operation has the name of numpy's, so
that a fused multiply-add of an instruction and one of a traced expression are the same node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..numerics import fp
from ..numerics.rounding import Environment, Format, Rounding
from .lanes import PRIMITIVE, SPECIAL, Lanes, apply
from .rewrites import FUNCTIONS
from .values import Key

_NAMES = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "sqrt": "sqrt", "fma": "fma"}
_KNOWN: dict[tuple[Any, ...], tuple[Any, ...]] = {}
_RESULTS: dict[Key, np.dtype[Any]] = {}
FUNCTIONS["fma"] = fp.fma


def applied(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """A function of arrays, and of numbers that say how, as one operation."""
    told = (function, *[each.dtype if isinstance(each, (Lanes, np.ndarray)) else each for each in given])
    found = _KNOWN.get(told)
    if found is None:
        found = _KNOWN[told] = _read(function, given)
    places, key, call, to, types = found
    return apply(key, call, [given[at] for at in places], to, types)


def _read(function: Callable[..., Any], given: Sequence[Any]) -> tuple[Any, ...]:
    """(which of these are arrays, the key, a function of them alone, the types of the result and of them)."""
    places = [at for at, each in enumerate(given) if hasattr(each, "dtype") and not isinstance(each, type)]
    arrays = [each for each in given if hasattr(each, "dtype") and not isinstance(each, type)]
    rest = [None if any(each is array for array in arrays) else each for each in given]
    name = function.__name__.lstrip("_")
    key: Key = (_NAMES.get(name, name), *[array.dtype.str[1:] for array in arrays[: 1 if name in _NAMES else None]])
    key += tuple(_told(each) for each in rest if each is not None and not _usual(each))

    def call(*operands: Any) -> Any:
        left = iter(operands)
        return function(*[next(left) if each is None else each for each in rest])

    to = _RESULTS.get(key)
    if to is None:
        with np.errstate(all="ignore"):
            to = _RESULTS[key] = call(*[np.zeros(1, array.dtype) for array in arrays]).dtype
    return places, key, call, to, tuple(array.dtype.str[1:] for array in arrays)


def _matrices(a: Any, b: Any) -> Any:
    """The product of two matrices, column after column of the first."""
    total: Any = a[:, 0, None] * b[None, 0]
    for at in range(1, a.shape[1]):
        total = total + a[:, at, None] * b[None, at]
    return total


def _usual(value: Any) -> bool:
    if not isinstance(value, Environment):
        return False
    return value.rounding is Rounding.NEAREST and not (value.daz or value.ftz or value.saturate)


def _told(value: Any) -> Any:
    """What a number, type or environment adds to the name of an operation."""
    if isinstance(value, Environment):
        flags = "".join(letter for letter, on in (("d", value.daz), ("f", value.ftz), ("s", value.saturate)) if on)
        return f"{value.rounding.name.lower()} {flags}".strip()
    if isinstance(value, Format):
        return value.name
    return np.dtype(value).str[1:] if isinstance(value, type) else value


PRIMITIVE.append(applied)
SPECIAL["matmul"] = _matrices
