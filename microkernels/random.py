"""Random numbers that depend on a seed and on an element's place, and on nothing else; and what is made of them.

    word(i, j) = Threefry-2x32, 13 rounds: counter (j, i), key (seed mod 2^32, seed / 2^32), the first of two words

Element (i, j) has the number i * 2^32 + j, whatever the matrix, vector length or machine: the rows and columns of a
tile may begin at an origin, so a matrix that is computed in tiles, by any number of threads, has the same numbers.

Source: Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011: a generator without state made
of additions, rotations and xor of 32-bit words, which every vector machine has; Philox needs 64-bit products, which
most lack. Table 2 there: no failure in BigCrush with 13 rounds; fewer fail. It is no cipher.
"""

from __future__ import annotations

from fractions import Fraction

from .errors import UnsupportedError
from .expr import (
    Expr,
    bits,
    constant,
    constant_bits,
    floor,
    from_bits,
    is_nan,
    rotated,
    select,
    shift_right_logical,
    to_float,
)
from .places import column, number, row
from .split import upper

ROUNDS = 13
ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
PARITY = 0x1BD11BDA
"""Table 3 of the paper, and the key schedule of Threefish."""
SEED = "seed"


def threefry(counter: tuple[Expr, Expr], key: tuple[Expr, Expr], rounds: int = ROUNDS) -> tuple[Expr, Expr]:
    """Two words from two words of a counter and two of a key."""
    keys = (*key, key[0] ^ key[1] ^ PARITY)
    x, y = counter[0] + keys[0], counter[1] + keys[1]
    for done in range(1, rounds + 1):
        x = x + y
        y = rotated(y, ROTATIONS[(done - 1) % 8]) ^ x
        if done % 4 == 0:
            turn = done // 4
            x, y = x + keys[turn % 3], y + (keys[(turn + 1) % 3] + turn)
    return x, y


def word() -> Expr:
    """32 random bits for each element, as an i32."""
    return threefry((column(), row()), (number(SEED), number(SEED, 1)))[0]


def random(*, out: str = "i32") -> Expr:
    """y = 32 random bits."""
    if out != "i32":
        raise UnsupportedError(f"random: 32 bits as i32, not as {out}; uniform gives floats")
    return word()


FRACTION = {"f32": 24, "bf16": 8, "f16": 11}
"""Bits of a uniform number: as many as the type has for a number below 1, so that none is rounded to 1."""


def uniform(*, out: str = "f32") -> Expr:
    """y = one of 2^24 equally likely multiples of 2^-24 in [0, 1); bf16: 2^8, f16: 2^11."""
    count = FRACTION.get(out)
    if count is None:
        raise UnsupportedError(f"uniform: {', '.join(FRACTION)}, not {out}")
    return to_float(shift_right_logical(word(), 32 - count)) * 2.0**-count


def threshold(rate: float) -> int:
    """How many of the 2^32 words drop an element: the nearest whole number."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        raise TypeError(f"rate: a number from 0 to 1, not {rate!r}")
    if not 0 <= rate <= 1:
        raise ValueError(f"rate: from 0 to 1, not {rate!r}")
    return round(Fraction(rate) * (1 << 32))


def _single(name: str, x: Expr) -> None:
    if x.dtype != "f32":
        raise UnsupportedError(f"{name} computed in {x.dtype}: random numbers have 32 bits; f32, bf16 and f16 work")


def _kept(rate: float) -> Expr:
    """Which elements stay: the words below the threshold, taken as signed numbers, are dropped."""
    dropped = threshold(rate)
    lowest = constant(-(1 << 31), "i32")
    return word() < lowest if dropped == 1 << 32 else constant(dropped - (1 << 31), "i32") <= word()


def _scaled(x: Expr, rate: float) -> Expr:
    return x if rate in (0, 1) else x * (1 / (1 - rate))


def dropout(x: Expr, *, rate: float) -> Expr:
    """y = x / (1 - rate), or 0 with probability rate; with the same seed it is its own gradient."""
    return dropout_mask(x, rate=rate)[0]


def dropout_mask(x: Expr, *, rate: float) -> tuple[Expr, Expr]:
    """y0 = x / (1 - rate), or 0 with probability rate; y1 = bit for what stays."""
    _single("dropout", x)
    kept = _kept(rate)
    return select(kept, _scaled(x, rate), constant(0, x.dtype)), kept


def dropout_inv(g: Expr, mask: Expr, *, rate: float) -> Expr:
    """The gradient of dropout by its mask: g / (1 - rate) where the bit is set, else 0."""
    _single("dropout_inv", g)
    threshold(rate)  # refuses what is no rate
    return select(mask, _scaled(g, rate), constant(0, g.dtype))


def round_stochastic(x: Expr, *, out: str) -> Expr:
    """y = one of the two neighbours of x in the type of y; the upper one with the probability that makes x the mean.

    What the type has stays. Probabilities are multiples of 2^-16 (bf16), 2^-13 (f16) or 2^-24 (denormals of f16), which
    is exact for every f32 of the type's normal range. Beyond the largest number is infinity; NaN stays.
    """
    _single("round_stochastic", x)
    if out == "bf16":
        return _with_upper_half(x, word())
    if out == "f16":
        return _to_half(x, word())
    raise UnsupportedError(f"round_stochastic: out is bf16 or f16, not {out}")


def _with_upper_half(x: Expr, random: Expr) -> Expr:
    """A random number below one unit in the last place of bf16 is added before the lower half is cut off."""
    moved = bits(x) + (random & 0xFFFF)
    return upper(from_bits(select(is_nan(x), bits(x) | 0x400000, moved)))


def _to_half(x: Expr, random: Expr) -> Expr:
    """The same with the 13 bits that f16 lacks; below its normal range it has multiples of 2^-24."""
    size = bits(x) & 0x7FFFFFFF
    normal = (size + (random & 0x1FFF)) & constant_bits(0xFFFFE000, "i32")
    scaled = from_bits(size) * 2.0**24
    whole = floor(scaled)
    up = to_float(shift_right_logical(random, 8)) * 2.0**-24 < scaled - whole
    denormal = select(up, whole + 1.0, whole) * 2.0**-24
    rounded = select(size < 0x38800000, bits(denormal), normal)
    signed = from_bits(rounded | (bits(x) & constant_bits(1 << 31, "i32")))
    return select(is_nan(x), x, signed)
