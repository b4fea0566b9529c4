"""Operands of elementwise kernels in other orders than row-major: their layouts in memory, and the consequences.

    order="F"       columns contiguous: an array of order "F", or the transpose of one of order "C"
    "plaint"        the transpose of the matrix, as an array of its own, whose rows are contiguous
    "vnni2"...      packed, see transform/layouts.py

If all matrices have the same order, rows and columns may be exchanged, and the walk is that of row-major matrices. If
one of them has another order, its elements are reordered in registers, and the expression reads the other operands on
one side of that. `moved` determines the matrix and the side.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from ...encoder.records import NamedTuple
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.program import Program
from ..operands import RUNTIME, Number, Operand, View, dense, leading_dimension
from ..transform.layouts import Layout, layout

PLAIN, COLUMNS, TRANSPOSED = "plain", "F", "plaint"
ORDERS = ("C", "F")
_ROW_MAJOR = (PLAIN, TRANSPOSED)  # layouts whose array has one row per row or column of the matrix


def requested(order: Any, names: Sequence[str]) -> dict[str, str]:
    """Return the layouts of operands by name, from `order`: a letter for all, a letter for each, or letters by name."""
    if isinstance(order, Mapping):
        unknown = next((name for name in order if name not in names), None)
        if unknown is not None:
            raise ValueError(f"order: {unknown} is no operand or result; the names are {', '.join(names)}")
        each = {name: order.get(name, "C") for name in names}
    else:
        letters = list(order) if isinstance(order, (str, tuple, list)) else [order]
        letters = letters * len(names) if len(letters) == 1 else letters
        if len(letters) != len(names):
            raise ValueError(f"order: a letter for all, or one for each of {', '.join(names)}, not {order!r}")
        each = dict(zip(names, letters))
    for name, letter in each.items():
        if not isinstance(letter, str) or letter not in ORDERS:
            raise (ValueError if isinstance(letter, str) else TypeError)(
                f'order of {name}: "C" (rows contiguous) or "F" (columns contiguous), not {letter!r}'
            )
    return {name: COLUMNS for name, letter in each.items() if letter == "F"}


def memory(name: str, size: int) -> Layout:
    """Return the memory layout of an operand whose layout has this name, with elements of `size` bytes."""
    return layout(in_memory(name), size)


def in_memory(name: str) -> str:
    """Return the name of a layout for row-major arrays."""
    return TRANSPOSED if name == COLUMNS else name


def transposed(name: str) -> str | None:
    """Return the layout that an array has as the transposed matrix, or None if that has no name."""
    if not name:
        return ""
    if name in (PLAIN, COLUMNS, TRANSPOSED):
        return TRANSPOSED if name == PLAIN else PLAIN
    other = name[:-1] if name.endswith("t") else f"{name}t"
    try:
        return layout(other, 1).name
    except ValueError:
        return None


def laid_out(name: str, where: str, m: int, n: int, dtype: str, leading: dict[str, Any]) -> Operand:
    """Return the operand of an m x n matrix in a layout."""
    given, size = leading.pop(f"ld{name}", None), ELEMENT_BYTES[dtype]
    order = "F" if where == COLUMNS else "C"
    rows, columns = (m, n) if where == COLUMNS else memory(where, size).shape(m, n)
    least = leading_dimension(f"ld{name}", given, dense(order, rows, columns))
    return Operand(name, rows, columns, View(order, least), dtype)


class ElementwiseLayout(Protocol):
    """The attributes of an elementwise request that this module reads: see `EltwiseSpec`."""

    @property
    def name(self) -> str:
        """The name of the function."""

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """The inputs, in the order of the call."""

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """The outputs, in the order of the call."""

    @property
    def program(self) -> Program:
        """The expression."""

    @property
    def bits(self) -> Collection[str]:
        """The operands that are masks."""

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the call."""

    @property
    def moved(self) -> bool:
        """Whether the call gives the row and column of the first element."""

    @property
    def placed(self) -> bool:
        """Whether the result depends on the row or column of an element."""

    def layout_of(self, operand: Operand) -> str:
        """The layout of a matrix; "" for an operand that is broadcast."""


class ReorderedInput(NamedTuple):
    """The input whose elements are reordered between load and store, and the side on which the expression is
    computed."""

    given: str
    at_loads: bool  # in the order of that input, before its elements move; else in the order of the result


def moved(spec: ElementwiseLayout) -> ReorderedInput | None:
    """Return the input that is moved, or None if all matrices have the same order. Raises UnsupportedError if several
    have another order."""
    turned = spec.moved or {*_places(spec)} != {TRANSPOSED}
    if spec.bits or ((spec.numbers or spec.placed) and turned):
        raise UnsupportedError(
            "order: bit masks, random numbers and expressions that use the row or "
            f"column of an element need row-major matrices; make {spec.name} with "
            'order="C"'
        )
    if len(spec.outputs) > 1 and len(set(_places(spec))) > 1:
        raise UnsupportedError(
            "order: with several results all matrices need the same order; make a kernel for each order"
        )
    *inputs, result = _places(spec)
    if all(each == result for each in inputs):
        if result not in _ROW_MAJOR:
            raise UnsupportedError(
                f"{result} to {result}: both have the same packed layout; pass the packed arrays "
                "as plain ones of their own shape"
            )
        return None
    found = [name for name, _ in spec.program.inputs]
    matrices = [x.name for x in spec.inputs if spec.layout_of(x)]
    apart = [name for name, place in zip(matrices, inputs) if place != result]
    unused = next((name for name in matrices if name not in found), None)
    if unused is not None:
        raise UnsupportedError(f"{unused}: the expression does not depend on it; leave the operand out")
    packed = result not in _ROW_MAJOR
    if len(set(inputs)) == 1 and (len(apart) > 1 or packed):
        return _checked(spec, ReorderedInput(matrices[0], True), inputs[0])
    if len(apart) > 1 or (packed and len(matrices) > 1):
        raise UnsupportedError(
            "order: only one operand or the result may have another order than the "
            f"rest, not {', '.join(apart)}; convert others with ts.transpose"
        )
    return _checked(spec, ReorderedInput(apart[0], False), result)


def _places(spec: ElementwiseLayout) -> list[str]:
    """Return the memory layouts of the matrices, with those of the results last."""
    return [
        TRANSPOSED if where == COLUMNS else where
        for each in (*spec.inputs, *spec.outputs)
        if (where := spec.layout_of(each))
    ]


def _checked(spec: ElementwiseLayout, way: ReorderedInput, side: str) -> ReorderedInput:
    """Return the way, if the other operands can be read on its side, whose layout is `side`."""
    if side in _ROW_MAJOR:
        return way
    if len(spec.program.steps) > 1 or len(spec.inputs) > 1:
        raise UnsupportedError(
            "an expression needs x or y unpacked, in rows or columns: between two "
            "packed layouts elements can only be converted and moved; compute in "
            "the kernel that packs or unpacks"
        )
    return way._replace(at_loads=False)


def contiguous(column: Operand) -> None:
    """Raise UnsupportedError for a column with gaps, which would have to be loaded one element at a time."""
    if column.view.leading is RUNTIME or (column.rows > 1 and column.view.leading != 1):
        raise UnsupportedError(
            f"{column.name}: beside column-major matrices a column must be contiguous, without "
            "gaps between its elements"
        )
