"""Evaluate expression programs with numpy, bit for bit as machines do.

    evaluate(program, x=array, g=array)     program: made by microkernels/expr/graph.py, as plain data

A program is a sequence of steps (operation, type, numbers of earlier steps, value). Every rounded operation is rounded
once, to nearest even, with denormals kept. If an operation makes promises about its operands, the promises are checked.
NaN results are NaN; no contract specifies their payload.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from . import fp

Array = np.ndarray[Any, Any]

NUMPY: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "m32": np.dtype(bool),
    "m64": np.dtype(bool),
}
_UNSIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_SIGNED: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}
_FLOAT: dict[int, np.dtype[Any]] = {4: np.dtype(np.float32), 8: np.dtype(np.float64)}


class EvaluatedStep(Protocol):
    """One operation."""

    @property
    def op(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def args(self) -> tuple[int, ...]: ...
    @property
    def value(self) -> Any: ...


class Evaluated(Protocol):
    """Steps in the order of computation, and the numbers of those that are results."""

    @property
    def steps(self) -> Sequence[EvaluatedStep]: ...
    @property
    def outputs(self) -> Sequence[int]: ...


def evaluate(program: Evaluated, **inputs: Array) -> list[Array]:
    """Return the results. Inputs are passed by name, have the program's types, and broadcast against each other."""
    values: list[Array] = []
    with np.errstate(all="ignore"):
        for step in program.steps:
            if step.op == "input":
                value = np.asarray(inputs[step.value])
                if value.dtype != NUMPY[step.dtype]:
                    raise TypeError(f"{step.value}: {NUMPY[step.dtype]} expected, not {value.dtype}")
            elif step.op == "const":
                value = _of_bits(step.value, step.dtype)
            else:
                value = np.asarray(SEMANTICS[step.op](*(values[arg] for arg in step.args), value=step.value))
            values.append(value)
    return [values[output] for output in program.outputs]


def _of_bits(bits: int, dtype: str) -> Array:
    to = NUMPY[dtype]
    return np.array(bits, _UNSIGNED[to.itemsize]).view(to)


def _bits(x: Array) -> Array:
    return np.asarray(x).view(_UNSIGNED[x.dtype.itemsize])


def _neg(a: Array, value: Any) -> Array:
    if a.dtype.kind == "i":
        return np.asarray(-a)
    return np.asarray((_bits(a) ^ _top(a)).view(a.dtype))


def _abs(a: Array, value: Any) -> Array:
    if a.dtype.kind == "i":
        return np.asarray(np.abs(a))
    return np.asarray((_bits(a) & ~_top(a)).view(a.dtype))


def _top(a: Array) -> Any:
    unsigned = _UNSIGNED[a.dtype.itemsize]
    return unsigned.type(1 << 8 * a.dtype.itemsize - 1)


def _largest(a: Array, b: Array, value: Any) -> Array:
    if a.dtype.kind == "i":
        return np.asarray(np.maximum(a, b))
    chosen = np.where((a > b) | ((a == b) & np.signbit(b)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), a + b, chosen).astype(a.dtype, copy=False)


def _smallest(a: Array, b: Array, value: Any) -> Array:
    if a.dtype.kind == "i":
        return np.asarray(np.minimum(a, b))
    chosen = np.where((a < b) | ((a == b) & np.signbit(a)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), a + b, chosen).astype(a.dtype, copy=False)


def _ldexp(a: Array, n: Array, value: Any) -> Array:
    a, n = np.broadcast_arrays(a, n)
    if n.dtype.kind == "f":
        whole = np.isnan(a) | ((np.rint(n) == n) & (np.abs(n) < 2.0**31))
        if not whole.all():
            raise ValueError(f"scale by 2^n: n is a whole number below 2^31 in size, not {n[~whole].flat[0]}")
        n = np.where(np.isnan(a), 0, n)
    if value is not None and (np.abs(n) > value).any():
        raise ValueError(f"ldexp: promised |n| <= {value}, found {n[np.abs(n) > value].flat[0]}")
    return np.asarray(np.ldexp(a, np.clip(n, -5000, 5000).astype(np.int32)).astype(a.dtype, copy=False))


def _scale_floor(a: Array, n: Array, value: Any) -> Array:
    a, n = np.broadcast_arrays(a, n)
    far = (np.abs(n) >= 2.0**31) & ((a == 0) | np.isinf(a))
    if far.any():
        raise ValueError(f"scale_floor: {a[far].flat[0]} times 2^{n[far].flat[0]}")
    return _ldexp(a, np.clip(np.floor(n), -(2.0**30), 2.0**30), value)


