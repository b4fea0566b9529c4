"""Errors of functions for traced functions named kernels that do not exist (`ts.unary("clamp", m, n)`), or were those
of Python: an unhashable array, an OverflowError; a parameter called dtype was "missing"."""

import numpy as np
import pytest

import tilesmith as ts

X = np.ones((4, 8), np.float32)


@pytest.mark.parametrize("name", ["clamp", "select", "maximum", "fma", "sqrt", "rint", "gelu", "unpack", "relu"])
def test_the_kernel_of_the_hint_exists(name):
    arguments = {"clamp": 3, "select": 3, "maximum": 2, "fma": 3}.get(name, 1)
    with pytest.raises(TypeError, match=f"{name}: an expression, .* make a kernel: k = ") as error:
        getattr(ts, name)(*[X] * arguments)
    assert ('ts.unary("' in str(error.value)) == (name in ts.primitives()["unary"])


@pytest.mark.parametrize("name", ["uniform", "random"])
def test_random_numbers_have_no_operand(name):
    with pytest.raises(TypeError, match=f'{name}: the name of a type, .* not ndarray; .* k = ts.unary."{name}"'):
        getattr(ts, name)(X)


def test_an_array_is_seen_before_the_axis():
    with pytest.raises(TypeError, match="argmax: an expression, .* not ndarray"):
        ts.argmax(X)


@pytest.mark.parametrize("number", [1e300, -(10**400), 10**40])
def test_numbers_beyond_the_type(number):
    with pytest.raises(ValueError, match="is beyond the largest f32"):
        ts.equation(lambda x: x + number, x=(4, 8))


def test_a_rate_beyond_floats():
    with pytest.raises(ValueError, match="rate: from 0 to 1, not an integer of 1329 bits"):
        ts.unary("dropout", 4, 8, rate=10**400)


@pytest.mark.parametrize("name", ["dtype", "out", "order", "target", "release_gil", "accuracy"])
def test_parameters_that_are_arguments_of_equation(name):
    function = eval(f"lambda {name}: 2 * {name}")
    with pytest.raises(TypeError, match=f"equation: {name} is an argument of ts.equation itself"):
        ts.equation(function, **{name: (4, 8)})
