"""A reshape of a contiguous array whose last axis is no multiple of the new one, (2, 3) to (3, 2), raised NoView,
because only as many axes were merged as the new extent needs; and a slice that names the axes of a vector failed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tilesmith as ts

SHAPES = [shape for count in (1, 2, 3, 4) for shape in itertools.product((1, 2, 3, 4, 6, 12), repeat=count)]
SHAPES = [shape for shape in SHAPES if np.prod(shape) == 12 and shape.count(1) < 2]


def test_every_reshape_of_twelve_elements() -> None:
    array = np.arange(12, dtype=np.float32)
    for before in SHAPES[::5]:
        for after in SHAPES[::7]:
            g = ts.graph()
            assert g.reshape(g.input(before), shape=after).shape == after
    for before, after in (((2, 2, 3), (3, 4)), ((4, 3), (3, 4)), ((2, 6), (3, 2, 2))):
        g = ts.graph()
        f = g.compile(g.reshape(g.negative(g.input(before)), shape=after) + 1.0)
        assert np.array_equal(f(array.reshape(before)), 1 - array.reshape(after))


@pytest.mark.parametrize("axis", [0, -1])
def test_a_slice_of_a_vector_names_its_axis(axis: int) -> None:
    g = ts.graph()
    x = g.slice(g.input((5,)), starts=(1,), stops=(4,), steps=(2,), axes=(axis,))
    assert np.array_equal(g.compile(x + 0.0)(np.arange(5, dtype=np.float32)), [1, 3])
