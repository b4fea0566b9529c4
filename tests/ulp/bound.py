"""A bound of the rounding errors of a standard form in f64, for all arguments: interval arithmetic and derivatives.

    python -m tests.ulp.bound               every form that it can follow, and what is promised
    python -m tests.ulp.bound sigmoid       some

The arguments are cut into pieces. On each, every step of the expression has an interval of values and one of
derivatives of the result by that step. A step that rounds is off by half an ulp of its largest value, so the result is
off by the sum of these, each times its derivative: to first order, what is left is below 2^-40 of it. Steps that are
exact are named below, with the reason. A step whose error is computed and added again counts for nothing itself: the
sum of both is what is used. What the coefficients leave is the difference between the expression in exact arithmetic
and the function, found with 40 digits at SAMPLES arguments.

Results below the normal numbers are off by half of the smallest one for each of the two last steps, which is less than
4 of it; pieces end where they begin.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

from tests.ulp.reference_f64 import EXACT
from tilesmith.microkernels.expr.graph import Program, Step, operand, program
from tilesmith.microkernels.functions.accuracies import STANDARD
from tilesmith.microkernels.functions.activations import FUNCTIONS, contract_of
from tilesmith.microkernels.functions.coefficients_f64 import LN2_SHORT
from tilesmith.microkernels.functions.standard import FORMS

Array = np.ndarray[Any, Any]
SAMPLES = 4000
LEAST = 2.0**-1021
_SIGN = ("bits", "and", "or", "from_bits")
"""What puts the sign of x at a result of |x|: for positive x it is that result."""
ENDS = {"silu": (-701.0, 60.0), "sigmoid": (-707.0, 60.0), "gelu_tanh": (-20.9, 9.0), "softplus": (-707.0, 760.0),
        "tanh_inv": (-353.5, 353.5), "sigmoid_inv": (-707.0, 707.0), "exp": (-707.0, 708.0),
        "exp2": (-1020.0, 1022.4), "tanh": (0.0, 25.0), "silu_inv": (-700.0, 60.0), "elu": (-40.0, 0.0),
        "softplus_inv": (-707.0, 60.0)}  # fmt: skip
"""Where results are normal numbers and change: beyond, they are constant, x, or denormal."""


@dataclass(frozen=True)
class Span:
    """An interval for each piece."""

    low: Array
    high: Array

    @property
    def size(self) -> Array:
        """The largest magnitude."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def __add__(self, other: Span) -> Span:
        return wider(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low)

    def __sub__(self, other: Span) -> Span:
        return self + -other

    def __mul__(self, other: Span) -> Span:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return wider(np.minimum.reduce(ends), np.maximum.reduce(ends))

    def inverse(self) -> Span:
        """1 / it; it does not hold 0."""
        assert ((self.low > 0) | (self.high < 0)).all(), "a divisor that may be 0"
        return wider(1 / self.high, 1 / self.low)


def wider(low: Array, high: Array) -> Span:
    """By what the arithmetic here rounds."""
    return Span(low - np.abs(low) * 2.0**-50, high + np.abs(high) * 2.0**-50)


def half_ulp(size: Array) -> Array:
    """Of numbers up to this one."""
    return np.where(size == 0.0, 0.0, np.exp2(np.maximum(np.frexp(size)[1] - 1.0, -1022.0) - 53))


def pieces(low: float, high: float) -> Span:
    """Short ones of both signs, 2^-8 of the argument below 1, then of one length; down to 2^-60, where formulas are
    those of 0."""
    count = 256 if max(-low, high) > 100 else 4096
    sizes = np.exp2(np.arange(-60 * 256, 1) / 256)
    steps = np.arange(1, int(max(-low, high) * count) + count + 1) / count
    ends = np.unique(np.concatenate([sizes, steps]))
    left, right = -ends[::-1], ends
    found = [np.unique(np.clip(each, low, high)) for each in (left, right)]
    return Span(np.concatenate([each[:-1] for each in found]), np.concatenate([each[1:] for each in found]))


