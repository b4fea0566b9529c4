"""Tables of polynomials on intervals: quarters of octaves of y + offset, and 16 cells for lookups in one register."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import mpmath
from mpmath import mpf

from tests.coefficients.printing import Found
from tests.coefficients.remez import Function, round_to, rounded

# Intervals: quarters of octaves of y + offset, in the order of the table's places


def quarters(offset: mpf) -> list[tuple[int, mpf, mpf]]:
    """Return (place, low, high) of each interval of y; the place counts quarters of octaves from 1, modulo 16."""
    with mpmath.workprec(53):
        exponent = int(mpmath.floor(mpmath.log(offset, 2)))
        quarter = int(mpmath.floor((offset / mpf(2) ** exponent - 1) * 4))
    edges = []
    for i in range(4 * exponent + quarter, 4 * exponent + quarter + 17):
        edges.append((i % 16, mpf(2) ** (i // 4) * (1 + mpf(i % 4) / 4) - offset))
    # bits >> 21 holds the exponent with its bias of 127, which is -1 modulo 4: places move by 127 * 4 = -4 modulo 16
    return [((place + 127 * 4) % 16, max(mpf(0), low), high) for (place, low), (_, high) in pairwise(edges)]


def by_place(rows: dict[int, list[mpf]]) -> list[list[mpf]]:
    """Return a table of 16 entries for each coefficient."""
    return [list(column) for column in zip(*(rows[place] for place in range(16)), strict=True)]


TANH_START = "0.625"
NEARLY = mpf(2) ** -12
"""The largest distance in ulp between tanh of a centre and an f32."""


def centre(low: mpf, high: mpf) -> mpf:
    """Return the f32 nearest to the middle whose tanh is nearly an f32 (Gal's method); 0 for the first interval."""
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
    """Return centres, their tanh, the coefficients of (tanh(c + h) - tanh(c)) / h, and the error relative to tanh."""
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


# 16 cells, the number that one register holds: 2 ** step wide at first, then twice as wide


class Cells(NamedTuple):
    """Polynomials of degree 2 on cells of y.

    The middle of the first cell is 0. The other middles are 2 ** step apart up to the one at `fine` steps, and twice as
    far apart from there on. The cells end at `end`, where the polynomial has the value `last`.
    """

    step: int
    fine: int
    end: mpf
    last: mpf

    @property
    def start(self) -> mpf:
        """The number whose sum with y has the cell in its last four bits; at y = fine steps the sum is a power of
        two."""
        return mpf(2) ** (24 + self.step) - self.fine * mpf(2) ** self.step

    def edges(self) -> list[mpf]:
        """Return the starts of the cells, and the end."""
        width = mpf(2) ** self.step
        middles = [i * width for i in range(self.fine + 1)]
        middles += [self.fine * width + 2 * width * i for i in range(1, 16 - self.fine)]
        inner = [(a + b) / 2 for a, b in pairwise(middles)]
        # rounding of the sum cuts the cell at the change of widths: half a width before its middle, a whole one after
        return [mpf(0), *inner, self.end]

    def place(self, cell: int) -> int:
        """Return the index of a cell in the table. At y = 0 the last bits of the sum are those of -fine."""
        return (cell - self.fine) % 16


def value(coefficients: list[mpf], y: mpf) -> mpf:
    """Return the value of the polynomial."""
    return mpmath.fsum(c * y**i for i, c in enumerate(coefficients))


Holds = Callable[[mpf, mpf], bool]
"""A predicate of (value, y): whether the polynomial may have this computed value at y."""
NEAR_END = 400
"""The number of f32 before the end for which rounding errors may outweigh the slope of the polynomial."""


def computed(coefficients: list[mpf], y: mpf) -> mpf:
    """Evaluate the polynomial by FMAs in f32."""
    a, b, c = coefficients
    return round_to(round_to(c * y + b) * y + a)


def ulp(number: mpf) -> mpf:
    """Return the distance between f32 numbers at `number`."""
    return mpf(2) ** (mpmath.floor(mpmath.log(abs(number), 2)) - 23)


def ended(coefficients: list[mpf], end: mpf, last: mpf, holds: Holds) -> list[mpf]:
    """Change coefficients by some ulp until the polynomial, computed in f32, is `last` at `end` and `holds` before it.

    Candidates that give `last` are tried in descending order of the distance between their exact value and `last`.
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
    """Fit f(y) for 0 < y <= end in all cells, and find the largest weighted error."""
    rows, worst = {}, mpf(0)
    edges = cells.edges()
    for cell, (low, high) in enumerate(pairwise(edges)):
        wanted, low = f, max(low, mpf(10) ** -9)
        if high == cells.end:  # in the last cell, a straight line is added that leads to the last value
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
    """Return `start` and `end` of the cells, for the code."""
    assert round_to(cells.start) == cells.start and round_to(cells.end) == cells.end
    return Found([cells.start, cells.end])
