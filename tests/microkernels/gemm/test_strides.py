"""A fixed batch whose pairs have the distances of the call's arrays (strides=ts.RUNTIME)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak
from tilesmith.runtime.arguments.arrays import numpy_dtype

TARGETS = ("avx2", "avx512", "avx512_bf16", "amx", "sse", "avx", "neon", "neon_bf16", "sve256", "sme256")
ORDERS = ("CCC", "FFF", "FCC", "CFF")
SUMS = {"f32": "f32", "bf16": "f32", "i8": "i32"}
PAIRS = 4


def batch_of(rng, shape, order, dtype, step, side):
    """Return matrices of small integers between guard pages, each `step` lines after the previous one."""
    lines, length = shape if order == "C" else shape[::-1]
    size = numpy_dtype(dtype).itemsize
    memory = guarded(rng.integers(-4, 5, ((PAIRS - 1) * step + lines, length)).astype(numpy_dtype(dtype)), side)
    strides = (step * length * size, length * size, size)
    made = np.lib.stride_tricks.as_strided(memory, (PAIRS, lines, length), strides)
    return made if order == "C" else made.transpose(0, 2, 1)


def call_of(rng, kernel, shape, order, dtype, steps, side="end"):
    """Return the arguments and the expected c."""
    m, n, k = shape
    a = batch_of(rng, (m, k), order[0], dtype, steps[0], side)
    b = batch_of(rng, (k, n), order[1], dtype, steps[1], side)
    rows, columns = (m, n) if order[2] == "C" else (n, m)
    c = guarded(rng.integers(-4, 5, (rows, columns)).astype(numpy_dtype(SUMS[dtype])), side)
    c = c if order[2] == "C" else c.T
    wide = np.float64 if SUMS[dtype] == "f32" else np.int64
    return (a, b, c), c.astype(wide) + sum(x.astype(wide) @ y.astype(wide) for x, y in zip(a, b))


@pytest.mark.parametrize("target", TARGETS)
def test_the_strides_of_the_call(target):
    """Pairs that overlap, are dense or lie far apart give exact sums of integers in the emulator."""
    rng = np.random.default_rng(7)
    for number, order in enumerate(ORDERS):
        dtype = ("f32", "bf16", "i8")[number % 3] if target not in ("sse", "avx") else ("f32", "i8")[number // 2]
        if not is_soak() and (number + TARGETS.index(target)) % 2:
            continue
        shape = (5, 18, 6)
        kernel = ts.brgemm(
            *shape,
            dtype=(dtype, dtype, SUMS[dtype]),
            order=tuple(order),
            batch=PAIRS,
            strides=ts.RUNTIME,
            target=target,
        )
        for steps in ((1, 19), (7, 2)):
            arguments, expected = call_of(rng, kernel, shape, order, dtype, steps)
            kernel.run(*arguments)
            np.testing.assert_array_equal(arguments[2], expected)


@pytest.mark.parametrize("side", SIDES)
def test_calls_on_this_host(side):
    """Calls go through machine code, or through Python if strides are negative or zero, with leading dimensions too."""
    rng = np.random.default_rng(8)
    shape = (7, 9, 5)

    def test():
        for order in ORDERS:
            for leading in (None, ts.RUNTIME):
                kernel = ts.brgemm(*shape, order=tuple(order), batch=PAIRS, strides=ts.RUNTIME, lda=leading)
                (a, b, c), expected = call_of(rng, kernel, shape, order, "f32", (13, 3), side)
                before = c.copy(order="K")
                survives(lambda kernel=kernel, a=a, b=b, c=c: kernel(a, b, c))
                np.testing.assert_array_equal(c, expected)
                check_canary(c)
                c[...] = before
                kernel(a[::-1], b[::-1], c)
                np.testing.assert_array_equal(c, expected)
                kernel(np.broadcast_to(a[:1], a.shape), b, c)

    in_one_child(test)


def test_what_is_refused():
    kernel = ts.brgemm(4, 4, 4, batch=PAIRS, strides=ts.RUNTIME)
    a, c = np.zeros((PAIRS, 4, 4), np.float32), np.zeros((4, 4), np.float32)
    with pytest.raises(ValueError, match=r"a: shape \(4, 4, 4\), not \(3, 4, 4\)"):
        kernel(a[:3], a, c)
    with pytest.raises(ValueError, match="c: must not overlap the batch of a"):
        kernel(a, a, a[3])
    with pytest.raises(ValueError, match="strides"):
        kernel(a, a.transpose(0, 2, 1), c)
    odd = np.zeros((PAIRS, 66), np.uint8)
    apart = np.lib.stride_tricks.as_strided(odd.view(np.uint8).reshape(-1)[:64].view(np.float32), a.shape, (66, 16, 4))
    with pytest.raises(ValueError, match="b: the stride from matrix to matrix must be a multiple of 4 bytes"):
        kernel(a, apart, c)
    for batch in (None, ts.STRIDE):
        with pytest.raises(ValueError, match="strides: RUNTIME needs a batch that is a count"):
            ts.brgemm(4, 4, 4, batch=batch, strides=ts.RUNTIME)
    with pytest.raises(TypeError, match="strides: None"):
        ts.brgemm(4, 4, 4, batch=2, strides=64)


def test_c_function_pickles_and_epilogue():
    kernel = ts.brgemm(4, 5, 6, batch=3, strides=ts.RUNTIME, beta=0)
    assert "float *c, int64_t a_stride, int64_t b_stride)" in kernel.c_prototype
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    rng = np.random.default_rng(9)
    a, b = (rng.integers(-3, 4, (6, *shape)).astype(np.float32) for shape in ((4, 6), (6, 5)))
    wanted = sum(x @ y for x, y in zip(a[::2], b[::2]))
    np.testing.assert_array_equal(kernel(a[::2], b[::2]), wanted)
    fused = ts.brgemm(4, 5, 6, batch=3, strides=ts.RUNTIME, beta=0, epilogue=lambda c, bias: ts.relu(c + bias))
    bias = np.ones(5, np.float32)
    np.testing.assert_array_equal(fused(a[::2], b[::2], None, bias), np.maximum(wanted + 1, 0))
