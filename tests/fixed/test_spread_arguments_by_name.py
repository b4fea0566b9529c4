"""Spread kernels took arguments by name on one thread only: on several, x=x was a TypeError."""

from typing import Any

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("threads", [1, 2])
def test_names(threads: int) -> None:
    k: Any = ts.spread(ts.fused("softmax", 512, 384))
    x = np.random.default_rng(0).standard_normal((512, 384)).astype(np.float32)
    wanted = k.kernel(x)
    for named in ({"x": x}, {"x": x, "y": np.zeros_like(x)}, {"x": x, "out": np.zeros_like(x)}):
        made = k(**named, threads=threads)
        found = named["y"] if made is None else made
        np.testing.assert_array_equal(found, wanted)
        assert made is named.get("out", made) and (made is None) == ("y" in named)


@pytest.mark.parametrize("threads", [1, 2])
def test_several_outputs(threads: int) -> None:
    """out= is a tuple if a kernel has several results."""
    k: Any = ts.spread(ts.equation(lambda x: (x + 1, x * 2), x=(512, 384)))
    x = np.random.default_rng(0).standard_normal((512, 384)).astype(np.float32)
    out = np.zeros_like(x), np.zeros_like(x)
    assert k(x=x, out=out, threads=threads) is out
    np.testing.assert_array_equal(out[0], x + 1)
    np.testing.assert_array_equal(out[1], x * 2)


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers(threads: int) -> None:
    k: Any = ts.spread(ts.unary("dropout", 512, 384, rate=0.3))
    x = np.ones((512, 384), np.float32)
    np.testing.assert_array_equal(k(x, seed=5, threads=threads), k.kernel(x, 5))
    with pytest.raises(TypeError, match="x: given by its place and by its name"):
        k(x, x=x, threads=threads)
