"""Nests called kernels whose accesses depend on numbers in memory. Making a nest of a product with tables of offsets or
addresses crashed, and indices outside the table were read and written by gathers and scatters that leave the check to
their calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts

LOOPS = {"a": (0, 2, 1)}
ROWS = {"x": ((16, 8), "f32"), "index": ((2, 4), "i64"), "y": ((2, 4, 8), "f32")}


@pytest.mark.parametrize("options", [{}, {"epilogue": ts.relu}])
def test_tables(options: dict[str, Any]) -> None:
    square = ((2, 2, 2), "f32")
    offsets = ts.brgemm(2, 2, 2, batch=ts.OFFSET, **options)
    nest = ts.nest(
        "a",
        LOOPS,
        lambda i, a, b, c, table: offsets(a[i.a], b[i.a], c[i.a], table, table, 1),
        a=square,
        b=square,
        c=square,
        table=((1,), "i64"),
    )
    arrays = [np.ones((2, 2, 2), np.float32) for _ in range(3)]
    nest(*arrays, np.array([0]))
    assert (arrays[2] == 3).all()  # 1 + 2 products of 1
    with pytest.raises(IndexError):
        nest(*arrays, np.array([16]))  # the second block of a would end behind it
    addresses = ts.brgemm(2, 2, 2, batch=ts.ADDRESS, **options)
    with pytest.raises(ts.UnsupportedError, match=r"strides, ts\.STRIDE or ts\.OFFSET work$"):
        ts.nest("a", LOOPS, lambda i, c, table: addresses(table, table, c[i.a], 1), c=square, table=((1,), "u64"))


@pytest.mark.parametrize("verb", [ts.gather, ts.scatter])
def test_indices(verb: Any) -> None:
    def body(i: Any, x: Any, index: Any, y: Any, *bad: Any) -> None:
        given = (x, index[i.a], y[i.a]) if verb is ts.gather else (y[i.a], index[i.a], x)
        kernel(*given, *(each[i.a] for each in bad))

    kernel = verb("rows", 4, 8, size=16)
    with pytest.raises(ts.UnsupportedError, match='indices; bounds="kernel" checks them in the kernel$'):
        ts.nest("a", LOOPS, body, **ROWS)
    kernel = verb("rows", 4, 8, size=16, bounds="kernel")
    nest = ts.nest("a", LOOPS, body, **ROWS, bad=((2, 1), "i64"))
    index, bad = np.arange(8).reshape(2, 4), np.zeros((2, 1), np.int64)
    index[1, 2] = 5000
    nest(np.ones((16, 8), np.float32), index, np.ones((2, 4, 8), np.float32), bad)
    assert bad.tolist() == [[-1], [2]]


def test_indices_of_functions() -> None:
    operands = ROWS | {"index": ((2, 4, 1), "i64")}
    for m in (4, ts.RUNTIME):
        kernel = ts.equation(lambda x, index: ts.gather(x, index) * 2, x=(16, 8), index=(m, 1))
        counts = () if m == 4 else (4,)
        with pytest.raises(ts.UnsupportedError, match='indices; bounds="kernel"'):
            ts.nest("a", LOOPS, lambda i, x, index, y: kernel(x, index[i.a], y[i.a], *counts), **operands)  # noqa: B023
    whole = ts.gather("stride", 4, 8, step=2)
    assert ts.nest("a", LOOPS, lambda i, x, y: whole(x, y[i.a]), x=((8, 8), "f32"), y=((2, 4, 8), "f32"))
