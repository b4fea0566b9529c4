"""Handles of `ts.dispatch` took Python's way in every call for arrays of a library that no kernel had seen before."""

from __future__ import annotations

import numpy as np

import tilesmith as ts
from tests.exporter import Tensor
from tests.frames import frames


class FreshTensor(Tensor):
    """A type of arrays that nothing has registered."""

    def __dlpack__(self, **options: object) -> object:
        return self.x.__dlpack__(**options)


def test_calls_after_the_first_are_those_of_machine_code() -> None:
    x, y = np.linspace(-1, 1, 15, dtype=np.float32).reshape(3, 5), np.empty((3, 5), np.float32)
    relu, given = ts.dispatch(ts.unary, "relu"), FreshTensor(x)
    relu(given, y)
    assert "miss" not in frames(lambda: relu(given, y))
    assert np.array_equal(y, np.maximum(x, 0))
