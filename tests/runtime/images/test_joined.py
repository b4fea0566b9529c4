"""`pad` and `concatenate` against numpy, of all types and layouts, between guard pages."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import Array, check_canary, guarded
from tests.profiles import scaled
from tilesmith.runtime.images.joined import MODES
from tilesmith.runtime.walks.job import ArraysJob

TYPES = (
    np.float32,
    np.float64,
    ml_dtypes.bfloat16,
    np.float16,
    np.int8,
    np.uint16,
    np.int32,
    np.int64,
    bool,
    np.complex64,
    np.complex128,
)


@st.composite
def arrays(draw: st.DrawFn, least: int = 0) -> Array:
    """Draw an array of any type, with its axes in any order in memory, between guard pages."""
    shape = draw(st.lists(st.integers(least, 6), min_size=1, max_size=4))
    order = draw(st.permutations(range(len(shape))))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    made = rng.integers(-100, 100, [shape[axis] for axis in order]).astype(draw(st.sampled_from(TYPES)))
    side = draw(st.sampled_from(["start", "end"]))
    return guarded(made, side, writable=False).transpose(np.argsort(order))


def placed(draw: st.DrawFn, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Draw an array of this shape that is a part of a larger one, with gaps."""
    whole = guarded(np.zeros([2 * extent + 1 for extent in shape], dtype))
    return whole[
        tuple(
            slice(draw(st.integers(0, 1)), 2 * extent, 2) if draw(st.booleans()) else slice(extent) for extent in shape
        )
    ]


@settings(max_examples=scaled(12, 4000), deadline=None)
@given(st.data(), st.sampled_from(MODES))
def test_pad(data: st.DataObject, mode: str) -> None:
    draw = data.draw
    x = draw(arrays(0 if mode in ("constant", "empty") else 1))
    widths = [(draw(st.integers(0, 7)), draw(st.integers(0, 7))) for _ in x.shape]
    given_widths: Any = draw(st.sampled_from([widths, widths[0], widths[0][0]])) if x.ndim > 1 else widths[0]
    values = [(draw(st.integers(0, 99)), draw(st.integers(0, 99))) for _ in x.shape]
    more: dict[str, Any] = {"constant_values": values} if mode == "constant" else {}
    want = np.pad(x, given_widths, mode=mode, **more)
    out = placed(draw, want.shape, x.dtype) if draw(st.booleans()) else None
    y = ts.pad(x, given_widths, mode, **more, out=out, threads=draw(st.integers(1, 3)))
    if mode == "empty":
        pairs = np.broadcast_to(given_widths, (x.ndim, 2))
        inside = tuple(slice(before, before + extent) for (before, _), extent in zip(pairs, x.shape))
        y, want = y[inside], x
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, want)
    if out is not None:
        check_canary(out)


@settings(max_examples=scaled(12, 4000), deadline=None)
@given(st.data())
def test_concatenate(data: st.DataObject) -> None:
    draw = data.draw
    first = draw(arrays())
    axis = draw(st.integers(-first.ndim, first.ndim - 1))
    several = [first]
    for _ in range(draw(st.integers(0, 3))):
        shape = list(first.shape)
        shape[axis] = draw(st.integers(0, 5))
        several.append(
            np.arange(np.prod(shape, dtype=int)).reshape(shape, order=draw(st.sampled_from("CF"))).astype(first.dtype)
        )
    want = np.concatenate(several, axis)
    out = placed(draw, want.shape, first.dtype) if draw(st.booleans()) else None
    y = ts.concatenate(several, axis, out=out, threads=draw(st.integers(1, 3)))
    np.testing.assert_array_equal(y, want)
    assert y.dtype == want.dtype
    if out is not None:
        check_canary(out)
    np.testing.assert_array_equal(ts.concatenate(several, None), np.concatenate(several, None))


def test_results_lie_as_the_arrays_do() -> None:
    x = np.arange(2 * 5 * 7 * 3, dtype=np.float32).reshape(2, 5, 7, 3).transpose(0, 3, 1, 2)
    padded = ts.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2)))
    assert padded.transpose(0, 2, 3, 1).flags.c_contiguous
    assert ts.concatenate([x, x], 1).transpose(0, 2, 3, 1).flags.c_contiguous


