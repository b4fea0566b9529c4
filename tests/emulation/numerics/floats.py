"""Operands that reveal how an instruction rounds: every class of number, and sums that nearly cancel."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilesmith.emulation.numerics.rounding import Format

Array = np.ndarray[Any, Any]


def floats(rng: np.random.Generator, count: int, fmt: Format) -> Array:
    """Return `count` bit patterns: a third arbitrary, a third of moderate magnitude, the rest near the ends of the
    range."""
    stored = fmt.precision - 1
    top = fmt.infinity >> stored
    middle = top // 2
    kind = rng.integers(0, 12, count)
    exponent = rng.integers(0, top + 1, count)
    exponent = np.where(kind < 4, rng.integers(middle - 3, middle + 4, count), exponent)
    exponent = np.where(kind == 4, rng.integers(0, 3, count), exponent)  # zeros, denormals, smallest normal numbers
    exponent = np.where(kind == 5, rng.integers(top - 2, top + 1, count), exponent)  # the largest, infinity, NaN
    exponent = np.where(kind == 6, rng.integers(middle - stored - 2, middle + stored + 3, count).clip(0, top), exponent)
    exponent = np.where(
        kind == 7, rng.integers(middle // 2 - 4, middle // 2 + 4, count).clip(0), exponent
    )  # numbers whose products are small
    fraction = rng.integers(0, 1 << stored, count)
    shape = rng.integers(0, 6, count)
    ones = (1 << stored) - 1
    fraction = np.where(shape == 0, 0, fraction)
    fraction = np.where(shape == 1, ones - rng.integers(0, 2, count), fraction)
    fraction = np.where(shape == 2, 1 << rng.integers(0, max(stored, 1), count) & ones, fraction)
    sign = rng.integers(0, 2, count)
    bits = sign.astype(np.uint64) << np.uint64(fmt.width - 1)
    bits |= (exponent.astype(np.uint64) << np.uint64(stored)) | fraction.astype(np.uint64)
    return bits.astype(fmt.unsigned)


def nearly_cancelling(rng: np.random.Generator, a: Array, b: Array, c: Array) -> Array:
    """Return c with a third of its elements replaced by the negated product of a and b, off by at most two ulp."""
    with np.errstate(all="ignore"):
        product = -(a * b)
    unsigned = np.dtype(f"u{product.itemsize}")
    near = (product.view(unsigned) + rng.integers(-2, 3, product.size).astype(unsigned)).view(product.dtype)
    return np.where(rng.integers(0, 3, product.size) == 0, near, c)
