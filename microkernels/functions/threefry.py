"""Random numbers that depend only on a seed and on the row and column of an element; dropout, stochastic rounding.

    words(i, j) = Threefry-2x32, 13 rounds: counter (j, i), key (seed mod 2^32, seed / 2^32)

Element (i, j) has the counter i * 2^32 + j, whatever the matrix, vector length or machine. The rows and columns of a
tile may start at an origin, so a matrix that is computed in tiles, by any number of threads, has the same numbers. 32
bits are the first word. 64 bits are both words, with the first one as the upper half, so that dropout drops the same
elements in f64 and in f32.

Source: Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011. The generator has no state. It
consists of additions, rotations and xor of 32-bit words, which every vector machine has; Philox needs 64-bit products,
which most machines lack. Table 2 of the paper: with 13 rounds no test of BigCrush fails, with fewer rounds some do. It
is not a cipher.
"""

from __future__ import annotations

from typing import Any

from ...encoder.errors import shown
from ..dtypes import EXPONENT_BIAS, FRACTION_BITS
from ..errors import UnsupportedError
from ..expr.coordinates import column, number, row
from ..expr.graph import (
    BITS,
    FLOATS,
    INTEGER_OF,
    Expr,
    apply,
    bits,
    constant,
    constant_bits,
    floor,
    fma_or_twice,
    from_bits,
    is_nan,
    rotated,
    select,
    shift_right_logical,
    to_float,
)
from ..expr.minifloat import FORMATS
from ..operands import SEED, real
from .bf16_split import upper

ROUNDS = 13
ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
PARITY = 0x1BD11BDA
"""The rotations of table 3 of the paper, and the parity of Threefish's key schedule."""


def threefry(counter: tuple[Expr, Expr], key: tuple[Expr, Expr], rounds: int = ROUNDS) -> tuple[Expr, Expr]:
    """Return two words from two words of a counter and two of a key."""
    keys = (*key, key[0] ^ key[1] ^ PARITY)
    x, y = counter[0] + keys[0], counter[1] + keys[1]
    for done in range(1, rounds + 1):
        x = x + y
        y = rotated(y, ROTATIONS[(done - 1) % 8]) ^ x
        if done % 4 == 0:
            group = done // 4
            x, y = x + keys[group % 3], y + (keys[(group + 1) % 3] + group)
    return x, y


def words() -> tuple[Expr, Expr]:
    """Return 64 random bits for each element, as two i32."""
    return threefry((column(), row()), (number(SEED), number(SEED, 1)))


def word() -> Expr:
    """Return 32 random bits for each element, as an i32."""
    return words()[0]


def _long(n: Expr) -> Expr:
    """Return 32 bits as an i64 from 0 to 2^32 - 1."""
    return apply("low_word", n)


def long_word() -> Expr:
    """Return 64 random bits for each element, as an i64."""
    high, low = words()
    return _long(high) << 32 | _long(low)


def random(*, out: str = "i32") -> Expr:
    """y = 32 random bits, or 64 if y is i64."""
    if out not in ("i32", "i64"):
        raise UnsupportedError(f"random: gives bits as i32 or i64, not as {out}; uniform gives floats")
    return word() if out == "i32" else long_word()


FRACTION = {"f64": 53, "f32": 24, "bf16": 8, "f16": 11, "f8e5m2": 3, "f8e4m3": 4}
"""Bits of a uniform number: as many as the type's significand has, so that no number is rounded to 1."""


def uniform(*, out: str = "f32") -> Expr:
    """y = one of 2^24 equally likely multiples of 2^-24 in [0, 1); f64: 2^53, f16: 2^11, bf16: 2^8, f8: 2^4, 2^3."""
    count = FRACTION.get(out)
    if count is None:
        raise UnsupportedError(f"uniform: gives {', '.join(FRACTION)}, not {out}; random gives bits as i32 or i64")
    if out != "f64":
        return to_float(shift_right_logical(word(), 32 - count)) * 2.0**-count
    high, low = map(_long, words())
    rest = to_float(shift_right_logical(low, 64 - count)) * 2.0**-count
    return fma_or_twice(to_float(high), 2.0**-32, rest)  # exact


def _rate(value: Any) -> float:
    number = real(value)
    if number is None:
        raise TypeError(f"rate: a number from 0 to 1, not {shown(value)}")
    if not 0 <= number <= 1:
        raise ValueError(f"rate: from 0 to 1, not {shown(value)}")
    return number + 0.0  # -0 becomes 0


def threshold(rate: float) -> int:
    """Return how many of the 2^32 words drop an element, rounded to the nearest whole number."""
    return round(_rate(rate) * 2.0**32)  # a product by a power of 2 is exact