def test_nan_and_signed_zeros_are_moved_as_bits() -> None:
    bits = np.array([0x7FF00001, 0x80000000, 0xFFC12345, 0], np.uint32)
    x = bits.view(np.float32)
    assert np.array_equal(ts.pad(x, 3, "wrap").view(np.uint32), np.pad(bits, 3, "wrap"))
    assert np.signbit(ts.pad(x, 1, constant_values=-0.0)[[0, -1]]).all()
    assert np.array_equal(
        ts.pad(np.zeros(3, complex), 1, constant_values=1 - 2j), np.pad(np.zeros(3, complex), 1, constant_values=1 - 2j)
    )


def test_no_two_workers_pad_or_permute_the_same_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulator refuses races."""
    x = np.arange(2 * 3 * 5, dtype=np.int16).reshape(2, 3, 5)
    monkeypatch.setattr(ArraysJob, "on", lambda self, arrays, threads: self.run(arrays, threads, turns=3))
    for mode in ("constant", "reflect"):
        y = ts.pad(x, ((0, 1), (2, 1), (3, 4)), mode, threads=3, target="avx512")
        assert np.array_equal(y, np.pad(x, ((0, 1), (2, 1), (3, 4)), mode))
    assert np.array_equal(ts.permute(x, (2, 0, 1), threads=3, target="avx512"), x.transpose(2, 0, 1))


def test_without_elements() -> None:
    for shape in ((6, 3, 0), (0,), (2, 0, 3)):
        x = guarded(np.zeros(shape, np.float16))
        assert np.array_equal(ts.pad(x, (1, 2), constant_values=3), np.pad(x, (1, 2), constant_values=3))
    assert ts.pad(x, ((1, 2), (0, 0), (0, 0)), "edge").shape == (5, 0, 3)
    assert ts.concatenate([x, x], 1).shape == (2, 0, 3)


def test_long_axes_are_filled_by_rows_of_a_tile() -> None:
    for shape, widths in (((3,), 200_003), ((2, 3), ((0, 70_000), (1, 0)))):
        x = np.ones(shape)
        assert np.array_equal(ts.pad(x, widths, constant_values=2.5), np.pad(x, widths, constant_values=2.5))


def test_errors_name_the_argument() -> None:
    x = np.ones((2, 3), np.float32)
    for args, error, text in (
        ((x, 1, "mean"), ts.UnsupportedError, "mode: constant, edge, .* not 'mean'; numpy.pad has modes"),
        ((x, -1), ValueError, "pad_width: no negative numbers, as in -1"),
        ((x, 1.5), TypeError, "pad_width: whole numbers, not 1.5"),
        ((x, ((1, 1),) * 3), ValueError, r"pad_width: a number, a pair .* each of 2 axes, not shape \(3, 2\)"),
        ((np.ones((0, 3)), 1, "edge"), ValueError, "x: axis 0 has no element that mode='edge' could repeat"),
        ((np.ones(2), 2000, "reflect"), ts.UnsupportedError, "pad_width: .* pieces, of 512 at most; numpy.pad"),
        ((np.array(["a", "b"], object), 1), ts.UnsupportedError, "x: elements of 1, 2, 4, 8 or 16 bytes"),
        ((x[:, ::-1], 1), ts.UnsupportedError, "x: axis 1 of the result runs backwards"),
    ):
        with pytest.raises(error, match=text):
            ts.pad(*args)
    for arrays_, axis, error, text in (
        ([], 0, TypeError, "arrays: a list of one array or more"),
        (x, 0, TypeError, "arrays: a list"),
        ([x, x.astype(np.float64)], 0, TypeError, r"arrays\[1\]: float32 as the first one, not float64; convert it"),
        (
            [x, np.ones((2, 4), np.float32)],
            0,
            ValueError,
            r"arrays\[1\]: shape \(2, 3\) but along axis 0, not \(2, 4\)",
        ),
        ([x], 2, ValueError, "axis: an axis of arrays of 2 axes, not 2"),
    ):
        with pytest.raises(error, match=text):
            ts.concatenate(arrays_, axis)
    both = np.ones((4, 3), np.float32)
    with pytest.raises(ValueError, match=r"out: shares memory with arrays\[0\]"):
        ts.concatenate([both[:2], x], out=both)
    with pytest.raises(ValueError, match="out: shares memory with x"):
        ts.pad(both[:2], ((1, 1), (0, 0)), out=both)
    with pytest.raises(ValueError, match=r"out: shape \(4, 5\), not \(4, 3\)"):
        ts.pad(x, 1, out=both)
