"""The shapes of the nodes of a traced function with products: (rows, columns), with 1 where a node broadcasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..expr.along import ALONG, DOWN
from ..expr.coordinates import is_place
from ..expr.graph import Expr, ordered
from ..expr.products import BATCHED, PRODUCT, TRANSPOSE, TRANSPOSED

Shape = tuple[int, int]


def shapes_of(results: Sequence[Expr], given: Mapping[str, Shape]) -> dict[Expr, Shape]:
    """Return the shape of every node. Raises ValueError naming the operands if shapes do not match."""
    found: dict[Expr, Shape] = {}
    for expr in ordered(results):
        found[expr] = _shape(expr, [found[arg] for arg in expr.args], given)
    return found


def _shape(expr: Expr, args: Sequence[Shape], given: Mapping[str, Shape]) -> Shape:
    if expr.op == "input":  # a coordinate, which is not in memory, broadcasts
        return given.get(expr.value, (1, 1)) if is_place(expr.value) else given[expr.value]
    if expr.op == ALONG:
        return args[0][0], 1
    if expr.op == DOWN:
        return 1, args[0][1]
    if expr.op == TRANSPOSE:
        return args[0][::-1]
    if expr.op == PRODUCT:
        return _product(expr, args[0], args[1])
    rows, columns = {1}, {1}
    for each in args:
        rows.add(each[0])
        columns.add(each[1])
    if len(rows) > 2 or len(columns) > 2:
        operands = " and ".join(f"{short(arg)} ({rows} x {columns})" for arg, (rows, columns) in zip(expr.args, args))
        raise ValueError(
            f"{expr.op}: {operands} do not broadcast; they must have one shape, or be one row, column or element"
        )
    return max(rows), max(columns)


def _product(expr: Expr, left: Shape, right: Shape) -> Shape:
    factor, inner, columns = expr.args[1], *right
    if expr.value == BATCHED:
        batch, rest = divmod(inner, left[1])
        if rest or left[0] % batch:
            name = expr.args[0].value
            raise ValueError(
                f"ts.brgemm({name}, {factor.value}): {name} (batch, m, k) has {left[0]} "
                f"rows of {left[1]}, {factor.value} (batch, k, n) has {inner} rows; no "
                "batch count divides both into matrices with the same k"
            )
        return left[0] // batch, columns
    if expr.value == TRANSPOSED:
        inner, columns = columns, inner
    if left[1] != inner:
        name = f"{short(factor)}{'.T' * (expr.value == TRANSPOSED)}"
        raise ValueError(
            f"{short(expr.args[0])} @ {name}: {left[1]} columns on the left, {inner} rows on the right; "
            "both must be equal"
        )
    return left[0], columns


_NAMES = {PRODUCT: "a product", ALONG: "a reduction along rows", DOWN: "a reduction down the columns"}


def short(expr: Expr) -> str:
    """Return a name for a node, for messages."""
    if expr.op == "input":
        return str(expr.value)
    if expr.op in _NAMES:
        return _NAMES[expr.op]
    return f"the result of {expr.value[0] if expr.op == 'call' else expr.op}"
