"""Independent products in one call: every target against numpy in float64, between guard pages, with any strides."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, both_sides, check_canary, guarded
from tests.profiles import scaled

Array = np.ndarray[Any, Any]
NUMPY: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i32": np.int32,
}
TYPES = {"f32": ("f32",) * 3, "f64": ("f64",) * 3, "bf16": ("bf16", "bf16", "f32"), "i8": ("i8", "i8", "i32")}


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return integers so small that every sum is exact in every type, so the order of summation does not matter."""
    return rng.integers(-4, 5, shape).astype(NUMPY[dtype])


def laid(order: str, x: Array) -> Array:
    """Return the same matrices with contiguous rows or columns."""
    return x if order == "C" else np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def expected(a: Array, b: Array, c: Array, alpha: float, beta: float) -> Array:
    """Return the result of numpy in float64, with the former C."""
    product = alpha * np.matmul(a.astype(np.float64), b.astype(np.float64))
    return product + (beta * c.astype(np.float64) if beta else 0)


@pytest.mark.parametrize("target", ts.targets())
def test_every_target_multiplies_every_pair(target: str) -> None:
    rng = np.random.default_rng(1)
    for (dtype, types), count, (m, n, k) in zip(TYPES.items(), (ts.RUNTIME, 3, ts.RUNTIME, 2), SHAPES):
        spec = ts.gemm_spec(m, n, k, dtype=types, beta=0)
        if ts.supported(spec, target) is not True:
            continue
        size = 3 if count is ts.RUNTIME else count
        a, b = values(rng, (size, m, k), dtype), values(rng, (size, k, n), dtype)
        c = np.full((size, m, n), 7, NUMPY[types[2]])
        ts.brgemm(m, n, k, dtype=types, beta=0, stack=count, target=target).run(a, b, c)
        assert (c.astype(np.float64) == expected(a, b, c, 1, 0)).all(), (target, dtype)


SHAPES = ((5, 9, 3), (4, 4, 4), (3, 17, 6), (6, 20, 5))


@settings(max_examples=scaled(25, 2000), deadline=None)
@given(
    extents=st.tuples(*[st.integers(1, 20)] * 3),
    count=st.integers(0, 4),
    dtype=st.sampled_from(sorted(TYPES)),
    scale=st.sampled_from(((1, 0), (1, 1), (2, -1))),
    order=st.sampled_from(("CCC", "CFC", "FFF", "FCF")),
    shared=st.sampled_from(("", "a", "b", "ab")),
    gaps=st.tuples(*[st.integers(0, 3)] * 3),
    counted=st.booleans(),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
)
def test_drawn_stacks(
    extents: tuple[int, int, int],
    count: int,
    dtype: str,
    scale: tuple[int, int],
    order: str,
    shared: str,
    gaps: tuple[int, int, int],
    counted: bool,
    side: str,
    seed: int,
) -> None:
    (m, n, k), types, rng = extents, TYPES[dtype], np.random.default_rng(seed)
    alpha, beta = (1, abs(scale[1])) if dtype == "i8" else scale
    request = {"dtype": types, "order": tuple(order), "alpha": alpha, "beta": beta}
    if ts.supported(ts.gemm_spec(m, n, k, **request)) is not True:
        return
    shared = shared if count or not counted else ""
    if counted:
        shared = shared.replace("b", "")
    arrays = {}
    for name, shape, each, gap, way in zip("abc", ((m, k), (k, n), (m, n)), types, gaps, order):
        if name in shared and name != "c":
            arrays[name] = laid(way, values(rng, shape, each))
            continue
        # matrices are `gap` elements apart, in one allocation between guard pages
        flat = guarded(values(rng, (max(0, count * (shape[0] * shape[1] + gap) - gap),), each), side)
        size = flat.itemsize
        inner = (shape[1] * size, size) if way == "C" else (size, shape[0] * size)
        strides = ((shape[0] * shape[1] + gap) * size, *inner)
        if count:
            arrays[name] = np.lib.stride_tricks.as_strided(flat, (count, *shape), strides)
        else:
            arrays[name] = np.zeros((0, *shape), NUMPY[each])
    before = arrays["c"].copy()
    try:
        kernel = ts.brgemm(m, n, k, stack=ts.RUNTIME if counted else count, **request)
    except ts.UnsupportedError:  # an order that requires packing
        assert ts.brgemm(m, n, k, **request).plan is not None
        return
    kernel(arrays["a"], arrays["b"], arrays["c"])
    want = expected(arrays["a"], arrays["b"], before, alpha, beta)
    assert (arrays["c"].astype(np.float64) == want).all()


