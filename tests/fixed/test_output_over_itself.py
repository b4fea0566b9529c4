"""ts.matmul wrote to an `out` of which elements share memory, as windows do; only strides of 0 were refused."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import overlaps_itself


def test_windows_are_no_output():
    a, b = np.ones((6, 7), np.float32), np.ones((7, 5), np.float32)
    memory = np.zeros(40, np.float32)
    windows = as_strided(memory, (6, 5), (8, 4))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^out: must have memory of its own .*\(8, 4\)"):
            ts.matmul(a, b, out=windows)
    assert not memory.any()
    woven = as_strided(memory, (2, 3), (12, 8))  # elements at 0, 8, 16, 12, 20, 28
    assert ts.matmul(a[:2], b[:, :3], out=woven) is woven
    assert (woven == 7).all()


def test_against_all_pairs_of_elements():
    rng, found = np.random.default_rng(1), set()
    memory = np.zeros(400, np.int32)
    for _ in range(1000):
        axes = rng.integers(0, 4)
        shape, strides = (tuple(rng.integers(low, high, axes).tolist()) for low, high in ((0, 5), (-40, 41)))
        places = [int(np.dot(each, strides)) if axes else 0 for each in np.ndindex(*shape)]
        expected = any(abs(x - y) < 4 for i, x in enumerate(places) for y in places[:i])
        assert overlaps_itself(as_strided(memory[200:], shape, strides)) == expected, (shape, strides)
        found.add(expected)
    assert found == {False, True}