def _fraction(a: Array, value: Any) -> Array:
    whole = np.floor(a)
    near = np.asarray(a - whole)
    # this rounds only if a lies between -1 and 0, where adding `whole` back is exact
    down = np.where(near + whole > a, np.nextafter(near, a.dtype.type(0)), near)
    return np.where(whole == a, np.where(np.isinf(a), a.dtype.type(0), a.dtype.type(-0.0)), down)


def _log_ends(a: Array, b: Array, value: Any) -> Array:
    ends = np.where(b < 0, np.nan, np.where(b == 0, -np.inf, b)).astype(a.dtype)
    return np.where((b > 0) & (b < np.inf), a, ends)


def _root_ends(a: Array, b: Array, value: Any) -> Array:
    return np.where((b > 0) & (b < np.inf), a, np.where(b < 0, np.nan, b).astype(a.dtype))


def _to_int(a: Array, value: Any, rounded: Callable[[Array], Array] = np.trunc) -> Array:
    limit = 2.0**31 if a.dtype.itemsize == 4 else 2.0**51
    whole = rounded(a)
    fits = (whole >= -limit) & (whole < limit)
    return np.where(fits, whole, 0).astype(_SIGNED[a.dtype.itemsize])


def _round_int(a: Array, value: Any) -> Array:
    return _to_int(a, value, np.rint)


def _lookup(n: Array, value: Any) -> Array:
    dtype, entries = value
    table = np.array(entries, _UNSIGNED[n.dtype.itemsize]).view(NUMPY[dtype])
    if ((n < 0) | (n >= len(entries))).any():
        raise ValueError(f"lookup: place {n[(n < 0) | (n >= len(entries))].flat[0]} of {len(entries)}")
    return np.asarray(table[n])


def _moved_down(a: Array, value: int) -> Array:
    return np.asarray(_bits(a) >> _UNSIGNED[a.dtype.itemsize].type(value)).view(a.dtype)


def _rotated(a: Array, value: int) -> Array:
    return (a << a.dtype.type(value)) | _moved_down(a, 8 * a.dtype.itemsize - value) if value else a


_RANGE = {
    "i8": (-(1 << 7), (1 << 7) - 1),
    "u8": (0, (1 << 8) - 1),
    "i16": (-(1 << 15), (1 << 15) - 1),
    "u16": (0, (1 << 16) - 1),
}
SEMANTICS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, value: a + b,
    "sub": lambda a, b, value: a - b,
    "mul": lambda a, b, value: a * b,
    "div": lambda a, b, value: a / b,
    "fma": lambda a, b, c, value: fp.fma(a, b, c),
    "neg": _neg,
    "abs": _abs,
    "max": _largest,
    "min": _smallest,
    "sqrt": lambda a, value: np.sqrt(a),
    "rint": lambda a, value: np.rint(a),
    "floor": lambda a, value: np.floor(a),
    "ceil": lambda a, value: np.ceil(a),
    "trunc": lambda a, value: np.trunc(a),
    "ldexp": _ldexp,
    "scale": _ldexp,
    "scale_floor": _scale_floor,
    "fraction": _fraction,
    "size_within": lambda a, b, value: np.where(_abs(a, None) < b, _abs(a, None), b),
    "log_ends": _log_ends,
    "root_ends": _root_ends,
    "to_int": _to_int,
    "round_int": _round_int,
    "to_whole": lambda a, value: np.clip(np.rint(np.nan_to_num(a)), *_RANGE[value]).astype(np.int32),
    "saturate": lambda a, value: np.clip(a, *_RANGE[value]),
    "to_float": lambda a, value: a.astype(_FLOAT[a.dtype.itemsize]),
    "low_word": lambda a, value: a.astype(np.uint32).astype(np.int64),
    "bits": lambda a, value: a.view(_SIGNED[a.dtype.itemsize]),
    "from_bits": lambda a, value: a.view(_FLOAT[a.dtype.itemsize]),
    "shl": lambda a, value: a << a.dtype.type(value),
    "sar": lambda a, value: a >> a.dtype.type(value),
    "shr": _moved_down,
    "rotl": _rotated,
    "and": lambda a, b, value: a & b,
    "or": lambda a, b, value: a | b,
    "xor": lambda a, b, value: a ^ b,
    "not": lambda a, value: ~a,
    "lt": lambda a, b, value: a < b,
    "le": lambda a, b, value: a <= b,
    "eq": lambda a, b, value: a == b,
    "ne": lambda a, b, value: a != b,
    "select": lambda m, a, b, value: np.where(m, a, b),
    "lookup": _lookup,
}
"""Functions of arrays by operation. `bits` and similar operations need contiguous arrays, as numpy makes them."""
