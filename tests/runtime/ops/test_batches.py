"""Batches of small products with an epilogue: one call of machine code, with the operands of each product."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kept_products import kept_calls
from tests.profiles import scaled
from tilesmith.runtime.ops.calls import BatchLoop
from tilesmith.runtime.ops.spread_stack import Batch


def finish(c: Any, x: Any) -> Any:
    return ts.relu(c + x)


def numbers(shape: tuple[int, ...], seed: int, dtype: Any = np.float32) -> Any:
    """Small integers, whose products and sums are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def wanted(a: Any, b: Any, x: Any) -> Any:
    return np.maximum(a.astype(np.float64) @ b.astype(np.float64) + x.astype(np.float64), 0)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of operands of the calls of loops over a batch."""
    found: list[int] = []
    real = Batch.at

    def at(self: Batch, addresses: Any, threads: Any) -> None:
        found.append(len(addresses))
        real(self, addresses, threads)

    monkeypatch.setattr(Batch, "at", at)
    return found


extents = st.integers(1, 20)


@pytest.mark.slow
@settings(max_examples=scaled(40, 2000), deadline=None)
@given(st.data())
def test_batches(data: st.DataObject) -> None:
    """Every kind of operand, one for each product or one for all; batch axes of any strides; between guard pages."""
    draw = data.draw
    m, n, k = draw(extents), draw(extents), draw(extents)
    batch = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    dtype = draw(st.sampled_from([np.float32, np.float64, ml_dtypes.bfloat16]))
    of_a, of_b, of_x = (draw(st.sampled_from([(), batch, (1,) * len(batch)])) for _ in "abx")
    if not (of_a or of_b):
        of_a = batch
    batch = np.broadcast_shapes(of_a, of_b)
    kind = draw(st.sampled_from([(m, n), (m, 1), (1, n), (1, 1)]))
    side = draw(st.sampled_from(SIDES))
    of_x = of_x if of_x == batch else ()
    a, b, x = (
        guarded(numbers(shape, seed, dtype), side)
        for seed, shape in enumerate([(*of_a, m, k), (*of_b, k, n), (*of_x, *kind)])
    )
    if draw(st.booleans()):  # the other order, and the batch backwards
        a, b = (np.flip(each.swapaxes(-1, -2).copy().swapaxes(-1, -2), tuple(range(each.ndim - 2))) for each in (a, b))
    right = wanted(a, b, x)
    threads = draw(st.sampled_from([1, 2, 3]))
    for _ in range(3):  # calls of the kernel, a loop, and the loop remembered
        found = ts.matmul(a, b, epilogue=finish, operands={"x": x}, threads=threads)
        np.testing.assert_array_equal(found.astype(np.float64), right.astype(dtype).astype(np.float64))
        out = guarded(np.full(right.shape, 7, dtype), side, writable=True)
        assert ts.matmul(a, b, out=out, epilogue=finish, operands={"x": x}, threads=threads) is out
        np.testing.assert_array_equal(out, found)
        check_canary(out)


def test_one_call_for_a_batch(calls: list[int]) -> None:
    """With the axes of a batch as one, where strides allow it, and one loop for each further axis."""
    a, b, x = numbers((4, 6, 5, 7), 0), numbers((4, 6, 7, 8), 1), numbers((8,), 2)
    for _ in range(3):
        np.testing.assert_array_equal(ts.matmul(a, b, epilogue=finish, operands={"x": x}), wanted(a, b, x))
    assert calls == [4, 4]  # small batches at their second call
    apart = np.zeros((4, 9, 5, 7), np.float32)[:, :6]
    apart[...] = a
    for _ in range(2):
        np.testing.assert_array_equal(ts.matmul(apart, b, epilogue=finish, operands={"x": x}), wanted(a, b, x))
    assert len(calls) == 2 + 4
    many, each = numbers((600, 5, 7), 0), numbers((600, 7, 8), 1)
    for factor, further in ((b[0, 0], 0), (each, 1)):  # all rows by one matrix are one product
        found = ts.matmul(many, factor, epilogue=finish, operands={"x": x})
        np.testing.assert_array_equal(found, wanted(many, factor, x))
        assert len(calls) == 2 + 4 + further
    assert any(isinstance(each.run, BatchLoop) for each in kept_calls())


def test_results_that_overlap_operands() -> None:
    """The product is then computed elsewhere, in remembered calls as well."""
    a, b, x = numbers((9, 6, 6), 0), numbers((9, 6, 6), 1), numbers((9, 6, 1), 2)
    right = wanted(a, b, x)
    out = np.empty_like(a)
    for _ in range(3):
        ts.matmul(a, b, out=out, epilogue=finish, operands={"x": x})
        np.testing.assert_array_equal(out, right)
    for _ in range(3):
        for both in ("a", "b"):
            one = {"a": a.copy(), "b": b.copy()}
            ts.matmul(one["a"], one["b"], out=one[both], epilogue=finish, operands={"x": x})
            np.testing.assert_array_equal(one[both], right)


def test_wrong_operands_are_named() -> None:
    a, b = numbers((9, 6, 6), 0), numbers((9, 6, 6), 1)
    with pytest.raises(ValueError, match="operands: x has the shape of the result"):
        ts.matmul(a, b, epilogue=finish, operands={"x": numbers((9, 5, 1), 2)})
    out = np.zeros((9, 6, 6), np.float32)
    out.setflags(write=False)
    with pytest.raises(ValueError, match="out: a writable array"):
        ts.matmul(a, b, out=out, epilogue=finish, operands={"x": numbers((6,), 2)})
