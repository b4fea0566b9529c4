"""emulation/numerics/amx.py against the processor itself and a second formulation of the manual, in exact numbers.

The second formulation shares nothing with the module: Python integers for the integer products, fractions that are
rounded by the definition for the others, byte strings for tiles. If the machine has AMX, its tiles decide, also about
NaN. 100 million lanes of each:  HYPOTHESIS_PROFILE=soak pytest tests/emulation/numerics/test_amx.py -k silicon -s
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.emulation.numerics.amx_tiles import A, B, C, configured, content, fill
from tests.emulation.numerics.floats import floats
from tests.emulation.numerics.silicon import TileSilicon
from tests.emulation.numerics.test_fp import SOAK, assert_same, rounded
from tests.profiles import is_soak
from tilesmith.emulation.numerics.amx import PRODUCTS
from tilesmith.emulation.numerics.bf16 import vdpbf16ps
from tilesmith.emulation.numerics.rounding import BF16, F16, F32, Array, Format, Rounding

INTEGER_SIGNS = {"tdpbssd": (True, True), "tdpbsud": (True, False), "tdpbusd": (False, True), "tdpbuud": (False, False)}
CHAINS: dict[str, tuple[Format, tuple[tuple[int, int, int], ...]]] = {
    # the even and the odd chain: the element of a pair in either factor, and the sign of the product
    "tdpbf16ps": (BF16, ((0, 0, 1), (1, 1, 1))),
    "tdpfp16ps": (F16, ((0, 0, 1), (1, 1, 1))),
    "tcmmimfp16ps": (F16, ((1, 0, 1), (0, 1, 1))),
    "tcmmrlfp16ps": (F16, ((0, 0, 1), (1, 1, -1))),
}
FLOAT_TYPES: dict[Format, Any] = {BF16: ml_dtypes.bfloat16, F16: np.float16}


# Products


@pytest.mark.parametrize("name", INTEGER_SIGNS)
def test_integer_products_of_every_shape(name: str) -> None:
    """For all 16 * 16 * 16 shapes, results are wrapped sums of Python integers, four bytes per step."""
    rng = np.random.default_rng(1)
    signs = INTEGER_SIGNS[name]
    full = [rng.integers(0, 256, (16, 64), np.uint8) for _ in range(3)]
    for operand in full[1:]:
        operand[rng.integers(0, 3, operand.shape) == 0] = 0x80
    values = [operand.astype(object) for operand in full[1:]]
    for value, signed in zip(values, signs):
        value[(value >= 128) & signed] -= 256
    # steps[k, m, n]: the sum of step k in unbounded integers; the result of any shape is a sum of the first steps.
    steps = [sum(values[0][:, 4 * k + j, None] * values[1][None, k, j::4] for j in range(4)) for k in range(16)]
    start = full[0].view("<i4").astype(object)
    for k in range(1, 17):
        exact = start + sum(steps[:k])
        want = ((exact + 2**31) % 2**32 - 2**31).astype(np.int32)
        for m in range(1, 17):
            for n in range(1, 17):
                c, a, b = full[0][:m, : 4 * n].copy(), full[1][:m, : 4 * k].copy(), full[2][:k, : 4 * n].copy()
                got = PRODUCTS[name](c, a, b)
                assert np.array_equal(got.view(np.int32), want[:m, :n]), (m, n, k)


def exact_element(name: str, c: float, a: Array, b: Array, m: int, n: int) -> float | None:
    """Return element (m, n), each operation in fractions and rounded once; None if an operand or sum is not finite."""
    fmt, chains = CHAINS[name]
    left, right = (x.view(FLOAT_TYPES[fmt]).astype(np.float64) for x in (a, b))
    sums = [Fraction(0), Fraction(0)]
    for k in range(len(b)):
        for chain, (i, j, sign) in enumerate(chains):
            factors = left[m, 2 * k + i], right[k, 2 * n + j]
            if not np.isfinite(factors).all():
                return None
            product = sign * Fraction(1)
            for factor in factors:
                product *= Fraction(factor) if abs(factor) >= 2.0**-126 else 0
            total = flushed(product + sums[chain])
            if total is None:
                return None
            sums[chain] = total
    inner = flushed(sums[0] + sums[1])
    if inner is None or not np.isfinite(c):
        return None
    result = flushed(inner + (Fraction(c) if abs(c) >= 2.0**-126 else 0))
    return None if result is None else float(result)


def flushed(exact: Fraction) -> Fraction | None:
    """Round to f32, nearest even; return zero if rounding to 24 bits gives a denormal number, and None on overflow."""
    result = rounded(exact, F32, Rounding.NEAREST)
    if abs(exact) < Fraction(2) ** -126 - Fraction(2) ** -151:
        return Fraction(0)
    return Fraction(result) if not isinstance(result, float) else None


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("shape", [(16, 16, 16), (3, 16, 5), (16, 1, 16), (1, 7, 1), (5, 4, 16)])
def test_float_products_of_exact_numbers(name: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    fmt, _ = CHAINS[name]
    rng = np.random.default_rng([len(name), *shape])
    checked, every = 0, 1 if is_soak() else 3  # every element in a soak, else every third
    for spread in (3, 20):
        a, b = (operand(rng, count, fmt, spread) for count in ((m, 2 * k), (k, 2 * n)))
        c = (rng.standard_normal((m, n)) * 2.0 ** rng.integers(-6, 7, (m, n))).astype(np.float32)
        c.view(np.uint32)[rng.integers(0, 6, (m, n)) == 0] &= 0x807FFFFF  # denormal
        tiles = configured(m, n, k)
        for tile, x in ((C, c), (A, a), (B, b)):
            fill(tiles, tile, x)
        tiles.product(name, C, A, B)
        got = content(tiles, C, m, 4 * n).view(np.float32)
        for i in range(m):
            for j in range(i % every if n == 16 else 0, n, every if n == 16 else 1):
                want = exact_element(name, float(c[i, j]), a, b, i, j)
                if want is not None:
                    checked += 1
                    assert got[i, j] == want, (i, j)
    assert checked > (m * n // every if n == 16 else m * n)


def operand(rng: np.random.Generator, shape: tuple[int, int], fmt: Format, spread: int) -> Array:
    """Return numbers of 16 bits of about the size of one, some of them denormal, some powers of two."""
    value = (rng.standard_normal(shape) * 2.0 ** rng.integers(-spread, spread + 1, shape)).astype(np.float32)
    value = np.clip(value, -60000, 60000) if fmt is F16 else value
    bits = value.astype(FLOAT_TYPES[fmt]).view(np.uint16)
    some = rng.integers(0, 8, shape)
    bits[some == 0] &= 0x8000 | ((1 << fmt.precision - 1) - 1)
    bits[some == 1] &= 0x10000 - (1 << fmt.precision - 1)
    return np.ascontiguousarray(bits)


# This processor

PATTERNS = 100
"""Triples of tiles of a shape; half of a soak's elements are in full tiles, the rest in tiles of drawn shapes."""


