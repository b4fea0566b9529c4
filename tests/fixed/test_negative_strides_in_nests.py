"""In a nest, a batch at negative strides was not checked: the kernel read the memory before its operand."""

import numpy as np
import pytest

import tilesmith as ts


def nest(a_stride, b_stride):
    kernel = ts.brgemm(4, 4, 4, batch=ts.STRIDE, beta=0)
    return ts.nest(
        "P",
        {"p": (0, 3, 1)},
        lambda i, x, w, y: kernel(x[i.p], w[0], y[i.p], 2, a_stride, b_stride),
        x=((3, 4, 4), "f32"),
        w=((2, 4, 4), "f32"),
        y=((3, 4, 4), "f32"),
    )


@pytest.mark.parametrize(("strides", "name"), [((-64, 0), "x"), ((0, -64), "w")])
def test_what_lies_before_an_operand(strides, name):
    with pytest.raises(ts.UnsupportedError, match=rf"touches 64 bytes before {name}\[...\], because its strides are"):
        nest(*strides)


def test_pairs_at_one_place():
    x = np.random.default_rng(0).integers(-4, 5, (3, 4, 4)).astype(np.float32)
    y = np.empty_like(x)
    nest(0, 0)(x, x[:2].copy(), y)
    np.testing.assert_array_equal(y, 2 * (x @ x[0]))
