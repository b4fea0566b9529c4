"""If rows were found by an index and counted at the call, random numbers restarted in each block, so the mask repeated
every few rows."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("bounds", ["call", "kernel"])
@pytest.mark.parametrize("m", [1, 4, 11, 70])
def test_each_row_has_its_own(m, bounds):
    rng = np.random.default_rng(m)
    table, index, seed = rng.random((5, 30), "f4"), rng.integers(0, 5, m), 7
    kept = np.zeros((m, 30), "f4")
    ts.unary("dropout", m, 30, rate=0.25)(np.ones_like(kept), seed, kept)
    more = [np.zeros(1, "i8")] * (bounds == "kernel")
    shapes = {"t": (5, 30), "i": (ts.RUNTIME,), "bounds": bounds}
    dropped = np.zeros_like(kept)
    ts.equation(lambda t, i: ts.dropout(ts.gather(t, i), 0.25), **shapes)(table, index, seed, dropped, *more)
    assert np.array_equal(dropped, table[index] * kept)
    sums = np.zeros((m, 1), "f4")
    reduced = ts.equation(lambda t, i: ts.sum(ts.dropout(ts.gather(t, i), 0.25), axis=1), **shapes)
    reduced(table, index, seed, sums, *more)
    exact = (table[index].astype("f8") * kept).sum(axis=1, keepdims=True)
    assert (np.abs(sums - exact) <= 30 * 2.0**-24 * exact).all()


@pytest.mark.parametrize("rows", [ts.RUNTIME, 900])
def test_parts_of_the_rows_are_refused(rows):
    with pytest.raises(ts.UnsupportedError, match="random numbers are not supported together with rows by an index"):
        ts.spread(ts.equation(lambda t, i: ts.dropout(ts.gather(t, i), 0.25), t=(5, 30), i=(rows,)))
    found = ts.equation(lambda t, i: ts.argmax(ts.gather(t, i), axis=1), t=(5, 30), i=(rows,), out="i32")
    table, index = np.random.default_rng(1).random((5, 30), "f4"), np.arange(900) % 5
    assert np.array_equal(ts.spread(found, threads=3)(table, index).ravel(), table[index].argmax(axis=1))
