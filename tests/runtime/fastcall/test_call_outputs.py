"""Calls without an output, and arrays from memory maps, masked arrays, and arrays at guard pages."""

import sys

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tests.runtime.fastcall.call_cases import K, M, N, arguments, make, right


@pytest.mark.parametrize("order", ("C", "F"))
@pytest.mark.parametrize("ldc", (None, 7, ts.RUNTIME), ids=str)
def test_new_output(mode, order, ldc):
    kernel = make(mode, M, N, K, order=order, beta=0, ldc=ldc)
    a, b = (np.asarray(x, order=order) for x in right()[:2])
    for _ in range(3):
        c = kernel(a, b)
        assert type(c) is np.ndarray and c.dtype == np.float32 and c.flags.writeable and c.flags.aligned
        np.testing.assert_array_equal(c, a @ b)
        assert c.strides[order == "C"] == 4 and c.strides[order == "F"] == 4 * (
            7 if ldc == 7 else (N if order == "C" else M)
        )
        alike = object()  # the number of references to a local object depends on the version
        references = sys.getrefcount(c), sys.getrefcount(alike)
        assert references[0] == references[1]
    assert kernel(a, b, None).tolist() == c.tolist()
    out = np.empty_like(c) if ldc != 7 else kernel(a, b)
    assert kernel(a, b, out) is None
    np.testing.assert_array_equal(out, c)


def test_new_output_of_batches(mode):
    for batch in (3, ts.STRIDE, ts.OFFSET, ts.ADDRESS):
        kernel, plain = make(mode, M, N, K, batch=batch, beta=0), make("cffi", M, N, K, batch=batch, beta=0)
        keep = right(batch)
        args = keep[: len(arguments(batch))]
        plain(*args)
        expected, args[2] = args[2], None
        np.testing.assert_array_equal(kernel(*args), expected)
        if len(args) == 3:
            np.testing.assert_array_equal(kernel(*args[:2]), expected)


def with_three_axes():
    """Yield kernels whose result has three axes, with their inputs."""
    rng = np.random.default_rng(0)
    halves = rng.integers(-3, 4, (6, 8)).astype(ml_dtypes.bfloat16)
    yield ts.attention(2, 5, 7, 24), [rng.standard_normal(s).astype("f4") for s in ((2, 5, 24), (2, 7, 24), (2, 7, 24))]
    yield ts.transform("vnni2", 6, 8, dtype="bf16"), [halves]
    yield ts.brgemm(6, 8, 6, dtype="bf16", beta=0, c_layout="vnni"), [halves[:, :6].copy(), halves]


def test_new_outputs_with_three_axes():
    """Machine code allocates them, too, if the interpreter lets it."""
    for kernel, inputs in with_three_axes():
        made = kernel(*inputs)
        expected = np.empty_like(made)
        kernel(*inputs, expected)
        assert made.tobytes() == expected.tobytes() and made.flags.c_contiguous
        structure, _ = kernel.kind.entry(kernel.spec, "never", 0)
        assert structure.allocates is not None


def with_outputs_made_in_python():
    """Yield kernels whose results machine code does not allocate, their inputs, and shapes of the results."""
    rng = np.random.default_rng(0)

    def some(*shape):
        return rng.integers(-3, 4, shape).astype("f4")

    yield ts.equation(lambda x: (x + 1, x * 2), x=(4, 5)), [some(4, 5)], [(4, 5), (4, 5)]
    yield ts.brgemm(4, 5, 6, beta=0, stack=ts.RUNTIME), [some(3, 4, 6), some(3, 6, 5)], [(3, 4, 5)]
    yield ts.attention(2, 5, 7, 8, lse=True), [some(2, 5, 8), some(2, 7, 8), some(2, 7, 8)], [(2, 5, 8), (2, 5)]


def test_new_outputs_that_machine_code_does_not_allocate():
    for kernel, inputs, shapes in with_outputs_made_in_python():
        given = [np.zeros(shape, "f4") for shape in shapes]
        kernel(*inputs, *given)
        for _ in range(2):
            made = kernel(*inputs)
            made = made if isinstance(made, tuple) else (made,)
            assert [each.tobytes() for each in made] == [each.tobytes() for each in given]
        with pytest.raises((TypeError, ValueError)):
            kernel(*inputs[:-1], inputs[-1].astype("f8"))


def test_no_new_output_if_c_is_read(mode):
    kernel = make(mode, M, N, K)
    with pytest.raises(TypeError, match=r"3 arguments \(a, b, c\), not 2"):
        kernel(*right()[:2])
    with pytest.raises(TypeError, match="c: an array"):
        kernel(*right()[:2], None)


# Sources of arrays


def test_memory_map(mode, tmp_path):
    kernel = make(mode, M, N, K)
    a, b, c = right()
    expected = c + a @ b
    mapped = np.memmap(tmp_path / "c", np.float32, "w+", shape=(M, N))
    mapped[...] = c
    kernel(a, b, mapped)
    np.testing.assert_array_equal(mapped, expected)


def test_masked_array_is_refused(mode):
    kernel = make(mode, M, N, K)
    for position in range(3):
        args = right()
        args[position] = np.ma.masked_array(args[position], mask=args[position] > 3)
        with pytest.raises(TypeError, match=f"{'abc'[position]}: .*mask"):
            kernel(*args)


def test_arrays_at_guard_pages(mode):
    """A read of one byte beyond an operand would fault."""
    for spec in ({}, {"lda": ts.RUNTIME, "ldc": ts.RUNTIME}):
        kernel = make(mode, M, N, K, **spec)
        for side in ("start", "end"):
            a, b, c = (guarded(x, side) for x in right())
            expected = c + a @ b
            kernel(a, b, c)
            np.testing.assert_array_equal(c, expected)
