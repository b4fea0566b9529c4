"""`ts.matmul` took out= and dtype= of one element for an epilogue of two results, and lost the second; an empty tuple
was an IndexError, one for a single result an AttributeError. Layers named operands of the product in their errors."""

import numpy as np
import pytest

import tilesmith as ts

A, B, C = np.ones((8, 8), np.float32), np.ones((8, 16), np.float32), np.ones((8, 16), np.float32)


@pytest.mark.parametrize("given", [(), (None,), (None, None, None)])
@pytest.mark.parametrize("name", ["out", "dtype"])
def test_a_tuple_has_one_for_each_result(name, given):
    with pytest.raises(ValueError, match=rf"^{name}: one for each of the 2 results|^out, dtype: a tuple has one for"):
        ts.matmul(A, B, epilogue=lambda c: (c, c + 1), **{name: given})


def test_one_result_is_no_tuple():
    with pytest.raises(TypeError, match="out: an array, not a tuple"):
        ts.matmul(A, B, out=(C,), epilogue=lambda c: c + 1)
    with pytest.raises(TypeError, match="only an epilogue has several results"):
        ts.matmul(A, B, out=(C,))


def test_layers_name_their_own_arguments():
    layer = ts.linear(8, 16, 8, bias=False, activation=lambda c: (c, c + 1))
    weights, y = layer.pack(B), np.ones((8, 16), np.float32)
    for results, name in ((C, C), "y"), ((C, y), "x"):
        with pytest.raises(ValueError, match=f"y1: must not overlap {name};"):
            layer(y.reshape(-1)[:64].reshape(8, 8), weights, *results)
