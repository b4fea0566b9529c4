"""The emulator's arithmetic as nodes: one operation for each rounding function of `emulation.numerics`.

In the environment in which programs start (round to nearest even, nothing flushed), an operation has numpy's name. So a
fused multiply-add of an instruction and one of a traced expression are the same node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from ..numerics import fp
from ..numerics.rounding import Environment, Format, Rounding
from .facts import ends_of
from .lanes import PICKED, PRIMITIVE, SPECIAL, Lanes, apply
from .rules import FUNCTIONS
from .values import Key, Undecided

_NAMES = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "sqrt": "sqrt", "fma": "fma"}
_KNOWN: dict[tuple[Any, ...], tuple[Any, ...]] = {}
_RESULTS: dict[Key, np.dtype[Any]] = {}
FUNCTIONS["fma"] = fp.fma


def applied(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Apply a function of arrays and of parameters that select its behaviour, as one operation."""
    form = _FORMS.get(function.__name__)
    if form is not None:
        return form(*given)
    told = (function, *[each.dtype if isinstance(each, (Lanes, np.ndarray)) else each for each in given])
    found = _KNOWN.get(told)
    if found is None:
        found = _KNOWN[told] = _read(function, given)
    places, key, call, to, types = found
    return apply(key, call, [given[at] for at in places], to, types)


def _read(function: Callable[..., Any], given: Sequence[Any]) -> tuple[Any, ...]:
    """Return which arguments are arrays, the key, a function of the arrays, the result type and the array types."""
    places = [at for at, each in enumerate(given) if hasattr(each, "dtype") and not isinstance(each, type)]
    arrays = [given[at] for at in places]
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
    """Return the product of two matrices, accumulated over the columns of the first."""
    total: Any = a[:, 0, None] * b[None, 0]
    for at in range(1, a.shape[1]):
        total = total + a[:, at, None] * b[None, at]
    return total


def _usual(value: Any) -> bool:
    if not isinstance(value, Environment):
        return False
    return value.rounding is Rounding.NEAREST and not (value.daz or value.ftz or value.saturate)


def _told(value: Any) -> Any:
    """Return what a number, type or environment adds to the key of an operation."""
    if isinstance(value, Environment):
        flags = "".join(letter for letter, on in (("d", value.daz), ("f", value.ftz), ("s", value.saturate)) if on)
        return f"{value.rounding.name.lower()} {flags}".strip()
    if isinstance(value, Format):
        return value.name
    return np.dtype(value).str[1:] if isinstance(value, type) else value


def _logic_of_three(a: Any, b: Any, c: Any, truths: int) -> Any:
    """Compute bits by a truth table, with the formula of the fewest operations."""
    if truths in (0, 255):
        return a | ~a if truths else a ^ a
    return _by_formula(truths, {_A: a, _B: b, _C: c})


def _by_formula(wanted: int, made: dict[int, Any]) -> Any:
    if wanted not in made:
        name, *parts = _formulas()[wanted]
        made[wanted] = getattr(np, name)(*[_by_formula(part, made) for part in parts])
    return made[wanted]


@lru_cache(None)
def _formulas() -> dict[int, tuple[Any, ...]]:
    """Return, for each truth table of three bits, an operation and the truth tables of its operands, using the fewest
    operations."""
    plain: dict[int, tuple[Any, ...]] = dict.fromkeys((_A, _B, _C), ())
    levels = [[*plain, *[255 ^ each for each in plain]]]
    plain |= {255 ^ each: ("invert", each) for each in (_A, _B, _C)}
    while len(plain) < 254:
        level: list[int] = []
        for depth in range(len(levels)):
            for first, second in product(levels[depth], levels[len(levels) - 1 - depth]):
                for name, function in _TWO:
                    wanted = function(first, second)
                    if wanted not in plain and 0 < wanted < 255:
                        plain[wanted] = (name, first, second)
                        level.append(wanted)
        levels.append(level)
    return plain


_A, _B, _C = 0xF0, 0xCC, 0xAA
_TWO = (("bitwise_and", int.__and__), ("bitwise_or", int.__or__), ("bitwise_xor", int.__xor__))
_FORMS = {"_ternary": _logic_of_three}
"""Functions that are built from other operations."""


def picked(values: Lanes, index: Lanes) -> Lanes:
    """Return elements at positions that depend on data. An AND with a constant must keep every position in range."""
    table, count = values.table, len(values)
    if values.ndim != 1 or count > _MOST_PICKED:
        raise Undecided("data decides on an index")
    places = index.raw[..., :4]
    most = [ends_of(int(node), table)[1] for node in table.nodes_of(places).reshape(-1)]
    if (index.raw[..., 4:] != -1).any() or max(most) >= count:
        raise Undecided("data decides on an index, and nothing keeps it inside")

    def function(at: Any, *elements: Any) -> Any:
        return np.stack(elements)[at, np.arange(len(at))]

    size = values.itemsize
    name = f"u{size}"
    elements = [np.broadcast_to(values[at : at + 1].view(name), index.shape) for at in range(count)]
    made = apply(
        ("picked", size, count),
        function,
        [Lanes(places, "u4", table), *elements],
        np.dtype(name),
        ("u4", *[name] * count),
    )
    result: Lanes = made.view(values.dtype)
    return result


_MOST_PICKED = 32
PRIMITIVE.append(applied)
SPECIAL["matmul"] = _matrices
PICKED.append(picked)
