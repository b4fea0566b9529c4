"""A body that caught an exception inside ts.when silently lost all calls around it."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts


def test_calls_around_it_stay() -> None:
    double, shape = ts.equation(lambda x: x + x, x=(4, 4)), ((6, 4, 4), "f32")

    def body(i: Any, x: Any, y: Any) -> None:
        double(x[i.b], y[i.b])
        try:
            with ts.when(i.b == 0):
                double(y[i.b], y[i.b])
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        double(y[i.b], y[i.b])

    k = ts.nest("b", {"b": (0, 6, 1)}, body, x=shape, y=shape)
    x, y = np.ones(shape[0], np.float32), np.zeros(shape[0], np.float32)
    k(x, y)
    np.testing.assert_array_equal(y[0], 8)  # the call before the exception counts
    np.testing.assert_array_equal(y[1:], 4)
