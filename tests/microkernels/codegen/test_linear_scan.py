"""Every operation of expressions on every machine gives the bits of numpy's evaluation, special values included.
Operands for which an operation promises nothing are excluded here; microkernels/expr/test_graph.py tests the
promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.eltwise_cases import MACHINES, both
from tests.kernel_runs import server_for
from tilesmith.microkernels.expr import graph as e
from tilesmith.microkernels.expr.graph import Expr
from tilesmith.microkernels.functions import float_fields as parts

INT = {"f32": "i32", "f64": "i64"}


def _bounded(x: Expr, limit: float) -> Expr:
    """Return x clamped to a limit, with NaN replaced by 0."""
    return e.select(e.is_nan(x), 0.0, e.clamp(x, -limit, limit))


def _count(x: Expr, reach: int) -> Expr:
    """Return an integer of magnitude at most `reach`, as a float."""
    return e.rint(_bounded(x * 0.7, float(reach)))


def _ordinary(x: Expr) -> Expr:
    """Return a number that is neither zero nor infinite."""
    return e.select(e.is_nan(x) | (x == 0.0), 1.5, e.clamp(x, -1e30, 1e30))


def _numbers(x: Expr) -> float:
    return 2.0**31 - 256 if x.dtype == "f32" else 2.0**50


def few(x: Expr) -> Expr:
    """Return one of three values, so that many elements are equal; NaN stays NaN."""
    return e.clamp(e.rint(x), -1.0, 1.0)


FLOAT: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b,
    "fma": lambda a, b, c: e.fma(a, b, c),
    "fnma": lambda a, b, c: e.fma(-a, b, c),
    "fms": lambda a, b, c: e.fma(a, b, -c),
    "fnms": lambda a, b, c: e.fma(a, -b, -c),
    "fma_all_live": lambda a, b, c: (e.fma(a, b, c), a, b, c),
    "fma_constants": lambda a, b, c: e.fma(e.fma(e.fma(a, 0.25, 1.5), a, 0.75), e.fma(b, c, -3.0), 7.0),
    "horner": lambda a, b, c: e.fma(e.fma(e.fma(e.fma(e.constant(3.0, a.dtype), a, 2.5), a, 0.1), a, 0.3), b, c),
    "neg": lambda a, b, c: -a,
    "abs": lambda a, b, c: abs(a),
    "masked_comparisons": lambda a, b, c: (
        e.select(~(b <= a) & (a == a), b, a),
        e.select((b == b) & ~(a < c), a, c),
        e.select(~(a != b) & (c < b), b, c),
        e.select(~(few(a) == few(b)) & (c <= b), a, c),
        e.select((few(a) == few(b)) & (a != c), b, c),
        e.select(~(a < b), b, a),
        e.select(~(few(a) == few(b)) | ~(few(b) != few(c)), a, c),
    ),
    "masked_comparisons_out": lambda a, b, c: ((a < b) & (a < c), ((a < b) | (b < c)) & (a <= c)),
    "nots_of_comparisons": lambda a, b, c: (~(a < b), ~(few(a) == few(b)) ^ ~(few(b) <= few(c))),
    "max": lambda a, b, c: e.maximum(a, b),
    "min": lambda a, b, c: e.minimum(a, b),
    "max_zero": lambda a, b, c: e.maximum(a, 0.0),
    "max_minus_zero": lambda a, b, c: e.maximum(-0.0, a),
    "min_zero": lambda a, b, c: e.minimum(a, 0.0),
    "min_minus_zero": lambda a, b, c: e.minimum(a, -0.0),
    "max_nan": lambda a, b, c: e.maximum(a, float("nan")),
    "clamp": lambda a, b, c: e.clamp(a, -2.5, 1.5),
    "sqrt": lambda a, b, c: e.sqrt(a),
    "rint": lambda a, b, c: e.rint(a),
    "floor": lambda a, b, c: e.floor(a),
    "ceil": lambda a, b, c: e.ceil(a),
    "trunc": lambda a, b, c: e.trunc(a),
    "ldexp": lambda a, b, c: e.ldexp(a, e.round_int(_count(b, 3000))),
    "ldexp_near": lambda a, b, c: e.ldexp(a, e.to_int(_count(b, 126)), reach=126),
    "ldexp_twice": lambda a, b, c: e.ldexp(
        e.select(abs(a) < 2.0**99, e.select(abs(a) > 2.0**-99, a, 1.5), 1.5), _count(b, 252), reach=252
    ),
    "scale": lambda a, b, c: e.ldexp(a, _count(b, 400)),
    "scale_floor": lambda a, b, c: e.ldexp_floor(a, _bounded(b, 400.0)),
    "scale_floor_near": lambda a, b, c: e.ldexp_floor(a, _bounded(b, 126.0), reach=126),
    "scale_floor_far": lambda a, b, c: e.ldexp_floor(_ordinary(a), e.select(e.is_nan(b), 1.0, b)),
    "fraction": lambda a, b, c: parts.fraction(a),
    "fraction_near": lambda a, b, c: parts.fraction(e.fma(_bounded(a, 2.0), 0.45, _bounded(b, 2.0) * 0.05)),
    "size_within": lambda a, b, c: parts.size_within(e.select(e.is_nan(a), float("nan"), a), 1.5),
    "root_ends": lambda a, b, c: (parts.root_ends(a, b), parts.root_ends(few(a), few(b))),
    "log_ends": lambda a, b, c: (parts.log_ends(a, b), parts.log_ends(few(a), few(b))),
    "select_less": lambda a, b, c: (e.select(a < b, a, b), e.select(few(a) < few(b), few(a), few(b))),
    "select_more": lambda a, b, c: (e.select(a < b, b, a), e.select(a < 0.0, 0.0, a), e.select(a > 0.0, -0.0, a)),
    "to_int": lambda a, b, c: e.to_float(e.to_int(_bounded(a, _numbers(a)))),
    "round_int": lambda a, b, c: e.to_float(e.round_int(_bounded(a, _numbers(a)))),
    "to_float": lambda a, b, c: e.to_float(e.bits(a) >> 13),
    "lt": lambda a, b, c: e.select(few(a) < few(b), a, c),
    "le": lambda a, b, c: e.select(few(a) <= few(b), c, b),
    "eq": lambda a, b, c: e.select(few(a) == few(b), b, c),
    "ne": lambda a, b, c: e.select(few(a) != few(b), b, c),
    "masks": lambda a, b, c: e.select(((a < b) & (b < c)) | (~(a <= c) ^ (b == 1.0)), a, b),
    "masks_out": lambda a, b, c: (a < b, ~(a < b), (a < b) ^ (b < c)),
    "copysign": lambda a, b, c: parts.copysign(a, b),
    "exponent": lambda a, b, c: e.to_float(parts.exponent(a)),
    "mantissa": lambda a, b, c: parts.mantissa(a),
    "constant": lambda a, b, c: e.constant(1.1, a.dtype),
    "outputs": lambda a, b, c: (a, a + b, a, b, e.constant(2.0, a.dtype)),
}
WHOLE: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "neg": lambda a, b, c: -a,
    "abs": lambda a, b, c: abs(a),
    "max": lambda a, b, c: e.maximum(a, b),
    "min": lambda a, b, c: e.minimum(a, b),
    "and": lambda a, b, c: a & b,
    "or": lambda a, b, c: a | 0x55,
    "xor": lambda a, b, c: a ^ b,
    "not": lambda a, b, c: ~a,
    "logic": lambda a, b, c: (
        (a & b) | c,
        c ^ (a | b),
        (a ^ 0x0F0F0F0F) & b,
        ~(a & b),
        ~a & ~b,
        (a & 0x0FF0) | (b & ~0x0FF0),
    ),
    "logic_shared": lambda a, b, c: ((a & b) | c, a & b, ((a ^ b) & c) | (b & c), (a | b) ^ (a | b) ^ c),
    "shl": lambda a, b, c: (a << 5, a << 0),
    "sar": lambda a, b, c: (a >> 7, a >> 0),
    "shr": lambda a, b, c: (e.shift_right_logical(a, 9), e.shift_right_logical(a, 0)),
    "lt": lambda a, b, c: e.select((a | -4) < (b | -4), a, c),
    "le": lambda a, b, c: e.select((a | -4) <= (b | -4), a, c),
    "lt_any": lambda a, b, c: e.select(a < b, a, c),
    "eq": lambda a, b, c: e.select((a & 3) == (b & 3), a, c),
    "ne": lambda a, b, c: e.select((a & 3) != (b & 3), a, c),
    "masked_comparisons": lambda a, b, c: (
        e.select((a < b) & ~(b <= c), a, c),
        e.select(((a & 3) == (b & 3)) & (a < b), b, c),
        e.select(~((a & 3) == (b & 3)) & ((b & 3) != (c & 3)), a, b),
        e.select(~((a & 3) != (b & 3)) & ~(b < c), a, b),
    ),
    "constants": lambda a, b, c: e.select(a < 5, 5 - b, a + 1000),
}


def bits_of(function: Callable[..., Any], dtype: str) -> Callable[..., Any]:
    """Return the function on the bits of floats; the operands of the kernel are floats."""

    def on_floats(a: Expr, b: Expr, c: Expr) -> Any:
        made = function(e.bits(a), e.bits(b), e.bits(c))
        outputs = made if isinstance(made, tuple) else (made,)
        # results are bits reinterpreted as floats, which stores do not change; the comparison accepts any NaN for NaN
        return tuple(e.from_bits(each) for each in outputs)

    return on_floats


machines = pytest.mark.parametrize("name", MACHINES)
floats = pytest.mark.parametrize("dtype", ["f32", "f64"])
SHAPES = dict.fromkeys("abc", (3, 37))


@machines
@floats
@pytest.mark.parametrize("op", FLOAT)
def test_float(name, dtype, op, request):
    both(FLOAT[op], SHAPES, MACHINES[name], server_for(name, request), 1, dtype=dtype)


@machines
@floats
@pytest.mark.parametrize("op", WHOLE)
def test_whole(name, dtype, op, request):
    both(bits_of(WHOLE[op], dtype), SHAPES, MACHINES[name], server_for(name, request), 2, dtype=dtype)


@machines
def test_product_of_integers(name, request):
    shapes = {"a": (3, 37), "b": (3, 37)}
    both(lambda a, b: a * b + 3, shapes, MACHINES[name], server_for(name, request), 3, dtype="i32")


@machines
@floats
@pytest.mark.parametrize("entries", [8, 16, 32])
def test_lookup(name, dtype, entries, request):
    table = np.random.default_rng(entries).standard_normal(entries)
    both(
        lambda a: e.lookup(list(table), e.bits(a) & entries - 1),
        {"a": (3, 37)},
        MACHINES[name],
        server_for(name, request),
        4,
        dtype=dtype,
    )


@machines
@floats
def test_many_constants(name, dtype, request):
    """If there are more constants than registers, some are memory operands or loaded again."""
    coefficients = [1.0 / (i + 3) for i in range(45)]

    def polynomials(x: Expr) -> Expr:
        total = x
        for start in range(0, 45, 9):
            p = e.constant(coefficients[start], x.dtype)
            for coefficient in coefficients[start + 1 : start + 9]:
                p = e.fma(p, x, coefficient)
            total = e.select(x < coefficients[start] * 3, total - p, total + p * coefficients[start])
        return total

    both(polynomials, {"x": (2, 45)}, MACHINES[name], server_for(name, request), 5, dtype=dtype)


@machines
def test_many_values(name, request):
    """If one vector needs too many values at once, the code processes fewer vectors at a time."""

    def function(x: Expr) -> Expr:
        made = [x * float(i) for i in range(1, 12)]
        while len(made) > 1:
            half = len(made) // 2
            made = [a / b for a, b in zip(made[:half], reversed(made))] + made[half:-half]
        return made[0]

    both(function, {"x": (2, 45)}, MACHINES[name], server_for(name, request), 6)
