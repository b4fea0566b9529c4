"""Products of matrices, of floats and of integers, and contractions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...ops.einsum import einsum
from ...ops.matmul import matmul
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise, reduction
from .library import BYTES, FLOATS, Array
from .reducing import reduced

_WIDE = np.dtype(np.int32)
_SUMS = np.dtype(np.int16)


def _matmul_of(call: NodeCall, a: Array, b: Array) -> Array:
    made: Array = matmul(a, b)
    return made


def _scaled(c: Expr, alpha: float) -> Expr:
    return c * alpha


def _added(c: Expr, bias: Expr, alpha: float, beta: float) -> Expr:
    return c * alpha + bias * beta if alpha != 1 or beta != 1 else c + bias


@lru_cache(maxsize=256)
def _epilogue(alpha: float, beta: float) -> object:
    return lambda c, bias: _added(c, bias, alpha, beta)


def _gemm_of(call: NodeCall, a: Array, b: Array, c: Array | None = None) -> Array:
    a, b = (x.T if call.whole(name) else x for x, name in ((a, "transA"), (b, "transB")))
    alpha, beta = call.number("alpha", 1.0), call.number("beta", 1.0)
    if c is not None and beta and c.shape in ((b.shape[1],), (1, b.shape[1])) and a.shape[1]:
        made: Array = matmul(a, b, epilogue=_epilogue(alpha, beta), operands={"bias": c.reshape(-1)})
        return made
    made = matmul(a, b)
    if c is not None and beta:
        return elementwise(ElementFunction(_added, (alpha, beta)), made, c)
    return made if alpha == 1 else elementwise(ElementFunction(_scaled, (alpha,)), made)


# Integers


def _less_zero(x: Expr, zero: Expr) -> Expr:
    return x - zero


def _less_sums(c: Expr, sums: Expr, zero: float) -> Expr:
    return c - sums * zero


def _centred(x: Array, zero: Array | None, column: bool) -> Array:
    """Return the numbers less their zero points, one for all or one for each row or column, in 16 bits."""
    if zero is None or not zero.any():
        return x.astype(_SUMS)
    points = zero.reshape(-1, 1) if column and zero.ndim == 1 and zero.size > 1 else zero
    return elementwise(ElementFunction(_less_zero), x, points, out=_SUMS)


def whole_product(a: Array, b: Array, zero_a: Array | None = None, zero_b: Array | None = None) -> Array:
    """Return (a - zero_a) @ (b - zero_b) of bytes, exactly, in i32.

    zero_a is one number, one for each row of a, or of the shape (..., rows, 1); zero_b one number or one for each
    column. Bytes with a sign on the right and no zero points there are multiplied as they are: the zero points of a
    then take away their multiples of the sums of b's columns. Others have 9 bits, and both factors are of 16.
    """
    exact = zero_b is None or not zero_b.any()
    if exact and b.dtype == np.int8 and a.ndim > 1 and b.ndim == 2 and (zero_a is None or zero_a.size == 1):
        made: Array = matmul(a, b, dtype="i32")
        zero = 0 if zero_a is None else int(zero_a.reshape(-1)[0])
        if not zero or not made.size or not b.size:
            return made
        sums = reduction("sum", b, 0, "i32")
        return elementwise(ElementFunction(_less_sums, (zero,)), made, sums)
    wide: Array = matmul(_centred(a, zero_a, True), _centred(b, zero_b, False), dtype="i32")
    return wide


def _matmul_integer(
    call: NodeCall, a: Array, b: Array, zero_a: Array | None = None, zero_b: Array | None = None
) -> Array:
    return whole_product(a, b, zero_a, zero_b)


def requantized(c: Expr, factor: Expr, zero: Expr) -> Expr:
    """A sum of whole numbers as a byte: rounded to nearest even, moved, and saturated by the store."""
    return f.rint(c * factor) + zero


def _qlinear_matmul(
    call: NodeCall,
    a: Array,
    scale_a: Array,
    zero_a: Array,
    b: Array,
    scale_b: Array,
    zero_b: Array,
    scale_y: Array,
    zero_y: Array,
) -> Array:
    sums = whole_product(a, b, zero_a, zero_b)
    left = scale_a.reshape(-1, 1) if scale_a.ndim == 1 and scale_a.size > 1 else scale_a
    factor = (left.astype(np.float32) * scale_b.astype(np.float32) / scale_y.astype(np.float32)).astype(np.float32)
    return elementwise(ElementFunction(requantized), sums, factor, zero_y.astype(np.float32), out=zero_y.dtype)


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
    OnnxRow("MatMul", _matmul_of, FLOATS),
    OnnxRow("Gemm", _gemm_of, FLOATS, since=7),
    OnnxRow("MatMulInteger", _matmul_integer, BYTES, {1: BYTES}),
    OnnxRow("QLinearMatMul", _qlinear_matmul, BYTES, {3: BYTES, 7: BYTES}),
    OnnxRow("Einsum", _einsum_of, FLOATS, refuse=_einsum_refused),
)
