"""argmax and argmin of booleans in graphs compared masks, which have no order."""

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_of_equal_booleans_is_found(name, axis):
    x = np.random.default_rng(0).integers(0, 2, (5, 5)).astype(bool)
    g = ts.graph()
    program = g.compile(g.apply(name, g.input(x.shape, np.bool_), axis=axis))
    assert np.array_equal(program(x), getattr(x, name)(axis))
