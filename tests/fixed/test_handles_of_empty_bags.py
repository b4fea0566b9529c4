"""A handle of embedding_bag refused an index of no entries with "nothing is to be computed", and bags of no entries are
0; a row with gaps among matrices in columns was refused for its leading dimension."""

import numpy as np
import pytest

import tilesmith as ts


def integers(*values):
    return np.array(values, np.int64)


def test_no_indices_and_no_bags():
    x, bag = np.arange(15, dtype=np.float32).reshape(5, 3), ts.dispatch(ts.embedding_bag)
    assert np.array_equal(bag(x, integers(), integers(0, 0, 0)), np.zeros((2, 3)))
    assert np.array_equal(bag(x, integers(4, 2), integers(0, 2, 2)), [x[4] + x[2], [0, 0, 0]])
    assert bag(x, integers(), integers(0)).shape == (0, 3)
    with pytest.raises(IndexError, match="offsets: entry 1 is 1; offsets are from 0 to 0"):
        bag(x, integers(), integers(0, 1))
    with pytest.raises(ValueError, match="bags: from 1 to"):
        bag(x, integers(), integers())


def test_a_row_with_gaps():
    scaled = ts.dispatch(ts.equation, lambda x, w: x * w)
    row = np.ones((7, 4), np.float32).T[:1]
    for x in (np.ones((4, 7), np.float32), np.ones((7, 4), np.float32).T):
        with pytest.raises(ValueError, match=r"w: strides .* not \(4, 16\); np.ascontiguousarray\(w\) copies it"):
            scaled(x, row)
        assert scaled(x, np.ascontiguousarray(row)).shape == (4, 7)
    assert scaled(row, row).shape == (1, 7)
