"""Common Python that a traced function cannot contain: each error says what to write instead."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tilesmith as ts

ONES = np.ones((8, 8), np.float32)
WRONG = {
    "x.sum()": (lambda x: x - x.sum(), AttributeError, r"write ts.sum\(x, axis=1\) for each row"),
    "x.mean(axis=1)": (lambda x: x - x.mean(axis=1), AttributeError, r"write ts.mean\(x, axis=1\)"),
    "x.max()": (lambda x: x - x.max(), AttributeError, r"write ts.max\(x, axis=1\)"),
    "x.argmax(1)": (lambda x: x.argmax(1), AttributeError, "argmax"),
    "x.exp()": (lambda x: x.exp(), AttributeError, r"write ts.exp\(x\)"),
    "x.shape": (lambda x: x / x.shape[1], AttributeError, "the numbers themselves"),
    "x.astype(f4)": (lambda x: x.astype("f4"), AttributeError, "out=type"),
    "x.nothing": (lambda x: x.nothing, AttributeError, "no 'nothing', because it is not an array"),
    "x @ array": (lambda x: x @ ONES, TypeError, "make it a parameter of the traced function"),
    "array @ x": (lambda x: ONES @ x, TypeError, "make an array a parameter"),
    "np.dot(x, x)": (lambda x: np.dot(x, x), TypeError, "write a @ b, where b is a parameter"),
    "np.transpose(x)": (lambda x: np.transpose(x), TypeError, 'order={"x": "F"}'),
    "np.tanh(x)": (lambda x: np.tanh(x), TypeError, "write ts.tanh"),
    "np.sum(x)": (lambda x: np.sum(x), TypeError, r"write ts.sum\(x, axis=1\)"),
    "np.std(x)": (lambda x: np.std(x, axis=1), TypeError, r"ts.sqrt\(ts.mean\(d \* d, axis=1\)\)"),
    "if x > 0": (lambda x: x if x > 0 else -x, TypeError, r"write ts.select\(mask, a, b\) instead of if"),
    "x > 0 and x < 1": (lambda x: ts.select(x > 0 and x < 1, x, 0 * x), TypeError, "& and | combine masks"),
    "math.exp(x)": (lambda x: math.exp(x), TypeError, "write ts.exp"),
    "int(x)": (lambda x: int(x), TypeError, "has no value while it is traced"),
    "sum(x)": (lambda x: sum(x), TypeError, r"write ts.sum\(x, axis=1\)"),
    "x[0]": (lambda x: x[0], TypeError, "has no elements while it is traced"),
    "ts.sum(x, 2)": (lambda x: ts.sum(x, axis=2), ts.UnsupportedError, "axis=1 reduces rows"),
}


@pytest.mark.parametrize("written", WRONG)
def test_errors_say_what_to_write(written: str):
    function, error, said = WRONG[written]
    with pytest.raises(error, match=said):
        ts.equation(function, x=(8, 8))


def test_attributes_of_expressions_are_looked_up_as_pythons_own():
    """hasattr and getattr with a default raise no error, and operators of numpy's scalars work with expressions."""

    def function(x: Any) -> Any:
        assert not hasattr(x, "sum") and getattr(x, "shape", None) is None
        return np.float32(2) * x

    x = np.arange(8, dtype=np.float32).reshape(1, 8)
    assert np.array_equal(ts.equation(function, x=(1, 8))(x), 2 * x)
