"""Products of lines that overlap, and batches of levels, against exact integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.guard import SIDES
from tests.overlap_cases import Case, cases
from tests.profiles import scaled
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import verify

EMULATED = (
    "avx2",
    "avx512",
    "avx512_vnni",
    "avx512_bf16",
    "amx",
    "sse",
    "avx",
    "neon",
    "neon_dotprod",
    "neon_bf16",
    "sve256",
    "sme256",
)
F32 = ("f32", "f32", "f32")
PLAIN = ("plain", "plain")


def test_calls_on_this_host():
    """Vectors and strided views, with guard pages on both sides of the memory that the request describes."""

    @settings(max_examples=scaled(30, 20_000), deadline=None)
    @given(cases(), st.sampled_from(SIDES), st.booleans())
    def test(case, side, flat):
        try:
            kernel = case.kernel()
        except UnsupportedError:
            return
        survives(lambda: case.check(kernel, side, flat=flat))

    in_one_child(test)


@settings(max_examples=scaled(14, 5_000), deadline=None)
@given(cases(most=9), st.sampled_from(EMULATED))
def test_in_the_emulator(case, target):
    """Every byte outside the memory of the request, and between its elements, is out of bounds there."""
    try:
        kernel = case.kernel(target)
    except UnsupportedError:
        return
    case.check(kernel, "end", run=True)


@pytest.mark.parametrize("order", ("CCC", "FCC"))
def test_long_sums_in_levels(order):
    """Sums of more than 4,096 terms have levels of their own, which are added to between pairs of any level."""
    case = Case((5, 9, 300), F32, order, (7, None), (4, 6), ((11, 2), (0, 5)), PLAIN, 1.0, 0)
    case.check(case.kernel(), "end")


@pytest.mark.parametrize(("dtype", "packed"), [("f32", "plain"), ("bf16", "plain"), ("bf16", "vnni")])
@pytest.mark.parametrize("strides", (((9, 31),), ((9, 31), (2, 12))))
def test_an_epilogue_after_levels(dtype, packed, strides):
    """On tiles the columns of an epilogue stand beside the pairs of a single level, but not beside those of several."""
    counts = (3, 2)[: len(strides)]
    case = Case((20, 40, 32), (dtype, dtype, "f32"), "CCC", (4, None), counts, strides, ("plain", packed), 1.0, 3)
    kernel = case.kernel(epilogue=lambda c, bias: ts.relu(c + bias))
    (a, b), _, c, sums = case.operands(kernel, "end")
    bias = np.arange(40, dtype=np.float32)
    kernel(a, b, c, bias)
    np.testing.assert_array_equal(c, np.maximum(sums + bias, 0))


def test_levels_that_continue_along_k_are_a_longer_k():
    """The taps of a row of pixels and their channels are neighbours: the kernel is that of one product a row."""
    pixels, channels, columns = 5, 8, 16
    row = (pixels + 2) * channels
    taps = ts.brgemm(
        pixels, columns, channels, batch=(3, 3), strides=((row, 3 * channels * columns), (channels, channels * columns))
    )
    rows = ts.brgemm(pixels, columns, 3 * channels, lda=channels, batch=3, strides=(row, 3 * channels * columns))
    assert taps.code == rows.code
    assert (taps.plan.product.k, taps.plan.product.pairs) == (3 * channels, 3)
    assert taps.spec.span("a") == rows.spec.span("a") == 3 * row
    dense = ts.brgemm(4, 5, 6, batch=(2, 3))
    assert dense.code == ts.brgemm(4, 5, 6, batch=6).code
    assert ts.brgemm(4, 5, 6, batch=3, strides=(24, 30)) is ts.brgemm(4, 5, 6, batch=3)


@pytest.mark.parametrize("target", ("avx2", "neon"))
def test_proofs(target):
    """A row's element that belongs to several rows, or to matrices of several pairs, is one input."""
    assert ts.brgemm(2, 4, 3, lda=2, ldb=3, batch=(2, 2), strides=((6, 1), (1, 0)), target=target).verify()
    assert ts.transpose(2, 4, ldx=1, target=target).verify()


def test_a_proof_tells_other_distances():
    """The code for other distances is refuted: it reads other elements, or elements outside the memory."""
    steps = ((6, 20), (1, 20)), ((6, 20), (2, 20))
    made = [ts.brgemm(3, 4, 5, lda=2, batch=(2, 2), strides=each, target="neon") for each in steps]
    for code, wanted in ((0, 1), (1, 0)):
        assert not verify(made[code].code, made[code].target, made[wanted].spec, made[wanted].kind)