class Rounding:
    """The errors of one expression on pieces of x; `up` chooses the whole number where a piece has two."""

    def __init__(self, of: Program, x: Span, up: bool) -> None:
        self.steps, self.x, self.up = of.steps, x, up
        self.values: list[Span] = []
        self.off: list[Array] = []
        for step in of.steps:
            value, off = self._step(step)
            self.values.append(value)
            self.off.append(off)
        self.result = of.outputs[0]
        self.rounded = self.steps[self.result].args[0] if self.steps[self.result].op == "scale" else self.result

    def _constant(self, place: int) -> float | None:
        step = self.steps[place]
        return float(np.array(step.value, np.uint64).view(np.float64)) if step.op == "const" else None

    def _step(self, step: Step) -> tuple[Span, Array]:
        """Its values, and what rounding adds to them at most."""
        zero = np.zeros_like(self.x.low)
        arguments = [self.values[place] for place in step.args]
        if step.op == "input":
            return self.x, zero
        if step.op == "const":
            number = np.full_like(self.x.low, float(np.array(step.value, np.uint64).view(np.float64)))
            return Span(number, number), zero
        if step.op == "rint":  # the whole number is taken as given: nothing depends on it continuously
            (a,) = arguments
            whole = np.rint(a.high if self.up else a.low)
            return Span(whole, whole), zero
        if step.op == "fma":
            return self._fma(step, arguments)
        if step.op in ("neg", "abs", "max", "min", "select", "scale", "lt", "le", *_SIGN):
            return self._exact(step, arguments), zero
        if step.op == "sub" and self.steps[step.args[1]].op == "fma":
            whole = self.steps[step.args[1]]
            if whole.args[2] == step.args[0] and self._constant(step.args[0]) is not None:
                return arguments[0] - arguments[1], zero  # of a short constant: exact, as functions/standard.py says
        a, b = arguments
        if step.op == "sub" and self._lost(step):
            inner = self.steps[step.args[1]]
            sum_ = inner.args[0] if inner.op == "sub" else self.steps[step.args[0]].args[1]
            lost = half_ulp(self.values[sum_].size)
            return Span(-lost, lost), zero
        value = {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: a * b.inverse()}[
            step.op
        ]()
        power = step.op == "mul" and any(
            (c := self._constant(place)) is not None and abs(np.frexp(c)[0]) == 0.5 for place in step.args
        )
        if step.op in ("mul", "div"):
            whole = np.zeros(len(zero), bool)
            for one in (a, b) if step.op == "mul" else ():  # by 2^n
                whole |= (one.low == one.high) & (np.abs(np.frexp(one.low)[0]) == 0.5)
            return value, zero if power else np.where(whole, 0.0, half_ulp(value.size))
        points = (a.low == a.high) & (b.low == b.high)
        total = a.low + b.low if step.op == "add" else a.low - b.low
        other = total - a.low if step.op == "add" else a.low - total
        exact = (a.size == 0.0) | (b.size == 0.0) | points & (other == b.low)  # 2^n - 1, or one of them is 0
        return value, np.where(exact, 0.0, half_ulp(value.size))

    def _lost(self, step: Step) -> bool:
        """Whether it is b - ((a + b) - a) or (a - (a - b)) - b, what a sum loses: exact (Dekker), like the difference
        inside."""
        inner = self.steps[step.args[1]]
        middle = self.steps[step.args[0]]
        if middle.op == "sub":  # (1 - (1 - y)) - y
            high = self.steps[middle.args[1]]
            if high.op == "sub" and high.args == (middle.args[0], step.args[1]):
                self.off[middle.args[1]] = self.off[step.args[0]] = np.zeros_like(self.x.low)
                return True
        if inner.op != "sub" or self.steps[inner.args[0]].op != "add":
            return False
        if set(self.steps[inner.args[0]].args) != {inner.args[1], step.args[0]}:
            return False
        self.off[inner.args[0]] = self.off[step.args[1]] = np.zeros_like(self.x.low)
        return True

    def _fma(self, step: Step, arguments: list[Span]) -> tuple[Span, Array]:
        a, b, c = arguments
        zero = np.zeros_like(a.low)
        first, third = (self.steps[step.args[0]], self.steps[step.args[1]]), self.steps[step.args[2]]
        if third.op == "neg" and self.steps[third.args[0]].op == "mul":
            product = self.steps[third.args[0]]
            if sorted(product.args) == sorted(step.args[:2]):  # what a product loses: exact, and as small
                self.off[third.args[0]] = zero
                lost = half_ulp(self.values[third.args[0]].size)
                return Span(-lost, lost), zero
        if third.op == "sub" and self.steps[third.args[1]].op == "fma":
            whole = self.steps[third.args[1]]
            if whole.args[:2] == step.args[:2] and whole.args[2] == third.args[0]:  # what an fma loses
                self.off[third.args[1]] = zero
                lost = half_ulp(self.values[third.args[1]].size)
                return Span(-lost, lost), half_ulp(lost)
        value = a * b + c
        short = any(
            (k := self._constant(place)) is not None and abs(k) == LN2_SHORT[0] for place in step.args[:2]
        ) and any(each.op == "rint" for each in first)
        if short:  # n times the short part of log 2 is exact, and so is the difference from an argument near it
            return value, zero
        constants = [self._constant(place) for place in step.args]
        if constants[1] == 0.0 or constants[0] == 0.0:  # passes NaN on
            return c, zero
        off = half_ulp(value.size)
        for one in (a, b):  # n = 0, or 2^n times a number: both exact
            whole = (one.low == one.high) & (np.abs(np.frexp(one.low)[0]) == 0.5) & (c.size == 0.0)
            off = np.where((one.size == 0.0) | whole, 0.0, off)
        return value, off

    def _exact(self, step: Step, arguments: list[Span]) -> Span:
        a = arguments[0]
        if step.op in ("lt", "le", *_SIGN):
            return a
        if step.op == "neg":
            return -a
        if step.op == "abs":
            return Span(np.where(a.low > 0, a.low, np.where(a.high < 0, -a.high, 0.0)), a.size)
        if step.op == "select":  # by the sign of x: a piece has one
            _, b, c = arguments
            first = self._first(step)
            return Span(np.where(first, b.low, c.low), np.where(first, b.high, c.high))
        if step.op == "scale":
            n = arguments[1].low
            return Span(np.ldexp(a.low, n.astype(int)), np.ldexp(a.high, n.astype(int)))
        b = arguments[1]
        better = np.maximum if step.op == "max" else np.minimum
        return Span(better(a.low, b.low), better(a.high, b.high))

    @property
    def last(self) -> Array:
        """What the last step that rounds does, in ulp of the result: a half, unless it is exact."""
        return np.where(self.off[self.rounded] > 0.0, 0.5, 0.0)

    def _first(self, step: Step) -> Array:
        """Whether a selection takes its first number: of x < 0 on the left, of 0 <= x on the right."""
        return self._left if self.steps[step.args[0]].op == "lt" else ~self._left

    @property
    def _left(self) -> Array:
        return self.x.high <= 0

    def error(self) -> Array:
        """What roundings do to the result at most, to first order: derivatives from the result backwards."""
        none = np.zeros_like(self.x.low)
        slopes = [Span(none, none) for _ in self.steps]
        slopes[self.result] = Span(none + 1, none + 1)
        found = none.copy()
        for place in reversed(range(len(self.steps))):
            step, slope = self.steps[place], slopes[place]
            if not (place == self.rounded and self.last.any()):
                found += slope.size * self.off[place]
            for argument, factor in self._factors(step):
                if self.steps[argument].op == "const":
                    continue
                slopes[argument] = slopes[argument] + slope * factor
        return found

    def _factors(self, step: Step) -> list[tuple[int, Span]]:
        """The derivatives of a step by its arguments."""
        none = np.zeros_like(self.x.low)
        one, values = Span(none + 1, none + 1), [self.values[place] for place in step.args]
        if step.op in ("input", "const", "rint", "lt", "le", "and"):
            return []
        if step.op in _SIGN:
            return [(step.args[0], one)]
        if step.op == "fma":
            made = [values[1], values[0], one]
        elif step.op == "mul":
            made = [values[1], values[0]]
        elif step.op == "div":
            inverse = values[1].inverse()
            made = [inverse, -(values[0] * inverse * inverse)]
        elif step.op in ("add", "sub"):
            made = [one, one if step.op == "add" else -one]
        elif step.op == "neg":
            made = [-one]
        elif step.op == "abs":
            sign = np.where(self._left, -1.0, 1.0)
            made = [Span(sign, sign)]
        elif step.op == "select":
            taken = self._first(step) * 1.0
            return [(step.args[1], Span(taken, taken)), (step.args[2], Span(1 - taken, 1 - taken))]
        elif step.op == "scale":
            power = np.ldexp(1.0, values[1].low.astype(int))
            return [(step.args[0], Span(power, power))]
        else:  # max and min with a constant
            (place,) = [i for i in (0, 1) if self._constant(step.args[i]) is None]
            made = [none_one if i == place else Span(none, none) for i, none_one in enumerate((one, one))]
        return list(zip(step.args, made, strict=True))


