"""Expressions: nodes and their sharing, what tracing refuses, and numpy's evaluation.

The evaluation of an operation is compared with exact arithmetic in fractions, or with numpy's own function of the same
definition. The tests of the machines then compare with this evaluation.
"""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tilesmith.emulation.numerics.expressions import SEMANTICS, evaluate
from tilesmith.microkernels.expr import graph as e
from tilesmith.microkernels.expr.graph import OPS, constant, fma, operand, program
from tilesmith.microkernels.expr.node import _nodes
from tilesmith.microkernels.expr.trace import results, trace
from tilesmith.microkernels.functions import float_fields as parts

f32 = st.floats(width=32)
x, y = operand("x", "f32"), operand("y", "f32")


def value(function, *numbers, dtype="f32"):
    """Return one element of a traced function, evaluated by numpy."""
    names = "abc"[: len(numbers)]
    to = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}[dtype]
    traced = results(function, [operand(name, dtype) for name in names])
    return evaluate(program(*traced), **{name: np.array(number, to) for name, number in zip(names, numbers)})[0]


# Nodes


def test_equal_nodes_are_one_object():
    assert x + y is x + y
    assert x * 2 is x * 2.0
    assert x * 0.1 is x * np.float32(0.1)
    assert x + y is not y + x
    assert constant(0.0, "f32") is not constant(-0.0, "f32")
    assert len(program((x + y) * (x + y)).steps) == 4


def test_nodes_that_nobody_holds_are_forgotten():
    before = len(_nodes)
    (x + 12345.0) * 54321.0
    assert len(_nodes) == before


def test_a_number_takes_the_type_of_the_other():
    assert (1 / x).args[0].dtype == "f32"
    assert (e.bits(x) + 3).args[1].dtype == "i32"
    assert (e.bits(x) + 3.5).dtype == "f32" and (e.bits(x) + 3.5).args[0].op == "to_float"
    with pytest.raises(ValueError, match="1e[+]39 is beyond the largest f32"):
        x * 1e39
    with pytest.raises(ValueError, match="1000.* is beyond the largest f32"):
        x + 10**400
    with pytest.raises(ValueError, match="4294967296 does not fit into i32"):
        e.bits(x) + (1 << 32)


@pytest.mark.parametrize(
    ("match", "wrong"),
    [
        ("takes .number, number., of one size", lambda: x + operand("d", "f64")),
        ("takes .float, float.", lambda: e.apply("div", e.bits(x), e.bits(y))),
        ("takes .float.,", lambda: e.apply("sqrt", e.bits(x))),
        ("takes .mask, number, number.", lambda: e.select(x, x, y)),
        ("mul of i64", lambda: operand("i", "i64") * operand("j", "i64")),
        ("at least one expression", lambda: e.maximum(1.0, 2.0)),
        ("expressions or numbers", lambda: e.maximum(x, "2")),
        ("unsupported operand", lambda: x + "2"),
        ("truth value", lambda: x if x > 0 else y),
        ("the place is an integer", lambda: e.lookup(range(8), x)),
        ("exponent", lambda: x**0.3),
        ("exponent", lambda: x**y),
    ],
)
def test_types(match, wrong):
    with pytest.raises(TypeError, match=match):
        wrong()


def test_values_out_of_range():
    with pytest.raises(ValueError, match="8, 16, 32 entries"):
        e.lookup(range(9), e.bits(x))
    with pytest.raises(ValueError, match="0 to 31"):
        e.bits(x) << 32


def test_tracing():
    (made,) = trace(lambda a, b: a * b + 1, a="f32", b="f32")
    assert str(program(made)) == "t2 = mul(a, b): f32\nt4 = add(t2, 1.0): f32\nreturn t4"
    with pytest.raises(TypeError, match="a type for each parameter"):
        trace(lambda a, b: a, a="f32")
    with pytest.raises(TypeError, match="not None"):
        trace(lambda a: None, a="f32")


def test_programs_are_plain_data():
    made = program(*trace(lambda a: (e.lookup(range(8), e.bits(a) & 7), a > 1), a="f32"))
    again = pickle.loads(pickle.dumps(made))
    assert again == made and hash(again) == hash(made)
    assert program(*e.expressions(made)) == made
    assert e.expressions(again)[0] is e.expressions(made)[0]
    assert made.inputs == (("a", "f32"),)


def test_calls_are_put_in_later():
    functions = {"double": lambda a, accuracy: a + a, "four": lambda a, accuracy: e.call("double", e.call("double", a))}
    (made,) = e.expand([e.call("four", x) + 1], functions, accuracy="fast")
    assert made is (x + x) + (x + x) + 1


