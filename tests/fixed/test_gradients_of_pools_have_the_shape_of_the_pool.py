"""The gradient of an adaptive pool of images without an axis of samples read beyond the gradient that was given."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts

POOLS = {
    "adaptive_avg_pool_backward": {},
    "avg_pool_backward": {"window": 2, "strides": 1},
}


@pytest.mark.parametrize("name", POOLS)
def test_the_graph_names_another_shape(name):
    g = ts.graph()
    gradient = g.input((8, 5, 7), np.float32)
    with pytest.raises(ValueError, match=rf"{name}: arrays of shape \(8, 8, 7\)"):
        g.apply(name, gradient, shape=(8, 8, 8), **POOLS[name])


@pytest.mark.parametrize("shape, size", [((3, 8, 8), (5, 7)), ((2, 3, 8, 8), (5, 7)), ((3, 4, 6, 5), (2, 3, 4))])
def test_gradients_of_adaptive_pools_are_those_of_torch(shape, size):
    torch = pytest.importorskip("torch", minversion="2.6")

    def pool(x):
        return getattr(torch.nn.functional, f"adaptive_avg_pool{len(size)}d")(x, size)

    x = torch.randn(shape).requires_grad_()
    g = torch.randn(pool(x).shape)
    (wanted,) = torch.autograd.grad(pool(x), x, g)
    (made,) = torch.autograd.grad(torch.compile(pool, backend="tilesmith")(x), x, g)
    assert torch.allclose(made, wanted, atol=1e-6)