def rounding(of: Program, x: Span, floor: float) -> tuple[float, float]:
    """The largest error in ulp of the result, and an argument near it: half an ulp for the last step, and the rest."""
    worst, at = 0.0, 0.0
    for up in (False, True):
        parts = Rounding(of, x, up)
        y = parts.values[parts.result]
        least = np.maximum(np.minimum(np.abs(y.low), np.abs(y.high)), max(floor, LEAST))
        ulps = parts.last + parts.error() / (2 * half_ulp(least))
        assert np.isfinite(ulps).all(), "an interval that is not finite"
        place = int(np.argmax(ulps))
        if ulps[place] > worst:
            worst, at = float(ulps[place]), float(x.low[place])
    return worst, at


def exactly(of: Program, x: float) -> mpf:
    """The expression in exact arithmetic; only whole numbers are those of f64."""
    made: list[Any] = []
    for step in of.steps:
        a = [made[place] for place in step.args]
        if step.op == "input":
            value: Any = mpf(x)
        elif step.op == "const":
            value = mpf(float(np.array(step.value, np.uint64).view(np.float64)))
        elif step.op in _SIGN:
            value = a[0]
        elif step.op == "lt":
            value = a[0] < a[1]
        elif step.op == "le":
            value = a[0] <= a[1]
        elif step.op == "select":
            value = a[1] if a[0] else a[2]
        elif step.op == "scale":
            value = mpmath.ldexp(a[0], int(a[1]))
        else:
            value = _MEANING[step.op](*a)
        made.append(value)
    return made[of.outputs[0]]


