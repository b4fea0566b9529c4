"""Find minimax polynomials whose coefficients are numbers of a float type, by Remez's exchange in mpmath.

    minimax(f, degree, low, high, weight)       min over c of max |weight(t) (f(t) - sum c[i] t^i)|
    rounded(f, degree, low, high, weight)       the same with each c[i] rounded before later ones are chosen

Everything is computed by mpmath with 40 digits on a fixed grid of Chebyshev points, so the same command gives the same
bits on every computer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import mpmath
from mpmath import mpf

mpmath.mp.dps = 40

Function = Callable[[mpf], mpf]

FRACTION_BITS = {"f32": 24, "f64": 53}
GRID = 12
"""Grid points per extremum of the error: the maximum between points is underestimated by less than 1 % of the error."""


def round_to(value: mpf, dtype: str = "f32") -> mpf:
    """Return the nearest number of a float type (half to even); denormals do not occur."""
    if value == 0:
        return mpf(0)
    with mpmath.workprec(FRACTION_BITS[dtype]):
        return +mpf(value)


def chebyshev(low: mpf, high: mpf, count: int) -> list[mpf]:
    """Return the extrema of the Chebyshev polynomial of degree count - 1, scaled to [low, high], ascending."""
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    return [middle - half * mpmath.cos(mpmath.pi * i / (count - 1)) for i in range(count)]


class Problem:
    """A function, its weight, and the terms of its approximation (powers by default), on the grid of an interval."""

    def __init__(
        self, f: Function, count: int, low: mpf, high: mpf, weight: Function, terms: Sequence[Function] | None = None
    ) -> None:
        # the grid has no 0, because f is often a quotient like (exp(t) - 1) / t
        self.points = [t for t in chebyshev(low, high, GRID * (count + 1) + 1) if abs(t) > mpf(10) ** -12]
        self.values = [f(t) for t in self.points]
        self.weights = [weight(t) for t in self.points]
        self.rows = [[term(t) for term in terms] if terms else [t**p for p in range(count)] for t in self.points]

    def errors(self, coefficients: Sequence[mpf]) -> list[mpf]:
        """Return the weighted error at every point."""
        return [
            w * (v - mpmath.fdot(row, coefficients))
            for row, v, w in zip(self.rows, self.values, self.weights, strict=True)
        ]

    def exchange(self, count: int) -> list[mpf]:
        """Return the `count` coefficients that minimize the largest weighted error."""
        last = len(self.points) - 1
        chosen = [round(i * last / count) for i in range(count + 1)]
        for _ in range(60):
            rows = [[*self.rows[i], (-1) ** k / self.weights[i]] for k, i in enumerate(chosen)]
            *found, level = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([self.values[i] for i in chosen]))
            errors = self.errors(found)
            if max(map(abs, errors)) <= abs(level) * (1 + mpf(10) ** -9):
                return found
            chosen = exchanged(errors, count + 1)
        raise ArithmeticError(f"no convergence for {count} coefficients")

    def compensation(self, power: int, powers: Sequence[int]) -> list[mpf]:
        """Return the coefficients of `powers` that approximate t^power best, by weighted least squares."""
        rows = [[w * row[p] for p in powers] for row, w in zip(self.rows, self.weights, strict=True)]
        right = [w * row[power] for row, w in zip(self.rows, self.weights, strict=True)]
        normal = mpmath.matrix(len(powers))
        for i in range(len(powers)):
            for j in range(len(powers)):
                normal[i, j] = mpmath.fdot((row[i], row[j]) for row in rows)
        moments = [mpmath.fdot((row[i], r) for row, r in zip(rows, right, strict=True)) for i in range(len(powers))]
        return list(mpmath.lu_solve(normal, mpmath.matrix(moments)))


def exchanged(error: Sequence[mpf], count: int) -> list[int]:
    """Return the grid indices of `count` extrema of alternating sign: the largest of each run of one sign. If there are
    too many, ends or pairs are dropped."""
    runs: list[int] = [0]
    for i in range(1, len(error)):
        if (error[i] > 0) == (error[runs[-1]] > 0):
            if abs(error[i]) > abs(error[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        if len(runs) == count + 1:
            runs.pop(0 if abs(error[runs[0]]) < abs(error[runs[-1]]) else -1)
        else:  # dropping a neighbouring pair keeps the alternation
            weakest = min(pairwise(range(len(runs))), key=lambda p: max(abs(error[runs[p[0]]]), abs(error[runs[p[1]]])))
            del runs[weakest[0] : weakest[1] + 1]
    if len(runs) < count:
        raise ArithmeticError(f"the error has {len(runs)} extrema, not {count}: more digits or a smaller degree")
    return runs


def one(t: mpf) -> mpf:
    """Return the weight of an absolute error, 1."""
    return mpf(1)


def minimax(f: Function, degree: int, low: mpf, high: mpf, weight: Function = one) -> tuple[list[mpf], mpf]:
    """Return the coefficients of t^0 to t^degree, and the largest weighted error."""
    problem = Problem(f, degree + 1, low, high, weight)
    found = problem.exchange(degree + 1)
    return found, max(map(abs, problem.errors(found)))


def rounded(
    f: Function,
    degree: int,
    low: mpf,
    high: mpf,
    weight: Function = one,
    dtype: str = "f32",
    first: mpf | None = None,
    paired: int = 0,
) -> tuple[list[mpf], mpf]:
    """Return coefficients that are numbers of `dtype`, and the largest weighted error that they leave.

    They are rounded one after the other, and later ones compensate the rounding error of each. `first` fixes the
    coefficient of t^0; the first `paired` coefficients are sums of two numbers.
    """
    problem = Problem(f, degree + 1, low, high, weight)
    found = problem.exchange(degree + 1)
    for power in range(degree + 1):
        to = first if power == 0 and first is not None else round_to(found[power], dtype)
        if power < paired:
            to += round_to(found[power] - to, dtype)
        later = range(power + 1, degree + 1)
        lost, found[power] = found[power] - to, to
        if later and lost:
            for p, c in zip(later, problem.compensation(power, later), strict=True):
                found[p] += lost * c
    return found, max(map(abs, problem.errors(found)))


def rational(
    f: Function, above: int, below: int, low: mpf, high: mpf, weight: Function, dtype: str = "f32"
) -> tuple[list[mpf], list[mpf], mpf]:
    """Return rounded coefficients p (degree `above`) and q (degree `below`, q[0] = 1) of p(t) / q(t), which
    approximates f, and the error.

    This is Loeb's iteration: the minimax of weight (f q - p) / q, with the q of the previous step as divisor.
    """

    def value(c: Sequence[mpf], t: mpf) -> mpf:
        return mpmath.fsum(each * t**i for i, each in enumerate(c))

    terms: list[Function] = [lambda t, i=i: t**i for i in range(above + 1)]  # type: ignore[misc]
    terms += [lambda t, i=i: -f(t) * t**i for i in range(1, below + 1)]  # type: ignore[misc]
    p, q = [mpf(0)] * (above + 1), [mpf(1)]
    for _ in range(8):
        problem = Problem(f, len(terms), low, high, lambda t, q=q: weight(t) / value(q, t), terms)  # type: ignore[misc]
        found = problem.exchange(len(terms))
        p, q = found[: above + 1], [mpf(1), *found[above + 1 :]]
    p, q = [round_to(c, dtype) for c in p], [round_to(c, dtype) for c in q]
    return p, q, max(abs(weight(t) * (f(t) - value(p, t) / value(q, t))) for t in problem.points)
