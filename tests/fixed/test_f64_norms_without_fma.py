"""Norms of f64 were refused on SSE and AVX. The error named too few registers, but the reason was the missing FMA."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_layer_norm_of_f64(target: str) -> None:
    x, gamma, beta = (np.random.default_rng(1).normal(size=shape) for shape in ((5, 12), (1, 12), (1, 12)))
    found = ts.fused("layernorm", 5, 12, dtype="f64", target=target).run(x, gamma, beta)
    middle = x - x.mean(1, keepdims=True)
    wanted = gamma * middle / np.sqrt((middle**2).mean(1, keepdims=True) + 1e-5) + beta
    assert np.allclose(found, wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("target", ["sse", "avx"])
def test_dropout_residual_and_norm_of_f64(target: str) -> None:
    """The sum is the residual plus what dropout kept, and the result is the layer norm of the sum."""
    rng = np.random.default_rng(2)
    x, residual = rng.normal(size=(4, 16)), rng.normal(size=(4, 16))
    bias, gamma, beta = (rng.normal(size=(1, 16)) for _ in range(3))
    kernel = ts.fused("bias_dropout_residual_layernorm", 4, 16, dtype="f64", rate=0.5, target=target)
    y, total, mask = kernel.run(x, bias, residual, gamma, beta, 7)
    kept = np.unpackbits(mask, axis=1, bitorder="little")
    assert np.allclose(total, residual + np.where(kept == 1, (x + bias) * 2, 0), rtol=1e-14, atol=1e-15)
    middle = total - total.mean(1, keepdims=True)
    wanted = gamma * middle / np.sqrt((middle**2).mean(1, keepdims=True) + 1e-5) + beta
    assert np.allclose(y, wanted, rtol=1e-13, atol=1e-13)
