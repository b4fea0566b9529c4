"""The results of an epilogue beside C: values and masks of its shape, and statistics of its lines.

The function returns a tuple. Its first expression becomes C. Each further one is one of three: a matrix of C's shape
and order without gaps, a mask of one bit for each element along the contiguous dimension, or a statistic with an
element for each place along it. A statistic lives in its own memory, which is an input (the value so far) and an
output.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...encoder.records import NamedTuple
from ..dtypes import element_type
from ..errors import UnsupportedError
from ..expr.conversions import STORAGE
from ..expr.graph import MASKS, Expr, ordered
from ..expr.graph import operand as input_of
from ..expr.statistics import Statistic
from ..gemm.spec import GemmSpec
from ..operands import BYTE, Operand, View
from ..reduce.ops import REDUCTIONS

BITS = "bits"


class Further(NamedTuple):
    """A result beside C: its operand, and the reduction if it is a statistic."""

    operand: Operand
    reduction: str | None = None


def before(name: str) -> str:
    """Return the name of the input that holds an output's value before it is stored again."""
    return f"{name} before"


def further(
    spec: GemmSpec, traced: Sequence[Expr | Statistic], out: Any, taken: Collection[str]
) -> tuple[tuple[Further, ...], tuple[Expr, ...]]:
    """Return (results, expressions) of the values that a function returned after its first expression.

    out     the requested element types, one for all or one for each; None: C's type, or a statistic's own
    taken   the names of other operands
    """
    made: list[Further] = []
    outputs: list[Expr] = []
    for name, each, dtype in zip(_names(len(traced), taken), traced, _types(out, len(traced))):
        if isinstance(each, Statistic):
            made.append(_statistic(name, each, dtype, spec))
            outputs.append(REDUCTIONS[each.reduction].step(input_of(before(name), each.expr.dtype), each.expr))
        else:
            made.append(_whole(name, each, dtype, spec))
            outputs.append(each)
    return tuple(made), tuple(outputs)


def again(
    spec: GemmSpec, given: Sequence[Further], outputs: Sequence[Expr], taken: Collection[str]
) -> tuple[Further, ...]:
    """Return the results as `further` makes them from these outputs, in which statistics are already steps."""
    made: list[Further] = []
    for name, each, expr in zip(_names(len(given), taken), given, outputs, strict=True):
        if each.reduction is None:
            made.append(_whole(name, expr, None if expr.dtype in MASKS else each.operand.dtype, spec))
        else:
            if not _steps(name, each.reduction, expr):
                raise ValueError(f"epilogue: {name} takes no step of {each.reduction!r}")
            axis = 0 if each.operand.rows == 1 else 1
            made.append(_statistic(name, Statistic(each.reduction, expr, axis), None, spec))
    return tuple(made)


def _steps(name: str, reduction: str, expr: Expr) -> bool:
    """Whether an expression is a step of a reduction from the statistic's value so far."""
    if expr.dtype in MASKS:
        return False
    prior, step = input_of(before(name), expr.dtype), REDUCTIONS[reduction].step
    return any(step(prior, value) is expr for value in ordered([expr]) if value.dtype == expr.dtype)


def _names(count: int, taken: Collection[str]) -> list[str]:
    """Return the names y1, y2..., with an underscore appended to a name that an operand has."""
    names = []
    for number in range(1, count + 1):
        name = f"y{number}"
        while name in taken:
            name += "_"
        names.append(name)
    return names


def _types(out: Any, count: int) -> tuple[Any, ...]:
    if not isinstance(out, (tuple, list)):
        return (out,) * count
    if len(out) != count:
        raise ValueError(f"out: {count} types, one for each result after c, not {len(out)}")
    return tuple(out)


def _whole(name: str, expr: Expr, asked: Any, spec: GemmSpec) -> Further:
    """Return a result with a value or a bit for each element of C."""
    dtype = None if asked is None else element_type(f"out of {name}", asked, BITS)
    if (dtype == BITS and expr.dtype not in MASKS) or (dtype not in (None, BITS) and expr.dtype in MASKS):
        raise UnsupportedError(
            f"out of {name}: comparisons are stored as bits and only comparisons "
            f"are, so {dtype} is not possible here; ts.select(mask, 1.0, 0.0) makes "
            "numbers of a mask"
        )
    dtype = dtype or spec.dtype
    if dtype not in STORAGE:
        raise UnsupportedError(f"out of {name}: {', '.join(STORAGE)}, not {dtype}")
    rows, columns, order = spec.m, spec.n, spec.order[2]
    if expr.dtype in MASKS:
        dtype = "u8"
        rows, columns = (rows, -(-columns // BYTE)) if order == "C" else (-(-rows // BYTE), columns)
    return Further(Operand(name, rows, columns, View(order, columns if order == "C" else rows), dtype, output=True))


def _statistic(name: str, traced: Statistic, asked: Any, spec: GemmSpec) -> Further:
    """Return a result with a value for each place along C's contiguous dimension."""
    if traced.reduction not in REDUCTIONS:
        raise ValueError(f"statistic: {', '.join(REDUCTIONS)}, not {traced.reduction!r}")
    along, extent, order = ("columns", spec.n, "C") if traced.axis == 0 else ("rows", spec.m, "F")
    if spec.order[2] != order:
        raise UnsupportedError(
            f'{name}: a statistic of {along} (axis {traced.axis}) needs a c of order "{order}", in which '
            f'neighbouring {along} are contiguous; otherwise use a second kernel, ts.reduce("{traced.reduction}", m, '
            f"n, axis={traced.axis}) of c"
        )
    if extent == 1:
        raise UnsupportedError(
            f"{name}: a statistic of {along} needs more than one of them; for a single one use ts.reduce of c"
        )
    dtype = traced.expr.dtype
    if asked is not None and element_type(f"out of {name}", asked, BITS) != dtype:
        raise UnsupportedError(
            f"out of {name}: a statistic has the type that it is computed in, {dtype}, not {asked!r}"
        )
    rows, columns = (1, extent) if traced.axis == 0 else (extent, 1)
    return Further(Operand(name, rows, columns, View("C", columns), dtype, output=True), traced.reduction)
