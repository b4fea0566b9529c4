"""array * value made an array of values, a node for each element; np.sum(value) returned the value itself."""

import numpy as np
import pytest

import tilesmith as ts

RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 16)).astype(np.float32)
A = RNG.standard_normal((6, 16)).astype(np.float32)
CASES = {
    "array on the left": lambda x, a: a - x * 2,
    "array on the right": lambda x, a: (x + a) / 3,
    "functions": lambda x, a: np.maximum(np.exp(x), np.abs(a)) * np.float32(2),
    "products": lambda x, a: a.T @ x,
    "powers": lambda x, a: abs(x) ** 0.5 + x**2,
}


def test_operators_and_functions_of_numpy_build_operators():
    g = ts.graph()
    x = g.input(X.shape)
    f = g.compile(*(each(x, A) for each in CASES.values()))
    for (name, case), found in zip(CASES.items(), f(X)):
        wanted = case(*(each.astype(np.float64) for each in (X, A)))
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5, err_msg=name)


def test_comparisons_are_masks():
    g = ts.graph()
    x = g.input(X.shape)
    chosen = g.compile(g.where(x > 0, x, 0), g.where(x >= A, x, 0), g.where(x == A, 1, x))(X)
    for found, wanted in zip(chosen, (np.maximum(X, 0), np.where(A <= X, X, 0), X)):
        assert np.array_equal(found, wanted)


def test_the_graph_keeps_a_copy_for_any_number_of_rows():
    g, array = ts.graph(), np.ones(16, np.float32)
    f = g.compile(g.input((ts.RUNTIME, 16)) + array)
    array[:] = 7
    assert (f(np.zeros((3, 16), np.float32)) == 1).all()


REFUSED = {
    "sum": (lambda g, x: np.add.reduce(x), TypeError, "np.add takes arrays"),
    "out": (lambda g, x: np.add(x, 1, out=A), TypeError, "no out="),
    "in place": (lambda g, x: exec("a += x", {"a": A, "x": x}), TypeError, "no out="),
    "no operator": (lambda g, x: g.apply("sin", x), ts.UnsupportedError, "g.foreign"),
    "elements": (lambda g, x: np.asarray(x), TypeError, "no elements"),
    "joined": (lambda g, x: np.concatenate([x, x]), TypeError, "g.concatenate"),
    "truth": (lambda g, x: max(x, x * 2), TypeError, "neither true nor false"),
    "types": (lambda g, x: x + A.astype(np.float64), TypeError, "float32, float64; cast"),
    "no operand": (lambda g, x: x + None, ts.UnsupportedError, "None"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_operator_is_an_error(name):
    call, error, words = REFUSED[name]
    g = ts.graph()
    with pytest.raises(error, match=words):
        call(g, g.input(A.shape))
