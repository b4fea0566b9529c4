"""Every constant of microkernels/functions/coefficients_f32.py, from its definition.

    python -m tests.coefficients.constants             the whole module, as Python
    python -m tests.coefficients.constants TANH_CUBE   one constant, with the error that its rounding leaves

tests/microkernels/test_activation_constants.py runs this and compares the text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mpf

from tests.coefficients.printing import Constant, Found, show
from tests.coefficients.remez import FRACTION_BITS, Function, rational, round_to, rounded

MODULE, SCRIPT = "microkernels/functions/coefficients_f32.py", "tests.coefficients.constants"
DIGITS = 40
LN2 = mpmath.log(2)


def single(value: mpf, dtype: str = "f32") -> Found:
    """A number rounded to a type."""
    return Found([round_to(value, dtype)])


def parts(value: mpf, first_bits: int | None = None, dtype: str = "f32") -> Found:
    """A number as the sum of two of a type, the first with at most `first_bits` bits."""
    with mpmath.workprec(first_bits or FRACTION_BITS[dtype]):
        high = +mpf(value)
    return Found([high, round_to(value - high, dtype)])


def fitted(
    f: Function, degree: int, low: mpf, high: mpf, weight: Function, first: mpf | None = None, dtype: str = "f32"
) -> Found:
    """A polynomial whose coefficients are numbers of a type."""
    return Found(*rounded(f, degree, mpf(low), mpf(high), weight, dtype, first))


# Intervals: quarters of octaves of y + offset, in the order of the table's places


def quarters(offset: mpf) -> list[tuple[int, mpf, mpf]]:
    """(place, low, high) in y: the place counts quarters of octaves from 1, modulo 16."""
    with mpmath.workprec(53):
        exponent = int(mpmath.floor(mpmath.log(offset, 2)))
        quarter = int(mpmath.floor((offset / mpf(2) ** exponent - 1) * 4))
    edges = []
    for i in range(4 * exponent + quarter, 4 * exponent + quarter + 17):
        edges.append((i % 16, mpf(2) ** (i // 4) * (1 + mpf(i % 4) / 4) - offset))
    # bits >> 21 holds the exponent with its bias of 127, which is -1 modulo 4: places move by 127 * 4 = -4 modulo 16
    return [((place + 127 * 4) % 16, max(mpf(0), low), high) for (place, low), (_, high) in pairwise(edges)]


def by_place(rows: dict[int, list[mpf]]) -> list[list[mpf]]:
    """A table for each coefficient."""
    return [list(column) for column in zip(*(rows[place] for place in range(16)), strict=True)]


TANH_START = "0.625"
NEARLY = mpf(2) ** -12
"""How far, in ulp, tanh of a centre is from an f32."""


def centre(low: mpf, high: mpf) -> mpf:
    """The f32 nearest to the middle whose tanh is nearly an f32 (Gal's method); 0 for the first interval."""
    if low == 0:
        return mpf(0)
    middle = round_to((low + high) / 2)
    step = mpf(2) ** (mpmath.floor(mpmath.log(middle, 2)) - 23)
    for i in range(1 << 20):
        c = middle + step * (i // 2 + 1 if i % 2 else -(i // 2))
        value = mpmath.tanh(c)
        ulp = mpf(2) ** (mpmath.floor(mpmath.log(value, 2)) - 23)
        if abs(value - round_to(value)) < NEARLY * ulp:
            return c
    raise ArithmeticError("no centre")


@cache
def tanh_tables() -> tuple[list[mpf], list[mpf], list[list[mpf]], mpf]:
    """Centres, their tanh, coefficients of (tanh(c + h) - tanh(c)) / h; the error is relative to tanh."""
    centres, values, rows, worst = {}, {}, {}, mpf(0)
    for place, low, high in quarters(mpf(TANH_START)):
        c = centres[place] = centre(low, high)
        values[place] = round_to(mpmath.tanh(c))
        rows[place], error = rounded(
            lambda h, c=c: (mpmath.tanh(c + h) - mpmath.tanh(c)) / h,
            5,
            low - c,
            high - c,
            lambda h, c=c: abs(h) / mpmath.tanh(c + h),
            first=mpf(1) if c == 0 else None,
        )
        worst = max(worst, error)
    order = range(16)
    return [centres[i] for i in order], [values[i] for i in order], by_place(rows), worst


# 16 cells: as many as one register looks up, 2 ** step wide at first, then twice as wide


class Cells(NamedTuple):
    """Polynomials of degree 2 on cells of y.

    The middle of the first is 0, those of the others lie 2 ** step apart up to the one at `fine` steps, and twice as
    far from there on. Nothing lies beyond `end`, where the polynomial has the value `last`.
    """

    step: int
    fine: int
    end: mpf
    last: mpf

    @property
    def start(self) -> mpf:
        """Added to y it leaves the cell in the last four bits: y = fine steps makes it a power of two."""
        return mpf(2) ** (24 + self.step) - self.fine * mpf(2) ** self.step

    def edges(self) -> list[mpf]:
        """Where cells begin, and the end."""
        width = mpf(2) ** self.step
        middles = [i * width for i in range(self.fine + 1)]
        middles += [self.fine * width + 2 * width * i for i in range(1, 16 - self.fine)]
        inner = [(a + b) / 2 for a, b in pairwise(middles)]
        # the cell at the change of widths is cut by the sum's rounding: half a width before it, a whole one after
        return [mpf(0), *inner, self.end]

    def place(self, cell: int) -> int:
        """In the table: the sum's last bits are those of -fine where y is 0."""
        return (cell - self.fine) % 16


def value(coefficients: list[mpf], y: mpf) -> mpf:
    """Of the polynomial."""
    return mpmath.fsum(c * y**i for i, c in enumerate(coefficients))


Holds = Callable[[mpf, mpf], bool]
"""Whether a value of the polynomial may be what is computed at y."""
NEAR_END = 400
"""f32 before the end, among which roundings can make more than the polynomial's slope."""


def computed(coefficients: list[mpf], y: mpf) -> mpf:
    """The polynomial by FMAs in f32."""
    a, b, c = coefficients
    return round_to(round_to(c * y + b) * y + a)


def ulp(number: mpf) -> mpf:
    """The distance of f32 numbers there."""
    return mpf(2) ** (mpmath.floor(mpmath.log(abs(number), 2)) - 23)


def ended(coefficients: list[mpf], end: mpf, last: mpf, holds: Holds) -> list[mpf]:
    """Changed by some ulp until the polynomial, computed in f32, is `last` at `end` and holds before it.

    Of all such that are `last` those are tried first whose exact value is farthest from it, on either side.
    """
    before = [end - ulp(end) * i for i in range(1, NEAR_END)]
    for i in range(200):
        c = coefficients[2] + ulp(coefficients[2]) * i
        found: list[tuple[mpf, list[mpf]]] = []
        for j in range(-300, 301):
            b = coefficients[1] + ulp(coefficients[1]) * j
            near = round_to(last - round_to(c * end + b) * end)
            for a in (near - ulp(near), near, near + ulp(near)):
                if computed([a, b, c], end) == last:
                    found.append((abs(value([a, b, c], end) - last), [a, b, c]))
        for _, each in sorted(found, reverse=True)[:20]:
            if all(holds(y, computed(each, y)) for y in before):
                return each
    raise ArithmeticError(f"no polynomial that is {last} at {end}")


def in_cells(f: Function, cells: Cells, weight: Function, holds: Holds) -> Found:
    """f(y) for 0 < y <= end, and the largest weighted error."""
    rows, worst = {}, mpf(0)
    edges = cells.edges()
    for cell, (low, high) in enumerate(pairwise(edges)):
        wanted, low = f, max(low, mpf(10) ** -9)
        if high == cells.end:  # a straight line leads to the last value
            step = (cells.last - f(high)) / (high - low)

            def wanted(y: mpf, low: mpf = low, step: mpf = step) -> mpf:
                return f(y) + step * (y - low)

        found, error = rounded(wanted, 2, low, high, weight)
        if high == cells.end:
            found = ended(found, cells.end, cells.last, holds)
            points = [low + (high - low) * i / 200 for i in range(201)]
            error = max(abs(value(found, y) - f(y)) * weight(y) for y in points)
        rows[cells.place(cell)], worst = found, max(worst, error)
    return Found(by_place(rows), worst)


def geometry(cells: Cells) -> Found:
    """start and end, for the code."""
    assert round_to(cells.start) == cells.start and round_to(cells.end) == cells.end
    return Found([cells.start, cells.end])


TANH_CELLS = Cells(-2, 11, mpf(5), round_to(mpf(1) / 5))
# 1/2 - 2^-41 is a product of two f32, 9.89... and 3392455 / 2^26: at the end sigmoid is 2^-41, and never negative
SIGMOID_CELLS = Cells(-1, 11, mpf(324105) / 2**15, mpf(3392455) / 2**26)
SILU_CELLS = Cells(-1, 8, mpf("11.25"), mpf(0))
GELU_CELLS = Cells(-2, 12, mpf("4.5"), mpf(0))


def tanh_by_size(y: mpf) -> mpf:
    """tanh(y) / y."""
    return mpmath.tanh(y) / y


def sigmoid_by_size(y: mpf) -> mpf:
    """(sigmoid(y) - 1/2) / y."""
    return mpmath.tanh(y / 2) / (2 * y)


def falling(y: mpf) -> mpf:
    """sigmoid(-y)."""
    return 1 / (1 + mpmath.exp(y))


def normal_tail(y: mpf) -> mpf:
    """Phi(-y)."""
    return mpmath.erfc(y / mpmath.sqrt(2)) / 2


# Functions of several constants

WIDER = mpf("1.001")
"""How far beyond half a step an argument may lie, because the multiple of the step is found by a rounded product."""
HALF_STEP = LN2 / 2 * WIDER
HALF_SIXTEENTH = LN2 / 32 * WIDER
SHIFT = 4
LINE = 2 * mpmath.sqrt(2 / mpmath.pi)


def powers_of_two() -> list[mpf]:
    return [mpf(2) ** (mpf(j) / 16) for j in range(16)]


@cache
def scale() -> mpf:
    """The f32 from 1 to 1 + 2^-7 whose products with the powers are nearest to f32."""

    def off(i: int) -> float:
        factor = 1 + i * 2.0**-23
        products = [factor * power for power in powers]
        return max(abs(p - float(np.float32(p))) / (2.0**-23 if p < 2 else 2.0**-22) for p in products)

    powers = [float(power) for power in powers_of_two()]
    return 1 + min(range(1, 1 << 16), key=off) * mpf(2) ** -23


def scaled_powers() -> Found:
    """2^(j/16) times the scale."""
    return Found([round_to(scale() * power) for power in powers_of_two()])


def unscaled_rise() -> Found:
    """e^r / scale - 1 for |r| <= log(2)/32; the error is relative to e^r. Its first coefficient is that of r = 0."""
    first = round_to(1 / scale() - 1)
    return fitted(
        lambda r: mpmath.exp(r) / scale() - 1, 3, -HALF_SIXTEENTH, HALF_SIXTEENTH, lambda r: mpmath.exp(-r), first
    )


def exp_whole(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """e^r for |r| <= half, beginning with 1; relative error."""
    return fitted(mpmath.exp, degree, -half, half, lambda r: mpmath.exp(-r), mpf(1), dtype)


def exp_tail(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """(e^r - 1 - r) / r^2 for |r| <= half; the error is relative to e^r."""
    return fitted(
        lambda r: (mpmath.exp(r) - 1 - r) / r**2, degree, -half, half, lambda r: mpmath.exp(-r) * r**2, dtype=dtype
    )  # fmt: skip


def exp_rise(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """(e^r - 1) / r for |r| <= half; the error is relative to e^r."""
    return fitted(lambda r: mpmath.expm1(r) / r, degree, -half, half, lambda r: mpmath.exp(-r) * abs(r), dtype=dtype)


def expm1_rise(degree: int, half: mpf, dtype: str = "f32") -> Found:
    """(e^r - 1) / r for |r| <= half, beginning with 1; relative error."""
    return fitted(
        lambda r: mpmath.expm1(r) / r, degree, -half, half, lambda r: abs(r / mpmath.expm1(r)), mpf(1), dtype
    )  # fmt: skip


def exp2_rise(degree: int, dtype: str = "f32") -> Found:
    """(2^r - 1) / r for |r| <= 1/2; the error is relative to 2^r."""
    half = mpf("0.5")
    return fitted(
        lambda r: mpmath.expm1(r * LN2) / r, degree, -half, half, lambda r: mpmath.exp(-r * LN2) * abs(r), dtype=dtype
    )  # fmt: skip


def exp2_above() -> Found:
    """(2^r - 1) / r for 0 <= r <= 1; the error is relative to 2^r."""
    return fitted(
        lambda r: mpmath.expm1(r * LN2) / r, 3, mpf(10) ** -9, mpf(1), lambda r: mpmath.exp(-r * LN2) * r
    )  # fmt: skip


def log_tail(degree: int, low: mpf, high: mpf, dtype: str = "f32") -> Found:
    """(f - log(1 + f)) / f^2; the error is relative to log(1 + f)."""
    return fitted(
        lambda f: (f - mpmath.log1p(f)) / f**2, degree, low, high, lambda f: abs(f**2 / mpmath.log1p(f)), dtype=dtype
    )  # fmt: skip


def log_rise(degree: int, low: mpf, high: mpf, dtype: str = "f32") -> Found:
    """log(1 + f) / f; relative error."""
    return fitted(lambda f: mpmath.log1p(f) / f, degree, low, high, lambda f: abs(f / mpmath.log1p(f)), dtype=dtype)


def atanh_tail(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """(atanh(s) / s - 1) / s^2 in s^2 for s <= end; the error is relative to atanh(s)."""
    return fitted(
        lambda q: (atanh_by_square(q) - 1) / q, degree, mpf(0), end**2, lambda q: q / atanh_by_square(q), dtype=dtype
    )  # fmt: skip


def atanh_by_square(q: mpf) -> mpf:
    """atanh(s) / s for q = s^2."""
    s = mpmath.sqrt(q)
    return mpmath.atanh(s) / s


def mills(y: mpf) -> mpf:
    """R(y)."""
    return mpmath.exp(y * y / 2) * mpmath.erfc(y / mpmath.sqrt(2)) / 2


def mills_by_t(t: mpf) -> mpf:
    """R(y) (y + 4) for t = (y - 4) / (y + 4)."""
    y = SHIFT * (1 + t) / (1 - t)
    return mills(y) * (y + SHIFT)


PAIRED = 4
MILLS_END = mpf("14.6")


@cache
def mills_polynomial(degree: int, end: mpf, dtype: str = "f32") -> tuple[list[mpf], mpf]:
    """Coefficients of `mills_by_t` for y <= end."""
    high = (end - SHIFT) / (end + SHIFT)
    return rounded(mills_by_t, degree, mpf(-1), high, lambda t: 1 / mills_by_t(t), dtype, paired=PAIRED)


def mills_pairs(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """The first coefficients, as two numbers each."""
    first = mills_polynomial(degree, end, dtype)[0][:PAIRED]
    return Found([[round_to(c, dtype), round_to(c - round_to(c, dtype), dtype)] for c in first])


def mills_rest(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """The others."""
    coefficients, error = mills_polynomial(degree, end, dtype)
    return Found(coefficients[PAIRED:], error)


def mills_by_v(v: mpf) -> mpf:
    """R(y) (y + 4) for v = 1 / (y + 4)."""
    return mills(1 / v - SHIFT) / v


def mills_near(degree: int, end: mpf, dtype: str = "f32") -> Found:
    """`mills_by_v` for y <= end; relative error."""
    return fitted(
        mills_by_v, degree, 1 / (end + SHIFT), mpf(1) / SHIFT, lambda v: 1 / mills_by_v(v), dtype=dtype
    )  # fmt: skip


@cache
def tanh_ratio(above: int, below: int, end: mpf, dtype: str = "f32") -> tuple[list[mpf], list[mpf], mpf]:
    """p and q of tanh(x) = x p(x^2) / q(x^2) for |x| <= end."""
    return rational(tanh_by_square, above, below, mpf(0), end**2, lambda s: 1 / tanh_by_square(s), dtype)


def tanh_by_square(s: mpf) -> mpf:
    """tanh(x) / x for s = x^2."""
    x = mpmath.sqrt(s)
    return mpmath.tanh(x) / x


ROOTS = mpmath.sqrt(mpf("0.5")) - 1, mpmath.sqrt(2) - 1

CONSTANTS: dict[str, Constant] = {
    "LOG2E": Constant("1 / log 2", lambda: single(1 / LN2)),
    "LN2": Constant("log 2 as one number, and what is missing", lambda: parts(LN2)),
    "LN2_SHORT": Constant(
        "log 2: a part of 15 bits, whose product with a whole number below 2^9 is exact, and the rest",
        lambda: parts(LN2, 15),
    ),
    "EXP_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/2, relative to e^r", lambda: exp_rise(3, HALF_STEP)),
    "EXP": Constant(
        "e^r, |r| <= log(2)/2, relative",
        lambda: exp_whole(6, HALF_STEP),
    ),
    "EXP_TAIL": Constant("(e^r - 1 - r) / r^2, |r| <= log(2)/2, relative to e^r", lambda: exp_tail(4, HALF_STEP)),
    "EXP_STEP_FAST": Constant("(e^r - 1) / r, |r| <= log(2)/32, relative to e^r", lambda: exp_rise(1, HALF_SIXTEENTH)),
    "POWERS": Constant("2^(j/16)", lambda: Found([round_to(v) for v in powers_of_two()])),
    "POWERS_SCALED": Constant(
        "2^(j/16) times a number for which all 16 products are nearly f32: to 0.24 ulp", scaled_powers
    ),
    "EXP_STEP": Constant("e^r divided by that number, less 1, |r| <= log(2)/32, relative to e^r", unscaled_rise),
    "EXP2_ABOVE": Constant("(2^r - 1) / r, 0 <= r <= 1, relative to 2^r", exp2_above),
    "EXPM1_FAST": Constant(
        "(e^r - 1) / r, |r| <= log(2)/2, relative to e^r - 1",
        lambda: expm1_rise(4, HALF_STEP),
    ),
    "EXP2_FAST": Constant("(2^r - 1) / r, |r| <= 1/2, relative to 2^r", lambda: exp2_rise(3)),
    "EXP2": Constant("(2^r - 1) / r, |r| <= 1/2, relative to 2^r", lambda: exp2_rise(5)),
    "LOG_FAST": Constant("log(1 + f) / f, 1 + f in sqrt(1/2) .. sqrt(2), relative", lambda: log_rise(5, *ROOTS)),
    "LOG_TAIL": Constant(
        "(f - log(1 + f)) / f^2, 1 + f in sqrt(1/2) .. sqrt(2), relative to the logarithm", lambda: log_tail(8, *ROOTS)
    ),
    "LOG1P_FAST": Constant("log(1 + e) / e, e in 0 .. 1, relative", lambda: log_rise(5, mpf(0), mpf(1))),
    "LOG1P_TAIL": Constant(
        "(atanh(s) / s - 1) / s^2 in s^2, s in 0 .. 1/3, relative to atanh(s)",
        lambda: atanh_tail(4, mpf(1) / 3),
    ),
    "TANH_OFFSET": Constant("added to y before its quarter of an octave is taken", lambda: single(mpf(TANH_START))),
    "TANH_CELLS": Constant("what |x| is added to for its cell, and where tanh is 1", lambda: geometry(TANH_CELLS)),
    "TANH_FAST": Constant(
        "tanh(y) / y, a table for each power of y, relative",
        lambda: in_cells(tanh_by_size, TANH_CELLS, lambda y: 1 / tanh_by_size(y), lambda y, q: round_to(y * q) <= 1),
    ),
    "SIGMOID_CELLS": Constant("the same for sigmoid, which is 1 and 2^-41 at its end", lambda: geometry(SIGMOID_CELLS)),
    "SIGMOID_FAST": Constant(
        "(sigmoid(y) - 1/2) / y, a table for each power of y; the error is that of sigmoid",
        lambda: in_cells(sigmoid_by_size, SIGMOID_CELLS, lambda y: y, lambda y, q: y * q <= mpf(1) / 2),
    ),
    "SILU_CELLS": Constant("the same for silu, which is x or 0 at its end", lambda: geometry(SILU_CELLS)),
    "SILU_FAST": Constant(
        "sigmoid(-y), a table for each power of y; the error is that of silu",
        lambda: in_cells(falling, SILU_CELLS, lambda y: y, lambda y, t: t >= 0),
    ),
    "TANH_CENTRES": Constant(
        "points c, one in each interval, whose tanh is an f32 to 2^-12 ulp", lambda: Found(tanh_tables()[0])
    ),
    "TANH_VALUES": Constant("tanh(c)", lambda: Found(tanh_tables()[1])),
    "TANH_SLOPES": Constant(
        "(tanh(c + h) - tanh(c)) / h, a table for each power of h, relative to tanh(c + h)",
        lambda: Found(*tanh_tables()[2:]),
    ),
    "TANH_RATIO_ABOVE": Constant(
        "p of tanh(x) = x p(x^2) / q(x^2), |x| <= 8, relative", lambda: Found(*tanh_ratio(3, 4, mpf(8))[::2])
    ),
    "TANH_RATIO_BELOW": Constant("q of the same", lambda: Found(tanh_ratio(3, 4, mpf(8))[1])),
    "DENSITY": Constant("1 / sqrt(2 pi) as two numbers", lambda: parts(1 / mpmath.sqrt(2 * mpmath.pi))),
    "MILLS_PAIRS": Constant(
        "R(y) (y + 4) in t = (y - 4) / (y + 4), 0 <= y <= 14.6, relative: the first coefficients as pairs",
        lambda: mills_pairs(10, MILLS_END),
    ),
    "MILLS": Constant("the other coefficients", lambda: mills_rest(10, MILLS_END)),
    "MILLS_FAST": Constant(
        "R(y) (y + 4) in v = 1 / (y + 4), 0 <= y <= 13, relative",
        lambda: mills_near(6, mpf(13)),
    ),
    "GELU_CELLS": Constant("the cells of gelu, which is x or 0 at its end", lambda: geometry(GELU_CELLS)),
    "GELU_FAST": Constant(
        "Phi(-y), a table for each power of y; the error is that of gelu",
        lambda: in_cells(normal_tail, GELU_CELLS, lambda y: y, lambda y, t: t >= 0),
    ),
    "LINE": Constant("2 sqrt(2/pi) as two numbers", lambda: parts(LINE)),
    "CUBE": Constant("0.044715 times that", lambda: parts(LINE * mpf("0.044715"))),
}


if __name__ == "__main__":
    show(CONSTANTS, SCRIPT, "f32")
