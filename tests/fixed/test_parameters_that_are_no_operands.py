"""`ts.dispatch(ts.equation, f)` made operands of parameters with defaults, and did not name a parameter that f
ignores."""

import numpy as np
import pytest

import tilesmith as ts


def test_dispatch_keeps_defaults():
    x, b = np.arange(12, dtype="f4").reshape(3, 4), np.arange(4, dtype="f4")
    assert np.array_equal(ts.dispatch(ts.equation, lambda x, g=2.0: x * g)(x), 2 * x)
    handle = ts.dispatch(ts.equation, lambda x, g=2.0, *, b: x * g + b)
    out = np.zeros_like(x)
    assert np.array_equal(handle(x, b), 2 * x + b) and handle(x, b, out=out) is out and np.array_equal(out, 2 * x + b)


@pytest.mark.parametrize("function", [lambda x, w: x * 3.0, lambda x, w: ts.sum(x, axis=1)])
def test_the_unused_one_is_named(function):
    with pytest.raises(ValueError, match=r"w: the traced function does not use it, and its shape \(4, 6\)"):
        ts.equation(function, x=(3, 4), w=(4, 6))


def test_products_of_i64_say_what_multiplies():
    with pytest.raises(TypeError, match='mul of i64.*compute="f64" multiplies'):
        ts.equation(lambda x: x * 3, x=(3, 4), dtype="i64")
    x = np.array([[2**53, -(2**40), 7]])
    assert np.array_equal(ts.equation(lambda x: x * 1, x=(1, 3), dtype="i64", out="i64", compute="f64")(x), x)


def test_an_unused_parameter_may_decide_the_shape() -> None:
    """A row is repeated along a matrix of which only the shape is used."""
    kernel = ts.equation(lambda x, w: w + w, x=(3, 4), w=(1, 4))
    x, w = np.zeros((3, 4), np.float32), np.arange(4, dtype=np.float32)[None]
    assert (kernel(x, w) == np.broadcast_to(w + w, (3, 4))).all()