def _real(name: str, x: Expr) -> None:
    if x.dtype not in FLOATS:
        raise UnsupportedError(
            f'{name}: cannot be computed in {x.dtype}, which has no fractions; compute="f32" or "f64" converts'
        )


def keeps(random: Expr, rate: float, dtype: str) -> Expr:
    """Return the mask of elements that are kept: their words, as signed numbers, are at or above the threshold."""
    dropped = threshold(rate)
    lowest = constant(-(1 << 31), "i32")
    if BITS[dtype] == 64:  # compared as unsigned numbers, in the same order
        return constant(dropped, "i64") <= _long(random ^ lowest)
    return random < lowest if dropped == 1 << 32 else constant(dropped - (1 << 31), "i32") <= random


def _scaled(x: Expr, rate: float) -> Expr:
    return x if rate in (0, 1) else x * (1 / (1 - rate))


def dropout(x: Expr, *, rate: float) -> Expr:
    """y = x / (1 - rate), or 0 with probability rate; with the same seed it is its own gradient."""
    return dropout_mask(x, rate=rate)[0]


def dropout_mask(x: Expr, *, rate: float) -> tuple[Expr, Expr]:
    """y0 = x / (1 - rate), or 0 with probability rate; y1 = bit for what stays."""
    _real("dropout", x)
    rate = _rate(rate)
    kept = keeps(word(), rate, x.dtype)
    return select(kept, _scaled(x, rate), constant(0, x.dtype)), kept


def dropout_inv(g: Expr, mask: Expr, *, rate: float) -> Expr:
    """The gradient of dropout by its mask: g / (1 - rate) where the bit is set, else 0."""
    _real("dropout_inv", g)
    return select(mask, _scaled(g, _rate(rate)), constant(0, g.dtype))


NARROWER = {"f32": ("bf16", "f16", "f8e5m2", "f8e4m3"), "f64": ("f32", "bf16", "f16", "f8e5m2", "f8e4m3")}
"""The types that a stochastic rounding may have, keyed by the type of the arithmetic."""


def round_stochastic(x: Expr, *, out: str) -> Expr:
    """y = one of the two neighbours of x in the type of y. The upper one has the probability that makes x the mean.

    Numbers that the type can represent are unchanged. If its fraction has c bits less than that of the arithmetic (f32
    to bf16: 16, to f16: 13; f64 to f32: 29), probabilities are multiples of 2^-c, which is exact for every number in
    the type's normal range. Below that range they are multiples of 2^-24 (f32 to f16 and narrower) or 2^-50 (f64).
    Numbers beyond the largest one become infinity, in f8e4m3 NaN; NaN is kept.
    """
    _real("round_stochastic", x)
    if out not in NARROWER[x.dtype]:
        narrower = ", ".join(NARROWER[x.dtype])
        hint = ' (compute="f64": f32 too)' if x.dtype == "f32" else ""
        raise UnsupportedError(f"round_stochastic: in {x.dtype} arithmetic out must be {narrower}{hint}, not {out}")
    if x.dtype == "f64":
        return _to_narrower(x, long_word(), out)
    return _with_upper_half(x, word()) if out == "bf16" else _to_narrower(x, word(), out)


def _with_upper_half(x: Expr, random: Expr) -> Expr:
    """Add a random number below one unit in the last place of bf16, then clear the lower half."""
    increased = bits(x) + (random & 0xFFFF)
    return upper(from_bits(select(is_nan(x), bits(x) | 0x400000, increased)))


_PART = {"f32": 24, "f64": 50}
"""Bits of the random number that decides between two denormals. It is compared with the distance to the lower one."""


def _to_narrower(x: Expr, random: Expr, out: str) -> Expr:
    """Round to another type: add a random number below one unit in the last place, or choose between two denormals."""
    narrow, integer, count = FORMATS[out], INTEGER_OF[x.dtype], _PART[x.dtype]
    sign, cut = 1 << BITS[x.dtype] - 1, (1 << narrow.cut(x.dtype)) - 1
    magnitude = bits(x) & constant_bits(sign - 1, integer)
    normal = (magnitude + (random & cut)) & constant_bits(~cut, integer)
    scaled = from_bits(magnitude) * (1 / narrow.least)
    whole = floor(scaled)
    up = to_float(shift_right_logical(random, BITS[x.dtype] - count)) * 2.0**-count < scaled - whole
    denormal = select(up, whole + 1.0, whole) * narrow.least
    least_normal = (EXPONENT_BIAS[x.dtype] + 1 - narrow.bias) << FRACTION_BITS[x.dtype]
    rounded = select(magnitude < least_normal, bits(denormal), normal)
    signed = from_bits(rounded | (bits(x) & constant_bits(sign, integer)))
    return select(is_nan(x), x, signed)