def drawn_tiles(name: str, rng: np.random.Generator, shape: tuple[int, int, int]) -> tuple[Array, Array, Array]:
    """Return c, a, b of many products, as bytes. Most floats are zero or moderate, so that not all results are NaN."""
    m, n, k = shape
    sizes = ((m, n), (m, k), (k, n))
    words = [rng.integers(0, 1 << 32, (PATTERNS, *size), np.uint32) for size in sizes]
    if name in CHAINS:
        fmt, _ = CHAINS[name]
        words[0] = floats(rng, words[0].size, F32).reshape(words[0].shape)
        for number in (1, 2):
            halves = floats(rng, 2 * words[number].size, fmt)
            moderate = rng.standard_normal(halves.size).astype(FLOAT_TYPES[fmt]).view(np.uint16)
            one_in = 1 << rng.integers(0, 13, PATTERNS).repeat(halves.size // PATTERNS)  # a share for each product
            halves = np.where(rng.integers(0, one_in) == 0, halves, moderate * rng.integers(0, 2, halves.size))
            words[number] = halves.astype(np.uint16).view(np.uint32).reshape(words[number].shape)
    c, a, b = (x.view(np.uint8).reshape(PATTERNS, rows, 4 * columns) for x, (rows, columns) in zip(words, sizes))
    return c, a, b


def shapes_drawn(rng: np.random.Generator) -> tuple[int, int, int]:
    """Draw m, n, k: half of the time a whole tile."""
    return (16, 16, 16) if rng.integers(0, 2) else tuple(map(int, rng.integers(1, 17, 3)))


@pytest.mark.parametrize("mxcsr", [0x1F80, 0x7F80, 0xDFC0], ids=hex)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_as_silicon(name: str, mxcsr: int) -> None:
    """Every bit is equal, those of NaN too, and MXCSR has no effect."""
    rng = np.random.default_rng([len(name), mxcsr])
    TileSilicon(name, (16, 16, 16))
    compared = numbers = 0
    while compared < max(SOAK, 100_000):
        shape = shapes_drawn(rng)
        c, a, b = drawn_tiles(name, rng, shape)
        found = TileSilicon(name, shape)(c, a, b, mxcsr)
        ours = np.stack([PRODUCTS[name](*each).view(np.uint8).reshape(c.shape[1:]) for each in zip(c, a, b)])
        assert_same(ours.view(np.uint32).reshape(-1), found.view(np.uint32).reshape(-1), c.view(np.uint32).reshape(-1))
        compared += found.size // 4
        numbers += np.isfinite(found.view(np.float32)).sum()
    assert numbers > compared // 4
    if SOAK:
        print(f" {compared:,} elements, {numbers:,} of them finite, no mismatch")


def test_small_products_are_flushed_and_f16_denormals_are_not() -> None:
    tiles = configured(1, 1, 1)
    c = np.array([[2.0**-127]], np.float32)  # denormal, so it counts as zero
    for name, pattern in (("tdpbf16ps", 0x0001), ("tdpfp16ps", 0x0001)):
        ones = {"tdpbf16ps": 0x3F80, "tdpfp16ps": 0x3C00}[name]
        fill(tiles, C, c)
        fill(tiles, A, np.array([[pattern, 0]], np.uint16))
        fill(tiles, B, np.array([[ones, 0]], np.uint16))
        tiles.product(name, C, A, B)
        assert content(tiles, C, 1, 4).view(np.float32)[0, 0] == {"tdpbf16ps": 0.0, "tdpfp16ps": 2.0**-24}[name]


def test_even_and_odd_products_are_separate_chains() -> None:
    """2^24 + 1 + 1 in one chain would lose both ones; separate chains for even and odd elements lose none."""
    tiles = configured(1, 1, 2)
    fill(tiles, C, np.zeros((1, 1), np.float32))
    a = np.array([[2.0**24, 1, 1, 1]], ml_dtypes.bfloat16).view(np.uint16)
    fill(tiles, A, a)
    fill(tiles, B, np.ones((2, 2), ml_dtypes.bfloat16).view(np.uint16))
    tiles.product("tdpbf16ps", C, A, B)
    assert content(tiles, C, 1, 4).view(np.float32)[0, 0] == 2.0**24 + 2


def test_tdpbf16ps_is_no_sequence_of_vdpbf16ps() -> None:
    """The intrinsics guide describes it as one, which gives other bits for about half of the elements."""
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((16, 32)).astype(ml_dtypes.bfloat16).view(np.uint16) for _ in range(2))
    c = rng.standard_normal((16, 16)).astype(np.float32)
    tiles = configured(16, 16, 16)
    for tile, x in ((C, c), (A, a), (B, b)):
        fill(tiles, tile, x)
    tiles.product("tdpbf16ps", C, A, B)
    sequential = c
    for k in range(16):
        sequential = vdpbf16ps(sequential, np.tile(a[:, 2 * k : 2 * k + 2], 16), np.broadcast_to(b[k], (16, 32)))
    got = content(tiles, C, 16, 64).view(np.float32)
    assert 0.2 < np.mean(got != sequential) < 0.8
    assert np.allclose(got, sequential, rtol=0, atol=1e-5)


def test_special_numbers_propagate() -> None:
    rng = np.random.default_rng(8)
    a, b = floats(rng, 16 * 32, BF16).reshape(16, 32), floats(rng, 16 * 32, BF16).reshape(16, 32)
    tiles = configured(16, 16, 16)
    fill(tiles, A, a)
    fill(tiles, B, b)
    tiles.product("tdpbf16ps", C, A, B)
    got = content(tiles, C, 16, 64).view(np.float32)
    nan_rows = np.isnan(a.view(ml_dtypes.bfloat16).astype(np.float32)).any(1)
    assert nan_rows.any() and np.isnan(got[nan_rows]).all()