def test_windows_of_numpy():
    """Arrays whose rows overlap are operands of whole products, of kernels by their shape, and of transposes."""
    x = np.random.default_rng(2).integers(-4, 5, 400).astype(np.float32)
    windows, w = sliding_window_view(x, 48)[:70], x[:240].reshape(48, 5)
    np.testing.assert_array_equal(ts.matmul(windows, w), windows @ w)
    np.testing.assert_array_equal(ts.dispatch(ts.brgemm, beta=0)(windows, w), windows @ w)
    np.testing.assert_array_equal(ts.transpose(70, 48, ldx=1)(windows), windows.T)
    np.testing.assert_array_equal(ts.transpose(70, 48, ldx=1)(x), windows.T)
    for order in ("CCC", "FCC"):
        a = windows if order == "CCC" else windows.T
        c = np.empty((len(a), 5), np.float32)
        factor = np.ascontiguousarray(x[: 5 * a.shape[1]].reshape(-1, 5))
        ts.gemm(*c.shape, a.shape[1], order=order, lda=1, beta=0)(a, factor, c)
        np.testing.assert_array_equal(c, a @ factor)


def test_a_batch_by_strides_of_overlapping_rows():
    """The first matrix may be a view of a vector, or the vector: the others lie in its memory."""
    kernel = ts.brgemm(4, 6, 8, lda=3, batch=ts.STRIDE, beta=0)
    y = np.random.default_rng(4).integers(-4, 5, 37).astype(np.float32)
    w = np.random.default_rng(5).integers(-4, 5, (2, 8, 6)).astype(np.float32)
    a = as_strided(y, (2, 4, 8), (80, 12, 4))
    for first in (y, a, a[0], as_strided(y, (4, 8), (12, 4))):
        np.testing.assert_array_equal(kernel(first, w, None, 2, 80, 192), (a @ w).sum(0))
    with pytest.raises(ValueError, match="a_stride: matrices must lie inside the memory of a, 148 bytes"):
        kernel(y, w, None, 2, 84, 192)


def test_c_beside_the_memory_of_a():
    """C may begin behind the last element that is read, or lie in a gap between levels, not between overlapping
    rows."""
    memory, b = np.arange(60, dtype=np.float32), np.ones((2, 2, 8, 2), np.float32)
    kernel = ts.brgemm(2, 2, 8, lda=4, batch=(2, 2), strides=((30, 32), (1, 16)), beta=0)  # 0 to 12 and 30 to 42
    expected = sum(as_strided(memory[at:], (2, 8), (16, 4)) @ b[0, 0] for at in (0, 1, 30, 31))
    for at in (13, 26, 43, 56):
        moved = memory.copy()
        kernel(moved[:43], b, moved[at:][:4].reshape(2, 2))
        np.testing.assert_array_equal(moved[at:][:4].reshape(2, 2), expected)
    for at in (0, 9, 12, 27, 42):
        moved = memory.copy()
        with pytest.raises(ValueError, match="c: must not overlap a"):
            kernel(moved[:43], b, moved[at:][:4].reshape(2, 2))


REFUSED = [
    ({"batch": (2, 3), "strides": (1, 2)}, ValueError, r"strides: \(\(a, b\), \(a, b\),\), distances of a and of b"),
    ({"batch": (2, 3), "strides": ((1, 2), (3, -4))}, ValueError, "strides: the distances of b are from 0 to"),
    ({"batch": (2, 3), "strides": ((1, 2), (3.0, 4))}, TypeError, "strides: the distances of a are numbers"),
    ({"batch": (2, 3), "strides": ts.RUNTIME}, ValueError, "strides: RUNTIME needs a batch that is a count, not"),
    ({"batch": (2, 3), "lda": ts.RUNTIME}, ts.UnsupportedError, "strides: what the call gives decides how far"),
    ({"batch": ()}, ValueError, "batch: from one count on"),
    ({"batch": (2, True)}, TypeError, "batch: None, a count, a tuple of counts"),
    ({"batch": (1 << 30, 1 << 30)}, ValueError, "batch: from one count on, of at most"),
    ({"batch": ts.STRIDE, "strides": (4, 4)}, ValueError, "strides: distances of pairs need a batch that is a count"),
    ({"strides": (4, 4)}, ValueError, "strides: distances of pairs need a batch that is a count, not None"),
    ({"batch": (2, 3), "stack": 4}, ts.UnsupportedError, "stack: each product is of one pair"),
    ({"lda": -1}, ValueError, "lda: from 0 to"),
    ({"ldc": 5}, ValueError, "ldc: at least 6 elements"),
]


@pytest.mark.parametrize(("request_", "error", "text"), REFUSED)
def test_what_is_refused(request_, error, text):
    with pytest.raises(error, match=text):
        ts.brgemm(4, 6, 8, **request_)


def test_calls_that_are_refused():
    kernel = ts.brgemm(4, 6, 8, lda=2, batch=(2, 3), beta=0)
    a, b = np.zeros(54, np.float32), np.zeros((2, 3, 8, 6), np.float32)
    with pytest.raises(ValueError, match=r"a: an array of shape \(2, 3, 4, 8\), or a contiguous vector of at least 54"):
        kernel(a[:53], b)
    with pytest.raises(ValueError, match="contiguous vector of at least 54 elements.* with strides"):
        kernel(np.zeros(108, np.float32)[::2], b)
    with pytest.raises(ValueError, match=r"a: strides .* not .*as_strided makes such a view"):
        kernel(np.zeros((2, 3, 4, 8), np.float32), b)
    with pytest.raises(ts.UnsupportedError, match="a pair of distances"):
        ts.brgemm(ts.RUNTIME, 6, 8, batch=(2, 3))
