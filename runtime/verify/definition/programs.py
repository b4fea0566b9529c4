"""Programs of requests: their open choices, and how they are evaluated step by step.

    evaluated(program, given, operations, reduced)      reduced(step, values) computes a reduction or a product

A program's operations are those of emulation/numerics/expressions.py: numpy computes them on numbers, and on elements
of a table they create nodes. A value per row has one column; a single number has one row and one column. They are
broadcast like numpy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....emulation.numerics.expressions import NUMPY, SEMANTICS
from ....encoder.features import Target
from ....microkernels.codegen.selection import arithmetic_of
from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.along import ALONG, DOWN, SCANS
from ....microkernels.expr.graph import EITHER, NEARLY, Expr, node, rebuilt
from ....microkernels.expr.products import BATCHED, PRODUCT, TRANSPOSE, TRANSPOSED
from ....microkernels.machines.registry import facts_of

_SCALES = ("ldexp", "scale", "scale_floor")
Value = Any
Reduced = Callable[[Any, list[Value]], Value]
"""Computes a reduction, scan or product from a step and its operands. A reduction gets the value of its operand and, if
the operand is a product of elements, the values of the factors. A matrix product gets both matrices, the right one
transposed so that each row belongs to one column of the result."""


def refuse_flushed(spec: Any, target: Target) -> None:
    """Raise UnsupportedError if numerics="fast" leaves it open whether denormal results become zeros."""
    facts = facts_of(target)
    differs = spec.numerics != "exact" and arithmetic_of(facts, spec.numerics) is not arithmetic_of(facts)
    if differs and any(y.dtype == "bf16" for y in spec.outputs):
        raise UnsupportedError(
            f"verify: {spec.name}: results of bf16 under numerics='fast' may have zeros for "
            "denormals, which has no specification; numerics='exact' has one"
        )


def scaled(outputs: Sequence[Expr], arithmetic: Any) -> tuple[Expr, ...]:
    """Return the expressions with open choices made as the machine makes them. The choices are multiplications by
    powers of two, which are exact under the request's promise, and a * b + c that need not be rounded once."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        made = node(expr.op, args, expr.dtype, expr.value)
        if made.op == "fma" and arithmetic.rounds_twice and made.value == EITHER:
            return args[0] * args[1] + args[2]
        chosen = expr.op in _SCALES or made.value == NEARLY
        rule = arithmetic.rules.get((expr.op, expr.args[-1].dtype)) if chosen else None
        return made if rule is None else scaled([rule(made)], arithmetic)[0]

    return rebuilt(outputs, change)


def evaluated(
    of: Any, given: Mapping[str, Value], operations: Mapping[str, Any], reduced: Reduced | None = None
) -> list[Value]:
    """Return the results of a program. A program without reductions and products needs no `reduced`."""
    values: list[Value] = []
    for step in of.steps:
        args = [values[arg] for arg in step.args]
        if step.op == "input":
            value = given[step.value]
        elif step.op == "const":
            to = NUMPY[step.dtype]
            value = np.array(step.value, f"u{to.itemsize}").view(to)
        elif step.op == TRANSPOSE:
            value = args[0].transpose(1, 0)
        elif step.op in (PRODUCT, ALONG, DOWN, *SCANS):
            assert reduced is not None
            value = reduced(step, _factors(of, step, args, values))
        else:
            value = operations.get(step.op, SEMANTICS[step.op])(*args, value=step.value)
        values.append(value)
    return [values[output] for output in of.outputs]


def _factors(of: Any, step: Any, args: list[Value], values: list[Value]) -> list[Value]:
    """Return what `Reduced` gets of a step."""
    if step.op == PRODUCT:
        left, right = args
        if step.value == BATCHED:  # one product; its left factor holds the matrices of the batch side by side
            left = side_by_side(left, left.shape[0] * left.shape[1] // right.shape[0])
        return [left, right.transpose(1, 0) if step.value == TRANSPOSED else right]
    inner = of.steps[step.args[0]]
    return [*args, *(values[arg] for arg in inner.args)] if inner.op == "mul" else args


def side_by_side(stacked: Any, rows: int) -> Any:
    """Return matrices of `rows` rows, which are stacked one below the other, side by side."""
    order = np.arange(stacked.shape[0] * stacked.shape[1]).reshape(-1, rows, stacked.shape[1])
    places = order.transpose(1, 0, 2).reshape(rows, -1)
    return stacked[places // stacked.shape[1], places % stacked.shape[1]]
