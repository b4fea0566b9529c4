"""Products of matrices and contractions of floats."""

from __future__ import annotations

import numpy as np

from ...graph.values import GraphValue
from ...ops.einsum import einsum
from ...ops.matmul import matmul
from .call import NodeCall, OnnxRow
from .library import FLOATS, Array
from .lowering import LoweredNode, ruled
from .pointwise import rule_of
from .reducing import reduced


def _matmul_of(call: NodeCall, a: Array, b: Array) -> Array:
    made: Array = matmul(a, b)
    return made


def _gemm(of: LoweredNode, a: GraphValue, b: GraphValue, c: GraphValue | None = None) -> GraphValue:
    a, b = (of.apply("permute", x) if of.call.whole(name) else x for x, name in ((a, "transA"), (b, "transB")))
    alpha, beta = of.call.number("alpha", 1.0), of.call.number("beta", 1.0)
    made = of.apply("matmul", a, b)
    made = made if alpha == 1.0 else of.apply("multiply", made, alpha)
    if c is None or not beta:
        return made
    return of.apply("add", made, c if beta == 1.0 else of.apply("multiply", c, beta))


def _einsum_of(call: NodeCall, *operands: Array) -> Array:
    equation = call.text("equation").replace(" ", "")
    if len(operands) == 1:
        return _of_one(equation, operands[0])
    made: Array = einsum(equation, *operands)
    return made


def _of_one(equation: str, x: Array) -> Array:
    """Return diagonals, sums and permutations of one array."""
    given, arrow, wanted = equation.partition("->")
    free = [letter for letter in "zyxwvutsrqponmlkjihgfedcba" if letter not in equation]
    more = "".join(free[: x.ndim - len(given.replace("...", ""))])
    given, wanted = given.replace("...", more), wanted.replace("...", more)
    if not arrow:
        wanted = more + "".join(sorted(each for each in set(given) - set(more) if given.count(each) == 1))
    each = "".join(dict.fromkeys(given))
    bits = x.view(f"u{x.itemsize}")  # diagonals are views, also of types that numpy.einsum does not add
    diagonal: Array = np.einsum(f"{given}->{each}", bits).view(x.dtype)
    kept = "".join(letter for letter in each if letter in wanted)
    summed = [place for place, letter in enumerate(each) if letter not in wanted]
    made = reduced("sum", diagonal, summed, keep=False) if summed else diagonal
    return np.ascontiguousarray(made.transpose([kept.index(letter) for letter in wanted])).reshape(
        [made.shape[kept.index(letter)] for letter in wanted]
    )


def _einsum_refused(call: NodeCall) -> str | None:
    return None if call.text("equation").count(",") < 2 else "products of three arrays and more; name two at a time"


ROWS = (
    OnnxRow("MatMul", _matmul_of, FLOATS, rule=rule_of("matmul")),
    ruled("Gemm", _gemm, since=7),
    OnnxRow("Einsum", _einsum_of, FLOATS, refuse=_einsum_refused),
)