_MEANING: dict[str, Any] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c, "neg": lambda a: -a, "abs": abs, "max": max, "min": min,
    "rint": lambda a: mpf(round(float(a))),
}  # fmt: skip


def left_by_coefficients(name: str, of: Program, low: float, high: float, floor: float) -> float:
    """The largest difference of the expression and the function, in ulp of the result."""
    rng = np.random.default_rng(1)
    near = max(low, -3.0), min(high, 3.0)
    x = np.concatenate([rng.uniform(low, high, SAMPLES // 2), rng.uniform(*near, SAMPLES // 2)])
    worst = mpf(0)
    with mpmath.workdps(40):
        for each in x:
            true = EXACT[name](mpf(float(each)))
            size = mpmath.ldexp(1, int(mpmath.floor(mpmath.log(max(abs(true), floor), 2))) - 52)
            worst = max(worst, abs(exactly(of, float(each)) - true) / size)
    return float(worst)


def bound(name: str) -> tuple[float, float, float]:
    """Of roundings in ulp, an argument near it, and of coefficients in ulp."""
    x = operand("x", "f64")
    form = FORMS["f64"].get(name)
    of = program(form(x, 0) if form else FUNCTIONS[name](x, accuracy=STANDARD))
    low, high = ENDS[name]  # of gradients the slope
    floor = contract_of(name, "f64").bound(STANDARD, 0).floor
    worst, at = rounding(of, pieces(low, high), floor)
    return worst, at, left_by_coefficients(name, of, low, high, floor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*ENDS, []], help="functions; all unless given")
    for name in parser.parse_args().names or ENDS:
        worst, at, left = bound(name)
        promised = contract_of(name, "f64").bound(STANDARD, 0).ulp
        print(f"| {name} | {worst:.3f} | {at:.6g} | {left:.3f} | {worst + left:.3f} | {promised:g} |", flush=True)


if __name__ == "__main__":
    main()
