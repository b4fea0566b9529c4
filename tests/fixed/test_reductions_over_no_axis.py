"""In a graph, absmax over no axis, as of one element, was the element with its sign; the sum of one integer or boolean
kept its type; and argmax of all elements with keepdims= had one axis instead of those of its operand."""

from __future__ import annotations

import numpy as np

import tilesmith as ts


def test_absmax_of_one_element_has_no_sign() -> None:
    g = ts.graph()
    f = g.compile(g.absmax(g.input(())), g.absmax(g.input((2,)), axes=()))
    one, two = f(np.asarray(-3, np.float32), np.array([-1, 2], np.float32))
    assert one == 3 and np.array_equal(two, [1, 2])


def test_a_sum_of_one_integer_is_int64() -> None:
    for dtype in ("int32", "bool"):
        g = ts.graph()
        result = g.compile(g.sum(g.input((), dtype=dtype)))(np.asarray(1, dtype))
        assert result.dtype == np.int64 and result == 1


def test_the_place_of_the_largest_of_all_keeps_axes() -> None:
    x = np.array([[1, 5, 2]], np.float32)
    g = ts.graph()
    found = g.compile(g.argmax(g.input((1, 3)), axis=None, keepdims=True))(x)
    assert found.shape == (1, 1) and found[0, 0] == 1
