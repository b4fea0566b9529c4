"""A nest accepted a batch with a negative stride: what it reads before its argument counted as another operand's."""

import numpy as np
import pytest

import tilesmith as ts


def test_negative_strides() -> None:
    mm = ts.brgemm(2, 16, 3, batch=ts.STRIDE, beta=0)
    shapes = {"a": ((4, 2, 3), "f32"), "b": ((2, 3, 16), "f32"), "y": ((4, 2, 16), "f32")}
    with pytest.raises(IndexError, match="a: .* reads as far as -1 along axis 0"):
        ts.nest("P", {"p": (0, 4, 1)}, lambda i, a, b, y: mm(a[i.p], b[0], y[i.p], 2, -24, 192), **shapes)
    loops = {"p": (1, 4, 1)}
    nest = ts.nest("P", loops, lambda i, a, b, y: mm(a[i.p], b[1], y[i.p], 2, -24, -192), **shapes)
    a, b = (np.random.default_rng(0).integers(-3, 4, nest.operands[at].shape).astype(np.float32) for at in (0, 1))
    y = np.zeros((4, 2, 16), np.float32)
    nest(a, b, y)
    np.testing.assert_array_equal(y[1:], [a[p] @ b[1] + a[p - 1] @ b[0] for p in (1, 2, 3)])
