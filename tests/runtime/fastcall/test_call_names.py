"""Calls with named arguments, which go through machine code by position."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.arguments.keywords import KeywordOrder
from tilesmith.runtime.fastcall.slow_path import output_names


def places(kernel):
    return KeywordOrder(kernel.kind.signature(kernel.spec), output_names(kernel.spec))


def test_names_of_a_product():
    find = places(ts.brgemm(4, 4, 4, beta=0)).find
    assert find((1, 2), {"out": 3}) == ((1, 2, 3), 3)
    assert find((1,), {"c": 3, "b": 2}) == ((1, 2, 3), None)
    assert find((), {"b": 2, "a": 1}) == ((1, 2), None)
    for args, named in [
        ((1, 2, 3), {"out": 4}),
        ((1, 2), {"c": 3, "out": 4}),
        ((1,), {"c": 3}),
        ((1, 2), {"d": 3}),
        ((1, 2), {"b": 3}),
        ((1, 2), {"lda": 4}),
        ((1, 2), {"out": None, "d": 1}),
    ]:
        assert find(args, named) is None, (args, named)


def test_names_around_an_output_that_is_left_out():
    find = places(ts.brgemm(4, 4, 4, beta=0, epilogue=lambda c, v: c + v, operands={"v": "row"})).find
    assert find((1, 2), {"v": 4}) == ((1, 2, None, 4), None)
    assert find((1, 2), {"v": 4, "out": 3}) == ((1, 2, 3, 4), 3)
    assert find((1,), {"v": 4}) is None


def test_names_of_two_results():
    find = places(ts.equation(lambda x: (x + 1, x * 2), x=(4, 4))).find
    assert find((1,), {"out": (2, 3)}) == ((1, 2, 3), (2, 3))
    assert find((1,), {"out": 2}) is None and find((1,), {"out": (2,)}) is None


@pytest.mark.parametrize("order", ["C", "F"])
def test_results(order):
    rng = np.random.default_rng(0)
    a, b = (np.asarray(rng.integers(-3, 4, (4, 4)).astype("f4"), order=order) for _ in "ab")
    kernel = ts.brgemm(4, 4, 4, beta=0, order=order, epilogue=lambda c, v: c + v, operands={"v": "row"})
    v, c = np.arange(4, dtype="f4"), np.zeros((4, 4), "f4", order)
    expected = a @ b + v
    assert kernel(a, b, out=c, v=v) is c and (c == expected).all()
    c[...] = 0
    assert kernel(a, b, v=v, c=c) is None and (c == expected).all()
    assert (kernel(a, b=b, v=v) == expected).all()
    wide = np.zeros((8, 4) if order == "C" else (4, 8), "f4", order)
    into = wide[::2] if order == "C" else wide[:, ::2]
    with pytest.raises(ValueError, match="c: "):  # the checks in Python explain a call that machine code refuses
        kernel(a, b, out=into, v=v)
    with pytest.raises(TypeError, match="d: not an argument of this kernel"):
        kernel(a, b, out=c, d=v)


def test_two_results():
    x, y, z = np.ones((4, 4), "f4"), np.zeros((4, 4), "f4"), np.zeros((4, 4), "f4")
    kernel = ts.equation(lambda x: (x + 1, x * 2), x=(4, 4))
    found = kernel(x, out=(y, z))
    assert found[0] is y and found[1] is z and (y == 2).all() and (z == 2).all()
