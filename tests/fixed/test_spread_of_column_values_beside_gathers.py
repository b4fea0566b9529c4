"""ts.spread cut the rows of a function that gathers rows and uses a value of all rows: each part had a value of its own
rows."""

import pytest

import tilesmith as ts

FUNCTIONS = {
    "least": (lambda x, t, i: ts.gather(t, i) - ts.min(x, axis=0), {"x": (200, 130), "t": (300, 130)}),
    "mean": (lambda t, i: ts.gather(t, i) - ts.mean(ts.gather(t, i), axis=0), {"t": (300, 130)}),
    "all": (lambda x, t, i: ts.gather(t, i) - ts.sum(x), {"x": (200, 130), "t": (300, 130)}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_that_read_a_value_of_all_rows_are_not_cut(name):
    function, shapes = FUNCTIONS[name]
    with pytest.raises(ts.UnsupportedError, match="spread: .* uses reductions over all rows in each row"):
        ts.spread(ts.equation(function, **shapes, i=(200,), target="avx2"))


def test_values_of_a_row_are_cut():
    function = lambda x, t, i: ts.gather(t, i) - ts.min(x, axis=1)  # noqa: E731
    assert ts.spread(ts.equation(function, x=(200, 130), t=(300, 130), i=(200,), target="avx2"), threads=2)