def test_every_operation_is_evaluated():
    assert set(SEMANTICS) >= set(OPS)


# Evaluation by numpy


@given(f32, f32, f32)
def test_fma_is_rounded_once(a, b, c):
    found = value(fma, a, b, c)
    if not all(map(math.isfinite, (a, b, c))):
        return
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    assert found == nearest(exact) or (math.isinf(found) and abs(exact) > Fraction(3.4028235e38))


def nearest(exact: Fraction) -> np.float32:
    """Return the nearest f32, ties to even."""
    guess = np.float32(min(max(exact, Fraction(-3.4028235e38)), Fraction(3.4028235e38)))
    with np.errstate(over="ignore"):
        near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    finite = [each for each in near if np.isfinite(each)]
    return min(finite, key=lambda each: (abs(Fraction(float(each)) - exact), int(each.view(np.uint32)) & 1))


def test_the_product_that_a_wider_sum_gets_wrong():
    """Rounding the sum to f64 first, then to f32, gives another result: f64 makes the sum a tie (docs/numerics.md)."""
    tiny = 2.0**-23
    assert value(fma, 2.0**-12 * (1 + tiny), 2.0**-12 * (1 - tiny), 1 + tiny) == np.float32(1 + tiny)


@given(f32, f32)
def test_extrema(a, b):
    large, small = value(e.maximum, a, b), value(e.minimum, a, b)
    if math.isnan(a) or math.isnan(b):
        assert np.isnan(large) and np.isnan(small)
    else:
        assert large == max(a, b) and small == min(a, b)
        if a == b == 0:
            assert np.signbit(large) == (np.signbit(a) and np.signbit(b))
            assert np.signbit(small) == (np.signbit(a) or np.signbit(b))


@given(f32.filter(math.isfinite), st.integers(-400, 400))
def test_ldexp_is_rounded_once(a, n):
    exact = Fraction(a) * Fraction(2) ** n
    found = value(lambda a, b: e.ldexp(a, b), a, float(n))
    assert found == nearest(exact) or (math.isinf(found) and abs(exact) > Fraction(3.4028235e38))


def test_promises_are_checked():
    with pytest.raises(ValueError, match="promised"):
        value(lambda a, b: e.ldexp(a, b, reach=126), 1.0, 127.0)
    with pytest.raises(ValueError, match="whole number"):
        value(lambda a, b: e.ldexp(a, b), 1.0, 0.5)
    with pytest.raises(ValueError, match="place 8 of 8"):
        value(lambda a: e.lookup(range(8), e.to_int(a)), 8.0)
    assert np.isnan(value(lambda a, b: e.ldexp(a, b, reach=126), math.nan, math.nan))


@given(f32.filter(lambda a: math.isfinite(a) and abs(a) >= 2.0**-126))
def test_exponent_and_mantissa(a):
    n, fraction = value(parts.exponent, a), value(parts.mantissa, a)
    assert 1 <= fraction < 2 and fraction * 2.0 ** int(n) == abs(a)


@given(f32)
def test_signs(a):
    bits = np.array(a, np.float32).view(np.uint32)
    assert value(lambda a: -a, a).view(np.uint32) == bits ^ 0x80000000
    assert value(abs, a).view(np.uint32) == bits & 0x7FFFFFFF
    assert value(lambda a: parts.copysign(a * 0 + 3, a), a).view(np.uint32) & 0x80000000 == bits & 0x80000000


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 31))
def test_shifts(n, count):
    wrapped = (n << count) & 0xFFFFFFFF
    assert value(lambda a: a << count, n, dtype="i32").view(np.uint32) == wrapped
    assert value(lambda a: a >> count, n, dtype="i32") == n >> count
    assert value(lambda a: e.shift_right_logical(a, count), n, dtype="i32").view(np.uint32) == (n % 2**32) >> count


def test_a_parameter_without_a_type_keeps_its_default():
    assert trace(lambda x, eps=0.5, y=2.0: x + eps * y, x="f32") == (x + 1.0,)
    between = trace(lambda x, eps=0.5, y=2.0: x + eps * y, x="f32", y="f32")
    assert between == (x + 0.5 * y,)
    with pytest.raises(TypeError, match=r"each parameter \(x, y\), not for x"):
        trace(lambda x, y, eps=0.5: x + y, x="f32")
    kernel = ts.equation(lambda x, slope=0.5: ts.select(x > 0, x, slope * x), x=(2, 3))
    np.testing.assert_array_equal(kernel(np.float32([[1, -2, 0], [-4, 6, -1]])), [[1, -1, 0], [-2, 6, -0.5]])
