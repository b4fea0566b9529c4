"""`ts.matmul` has numpy's semantics for arrays of every shape, order, stride and type, small products included."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import scaled
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.ops import products

TYPES: dict[str, tuple[Any, Any, Any]] = {
    "f32": (np.float32, np.float32, np.float32),
    "f64": (np.float64, np.float64, np.float64),
    "bf16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, ml_dtypes.bfloat16),
    "f16": (np.float16, np.float16, np.float16),
    "u8i8": (np.uint8, np.int8, np.int32),
    "i16": (np.int16, np.int16, np.int32),
}
RNG = np.random.default_rng(7)


def numbers(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return integers so small that every sum of a test is exact in every type."""
    return RNG.integers(0 if dtype == np.uint8 else -1, 2, shape).astype(dtype)


def exact(a: Any, b: Any) -> Any:
    """Return numpy's product in f64."""
    return np.matmul(np.asarray(a, np.float64), np.asarray(b, np.float64))


def strided(draw: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an array of this shape: dense, transposed, reversed, with steps or gaps, or broadcast along an axis."""
    way = draw(st.sampled_from(["C", "C", "F", "gaps", "reversed", "steps", "broadcast", "swapped axes"]))
    if way == "F":
        return np.asfortranarray(numbers(shape, dtype))
    if way == "gaps":
        return numbers((*shape[:-1], shape[-1] + 3), dtype)[..., : shape[-1]]
    if way == "reversed":
        return numbers(shape, dtype)[..., ::-1]
    if way == "steps":
        return numbers((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    if way == "broadcast":
        return np.broadcast_to(numbers((1, *shape[1:]), dtype), shape)
    if way == "swapped axes" and len(shape) > 1:
        return np.swapaxes(numbers((*shape[:-2], shape[-1], shape[-2]), dtype), -1, -2)
    return numbers(shape, dtype)


extents = st.one_of(st.integers(1, 9), st.integers(0, 40))


@settings(max_examples=scaled(120, 4000))
@given(st.data())
def test_shapes_and_strides(data: st.DataObject) -> None:
    draw = data.draw
    of_a, of_b, of_c = TYPES[draw(st.sampled_from(list(TYPES)))]
    m, n, k = draw(extents), draw(extents), draw(extents)
    batch = draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    shapes = []
    for matrix, vector in (((m, k), (k,)), ((k, n), (k,))):
        kept = tuple(draw(st.sampled_from([each, 1])) for each in batch)[draw(st.integers(0, len(batch))) :]
        shapes.append(vector if draw(st.integers(0, 5)) == 0 else (*kept, *matrix))
    a, b = strided(draw, shapes[0], of_a), strided(draw, shapes[1], of_b)
    expected = exact(a, b)
    how = draw(st.sampled_from(["new", "out", "named", "strided"]))
    for _ in range(2):  # the second call may find the kernel in machine code
        if how == "new":
            made = ts.matmul(a, b)
        else:
            out = np.full(expected.shape, 77, of_c)
            if how == "strided" and expected.ndim:
                out = np.full((*expected.shape[:-1], 2 * expected.shape[-1]), 77, of_c)[..., ::2]
            made = ts.matmul(a, b, out) if how == "out" else ts.matmul(a, b, out=out)
            assert made is out
        assert made.shape == expected.shape and made.dtype == of_c
        assert np.array_equal(np.asarray(made, np.float64), expected)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "shape", [(13, 17, 19), (190, 170, 180), (70, 60, 3000), (33, 700, 300), (3, 1300, 1100)], ids=str
)
def test_only_operands_are_touched(shape: tuple[int, int, int], side: str) -> None:
    m, n, k = shape
    a, b = (guarded(numbers(each, np.float32), side) for each in ((m, k), (k, n)))
    c = guarded(np.zeros((m, n), np.float32), side, writable=True)
    ts.matmul(a, b, c)
    check_canary(c)
    assert np.array_equal(c, exact(a, b))


@pytest.mark.parametrize("size", [20, 180])
def test_out_may_overlap(size: int) -> None:
    for _ in range(3):
        x = numbers((size + 1, size + 1), np.float32)
        y, z = x[:size, :size], x[1:, 1:]
        expected = exact(y, y.T)
        assert ts.matmul(y, y.T, z) is z
        assert np.array_equal(z, expected)


@pytest.mark.parametrize("size", [(20, 30, 40), (190, 170, 180)], ids=str)
def test_epilogue(size: tuple[int, int, int]) -> None:
    m, n, k = size
    a, b, bias, scale = (numbers(each, np.float32) for each in ((m, k), (k, n), (n,), (m, 1)))
    seen: list[None] = []

    def finish(c: Any, bias: Any, scale: Any, more: Any) -> Any:
        seen.append(None)
        return ts.relu(c * scale + bias) + more

    expected = np.maximum(exact(a, b) * scale + bias, 0) + 3
    for _ in range(3):
        made = ts.matmul(a, b, epilogue=finish, operands={"bias": bias, "scale": scale, "more": 3.0})
        assert np.array_equal(made, expected)
        if not _:
            seen.clear()
    assert not seen
    stacked = ts.matmul(
        np.stack([a, a]), b, epilogue=lambda c, bias: c + bias, operands={"bias": np.stack([bias, 2 * bias])[:, None]}
    )
    assert np.array_equal(stacked[1], exact(a, b) + 2 * bias)
    with pytest.raises(ValueError, match="operands: bias has the shape"):
        ts.matmul(a, b, epilogue=lambda c, bias: c + bias, operands={"bias": np.zeros(n + 1, np.float32)})
    none = ts.matmul(a[:, :0], b[:0], epilogue=lambda c, bias: c + bias, operands={"bias": bias})
    assert np.array_equal(none, np.broadcast_to(bias, (m, n)))


def test_errors_of_numpy_in_words() -> None:
    x, y = np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    for wrong, error, words in (
        (lambda: ts.matmul(x, x), ValueError, "b: must have 3 rows, as many as a of shape"),
        (lambda: ts.matmul(np.float32(3), y), ValueError, "a: must be a vector, a matrix"),
        (lambda: ts.matmul(x, y.astype(np.float64)), TypeError, "a: must be f64 as b is, not f32"),
        (lambda: ts.matmul(x, y, np.zeros((3, 3), np.float32)), ValueError, r"out: shape \(2, 2\)"),
        (lambda: ts.matmul(np.stack([x, x]), np.stack([y, y, y])), ValueError, "leading axes"),
        (lambda: ts.matmul(x.astype(np.int64), y.astype(np.int64)), ts.UnsupportedError, "i64"),
        (lambda: ts.matmul(x, y, threads=0), ValueError, "threads"),
        (lambda: ts.matmul(x, [[1.0]]), TypeError, "b: an array"),
    ):
        with pytest.raises(error, match=words):
            wrong()
    fixed = np.zeros((2, 2), np.float32)
    fixed.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ValueError, match="out: a writable array"):
            ts.matmul(x, y, out=fixed)


def test_references_and_handle() -> None:
    x = numbers((8, 8), np.float32)
    out = np.zeros_like(x)
    ts.matmul(x, x, out)
    before = sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(None)
    for _ in range(1000):
        assert ts.matmul(x, x, out) is out and ts.matmul(x, x, out=out) is out
        ts.matmul(x, x, x)
        ts.matmul(x, x, None)
        ts.matmul(x, x, out=None)
    after = sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(None)
    assert all(abs(now - then) < 50 for now, then in zip(after, before))


def test_types_that_are_asked_for() -> None:
    a, b = numbers((40, 30), ml_dtypes.bfloat16), numbers((30, 20), ml_dtypes.bfloat16)
    assert ts.matmul(a, b, dtype="f32").dtype == np.float32
    assert np.array_equal(ts.matmul(a, b, dtype="f32"), exact(a, b))
    assert ts.matmul(a, b, np.zeros((40, 20), np.float32)).dtype == np.float32


@pytest.mark.parametrize("shape", [(5, 6, 7), (90, 80, 70)], ids=str)
def test_targets(shape: tuple[int, int, int]) -> None:
    """Products are those of the kernels of the target: sums in its order."""
    (m, n, k), target = shape, "sse" if host.arch() == "x86" else "neon"
    a, b = (RNG.standard_normal(each).astype(np.float32) for each in ((m, k), (k, n)))
    make = ts.brgemm if m < 64 else ts.gemm
    for epilogue in (None, ts.relu):
        wanted = make(m, n, k, beta=0, epilogue=epilogue, target=target)(a, b)
        assert ts.matmul(a, b, epilogue=epilogue, target=target).tobytes() == wanted.tobytes()
    other = "neon" if target == "sse" else "sse"
    with pytest.raises(ts.UnsupportedError, match=f"target {other} is .*ts.gemm.*emulator"):
        ts.matmul(a, b, target=other)


def test_many_functions_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "KEPT", 2)
    found = products.Products()
    for number in range(5):
        assert found._found(number, lambda number=number: number) == number
    assert list(found._kept) == [3, 4]


@pytest.mark.parametrize("dtype", list(TYPES))
@pytest.mark.parametrize("n", [200, 600])  # in f32, B is read where it lies, or packed
def test_bits_for_any_number_of_threads(dtype: str, n: int) -> None:
    of_a, of_b, _ = TYPES[dtype]
    if np.dtype(of_a).kind in "iu":
        a, b = numbers((190, 300), of_a), numbers((300, n), of_b)
    else:
        a, b = (RNG.standard_normal(each).astype(of_a) for each in ((190, 300), (300, n)))
    made = [ts.matmul(a, b, threads=count).tobytes() for count in (1, 2, 3, 7)]
    assert len(set(made)) == 1


def test_scratch_memory_is_given_back() -> None:
    a, b = numbers((190, 300), np.float32), numbers((300, 600), np.float32)
    ts.matmul(a, b)
    assert ts.trim() > 0
    assert ts.trim() == 0


def test_more_rows_than_a_kernel_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "LARGEST", 16)
    a, b, bias = (numbers(each, np.float32) for each in ((2, 40, 10), (10, 50), (50,)))
    made = ts.matmul(a, b, epilogue=lambda c, bias: c + bias, operands={"bias": bias})
    assert np.array_equal(made, exact(a, b) + bias)
    with pytest.raises(ts.UnsupportedError, match="k is at most"):
        ts.matmul(numbers((3, 20), np.float32), numbers((20, 3), np.float32))


@pytest.mark.parametrize("dtype", ["f32", "u8i8"])
def test_batches_by_machine_code_and_on_threads(dtype: str) -> None:
    """Small batches are computed by one kernel call, large ones in parts; the strides of a batch may be any."""
    of_a, of_b, of_c = TYPES[dtype]
    for count, size in ((7, 5), (60, 48)):
        a, b = numbers((2 * count, size, size), of_a)[::2], numbers((count, size, size + 1), of_b)[:, :, :size]
        for _ in range(3):
            out = np.zeros((count, size, size), of_c)
            for made in (ts.matmul(a, b), ts.matmul(a, b, out), ts.matmul(a, b, threads=3), ts.matmul(a, b[0])):
                assert np.array_equal(made[0], exact(a[0], b[0]))
            assert np.array_equal(out, exact(a, b))
        x = numbers((count, size, size), np.float32)
        expected = exact(x[1:], x[1:])
        for _ in range(2):
            y = x.copy()
            assert np.array_equal(ts.matmul(y[1:], y[1:], y[:-1]), expected)  # out overlaps both operands
