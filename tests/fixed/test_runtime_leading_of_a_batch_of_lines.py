"""lda=RUNTIME of a batch of one-line matrices ignored the distance between the matrices, so it refused arrays that the
same number as a fixed lda accepts."""

import itertools

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilesmith as ts
from tests.runtime.fastcall.call_cases import make, needs_native, outcome
from tilesmith.runtime.arguments.arrays import numpy_dtype as dtype_of

COUNT, LEADING = 3, 16
ORDERS = list(itertools.product("CF", repeat=3))


def matrices(order, count, rows, columns, dtype):
    """Return `count` matrices with this leading dimension, one line of memory after the other."""
    lines, length = (rows, columns) if order == "C" else (columns, rows)
    memory = np.random.default_rng(rows + 2 * columns).integers(-9, 9, (count * lines, LEADING)).astype(dtype)
    step, size = memory.strides
    made = as_strided(memory[:, :length], (count, lines, length), (lines * step, step, size))
    return made if order == "C" else made.transpose(0, 2, 1)


def operands(order, m, k, n, dtype, result):
    a, b = matrices(order[0], COUNT, m, k, dtype), matrices(order[1], COUNT, k, n, dtype)
    return a, b, matrices(order[2], 1, m, n, result)[0]


@pytest.mark.parametrize(("m", "k", "n"), [(8, 1, 1), (1, 8, 1), (1, 1, 8), (1, 1, 1), (8, 3, 1), (1, 8, 3)])
@pytest.mark.parametrize(("dtype", "types"), [("i8", (np.int8, np.int32)), ("f32", (np.float32, np.float32))])
def test_a_batch_of_lines(dtype, types, m, k, n):
    for order in ORDERS:
        request = {"dtype": dtype, "order": order, "batch": COUNT}
        try:
            kernel = ts.brgemm(m, n, k, lda=ts.RUNTIME, ldb=ts.RUNTIME, ldc=ts.RUNTIME, **request)
        except ts.UnsupportedError:
            continue
        for call in (kernel, kernel._checked, kernel.run):
            a, b, c = operands(order, m, k, n, *types)
            expected = c + (a.astype(np.int64) @ b.astype(np.int64)).sum(axis=0)
            call(a, b, c)
            np.testing.assert_array_equal(c, expected)


@needs_native
@pytest.mark.parametrize("step", [16, 8, 17, 7, 0, -16])
def test_machine_code_takes_what_python_takes(step):
    def build():
        a = np.arange(256, dtype=np.float32)
        a = as_strided(a[64:], (COUNT, 8, 1), (4 * step, 4, 64))
        return [a, np.ones((COUNT, 1, 1), np.float32), np.zeros((8, 1), np.float32, order="F")]

    request = {"batch": COUNT, "order": ("F", "C", "F"), "lda": ts.RUNTIME}
    natively, through_python = (outcome(make(mode, 8, 1, 1, **request), build()) for mode in ("native", "cffi"))
    assert natively == through_python
    assert (natively[0] is None) == (step >= 0)  # lines of a may overlap


@pytest.mark.parametrize("target", ["avx2", "amx", "neon", "sve256"])
def test_on_other_targets(target):
    for dtype, order in itertools.product(("f32", "bf16"), (("F", "C", "F"), ("C", "F", "F"), ("C", "C", "C"))):
        try:
            kernel = ts.brgemm(
                8, 1, 1, dtype=dtype, order=order, batch=COUNT, lda=ts.RUNTIME, ldb=ts.RUNTIME, target=target
            )
        except ts.UnsupportedError:
            continue
        types = [dtype_of(each) for each in kernel.spec.dtypes]
        a, b, c = operands(order, 8, 1, 1, types[0], types[2])
        c = np.asarray(c, order=order[2]).copy(order=order[2])
        expected = c + (a.astype(np.float64) @ b.astype(np.float64)).sum(axis=0)
        kernel.run(a, b, c)
        np.testing.assert_array_equal(c.astype(np.float64), expected.astype(c.dtype).astype(np.float64))


def test_the_strides_of_a_batch_of_bytes():
    a = matrices("F", COUNT, 8, 1, np.int8)
    assert a.strides == (16, 1, 16)
    b, c = np.full((COUNT, 1, 1), 2, np.int8), np.zeros((8, 1), np.int32, order="F")
    ts.brgemm(8, 1, 1, dtype="i8", order=("F", "C", "F"), batch=COUNT, lda=ts.RUNTIME)(a, b, c)
    np.testing.assert_array_equal(c, 2 * a.sum(axis=0, dtype=np.int32))
