"""Dense factors and results of `ts.spmm` whose rows lie in groups (VNNI) have the bits of plain ones."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.gemm_cases import RUNNING
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tests.sparse_cases import Array, Pattern, patterns

BF16 = ml_dtypes.bfloat16
TYPES: list[tuple[Any, Any, Any]] = [
    (BF16, BF16, BF16),
    (BF16, BF16, np.float32),
    (np.float16, np.float16, np.float16),
    (np.int8, np.int8, np.int32),
    (np.int8, np.uint8, np.uint8),
    (np.int8, np.int8, np.int8),
    (np.float32, BF16, np.float32),
]
BLOCKS = [None, 1, 2, 4, (3, 4), (8, 8), (32, 32), (2, 7)]


def packed(x: Array, group: int, fill: int = 0) -> Array:
    """Return the groups of a matrix; `fill` fills the last one up."""
    lines = -(-x.shape[0] // group)
    rows = np.full((lines * group, x.shape[1]), fill).astype(x.dtype)
    rows[: len(x)] = x
    return np.ascontiguousarray(rows.reshape(lines, group, x.shape[1]).transpose(0, 2, 1))


def with_gaps(x: Array) -> Array:
    """Return groups whose rows of groups are apart, by a number that is no multiple of a group."""
    wide = np.zeros((*x.shape[:1], x.shape[1] * x.shape[2] + 3), x.dtype)
    wide[:, :-3] = x.reshape(len(x), x.shape[1] * x.shape[2])
    return np.lib.stride_tricks.as_strided(wide, x.shape, (wide.strides[0], x.shape[2] * x.itemsize, x.itemsize))


@settings(max_examples=scaled(8, 100_000))
@given(
    patterns(),
    st.integers(0, 50),
    st.sampled_from(TYPES),
    st.sampled_from(BLOCKS),
    st.sampled_from([None, *RUNNING]),
    st.sampled_from([1, 2, 3, 7]),
    st.sampled_from(SIDES),
    st.sampled_from(["b", "c", "b c"]),
    st.sampled_from(["new", "dense", "gaps", "overlaps"]),
    st.booleans(),
)
def test_products(
    drawn: tuple[Pattern, str],
    n: int,
    types: tuple[Any, Any, Any],
    blocks: Any,
    target: str | None,
    threads: int,
    side: str,
    which: str,
    to: str,
    scaled_up: bool,
) -> None:
    pattern, format = drawn
    handle = ts.sparse(pattern.held(format, types[0]), blocks=blocks, target=target)
    dense, rng = pattern.dense(), np.random.default_rng(n)
    x = rng.integers(0 if types[1] == np.uint8 else -3, 4, (dense.shape[1], n))
    exact = dense @ x
    epilogue: dict[str, Any] = {}
    quantized = np.dtype(types[2]).itemsize == 1
    if scaled_up or quantized:  # C of bytes needs an epilogue, which says how sums are scaled
        factor = rng.integers(1, 3, n)
        epilogue = {"epilogue": lambda c, s: c * s, "operands": {"s": factor.astype(np.float32)}}
        exact = exact * factor
    limits = np.iinfo(types[2]) if quantized else None
    expected = (exact if limits is None else np.clip(exact, limits.min, limits.max)).astype(types[2])
    of_b, of_c = (4 // np.dtype(each).itemsize for each in types[1:])
    layouts = {
        "b_layout": "vnni" if "b" in which else "plain",
        "c_layout": "vnni" if "c" in which and of_c > 1 else "plain",
    }
    given = x.astype(types[1])
    given = guarded(packed(given, of_b, 77) if "b" in which else given, side, writable=False)
    if layouts["c_layout"] == "vnni":
        expected = packed(expected, of_c)
    out: Any = None
    if to != "new" or types[2] not in (types[0], np.int32) or quantized:
        whole = np.full(expected.shape, 5).astype(types[2])
        out = with_gaps(whole) if to == "gaps" and whole.ndim == 3 else guarded(whole, side)
    if to == "overlaps" and "b" in which and types[1] == types[2] and expected.size and given.size:
        memory = np.zeros(max(given.size, expected.size), types[1])
        memory[: given.size] = given.ravel()
        given, out = memory[: given.size].reshape(given.shape), memory[: expected.size].reshape(expected.shape)
    made = ts.spmm(handle, given, out, threads=threads, **layouts, **epilogue)
    assert out is None or made is out
    assert made.dtype == expected.dtype and np.array_equal(made, expected)
    if out is not None and to == "dense":
        check_canary(out)


def test_groups_are_read_and_written_in_place_by_whole_blocks() -> None:
    rng = np.random.default_rng(1)
    a = np.where(rng.random((64, 96)) < 0.2, rng.standard_normal((64, 96)), 0).astype(BF16)
    x = rng.standard_normal((96, 40)).astype(BF16)
    first, second = ts.sparse(a, blocks=8), ts.sparse(a.T.copy(), blocks=(4, 2))
    inner = ts.spmm(first, packed(x, 2), b_layout="vnni", c_layout="vnni")
    (plan,) = {each.job for each in first._jobs.values()}
    assert plan.product.groups == (2, 2) and inner.shape == (32, 40, 2)
    outer = ts.spmm(second, inner, b_layout="vnni2")  # the next product reads it
    assert np.array_equal(outer, ts.spmm(second, ts.spmm(first, x)))
    multiply = ts.brgemm(96, 40, 64, dtype="bf16", beta=0, b_layout="vnni")  # and so does a dense one
    assert np.array_equal(multiply(second.toarray(), inner), multiply(second.toarray(), packed(ts.spmm(first, x), 2)))


def test_a_dense_factor_on_the_left() -> None:
    rng = np.random.default_rng(2)
    a = np.where(rng.random((20, 30)) < 0.3, rng.integers(-3, 4, (20, 30)), 0).astype(BF16)
    x = rng.integers(-3, 4, (7, 20)).astype(BF16)
    expected = packed((x.astype(np.float32) @ a.astype(np.float32)).astype(BF16), 2)
    assert np.array_equal(ts.spmm(x, ts.sparse(a, blocks=2), c_layout="vnni"), expected)
    out = np.ones_like(expected)
    assert ts.spmm(x, ts.sparse(a), out, c_layout="vnni") is out and np.array_equal(out, expected)


@pytest.mark.parametrize(
    ("how", "shape", "dtype", "error", "text"),
    [
        ({"b_layout": "vnni"}, (3, 5, 2), np.float32, ts.UnsupportedError, 'elements of f32 may be "plain" only'),
        ({"b_layout": "vnni4"}, (3, 5, 2), BF16, ts.UnsupportedError, 'elements of bf16 may be "plain", or "vnni2"'),
        ({"b_layout": "vnni"}, (6, 5), BF16, ValueError, r"b: shape \(3, 5, 2\) for 6 columns"),
        ({"b_layout": "vnni"}, (4, 5, 2), BF16, ValueError, r"b: shape \(3, 5, 2\) for 6 columns"),
        ({"c_layout": "vnni"}, (6,), BF16, ValueError, "b: a matrix"),
        ({"c_layout": "tiles"}, (6, 5), BF16, ValueError, "c_layout"),
    ],
)
def test_errors(how: dict[str, Any], shape: tuple[int, ...], dtype: Any, error: type[Exception], text: str) -> None:
    handle = ts.sparse(np.eye(6).astype(dtype))
    with pytest.raises(error, match=text):
        ts.spmm(handle, np.ones(shape, dtype), **how)
    if "b_layout" in how and dtype == BF16:
        with pytest.raises(ts.UnsupportedError, match="b is the sparse factor"):
            ts.spmm(np.ones((5, 6), dtype), handle, **how)


@pytest.mark.parametrize(
    "layouts", [{"b_layout": "vnni"}, {"c_layout": "vnni"}, {"b_layout": "vnni", "c_layout": "vnni"}]
)
@pytest.mark.grid(1)
def test_products_are_proved(layouts: Any) -> None:
    a = np.where(np.random.default_rng(3).random((5, 6)) < 0.4, 1, 0).astype(BF16)
    plan = ts.sparse(a, blocks=2).plan(5, threads=1, **layouts)
    proof = plan.verify()
    assert proof, proof
    table = plan.table.copy()
    table[plan.job.nest.places.b // 8] += plan.job.apart
    refuted = plan._replace(table=table).verify()
    assert refuted.refuted and "other terms than its definition" in str(refuted)


def test_later_calls_are_known() -> None:
    rng = np.random.default_rng(5)
    a = np.where(rng.random((32, 24)) < 0.3, rng.integers(-3, 4, (32, 24)), 0).astype(BF16)
    handle = ts.sparse(a, blocks=4)
    for layouts in ({"b_layout": "vnni"}, {"c_layout": "vnni"}, {"b_layout": "vnni", "c_layout": "vnni"}):
        known = len(handle._calls)
        for _ in range(3):
            x = rng.integers(-3, 4, (24, 10)).astype(BF16)
            expected = (a.astype(np.float32) @ x.astype(np.float32)).astype(BF16)
            given = packed(x, 2) if "b_layout" in layouts else x
            made: Any = ts.spmm(handle, given, **layouts)  # type: ignore[arg-type]
            assert np.array_equal(made, packed(expected, 2) if "c_layout" in layouts else expected)
            out = np.ones_like(made)
            assert ts.spmm(handle, given, out, **layouts) is out and np.array_equal(out, made)  # type: ignore[arg-type]
        assert len(handle._calls) == known + 2
    with pytest.raises(ValueError, match="b: a matrix or a vector"):
        ts.spmm(handle, packed(x, 2))