@both_sides
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("extent", [1, 3, 4, 8, 13, 23, 33])
def test_nothing_beside_the_operands_is_touched(extent: int, dtype: str, side: str) -> None:
    rng = np.random.default_rng(extent)
    kernel = ts.brgemm(extent, extent, extent, dtype=dtype, stack=ts.RUNTIME, beta=0)
    arrays = [guarded(values(rng, (3, extent, extent), dtype), side, writable=i == 2) for i in range(3)]
    kernel(*arrays)
    check_canary(arrays[2])
    assert (arrays[2] == np.matmul(*(each.astype(np.float64) for each in arrays[:2]))).all()


def test_the_next_product_is_prefetched_where_a_step_hides_it() -> None:
    small, large = (
        ts.brgemm(n, n, n, dtype="f64", stack=ts.RUNTIME, beta=0, target="avx512").listing() for n in (8, 33)
    )
    assert "prefetcht1" not in small and "prefetcht1" in large
    assert "prfm" in ts.brgemm(33, 33, 33, dtype="f64", stack=4, beta=0, target="neon").listing()


def test_none_and_one() -> None:
    a, b = np.ones((1, 2, 3), np.float32), np.ones((1, 3, 4), np.float32)
    for stack in (1, ts.RUNTIME):
        assert (ts.brgemm(2, 4, 3, stack=stack, beta=0)(a, b) == 3).all()
    for stack in (0, ts.RUNTIME):
        empty = ts.brgemm(2, 4, 3, stack=stack, beta=0)(a[:0], b[:0])
        assert empty.shape == (0, 2, 4)


def test_matrices_may_interleave_and_step_backwards() -> None:
    """The heads of attention are a stack of strided views: (m, heads, n)."""
    rng = np.random.default_rng(0)
    a, b = values(rng, (5, 3, 4), "f32"), values(rng, (4, 3, 6), "f32")
    c = np.zeros((5, 3, 6), np.float32)
    kernel = ts.brgemm(5, 6, 4, stack=ts.RUNTIME, lda=12, ldb=18, ldc=18)
    kernel(a.swapaxes(0, 1)[::-1], b.swapaxes(0, 1), c.swapaxes(0, 1))
    assert (c.swapaxes(0, 1) == np.matmul(a.swapaxes(0, 1)[::-1], b.swapaxes(0, 1))).all()


def test_leading_dimensions_at_the_call() -> None:
    rng = np.random.default_rng(0)
    a, b = values(rng, (4, 6, 9), "f32")[:, :, :5], values(rng, (4, 5, 11), "f32")[:, :, :7]
    c = np.zeros((4, 6, 8), np.float32)[:, :, :7]
    ts.brgemm(6, 7, 5, stack=4, lda=ts.RUNTIME, ldb=ts.RUNTIME, ldc=ts.RUNTIME)(a, b, c)
    assert (c == np.matmul(a, b)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"a": np.zeros((2, 4, 5), np.float32)},
            r"a: shape \(3, 4, 4\), or \(4, 4\) for all products, not \(2, 4, 5\)",
        ),
        ({"b": np.zeros((2, 4, 4), np.float32)}, r"b: shape \(3, 4, 4\)"),
        ({"a": np.zeros((3, 4, 4))}, "a: dtype float32"),
        ({"c": np.zeros((4, 4), np.float32)}, r"c: shape \(3, 4, 4\), not"),
        ({"c": np.broadcast_to(np.zeros((4, 4), np.float32), (3, 4, 4))}, "writable|elements are apart"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Array], message: str) -> None:
    given = {name: np.zeros((3, 4, 4), np.float32) for name in "abc"} | change
    with pytest.raises((TypeError, ValueError), match=message):
        ts.brgemm(4, 4, 4, stack=3)(*given.values())


