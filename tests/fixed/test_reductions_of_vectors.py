"""docs/calling.md says that a row may be one-dimensional, but reductions refused it, also those of ts.dispatch."""

import numpy as np
import pytest

import tilesmith as ts

LINE = np.arange(-9, 23, dtype=np.float32)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("shape", [(1, 32), (32, 1)])
def test_a_row_or_column(shape, axis):
    expected = np.atleast_1d(LINE.reshape(shape).sum(axis=axis))
    k = ts.reduce("sum", *shape, axis=axis)
    given = np.empty_like(expected)
    k(LINE, given)
    any_rows = () if axis != 1 else (ts.reduce("sum", ts.RUNTIME, shape[1], axis=1)(LINE),)
    for found in (k(LINE), given, k.run(LINE), *any_rows):
        np.testing.assert_array_equal(found, expected)


def test_lines_with_gaps_and_handles():
    gaps = LINE[::2]
    np.testing.assert_array_equal(ts.reduce("max", 16, 1, axis=0, ldx=2)(gaps), [gaps.max()])
    with pytest.raises(ValueError, match="x: strides"):
        ts.reduce("max", 1, 16, axis=1)(gaps)
    np.testing.assert_array_equal(ts.dispatch(ts.reduce, "sum", axis=1)(LINE), [LINE.sum()])
    np.testing.assert_array_equal(ts.dispatch(ts.reduce, "sum", axis=0)(LINE), LINE)


def test_other_axes_are_errors():
    with pytest.raises(ValueError, match=r"x: shape \(8, 4\), not \(2, 4, 4\)"):
        ts.reduce("sum", 8, 4, axis=1)(LINE.reshape(2, 4, 4))
    with pytest.raises(ValueError, match=r"x.reshape\(1, 32\) has this shape"):
        ts.transpose(1, 32)(LINE)
    with pytest.raises(ValueError, match=r"a.reshape\(1, 32\) has this shape"):
        ts.brgemm(1, 4, 32, beta=0)(LINE, np.ones((32, 4), np.float32))
