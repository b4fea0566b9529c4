"""The reference of BRGEMM: C = beta C + alpha sum_i A_i B_i in higher precision, and an error bound for kernels.

The bound. u is the unit roundoff of the kernel's type (2^-24, 2^-53), gamma_n = n u / (1 - n u), N = k * count.
An element of the result is a sum with N + 1 leaves, the products and beta c, added in an order that the kernel chooses:
C may come first or last, sums may be split over registers and added by a tree. A product is subject to at most

    1 rounding     where it is formed (none in an FMA)
    N roundings    of additions: a sum of N + 1 leaves has N, further additions are of exact zeros
    1 rounding     of the multiplication with alpha

and beta c at most 1 + N. By Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1, and since this holds for
every order of the additions (section 4.2),

    |error| <= gamma_(N+2) (|alpha| sum_i |A_i| |B_i| + |beta| |C|)

Results below the smallest normal number have an absolute error of half the smallest subnormal eta instead, in each of
the N products, in alpha times their sum, and in beta c; sums there are exact (Hauser, 1996). A kernel that packs an
operand adds alpha times the sum of each part of the product, and a part has at least 16 steps of k if there are
several. With P parts that adds at most eta (N |alpha| + P + 1), with a factor 2 to spare for the effect of later
roundings.

The reference is evaluated in float64 for f32 and in long double for f64. On x86-64 long double has 64 bits of
significand (u = 2^-64), elsewhere on Linux 113; its own error is bounded by the same formula and added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

NUMPY: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
WIDER: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float64), "f64": np.dtype(np.longdouble)}


def gamma(n: int, dtype: np.dtype[Any]) -> Any:
    """Return gamma_n of a type, in the widest type."""
    u = np.finfo(dtype).eps.astype(np.longdouble) / 2
    return n * u / (1 - n * u)


def brgemm(a: Sequence[Array], b: Sequence[Array], c: Array, alpha: float, beta: float) -> tuple[Array, Array]:
    """Return (C, the largest error that a kernel may make), in the wider type; c is the matrix before the call.

    alpha and beta are rounded to the kernel's type. With beta = 0 the elements of c do not matter. Raises TypeError for
    a c that numpy does not count as floating-point.
    """
    if np.finfo(np.longdouble).eps > 2.0**-63:
        raise RuntimeError("f64 has no reference here: long double is no wider than double")
    narrow = c.dtype
    if narrow.kind != "f":
        raise TypeError(
            f"c: float16, float32 or float64, for which the bound is proved, not {narrow}; "
            "exact_brgemm_reference computes sums that are exact, as those of integers are"
        )
    wide = WIDER["f32" if narrow == np.float32 else "f64"]
    total = _sum(a, b, c, alpha, beta, wide)
    size = _sum([np.abs(x) for x in a], [np.abs(y) for y in b], np.abs(c), abs(alpha), abs(beta), np.dtype(np.float64))
    k = a[0].shape[1] if a else 0
    n, parts = k * len(a), max(1, len(a) * -(-k // 16))
    relative = gamma(n + 2, narrow) + gamma(n + 3, wide)
    relative *= 1 + gamma(2 * n + 6, np.dtype(np.float64))  # `size` is rounded too
    below_normal = np.finfo(narrow).smallest_subnormal * (n * abs(narrow.type(alpha)).astype(wide) + parts + 1)
    return total, (relative * size + below_normal).astype(wide)


def exact_brgemm(a: Sequence[Array], b: Sequence[Array], c: Array, alpha: float, beta: float) -> Array:
    """Return C if every sum is exact in the kernel's type: small integers, and factors that keep them short."""
    return _sum(a, b, c, alpha, beta, np.dtype(np.float64))


def _sum(a: Sequence[Array], b: Sequence[Array], c: Array, alpha: float, beta: float, wide: np.dtype[Any]) -> Array:
    total = np.zeros(c.shape, wide)
    for x, y in zip(a, b, strict=True):
        total += x.astype(wide) @ y.astype(wide)
    total *= wide.type(c.dtype.type(alpha))
    scale = wide.type(c.dtype.type(beta))
    return total + scale * c if scale else total


def check(result: Array, expected: Array, bound: Array | int) -> None:
    """Fail, and name the worst element, unless |result - expected| <= bound everywhere. Shapes must be equal, or
    `expected` one number. Differences are exact, or rounded as those of f64: 0 and 255 of u8 differ by 255."""
    result, expected = np.asarray(result), np.asarray(expected)
    if expected.shape not in ((), result.shape):
        raise AssertionError(f"the result has shape {result.shape}, expected {expected.shape}")
    error = np.abs(_wide(result) - _wide(expected))
    wrong = ~(error <= bound)  # a NaN is wrong
    if wrong.any():
        excess = np.where(wrong, np.where(np.isnan(error), np.inf, error - bound), -np.inf)
        worst = np.unravel_index(int(np.argmax(excess)), result.shape)
        wanted, limit = (np.broadcast_to(each, result.shape)[worst] for each in (expected, bound))
        raise AssertionError(
            f"{wrong.sum()} of {wrong.size} elements are wrong, worst C{tuple(map(int, worst))} = {result[worst]!r}: "
            f"expected {wanted!r}, error {error[worst]:.3g}, bound {limit:.3g}"
        )


def _wide(values: Array) -> Array:
    """Return the values in a type that holds all of them, and in which subtraction does not wrap."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "c":
        return values.astype(np.clongdouble)
    whole = kind in "iu" and size == 8  # f64 does not hold them
    return values if values.dtype == np.longdouble else values.astype(np.longdouble if whole else np.float64)