@pytest.mark.parametrize("stack", [3, ts.RUNTIME])
def test_overlap_is_refused(stack: Any) -> None:
    memory = np.zeros(16 * 7, np.float32)
    kernel, a = ts.brgemm(4, 4, 4, stack=stack), np.zeros((3, 4, 4), np.float32)

    def at(start: int, step: int = 16) -> Array:
        return np.lib.stride_tricks.as_strided(memory[start:], (3, 4, 4), (step * 4, 16, 4))

    kernel(a, at(0), at(48))
    kernel(a, at(48), at(0))
    for b, c in ((at(0), at(32)), (at(32), at(0)), (at(0), at(47)), (at(8), at(8))):
        with pytest.raises(ValueError, match="c: must not overlap b"):
            kernel(a, b, c)
        with pytest.raises(ValueError, match="c: must not overlap a"):
            kernel(b, a, c)
    with pytest.raises(ValueError, match="c: its elements must not share memory"):
        kernel(a, a, at(0, 15))


def test_what_has_no_stack_says_so() -> None:
    for keywords, message in (
        ({"batch": 3}, "sums pairs"),
        ({"dtype": "f32x3bf16"}, "the arithmetic of one element type"),
        ({"epilogue": ts.relu}, "epilogue: not supported together with stack="),
        ({"order": "FFC"}, "packs no operand"),
    ):
        with pytest.raises(ts.UnsupportedError, match=message):
            ts.brgemm(8, 8, 8, stack=4, **keywords)
    for wrong, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError), (ts.STRIDE, TypeError)):
        with pytest.raises(error, match="stack: "):
            ts.brgemm(4, 4, 4, stack=wrong)


def test_a_kernel_describes_itself(tmp_path: Path) -> None:
    kernel = ts.brgemm(4, 4, 4, stack=ts.RUNTIME, beta=0)
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    assert "a loop over RUNTIME products" in str(kernel.plan)
    assert kernel.c_prototype.count("int64_t") == 4
    assert "c_stride" in kernel.c_prototype
    assert "C_i = " in str(kernel.__doc__)
    kernel.save(tmp_path / "stack.o")
    kernel.save(tmp_path / "stack.h")
    assert "a_stride" in (tmp_path / "stack.h").read_text()
    assert ts.brgemm(4, 4, 4, stack=6).flops == 6 * 128


@pytest.mark.parametrize(
    ("target", "size", "dtype", "ahead"),
    [
        ("avx512", 24, "f64", 2),
        ("avx512", 13, "f64", 1),
        ("avx512", 8, "f64", 0),
        ("neon", 16, "f32", 2),
    ],
)
def test_lines_that_are_fetched_ahead(target: str, size: int, dtype: str, ahead: int) -> None:
    """The plan prefetches the expected product, and pointers are restored. Operands have gaps and end at a guard
    page."""
    kernel = ts.brgemm(size, size, size, dtype=dtype, beta=1, stack=ts.RUNTIME, target=target)
    assert kernel.plan.ahead == ahead  # type: ignore[attr-defined]
    assert ("after the next" in str(kernel.plan)) == (ahead == 2)
    rng, count = np.random.default_rng(size), 4
    whole = [guarded(values(rng, (count * (size + 1) * size - size,), dtype), "end") for _ in "abc"]
    step = (size + 1) * size * whole[0].itemsize
    a, b, c = (
        np.lib.stride_tricks.as_strided(each, (count, size, size), (step, size * each.itemsize, each.itemsize))
        for each in whole
    )
    for run in (kernel.run, kernel) if kernel.address else (kernel.run,):
        wanted = expected(a, b, c, 1, 1)
        run(a, b, c)
        assert (c == wanted).all()
