"""If the curve of a nest ran along a loop that is summed over, the first iteration in time was not the one of
i.a.first, nor the last one that of i.a.last. Sums began in the middle and were silently wrong."""

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.loops.grammar import LoopStringError

SHAPE = (2, 3)
LOOPS = {"a": (0, 6, 1), "b": (0, 5, 1)}


def nest(string, condition):
    copied, added = ts.unary("identity", *SHAPE), ts.equation(lambda x, y: x + y, x=SHAPE, y=SHAPE)

    def body(i, x, y):
        with ts.when(condition(i)):
            copied(x[i.b, i.a], y[i.b])
        with ts.when(i.b >= 0):
            added(x[i.b, i.a], y[i.b], y[i.b])

    return ts.nest(string, LOOPS, body, x=((5, 6, *SHAPE), "f32"), y=((5, *SHAPE), "f32"))


@pytest.mark.parametrize("string", ["~ab", "~ba"])
@pytest.mark.parametrize("condition", [lambda i: i.a.first, lambda i: i.a.last, lambda i: i.a + i.b == 0])
def test_refused(string, condition):
    with pytest.raises(LoopStringError, match=r"a curve goes back and forth in a, .* no condition on i\.a") as raised:
        nest(string, condition)
    assert raised.value.place == string.index("a")


def test_other_conditions_and_other_strings():
    x = np.arange(180, dtype=np.float32).reshape(5, 6, *SHAPE)
    for string in ("ab", "ba", "Ba"):
        y = np.full((5, *SHAPE), np.nan, np.float32)
        nest(string, lambda i: i.a.first)(x, y)
        assert np.array_equal(y, x.sum(axis=1) + x[:, 0])
    y = np.zeros((5, *SHAPE), np.float32)
    added = ts.equation(lambda x, y: x + y, x=SHAPE, y=SHAPE)
    on_curve = ts.nest(
        "~ba",
        LOOPS,
        lambda i, x, y: added(x[i.b, i.a], y[i.b], y[i.b]),
        x=((5, 6, *SHAPE), "f32"),
        y=((5, *SHAPE), "f32"),
    )
    on_curve(x, y)
    assert np.array_equal(y, x.sum(axis=1))
