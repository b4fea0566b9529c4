"""np.add(array, value) made an array of objects out of a value of a graph, and np.sum(value) gave the value itself."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilesmith as ts

ARRAY = np.arange(8, dtype=np.float32).reshape(2, 4) / 8


def test_functions_of_numpy_are_operators():
    g = ts.graph()
    x = g.input((2, 4))
    made = g.compile(np.float32(2) * np.exp(x) + np.maximum(x, 0.5) / np.float64(4))
    assert np.allclose(made(ARRAY), 2 * np.exp(ARRAY) + np.maximum(ARRAY, 0.5) / 4, atol=1e-6)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (np.sum, "np.sum takes arrays, and this is a value of a graph: write g.sum(...)"),
        (lambda x: np.mean(x, axis=1), "write g.mean(...)"),
        (np.sin, "dir(g) lists the operators of a graph"),
        (np.asarray, "has no elements before the graph is compiled and called"),
    ],
)
def test_the_others_are_refused(function, words):
    with pytest.raises(TypeError, match=re.escape(words)):
        function(ts.graph().input((2, 4)))
