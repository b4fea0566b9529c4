"""A serial nest in a region, with init=, term= or a barrier, hung, because its one worker waited for all workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts

SHAPE = ((6, 4, 4), "f32")


def region(string: str, target: str | None = None, **once: Any) -> Any:
    """Return a region that computes y = 2 x with all workers, then z = 2 y with one of them."""
    double = ts.equation(lambda x: x + x, x=(4, 4), target=target)
    first = ts.nest("B", {"b": (0, 6, 1)}, lambda i, x, y: double(x[i.b], y[i.b]), x=SHAPE, y=SHAPE)
    loops = {"b": (0, 6, 1, [2])}
    second = ts.nest(string, loops, lambda i, y, z: double(y[5 - i.b], z[i.b]), y=SHAPE, z=SHAPE, **once)
    return ts.region(first, second)


def negated(target: str | None, name: str) -> Any:
    """Return a body for init or term that negates y or z."""
    negate = ts.equation(lambda x: -x, x=(24, 4), target=target)
    return lambda y, z: negate(y, y) if name == "y" else negate(z, z)


@pytest.mark.parametrize("target", [None, "neon"])
@pytest.mark.parametrize("string, init, term", [("b", "y", ""), ("b", "", "z"), ("b|b|", "y", "z")])
def test_a_serial_nest_ends(string: str, init: str, term: str, target: str | None) -> None:
    once = {name: negated(target, given) for name, given in (("init", init), ("term", term)) if given}
    k = region(string, target, **once)
    x = np.random.default_rng(0).standard_normal(SHAPE[0]).astype(np.float32)
    wanted = 4 * x[::-1] * (-1) ** len(once)
    for workers in (1, 2, 3):
        y, z = np.zeros_like(x), np.zeros_like(x)
        k.run(x, y, z, workers=workers, seed=workers)
        np.testing.assert_array_equal(z, wanted)
        if target is None:
            z[...] = 0
            k(x, y, z, threads=workers)
            np.testing.assert_array_equal(z, wanted)
