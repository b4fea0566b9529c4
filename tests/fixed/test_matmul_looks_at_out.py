"""ts.matmul wrote all rows to the same memory if out had strides of 0, and failed internally for an out of the other
byte order. Missing, superfluous or malformed operands of an epilogue were found by an inner kernel or not at all."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilesmith as ts

X = np.arange(64, dtype=np.float32).reshape(8, 8)
OTHER = X.astype(X.dtype.newbyteorder())


def test_an_output_has_memory_for_each_element():
    memory = np.zeros(8, np.float32)
    with pytest.raises(ValueError, match=r"out: must have memory of its own for each element, not strides \(0, 4\)"):
        ts.matmul(X, X, out=as_strided(memory, (8, 8), (0, 4)))
    assert not memory.any()
    one = as_strided(np.zeros(8, np.float32), (1, 8), (0, 4))
    assert np.array_equal(ts.matmul(X[:1], X, out=one), X[:1] @ X)


@pytest.mark.parametrize("name", ["a", "b", "out", "r"])
def test_nothing_is_converted_unasked(name):
    given = {"a": X, "b": X, "out": np.empty_like(X), "r": X} | {name: OTHER}
    with pytest.raises(TypeError, match=f"{name}: must be float32 in native byte order"):
        ts.matmul(given["a"], given["b"], given["out"], epilogue=lambda c, r: c + r, operands={"r": given["r"]})


def test_types():
    whole = X.astype(np.int64)
    with pytest.raises(ts.UnsupportedError, match=r"no kernel multiplies i64 by i64; .*\(a.astype\(np.float64\)"):
        ts.matmul(whole, whole)
    with pytest.raises(ts.UnsupportedError, match="dtype: a product of f32 by f32 has elements of f32, not bf16"):
        ts.matmul(X, X, dtype="bf16")
    with pytest.raises(ts.UnsupportedError, match="out: a product of f32 by f32 has elements of f32, not u8"):
        ts.matmul(np.ones((4, 4), np.float32), np.ones((4, 4), np.float32), out=np.ones((4, 4), np.uint8))
    with pytest.raises(ts.UnsupportedError, match="out: a product of f32 by f32 has elements of f32, not f64"):
        ts.matmul(X, X, out=np.empty((8, 8)))
    with pytest.raises(ts.UnsupportedError, match=r"a: dtype bool; .* a.view\(np.uint8\)"):
        ts.matmul(X > 0, X)


def test_operands():
    def add(c, r):
        return c + r

    for operands, message in (
        (None, "operands: r missing"),
        ({}, "operands: r missing"),
        ([X], "operands: arrays by name, .* not list"),
        (X, "operands: arrays by name, .* not ndarray"),
    ):
        with pytest.raises(TypeError, match=message):
            ts.matmul(X, X, epilogue=add, operands=operands)
    with pytest.raises(TypeError, match="operands: only an epilogue takes operands .r., and epilogue= was not given"):
        ts.matmul(X, X, operands={"r": X})
    with pytest.raises(ValueError, match="operands: r must not have more axes than the result"):
        ts.matmul(X, X, epilogue=add, operands={"r": X[None]})
    with pytest.raises(TypeError, match="epilogue: a function of c"):
        ts.matmul(X, X, epilogue=[])
