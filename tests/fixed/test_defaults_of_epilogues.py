"""An epilogue's parameter with a default became an operand, and a keyword-only parameter failed inside the function."""

import numpy as np
import pytest

import tilesmith as ts

X = np.arange(64, dtype=np.float32).reshape(8, 8)
ROW = X[3]


def test_a_default_stays_unless_the_operand_is_named():
    def scaled(c, scale=2.0):
        return c * scale

    made = ts.brgemm(8, 8, 8, beta=0, epilogue=scaled)
    assert np.array_equal(made(X, X), X @ X * 2)
    given = ts.brgemm(8, 8, 8, beta=0, epilogue=scaled, operands={"scale": "row"})
    assert np.array_equal(given(X, X, None, ROW), X @ X * ROW)
    assert np.array_equal(ts.matmul(X, X, epilogue=scaled), X @ X * 2)
    assert np.array_equal(ts.matmul(X, X, epilogue=scaled, operands={"scale": ROW}), X @ X * ROW)
    split = ts.ladder(8, 8, 8, dtype="f64xi8", beta=0, epilogue=lambda c, scale=2.0: c * scale)
    assert np.array_equal(split(X.astype("f8"), X.astype("f8")), X @ X * 2)


def test_operands_behind_one_that_is_left_out():
    made = ts.brgemm(8, 8, 8, beta=0, epilogue=lambda c, scale=2.0, *, a: c * scale + a)
    assert np.array_equal(made(X, X, None, ROW), X @ X * 2 + ROW)
    traced = ts.equation(lambda x, scale=2.0, *, g: x * scale + g, x=(8, 8), g=(1, 8))
    assert np.array_equal(traced(X, ROW), X * 2 + ROW)


def test_functions_that_cannot_be_traced():
    for function, message in ((np.tanh, "write ts.tanh"), (max, "its parameters, which become operands, are unknown")):
        with pytest.raises(TypeError, match=message):
            ts.brgemm(8, 8, 8, epilogue=function)
        with pytest.raises(TypeError, match=message):
            ts.equation(function, x=(8, 8))
