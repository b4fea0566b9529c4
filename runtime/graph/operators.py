"""The table of operators: one row each, with what its results are and how it is computed.

`kind` says how the compiler treats a node:

    pointwise   element by element, with numpy's broadcasting: `expression` is a function of expressions
    rowwise     rows of elements along the last axes, or sums over the first ones: `expression` too
    view        another way to see the elements of its input: `view` is a function of a numpy array
    product     a product of matrices or a convolution, whose result an expression may finish
    whole       a kernel of its own: `evaluate` is a function of arrays
    composite   `expand` builds it of other operators
    foreign     a function that the caller brings, because no kernel computes it
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from math import prod

import numpy as np

from ...microkernels.dtypes import DTYPES, element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr, operand
from ...microkernels.expr.ops import MASKS
from ..arguments.dtypes import numpy_dtype
from .values import Attribute, DType, Given, Operator, Shape, TensorType, named

BOOL: DType = np.dtype(np.bool_)
_NAMES = {dtype.numpy: name for name, dtype in DTYPES.items()}


def type_name(dtype: DType) -> str:
    """Return the name of an element type as kernels have it; booleans are bytes."""
    if dtype == BOOL:
        return "u8"
    found = _NAMES.get(dtype.name)
    if found is None:
        raise UnsupportedError(f"elements of {dtype}: kernels have bool, {', '.join(_NAMES)}; cast first")
    return found


def dtype_of(value: object) -> DType:
    """Return an element type in any spelling: names of kernels ("bf16"), of numpy, torch and Python, and bool."""
    if isinstance(value, np.dtype):
        return value
    if value is bool or value is np.bool_ or value == "bool":
        return BOOL
    return numpy_dtype(element_type("dtype", value))


def check_operands(row: Operator, count: int) -> None:
    """Raise TypeError unless a row takes so many operands. Attributes of pointwise rows may be operands, too:
    clip(x, low, high) of arrays."""
    parameters = signature_of(row.name).parameters.values()
    operands = [each for each in parameters if each.kind is each.POSITIONAL_ONLY]
    most = len(parameters if row.kind == "pointwise" else operands)
    needed = sum(each.default is each.empty for each in operands)
    if count < needed or count > most and not any(each.kind is each.VAR_POSITIONAL for each in parameters):
        by_name = f"; by name: {row.takes.replace(' ', ', ')}" if row.takes else ""
        names = ", ".join(each.name for each in operands)
        raise TypeError(f"{row.name}: takes {names} (None for one left out), not {count}{by_name}")


@cache
def signature_of(name: str) -> inspect.Signature:
    """Return the operands and attributes of an operator, as the functions of its row have them."""
    row, kinds = named(name), inspect.Parameter
    attributes = row.takes.split()
    functions = [each for each in (row.expand, row.infer, row.expression) if each is not None]
    known = {
        key: each for function in reversed(functions) for key, each in inspect.signature(function).parameters.items()
    }
    source = row.expand or row.expression
    operands = [
        each.replace(kind=kinds.POSITIONAL_ONLY, annotation=kinds.empty)
        for each in ([] if source is None else inspect.signature(source).parameters.values())
        if each.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD) and each.name not in (*attributes, "build")
    ]
    if source is None or any(
        each.kind is kinds.VAR_POSITIONAL for each in inspect.signature(source).parameters.values()
    ):
        operands.append(kinds("values", kinds.VAR_POSITIONAL))
    by_name = [
        kinds(each, kinds.KEYWORD_ONLY, default=known[each].default if each in known else ...) for each in attributes
    ]
    return inspect.Signature([*operands, *by_name])


def arithmetic(dtype: DType) -> str:
    """Return the type in which kernels compute with such elements; "" for booleans, which are bits in any of them."""
    if dtype == BOOL:
        return ""
    name = type_name(dtype)
    if name in ("f64", "i64"):
        return name
    if name in ("u32", "u64") or name.startswith("c"):
        raise UnsupportedError(f"arithmetic of {dtype}: kernels only move such elements; cast to int64 or a float type")
    return "i32" if name[0] in "iu" else "f32"


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """Return the shape to which shapes are broadcast."""
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast to one") from None


def common(name: str, given: Given) -> DType:
    """Return the one type of the operands that are no booleans, or bool."""
    found = list(dict.fromkeys(each.dtype for each in given if each is not None and each.dtype != BOOL))
    if len(found) > 1:
        raise TypeError(f"{name}: operands of one type, not of {', '.join(map(str, found))}; cast one of them")
    return found[0] if found else BOOL


def placeholder(name: str, dtype: DType, compute: str) -> Expr:
    """Return the expression of an operand: its number in the type of the arithmetic, or a mask of a boolean."""
    made = operand(name, compute)
    return made != 0 if dtype == BOOL else made


def traced(row: Operator, given: Given, attributes: Mapping[str, Attribute], compute: str) -> tuple[Expr, ...]:
    """Return the expressions of a row's results. Raises UnsupportedError for types that the arithmetic lacks."""
    assert row.expression is not None
    inputs = [
        None if each is None else placeholder(f"x{place}", each.dtype, compute) for place, each in enumerate(given)
    ]
    try:
        made = row.expression(*inputs, **attributes)
    except TypeError as error:
        kinds = ", ".join("None" if each is None else str(each.dtype) for each in given)
        raise UnsupportedError(f"{row.name} of {kinds}: {error}; cast the operands to a float type") from None
    return made if isinstance(made, tuple) else (made,)


def pointwise(row: Operator, given: Given, attributes: Mapping[str, Attribute]) -> tuple[TensorType, ...]:
    """Return what a pointwise row's results are: of the type of its operands, or boolean if they are masks."""
    dtype = common(row.name, given)
    shape = broadcast([each.shape for each in given if each is not None])
    made = traced(row, given, attributes, arithmetic(dtype) or "i32")
    return tuple(TensorType(shape, BOOL if each.dtype in MASKS else dtype) for each in made)


def axes_of(name: str, axes: object, ndim: int) -> tuple[int, ...]:
    """Return axes in ascending order, from a number or numbers that may count from the last; None: all."""
    if axes is None:
        return tuple(range(ndim))
    asked = axes if isinstance(axes, (tuple, list)) else (axes,)
    found = []
    for each in asked:
        if not isinstance(each, (int, np.integer)) or not -ndim <= each < max(ndim, 1):
            raise ValueError(f"{name}: axes from {-ndim} to {ndim - 1}, not {each!r}")
        found.append(int(each) % max(ndim, 1))
    if len(set(found)) < len(found):
        raise ValueError(f"{name}: each axis once, not {axes!r}")
    return tuple(sorted(found))


def shape_of(name: str, shape: object, size: int) -> Shape:
    """Return a shape with a number in place of -1."""
    asked = [int(each) for each in shape] if isinstance(shape, (tuple, list)) else [int(shape)]  # type: ignore[call-overload]
    if -1 in asked:
        rest = prod(each for each in asked if each != -1)
        asked[asked.index(-1)] = size // rest if rest else 0
    if prod(asked) != size or min(asked, default=0) < 0:
        raise ValueError(f"{name}: a shape of {size} elements, not {shape}")
    return tuple(asked)
