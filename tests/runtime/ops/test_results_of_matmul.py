"""`ts.matmul` with epilogues of several results, masks of bits and random numbers equals one kernel over all rows: for
matrices, vectors and batches of all kinds, between guard pages, on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, laid_out
from tilesmith.microkernels.errors import UnsupportedError

RNG = np.random.default_rng(0)
SHAPES = {
    "one kernel": ((33, 20), (20, 50)),
    "blocks": ((200, 300), (300, 250)),
    "batch by one matrix": ((5, 33, 20), (20, 50)),
    "each product": ((3, 2, 7, 20), (3, 1, 20, 50)),
    "loop over a batch": ((600, 7, 20), (600, 20, 11)),
    "loops over axes": ((2, 520, 4, 6), (2, 520, 6, 9)),
    "a row": ((20,), (20, 50)),
    "a column": ((33, 20), (20,)),
    "many by a column": ((9, 600, 3), (9, 3, 5)),
}


def finished(c: Any, bias: Any, gate: Any) -> Any:
    total = c + bias
    return ts.dropout(ts.relu(total), 0.25) * gate, total, total > 0


def given(name: str) -> tuple[Any, ...]:
    """Return small integers, whose sums are exact, and the results. An operand has an element for each of C's."""
    a, b = (RNG.integers(-2, 3, shape).astype(np.float32) for shape in SHAPES[name])
    if name == "loops over axes":
        a, b = np.concatenate([a, a], 1)[:, :520], np.concatenate([b, b], 1)[:, :520]  # two axes that no step joins
    c = a @ b
    bias, gate = np.float32(3), RNG.integers(0, 2, c.shape).astype(np.float32)
    rows = (c + bias).reshape(-1, c.shape[-1] if b.ndim > 1 else 1)
    kept = ts.unary("dropout", *rows.shape, rate=0.25)(np.ones(rows.shape, np.float32), 11)
    bits = np.packbits(rows > 0, axis=1, bitorder="little").reshape(*c.shape[: -1 if b.ndim > 1 else None], -1)
    if b.ndim == 1:
        bits = bits[..., 0]
    return a, b, bias, gate, (np.maximum(c + bias, 0) * kept.reshape(c.shape) * gate, c + bias, bits)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.grid(9)
def test_results_equal_one_kernel_over_all_rows(name: str) -> None:
    a, b, bias, gate, wanted = given(name)
    more: Any = {"epilogue": finished, "operands": {"bias": bias, "seed": 11, "gate": gate}}
    for threads in (None, 1, 3, None):  # the third call with arrays of a kind may take another way
        for found, right in zip(ts.matmul(a, b, threads=threads, **more), wanted, strict=True):
            assert found.shape == right.shape
            np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["one kernel", "blocks"])
@pytest.mark.grid(2)
def test_results_between_guard_pages(name: str, side: str) -> None:
    a, b, bias, gate, wanted = given(name)
    out = tuple(laid_out(np.zeros(each.shape, each.dtype), "C", 0, side) for each in wanted)
    made = ts.matmul(a, b, out=out, epilogue=finished, operands={"bias": bias, "gate": gate, "seed": 11})
    assert made is out
    for found, right in zip(out, wanted):
        np.testing.assert_array_equal(found, right)
        check_canary(found)


def test_results_are_copied_where_no_kernel_writes_them() -> None:
    """Into columns of an array, into one that is an operand, in other types, and beside results that are made."""
    a, b, bias, gate, wanted = given("one kernel")
    wide, gate = np.zeros((33, 100), np.float32), gate.copy()
    asked = {"bias": bias, "gate": gate, "seed": 11}
    made = ts.matmul(a, b, out=(wide[:, ::2], gate, None), epilogue=finished, operands=asked)
    assert made[1] is gate
    for found, right in zip((wide[:, ::2], gate, made[2]), wanted):
        np.testing.assert_array_equal(found, right)
    two = ts.matmul(a, b, dtype=("f32", "i32"), epilogue=lambda c: (c, c * 2))
    assert two[1].dtype == np.int32 and np.array_equal(two[1], 2 * (a @ b))
    moved = ts.matmul(a, b.astype(np.float32, order="F"), epilogue=lambda c: (c, c < 0))
    np.testing.assert_array_equal(moved[1], np.packbits(a @ b < 0, axis=1, bitorder="little"))


def test_errors_name_the_result_and_the_number() -> None:
    a, b = np.ones((3, 4), np.float32), np.ones((4, 5), np.float32)
    with pytest.raises(TypeError, match="operands: seed missing"):
        ts.matmul(a, b, epilogue=lambda c: ts.dropout(c, 0.5))
    with pytest.raises(TypeError, match="operands: seed is no parameter"):
        ts.matmul(a, b, epilogue=lambda c: (c, c), operands={"seed": 3})
    with pytest.raises(ValueError, match="seed: 0 or more, not -1"):
        ts.matmul(a, b, epilogue=lambda c: ts.dropout(c, 0.5), operands={"seed": -1})
    with pytest.raises(ValueError, match="out: one for each of the 2 results"):
        ts.matmul(a, b, out=(None,) * 3, epilogue=lambda c: (c, c))
    with pytest.raises(ValueError, match="out\\[1\\].*shape"):
        ts.matmul(a, b, out=(None, np.empty((3, 4), np.float32)), epilogue=lambda c: (c, c))
    with pytest.raises(TypeError, match="only an epilogue has several results"):
        ts.matmul(a, b, out=(None, None))
    with pytest.raises(UnsupportedError, match="statistic"):
        ts.matmul(a, b, epilogue=lambda c: (c, ts.statistic("sum", c, axis=0)))
