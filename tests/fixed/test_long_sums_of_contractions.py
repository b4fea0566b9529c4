"""Gradients by weights and `ts.einsum` added all parts of a long sum to one f32 accumulator: 2e7 ones gave 1.96e7.
Parts of sums of 16-bit results were rounded one by one, so that 200,000 terms in bf16 lost a third."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak
from tilesmith.microkernels.codegen.long_sums import MOST_TERMS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.contraction import arrays
from tilesmith.runtime.ops import einsum

Array = np.ndarray[Any, Any]
TERMS = 40_000_000 if is_soak() else 2_000_000
KINDS = "equal", "positive", "random"


def terms(kind: str, shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    """Return the terms of sums: without many distinct ones, so that they are quick to make."""
    rng = np.random.default_rng(math.prod(shape))
    few = {"equal": np.full(1021, 0.1), "positive": rng.random(1021), "random": rng.standard_normal(1021)}[kind]
    return np.resize(few.astype(dtype), shape)


def check(found: Array, a: Array, b: Array, count: int, result: float = 0.0) -> None:
    """Compare rows of sums with those in f64, as docs/numerics.md bounds them. a, b: rows of terms. result: the error
    of the last rounding, by the sum."""
    wide = [each.astype(np.float64) for each in (a, b)]
    wanted, size = wide[0] @ wide[1].T, abs(wide[0]) @ abs(wide[1]).T
    bound = (MOST_TERMS + math.log2(count) + 64) * 2.0**-24 * size + result * abs(wanted)
    assert (abs(found.astype(np.float64) - wanted) <= bound).all()


@pytest.mark.parametrize("kind", KINDS)
def test_einsum(kind: str) -> None:
    a, b = terms(kind, (3, TERMS)), terms(kind, (2, TERMS))
    check(ts.einsum("ik,jk->ij", a, b), a, b, TERMS)
    turned = np.ascontiguousarray(b.reshape(2, 2, -1).swapaxes(1, 2))  # k and l are no single axis
    check(ts.einsum("ikl,jlk->ij", a.reshape(3, 2, -1), turned), a, b, TERMS)
    alone = a[0].reshape(-1, 2)
    found = np.asarray(ts.einsum("ij,k->jk", alone, np.ones(3, np.float32)))
    check(found, alone.T, np.ones((3, TERMS // 2)), TERMS // 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("last", [True, False])
def test_gradients_by_weights_and_bias(kind: str, groups: int, last: bool) -> None:
    places = TERMS // 50
    shape = (5, 2, 10, places // 5)
    dy, x = (terms(kind, shape) for _ in range(2))
    if last:
        dy, x = (np.ascontiguousarray(each.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) for each in (dy, x))
    dw, db = ts.conv2d_backward(dy, x, np.ones((2, 2 // groups, 1, 1), np.float32), groups=groups, wanted="dw db")
    rows, seen = (each.transpose(1, 0, 2, 3).reshape(2, -1) for each in (dy, x))
    count = rows.shape[1]
    for group in range(groups):
        inside = slice(group, group + 1) if groups == 2 else slice(None)
        check(np.asarray(dw)[inside, :, 0, 0], rows[inside], seen[inside], count)
    check(np.asarray(db)[:, None], rows, np.ones((1, count)), count)


def test_many_images() -> None:
    """The sums of a channel over places, of which there are few, and then over images."""
    dy = terms("equal", (300_000, 2, 2))
    db = ts.conv1d_backward(dy, dy, np.ones((2, 2, 1), np.float32), wanted="db")
    check(np.asarray(db)[:, None], dy.transpose(1, 0, 2).reshape(2, -1), np.ones((1, 600_000)), 600_000)


@pytest.mark.parametrize("kind", KINDS)
def test_taps_and_channels(kind: str) -> None:
    """Forward, transposed, and the gradient by the data: all taps and channels are one sum."""
    channels = 20_000 if is_soak() else 2_000
    x, w = terms(kind, (1, channels, 3, 3)), terms(kind, (2, channels, 3, 3))
    flat = w.reshape(2, -1), x.reshape(1, -1)
    check(np.asarray(ts.conv2d(x, w)).reshape(2, 1), *flat, 9 * channels)
    turned = np.ascontiguousarray(w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1])
    check(np.asarray(ts.conv_transpose2d(x, turned))[0, :, 2, 2][:, None], *flat, 9 * channels)
    dx = ts.conv2d_backward(x, terms(kind, (1, 2, 5, 5)), turned, wanted="dx")
    check(np.asarray(dx)[0, :, 2, 2][:, None], *flat, 9 * channels)


@pytest.mark.parametrize("dtype, last", [(ml_dtypes.bfloat16, 2.0**-8), (np.float16, 2.0**-11)])
def test_results_of_16_bits_are_rounded_once(dtype: Any, last: float) -> None:
    a, b = terms("positive", (6, 100_000), dtype), terms("equal", (2, 100_000), dtype)
    apart = a.reshape(6, 2, -1, 10).swapaxes(1, 2) / dtype(16), b.reshape(2, 2, -1, 10).swapaxes(1, 2)
    found = ts.einsum("iklm,jklm->ij", *apart)
    assert found.dtype == dtype
    check(found, a / dtype(16), b, 100_000, last)
    dy, x = a.reshape(2, 3, 10, 10, -1)[:, 0], b.reshape(2, 1, 100, -1)
    dy, x = a.reshape(2, 3, 100, 1000), np.resize(b, (2, 2, 100, 1000)) / dtype(16)
    dw = ts.conv2d_backward(dy, x, np.ones((3, 2, 1, 1), dtype), wanted="dw")
    rows = [each.transpose(1, 0, 2, 3).reshape(each.shape[1], -1) for each in (dy, x)]
    check(np.asarray(dw)[:, :, 0, 0], *rows, 200_000, last)


@pytest.mark.parametrize("levels", [[20, 1_000_000], [3000, 300], [300, 3000], [5000, 5000, 7], [1 << 31], [4096], [7]])
def test_numbers_of_parts(levels: list[int]) -> None:
    """At most 2,048 parts are added one by one, each of 320 terms or more."""
    cut, pairs = arrays._cut(levels)
    parts = arrays.parts_of(levels, cut, pairs)
    assert parts <= MOST_TERMS // 2
    assert parts == 1 or 2 * pairs * math.prod(levels[cut + 1 :]) >= 320
    assert 1 <= pairs <= levels[cut]


@pytest.mark.parametrize("sliced", [1, 99])
@pytest.mark.parametrize("side", SIDES)
def test_sums_that_wait_in_scratch_memory(side: str, sliced: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers, whose sums are exact: by parts, and in slices of the sum for several workers."""
    monkeypatch.setattr(arrays, "most_of_block", lambda blocks: 4)
    few = {"steps": 4, "rows": 4, "most_rows": 8, "wide": 1, "sliced": sliced, "slice": 8, "folded": 64}
    monkeypatch.setattr(arrays, "CONTRACTIONS", arrays.CONTRACTIONS._replace(**few))
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((9, 2, 14), (14, 2, 11)))
    a, b = (guarded(each, side, writable=False) for each in (a, b))
    wanted = np.einsum("jki,ikl->jl", a.astype(np.float64), b.astype(np.float64))
    einsum._FOUND.clear()
    einsum.summed.cache_clear()
    for dtype in (np.float16, np.float32):
        for threads in (1, 3):
            out = guarded(np.zeros((9, 11), dtype), side)
            ts.einsum("jki,ikl->jl", a, b, out, threads=threads, target="avx2")
            assert np.array_equal(out, wanted)
            check_canary(out)
    for kernel in kernels_of() if is_soak() or side == SIDES[0] else []:
        assert (kernel.plan.slices > 1) == (sliced > 1)
        out = np.zeros((9, 11), numpy_dtype(kernel.contraction.c.dtype))
        regions = [("a", a, False), ("b", b, False), ("c", out, True)]
        kernel.emulated([each.ctypes.data for each in (a, b, out)], regions, 3, 1)
        assert np.array_equal(out, wanted)
    einsum._FOUND.clear()
    einsum.summed.cache_clear()


def kernels_of() -> list[arrays.Summed]:
    """Return the contractions of the kept calls of einsum."""
    return [call.args[0] for call in einsum._FOUND.values() if isinstance(call, partial)]
