"""Check calls of BRGEMM kernels that are refused without writing anything, or that give the exact product."""

import re

import numpy as np
import pytest

from tests.guard import address
from tilesmith.runtime.testing import reference as gemm_reference

M, N, K = 3, 5, 4
SHAPES = {"a": (M, K), "b": (K, N), "c": (M, N)}
SIZES = {"f32": 4, "f64": 8}
NAMES = {"f32": "float32", "f64": "float64"}


def numbers(shape, dtype="f32", start=1):
    """Return different small integers: products and sums are exact, and results differ from the previous contents."""
    return np.arange(start, start + np.prod(shape), dtype=NAMES[dtype]).reshape(shape)


def operands(dtype="f32"):
    return {name: numbers(shape, dtype, start) for start, (name, shape) in enumerate(SHAPES.items(), 1)}


def memory(value):
    """Return the array that owns the memory of which an argument is a view."""
    while isinstance(getattr(value, "base", None), np.ndarray):
        value = value.base
    return value


def refuses(error, kernel, *arguments, words, **keywords):
    """Check that the call fails, that its message has the words in this order, and that no argument's memory
    changes."""
    owners = [memory(value) for value in arguments if isinstance(value, np.ndarray)]
    before = [owner.tobytes() for owner in owners]
    with pytest.raises(error, match=".*".join(map(re.escape, words))) as caught:
        kernel(*arguments, **keywords)
    assert type(caught.value) is error
    assert [owner.tobytes() for owner in owners] == before


def gives(kernel, *arguments, pairs, c, **keywords):
    """Check that the call gives exactly beta C + alpha sum A B, and that no element outside the view c changes."""
    owner = memory(c)
    expected = gemm_reference.exact_brgemm(*zip(*pairs), c, kernel.spec.alpha, kernel.spec.beta)
    before = owner.copy()
    kernel(*arguments, **keywords)
    np.testing.assert_array_equal(c, expected)
    c[...] = 0
    place = (address(c) - address(owner)) // c.itemsize
    np.lib.stride_tricks.as_strided(before.reshape(-1)[place:], c.shape, c.strides)[...] = 0
    np.testing.assert_array_equal(owner, before)


def misaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    return np.ndarray(x.shape, x.dtype, raw, offset=1)


def addressed(a, b, c, **changes):
    given = {
        "a_addresses": np.array([address(x) for x in a], np.uint64),
        "b_addresses": np.array([address(x) for x in b], np.uint64),
        "c": c,
    }
    return {**given, **changes}.values()
