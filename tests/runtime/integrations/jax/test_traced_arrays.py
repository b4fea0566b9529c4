"""Kernels and functions that are called with arrays which JAX traces say what takes them."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts

jax = pytest.importorskip("jax", reason="jax is not installed: the extra jax")

A, B = np.arange(8, dtype=np.float32).reshape(2, 4), np.ones((4, 2), np.float32)


@pytest.mark.parametrize(
    "function", [ts.matmul, lambda a, b: ts.einsum("ij,jk", a, b), lambda a, b: ts.brgemm(2, 2, 4, beta=0)(a, b)]
)
@pytest.mark.parametrize("transform", [jax.jit, lambda f: jax.grad(lambda a, b: f(a, b).sum())])
def test_traced_arrays_are_refused_in_words(function, transform):
    with pytest.raises(TypeError, match=r"a: an array while JAX traces a function .* as ts\.jax\.matmul"):
        transform(function)(jax.numpy.asarray(A), jax.numpy.asarray(B))


def test_the_advice_can_be_followed():
    mm, shape = ts.brgemm(2, 2, 4, beta=0), jax.ShapeDtypeStruct((2, 2), np.float32)
    for function in (ts.jax.matmul, lambda a, b: jax.pure_callback(mm, shape, a, b)):
        assert np.array_equal(jax.jit(function)(A, B), A @ B)
