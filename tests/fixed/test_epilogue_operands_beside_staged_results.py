"""Blocks of whole-result operands in scratch memory had the size of the result's elements, two operands of equal layout
shared one block, and operands were read as neighbours where the loops of the columns lie apart."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


def _whole(rng, shape, dtype="f4"):
    return rng.integers(-4, 5, shape).astype(dtype)


def _convolved(x, w):
    wide = np.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = x.shape[2:]
    taps = ((i, j) for i in range(3) for j in range(3))
    return sum(
        np.einsum("nchw,kc->nkhw", wide[:, :, i : i + height, j : j + width], w[:, :, i, j].astype("f8"))
        for i, j in taps
    )


@pytest.mark.parametrize("layout, target", [("NCHW", "avx2"), ("NHWC", "avx2")])
def test_operands_of_other_types_beside_a_turned_result(layout, target):
    rng = np.random.default_rng(3)
    x, w = _whole(rng, (1, 4, 5, 5), ml_dtypes.bfloat16), _whole(rng, (8, 4, 3, 3), ml_dtypes.bfloat16)
    r, q = _whole(rng, (1, 8, 5, 5)), _whole(rng, (1, 8, 5, 5))
    if layout == "NHWC":
        x, r, q = (each.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2) for each in (x, r, q))
    layer = ts.conv(
        x.shape,
        w.shape,
        padding=1,
        bias=False,
        dtype="bf16",
        layout=layout,
        epilogue=lambda c, r, q: c + r * q,
        operands={"r": (None, "f32"), "q": (None, "f32")},
        target=target,
    )
    got = layer.run(x, layer.pack(w), r=r, q=q).astype("f8")
    assert np.array_equal(got, (_convolved(x, w) + r * q).astype(ml_dtypes.bfloat16).astype("f8"))


def test_narrow_results_beside_wide_operands():
    rng = np.random.default_rng(4)
    i, j, r = ts.axis(16), ts.axis(5), ts.reduce_axis(3)
    place, other = ts.tensor((16, 3), "i8"), ts.tensor((3, 5), "i8")
    program = ts.sum(ts.i32(place[i, r]) * ts.i32(other[r, j]), axis=r)
    x, y = _whole(rng, (16, 3), "i1"), _whole(rng, (3, 5), "i1")
    w = _whole(rng, (16, 5))
    for target in ("avx2", None):
        kernel = ts.tensorize(
            program,
            target,
            dtype="u8",
            epilogue=lambda c, w: c + w,
            operands={"w": ts.tensor((16, 5), "f32")[i, j]},
        )
        want = np.clip(x.astype(int) @ y + w, 0, 255)
        assert np.array_equal((kernel.run if target else kernel)(x, y, w), want)


def test_operands_whose_columns_are_no_neighbours():
    """The last loop of the result is in both factors, so that columns lie apart, and a block has a single row."""
    rng = np.random.default_rng(5)
    i, b, r = ts.axis(2), ts.axis(3), ts.reduce_axis(2)
    x, y, w = _whole(rng, (3, 2)), _whole(rng, (2, 3, 2)), _whole(rng, (2, 3))
    program = ts.sum(ts.tensor((3, 2), "f32")[b, r] * ts.tensor((2, 3, 2), "f32")[i, b, r], axis=r)
    for target in ("avx2", None):
        kernel = ts.tensorize(
            program, target, epilogue=lambda c, w: c + w, operands={"w": ts.tensor((2, 3), "f32")[i, b]}
        )
        assert np.array_equal((kernel.run if target else kernel)(x, y, w), np.einsum("br,ibr->ib", x, y) + w)
