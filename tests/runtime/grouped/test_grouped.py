"""`ts.grouped_matmul` equals one product of numpy in f64 for each member, whatever the offsets, types and layouts."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.runtime.loops import job as jobs

BF16 = ml_dtypes.bfloat16
TYPES: list[tuple[Any, Any, str | None, float]] = [
    (np.float32, np.float32, None, 1e-5),
    (np.float64, np.float64, None, 1e-13),
    (BF16, BF16, None, 1e-2),
    (BF16, BF16, "f32", 1e-5),
    (np.float16, np.float16, None, 2e-3),
    (np.uint8, np.int8, None, 0),
    (np.int8, np.int8, "f32", 1e-6),
]
"""Types of a and b, the dtype= of the result, and the tolerance relative to the largest element."""
EXTENTS = (1, 17, 65)


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def ends_of(rng: np.random.Generator, extent: int, members: int) -> Any:
    """Return ends that cut an extent at random, so that some members are empty."""
    return np.sort(np.append(rng.integers(0, extent + 1, members - 1), extent))


def members_of(ends: Any) -> list[slice]:
    return [slice(first, last) for first, last in zip([0, *ends[:-1]], ends)]


def view(rng: np.random.Generator, array: Any, side: str) -> Any:
    """Return the array between guard pages: dense, by columns, or with gaps between its rows."""
    way = rng.integers(4)
    if way == 1:
        array = np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    if way == 2:
        wide = np.zeros((*array.shape[:-1], array.shape[-1] + 3), array.dtype)
        wide[..., : array.shape[-1]] = array
        array = wide[..., : array.shape[-1]]
    if way == 3:
        return array[..., ::-1].copy()[..., ::-1]
    return guarded(array, side, writable=False)


def close(found: Any, expected: Any, tolerance: float) -> None:
    most = np.abs(expected).max(initial=1)
    assert np.abs(found.astype(np.float64) - expected).max(initial=0) <= tolerance * most


def epilogue(c: Any, bias: Any, scale: Any, whole: Any) -> Any:
    return ts.relu(c + bias) * scale + whole


@settings(max_examples=scaled(10, 5000))
@given(st.data())
def test_rows_columns_and_terms(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    of_a, of_b, dtype, tolerance = data.draw(st.sampled_from(TYPES))
    form, side = data.draw(st.sampled_from(["rows", "columns", "terms", "packed"])), data.draw(st.sampled_from(SIDES))
    m, n, members = (data.draw(st.sampled_from(EXTENTS)) for _ in range(3))
    total = data.draw(st.sampled_from([1, 5, 130, 600]))
    ends = ends_of(rng, total, members).astype(data.draw(st.sampled_from([np.int32, np.int64, np.uint16])))
    cuts = members_of(ends)
    if form == "terms":
        a, b = drawn(rng, (m, total), of_a), drawn(rng, (total, n), of_b)
        wide = [a[:, each].astype(np.float64) @ b[each].astype(np.float64) for each in cuts]
        expected: Any = np.array(wide)
    elif form == "columns":
        a, b = drawn(rng, (members, n, m), of_a), drawn(rng, (m, total), of_b)
        wide = [x.astype(np.float64) @ b[:, each].astype(np.float64) for x, each in zip(a, cuts)]
        expected = np.concatenate(wide, axis=1)
    else:
        a, b = drawn(rng, (total, m), of_a), drawn(rng, (members, m, n), of_b)
        expected = np.concatenate([a[each].astype(np.float64) @ x.astype(np.float64) for x, each in zip(b, cuts)])
    x, y = view(rng, a, side), view(rng, b, side)
    if form == "packed":
        y = ts.pack_groups(y, dtype=of_a)
    more: dict[str, Any] = {"dtype": dtype}
    if form != "columns" and dtype != "i32" and np.dtype(of_a).kind != "u" and rng.integers(2):
        wide_type = np.float64 if of_a is np.float64 else np.float32
        bias = (members, 1, n) if form != "terms" else (members, m, 1)
        shapes = {"bias": bias, "scale": (), "whole": expected.shape}
        operands = {name: drawn(rng, shape, wide_type) if shape else 2.0 for name, shape in shapes.items()}
        more |= {"epilogue": epilogue, "operands": operands, "dtype": dtype}
        each = operands["bias"]
        of_rows = (
            np.concatenate([np.repeat(r, c.stop - c.start, 0) for r, c in zip(each, cuts)]) if form != "terms" else each
        )
        expected = np.maximum(expected + of_rows, 0) * 2 + operands["whole"]
        tolerance = 4 * tolerance
        if np.dtype(of_a).kind == "i":
            more["dtype"] = "f32"
    found = ts.grouped_matmul(x, y, ends, **more)
    close(found, expected, tolerance)
    for threads in (1, 3, 7):
        into = guarded(np.empty_like(found), side)
        assert ts.grouped_matmul(x, y, ends, into, threads=threads, **more) is into
        check_canary(into)
        assert (into.view(np.uint8) == found.view(np.uint8)).all()


def test_new_offsets_need_no_new_code(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    b = rng.standard_normal((3, 20, 24)).astype(np.float32)
    bias = rng.standard_normal((3, 1, 24)).astype(np.float32)

    def call(ends: Any, b: Any, bias: Any) -> None:
        a = rng.standard_normal((ends[-1], 20)).astype(np.float32)
        found = ts.grouped_matmul(a, b, ends, epilogue=lambda c, x: c * x, operands={"x": bias})
        expected = np.concatenate([a[each] @ w * x for w, x, each in zip(b, bias, members_of(ends))])
        assert np.allclose(found, expected, atol=1e-4)
        ts.grouped_matmul(a.T, a, ends)

    call([1, 4, 9], b, bias)
    monkeypatch.setattr(jobs, "Blob", None)
    call([0, 0, 700], b, bias)
    call([5, 600, 601], b, bias)
    call([1, 2, 3, 4, 5, 200], np.concatenate([b, b]), np.concatenate([bias, bias]))


def test_long_sums_and_deep_blocks() -> None:
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((70, 5001), (2, 5001, 50)))
    found = ts.grouped_matmul(a, b, [31, 70])
    assert np.array_equal(found, np.concatenate([a[:31] @ b[0], a[31:] @ b[1]]))
    assert np.array_equal(found, ts.grouped_matmul(a, ts.pack_groups(b.swapaxes(1, 2).copy().swapaxes(1, 2)), [31, 70]))
    terms = ts.grouped_matmul(a.T[:40], rng.permutation(a)[:, :700], [3, 70])
    assert terms.shape == (2, 40, 700)


def test_offsets_that_lie_are_errors() -> None:
    a, b = np.ones((6, 4), np.float32), np.ones((2, 4, 3), np.float32)
    out = np.zeros((6, 3), np.float32)
    lies: list[Any] = [[3, 7], [7, 6], [-1, 6], [4, 3], [3, 5], [6], [2, 4, 6], []]
    lies += [np.array([3, 2**63 + 6], np.uint64), np.array([-(2**63), 6])]
    for ends in lies:
        with pytest.raises(ValueError, match="offsets"):
            ts.grouped_matmul(a, b, np.array(ends, getattr(ends, "dtype", np.int64)), out)
        if len(ends) != 2:
            continue
        with pytest.raises(ValueError, match="offsets"):
            ts.grouped_matmul(a.T, a, ends)
    for wrong in (np.array([3.0, 6.0]), np.array([[3], [6]]), np.array(6)):
        with pytest.raises(TypeError, match="offsets: integers"):
            ts.grouped_matmul(a, b, wrong, out)
    assert not out.any()


def test_errors_name_the_argument() -> None:
    a, b = np.ones((6, 4), np.float32), np.ones((2, 4, 3), np.float32)
    ends = [2, 6]
    for message, call in {
        "b must be as many": lambda: ts.grouped_matmul(a[:, :3], b, ends),
        "ts.matmul": lambda: ts.grouped_matmul(b, b, ends),
        "out: must have shape": lambda: ts.grouped_matmul(a, b, ends, np.ones((6, 4), np.float32)),
        "out: must be writable": lambda: ts.grouped_matmul(a, b, ends, np.broadcast_to(np.float32(0), (6, 3))),
        "x must be broadcast": lambda: ts.grouped_matmul(
            a, b, ends, epilogue=lambda c, x: c + x, operands={"x": np.ones((2, 3), np.float32)}
        ),
        "must have a row for each member": lambda: ts.grouped_matmul(
            a, b, ends, epilogue=lambda c, x: c + x, operands={"x": np.ones((2, 6, 3), np.float32)}
        ),
    }.items():
        with pytest.raises(ValueError, match=message):
            call()
    for message, call in {
        "for which b was packed": lambda: ts.grouped_matmul(a, ts.pack_groups(b.astype(np.float64)), ends),
        "x missing": lambda: ts.grouped_matmul(a, b, ends, epilogue=lambda c, x: c + x),
        "only an epilogue": lambda: ts.grouped_matmul(a, b, ends, operands={"x": a}),
    }.items():
        with pytest.raises(TypeError, match=message):
            call()


def test_nothing_to_compute() -> None:
    a, b = np.ones((0, 4), np.float32), np.ones((2, 4, 3), np.float32)
    assert ts.grouped_matmul(a, b, [0, 0]).shape == (0, 3)
    assert ts.grouped_matmul(a, ts.pack_groups(b), [0, 0]).shape == (0, 3)
    assert not ts.grouped_matmul(a.T, np.ones((0, 3), np.float32), [0, 0]).any()
    assert ts.grouped_matmul(a, b[:0], []).shape == (0, 3)
    assert not ts.grouped_matmul(np.ones((6, 0), np.float32), b[:, :0], [2, 6]).any()


def test_out_may_overlap_and_be_by_columns() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((40, 24), (2, 24, 24)))
    expected = np.concatenate([a[:30] @ b[0], a[30:] @ b[1]])
    into = np.empty((40, 24), np.float32, order="F")
    assert np.array_equal(ts.grouped_matmul(a, b, [30, 40], into), expected)
    assert np.array_equal(ts.grouped_matmul(a, b, [30, 40], a), expected)


def test_packed_matrices_are_pickled_and_read_only() -> None:
    b = np.arange(2 * 8 * 5, dtype=np.float32).reshape(2, 8, 5)
    packed = pickle.loads(pickle.dumps(ts.pack_groups(b)))
    a = np.eye(8, dtype=np.float32)
    assert np.array_equal(ts.grouped_matmul(a, packed, [3, 8]), np.concatenate([b[0, :3], b[1, 3:]]))
    assert "8 x 5" in repr(packed) and not packed.array.flags.writeable
