"""Resized images equal a definition in f64, and axes in another order equal numpy's."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.profiles import scaled
from tests.runtime.images.definitions import LAYOUTS, laid
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.walks.permute import Permutation, Reordered

Array = np.ndarray[Any, Any]


def along(extent: int, results: int, scale: Fraction, corners: bool) -> Array:
    """Return the matrix of linear interpolation along an axis."""
    made = np.zeros((results, extent))
    for place in range(results):
        at = (
            Fraction(place * (extent - 1), max(1, results - 1))
            if corners
            else (place + Fraction(1, 2)) * scale - Fraction(1, 2)
        )
        at = min(max(at, Fraction(0)), Fraction(extent - 1))
        low = int(at)
        made[place, low] += float(1 - (at - low))
        made[place, min(low + 1, extent - 1)] += float(at - low)
    return made


@settings(max_examples=scaled(4, 2000), deadline=None)
@given(st.sampled_from(LAYOUTS), st.sampled_from([1, 3, 70]), *[st.integers(1, 14)] * 4, st.booleans(), st.booleans())
def test_resize(layout: str, channels: int, h: int, w: int, p: int, q: int, corners: bool, exact: bool) -> None:
    x = laid(np.random.default_rng(h).random((2, channels, h, w)), layout)
    rows, columns = along(h, p, Fraction(h, p), corners), along(w, q, Fraction(w, q), corners)
    y = ts.resize(x, (p, q), align_corners=corners, threads=2)
    np.testing.assert_allclose(y, np.einsum("ph,qw,nchw->ncpq", rows, columns, x), rtol=1e-13)
    shift = 1 if exact else 0
    down, across = ((2 * np.arange(size) + shift) * extent // (2 * size) for extent, size in ((h, p), (w, q)))
    wanted = (x * 100).astype(np.int16)[:, :, down][..., across]
    assert np.array_equal(
        ts.resize((x * 100).astype(np.int16), (p, q), mode="nearest-exact" if exact else "nearest"), wanted
    )


@pytest.mark.parametrize("mode", ["linear", "trilinear"])
def test_factors(mode: str) -> None:
    shape = (2, 3, 5) if mode == "linear" else (1, 2, 2, 3, 4)
    x = np.random.default_rng(0).random(shape).astype(np.float32)
    wanted = x.astype(np.float64)
    for axis in range(2, x.ndim):
        wanted = (
            np.moveaxis(
                along(x.shape[axis], 2 * x.shape[axis], Fraction(1, 2), False) @ np.moveaxis(wanted, axis, -2), -2, axis
            )
            if axis < x.ndim - 1
            else wanted @ along(x.shape[axis], 2 * x.shape[axis], Fraction(1, 2), False).T
        )
    np.testing.assert_allclose(ts.resize(x, scale_factor=2, mode=mode), wanted, rtol=1e-6)


@settings(max_examples=scaled(8, 3000), deadline=None)
@given(
    st.permutations(range(4)),
    st.lists(st.integers(1, 21), min_size=4, max_size=4),
    st.sampled_from(["u1", "i2", "f4", "f8", "c16"]),
    st.integers(1, 2),
    st.booleans(),
)
def test_permute(order: list[int], shape: list[int], dtype: str, step: int, into: bool) -> None:
    whole = np.random.default_rng(0).integers(0, 99, [step * extent for extent in shape]).astype(dtype)
    x = whole[tuple(slice(None, None, step) for _ in shape)][:: -1 if shape[0] > 1 else 1]
    if shape[1] == shape[2] == shape[3] == 1:
        x = x.copy()  # an axis that runs backwards over neighbours is refused
    wanted = x.transpose(order)
    if into:
        out = guarded(
            np.zeros([2 * extent for extent in wanted.shape], dtype)[..., ::2][tuple(map(slice, wanted.shape))]
        )
        ts.permute(x, order, out=out, threads=3)
        assert np.array_equal(out, wanted)
        check_canary(out)
    else:
        y = ts.permute(guarded(np.ascontiguousarray(x), "start", writable=False), order, threads=2)
        assert np.array_equal(y, wanted) and y.flags.c_contiguous


def test_permute_elsewhere_and_errors() -> None:
    x = np.arange(3 * 20 * 33, dtype=np.int32).reshape(3, 20, 33)
    y = np.zeros((3, 33, 20), np.int32)
    job = Permutation(Reordered((3, 33, 20), (660, 1, 33), (660, 20, 1), "i32", host.resolve("neon")))
    job.run([x, y], workers=2)
    assert np.array_equal(y, x.transpose(0, 2, 1))
    with pytest.raises(ts.UnsupportedError, match="runs backwards"):
        ts.permute(x[..., ::-1], (0, 1, 2))
    with pytest.raises(ValueError, match="axes: each of the 3 axes of x once"):
        ts.permute(x, (0, 1, 1))
    with pytest.raises(ValueError, match="shares memory"):
        ts.permute(x[:, :20, :20], (0, 2, 1), out=x[:, :20, :20])
