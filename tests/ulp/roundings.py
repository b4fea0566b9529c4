"""Bound the effect of an expression's roundings on its result, for all arguments of a piece.

Replace the exact results of steps by the rounded ones, one step after the other. Each time the result changes by the
rounding error of the step, times the derivative of the result by that step at some point in between. All values on the
way lie in the intervals of spans.py. So the sum over all steps of the largest rounding error times the largest
derivative is a rigorous bound, not only one of first order.

Double words: a sum, a product, a quotient or an FMA (`high`) is followed by steps that compute its rounding error
(`low`). These are exact (Dekker, Knuth), or nearly, and then their error is counted. With high = exact - d and
low = f d, both change together, by |derivative by low times f - derivative by high| times d, and low depends on nothing
else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.ulp.spans import Array, Span, added, both, divided, fused, half_ulp, multiplied, number, subtracted, ulp
from tilesmith.microkernels.expr.graph import EITHER, NEARLY, Program, Step
from tilesmith.microkernels.functions.coefficients_f64 import LN2_SHORT
from tilesmith.microkernels.functions.standard import constant_of

SIGN = ("bits", "and", "or", "from_bits")
"""Operations that give a result of |x| the sign of x; for positive x they change nothing."""
_LINE = constant_of("LINE_SHORT", "f64")[0]


Base = tuple[int, ...]
"""A step by which a derivative is taken, followed by the steps whose values are factors of it."""


class Lost(NamedTuple):
    """A step that computes the rounding error of `high` times `factor`; `off` is the error of this."""

    high: int
    factor: Span
    off: Array


class Roundings:
    """The errors of one expression on pieces of its inputs. If a piece spans two integers of a rounding to integer,
    `up` selects the larger one."""

    def __init__(self, of: Program, inputs: list[Span], up: bool, apart: bool = False) -> None:
        """`apart`: on targets without FMA, where an `fma` is rounded twice if that is allowed."""
        self.steps, self.x, self.up, self.apart = of.steps, inputs[-1], up, apart
        self.inputs = iter(inputs)
        self.values: list[Span] = []
        self.off: list[Array] = []
        self.lost: dict[int, Lost] = {}
        self.quotients: dict[int, tuple[int, int]] = {}
        self.none = np.zeros_like(self.x.low)
        for place, step in enumerate(of.steps):
            found = self._lost(step)
            if found:
                self.lost[place] = found
                value, off = both((found.factor * both(self.off[found.high])).size), found.off
            else:
                value, off = self._step(step)
            self.values.append(value)
            self.off.append(off)
        self.result = of.outputs[0]
        self.last: dict[int, Array] = {}
        self._follow(self.result, np.ones(len(self.none), bool))

    # Values and rounding errors of steps

    def constant(self, place: int) -> float | None:
        """Return the value of a step that is a constant, else None."""
        step = self.steps[place]
        return float(np.array(step.value, np.uint64).view(np.float64)) if step.op == "const" else None

    def _step(self, step: Step) -> tuple[Span, Array]:
        """Return the values of a step, and the largest rounding error."""
        a, b, c = (*(self.values[place] for place in step.args), *(Span(self.none, self.none),) * 3)[:3]
        if step.op == "input":
            return next(self.inputs), self.none
        if step.op == "const":
            return number(float(np.array(step.value, np.uint64).view(np.float64)), self.none), self.none
        if step.op == "rint":  # the integer is taken as given: nothing depends on it continuously
            whole = np.rint(a.high if self.up else a.low)
            return Span(whole, whole), self.none
        if step.op == "fma":
            return self._fma(step, a, b, c)
        if step.op in ("neg", "abs", "max", "min", "select", "scale", "lt", "le", *SIGN):
            return self._exact(step, a, b, c), self.none
        if step.op == "div":
            value = divided(a, b)
            return value, half_ulp(value.size)
        if step.op == "mul":
            value = multiplied(a, b)
            return value, np.where(a.power | b.power, 0.0, half_ulp(value.size))
        value = added(a, b) if step.op == "add" else subtracted(a, b)
        total = a.low + b.low if step.op == "add" else a.low - b.low
        other = total - a.low if step.op == "add" else a.low - total
        points = (a.low == a.high) & (b.low == b.high)
        exact = (a.size == 0.0) | (b.size == 0.0) | points & (other == b.low)  # 2^n - 1, or one of them is 0
        if step.op == "sub" and self.constant(step.args[0]) == _LINE and self.steps[step.args[1]].op == "fma":
            exact |= True  # the constant is short, see functions/standard.py
        near = (a.low > 0) & (a.low >= b.high / 2) & (b.low >= a.high / 2)  # Sterbenz
        return value, np.where(exact | near & (step.op == "sub"), 0.0, half_ulp(value.size))

    def _fma(self, step: Step, a: Span, b: Span, c: Span) -> tuple[Span, Array]:
        constants = [self.constant(place) for place in step.args]
        if constants[1] == 0.0 or constants[0] == 0.0:  # passes NaN on
            return c, self.none
        value = fused(a, b, c)
        if any(k is not None and abs(k) == LN2_SHORT[0] for k in constants) and any(
            self.steps[place].op == "rint" for place in step.args[:2]
        ):  # n times the short part of log 2 is exact, and so is the difference from an argument near it
            return value, self.none
        off = half_ulp(value.size)
        for one in (a, b):  # n = 0, or 2^n times a number: both exact
            off = np.where((one.size == 0.0) | one.power & (c.size == 0.0), 0.0, off)
        return value, off + self._of_product(step)

    def _of_product(self, step: Step) -> Array:
        """Return the rounding error of the product of an `fma` before the sum, if both are rounded or nearly so."""
        if not self.apart or step.value not in (EITHER, NEARLY):
            return self.none
        a, b, c = (self.values[place] for place in step.args)
        if step.value == NEARLY:
            return half_ulp(fused(a, b, c).size) * 2.0**-50
        return np.where(a.power | b.power, 0.0, half_ulp(multiplied(a, b).size))

    def _exact(self, step: Step, a: Span, b: Span, c: Span) -> Span:
        if step.op in ("lt", "le", *SIGN):
            return a
        if step.op == "neg":
            return -a
        if step.op == "abs":
            return Span(a.least, a.size)
        if step.op == "select":  # by the sign of x, which is the same in a whole piece
            first = self._first(step)
            return Span(np.where(first, b.low, c.low), np.where(first, b.high, c.high))
        if step.op == "scale":
            n = b.low.astype(int)
            return Span(np.ldexp(a.low, n), np.ldexp(a.high, n))
        better = np.maximum if step.op == "max" else np.minimum
        return Span(better(a.low, b.low), better(a.high, b.high))

    # Double words

    def _is(self, place: int, op: str, *args: int | None) -> bool:
        """Whether a step is this operation of these steps; None matches any step."""
        step = self.steps[place]
        return step.op == op and all(a in (None, b) for a, b in zip(args, step.args, strict=True))

    def _lost(self, step: Step) -> Lost | None:
        """Return which rounding error the step computes, or None if it computes none."""
        found = {"sub": self._lost_by_sum, "add": self._lost_by_any_sum, "fma": self._lost_by_product}.get(step.op)
        return found(step) if found else None

    def _lost_by_sum(self, step: Step) -> Lost | None:
        """Match b - (s - a) for s = a + b, and (a - s) - b and b - (a - s) for s = a - b. They are exact if |a| >=
        |b|."""
        left, right = step.args
        if self._is(right, "sub", None, None):
            whole, a = self.steps[right].args
            if self._is(whole, "add", a, left) or self._is(whole, "add", left, a):
                return self._quick(whole, a, left, 1.0)
            a, whole = self.steps[right].args
            if self._is(whole, "sub", a, left):
                return self._quick(whole, a, left, -1.0)
        if self._is(left, "sub", None, None):
            a, whole = self.steps[left].args
            if self._is(whole, "sub", a, right):
                return self._quick(whole, a, right, 1.0)
        return None

    def _quick(self, whole: int, first: int, second: int, sign: float) -> Lost:
        """Return the rounding error that such a step computes, and its own error. The step is also exact if a = 2^n,
        since s is then a multiple of a common unit of a and b, or s is exact because they have opposite signs and b is
        larger; and if a and b nearly cancel. Otherwise s - a is rounded, which is off by half an ulp of about b; the
        rest is exact."""
        a, b = self.values[first], self.values[second]
        ordered = (a.least >= b.size) | (a.size == 0.0) | (b.size == 0.0)
        near = -b if self.steps[whole].op == "add" else b  # what a is close to, so that the sum is exact
        ordered |= a.power & (a.low >= 2 * ulp(b.size)) | (a.low >= near.high / 2) & (near.low >= a.high / 2)
        return Lost(whole, number(sign, self.none), np.where(ordered, 0.0, ulp(b.size)))

    def _lost_by_any_sum(self, step: Step) -> Lost | None:
        """Match (a - t) + (b - (s - t)) for t = s - b, s = a + b."""
        for left, right in (step.args, step.args[::-1]):
            if not (self._is(left, "sub", None, None) and self._is(right, "sub", None, None)):
                continue
            (a, t), (b, rest) = self.steps[left].args, self.steps[right].args
            if self._is(t, "sub", None, b) and self._is(rest, "sub", self.steps[t].args[0], t):
                whole = self.steps[t].args[0]
                if self._is(whole, "add", a, b) or self._is(whole, "add", b, a):
                    return Lost(whole, number(1.0, self.none), self.none)
        return None

    def _lost_by_product(self, step: Step) -> Lost | None:
        """Match fma(a, b, -p) for p = a b; fma(a, b, c - s) for s = fma(a, b, c); fma(-q, b, a) and fma(q, b, -a) for
        q = a / b, or a times 1 / b."""
        first, second, third = step.args
        if self._is(third, "neg", None) and self._is(self.steps[third].args[0], "mul", None, None):
            whole = self.steps[third].args[0]
            if sorted(self.steps[whole].args) == sorted((first, second)):
                return Lost(whole, number(1.0, self.none), self.none)
        if self._is(third, "sub", None, None) and self._is(self.steps[third].args[1], "fma", first, second, None):
            c, whole = self.steps[third].args
            if self.steps[whole].args[2] == c:
                return self._lost_by_fma(first, second, c, whole)
        negated = self._is(first, "neg", None)
        q = self.steps[first].args[0] if negated else first
        if negated and self._is(q, "div", third, second):
            return Lost(q, self.values[second], self.none)
        above = third if negated else self.steps[third].args[0] if self._is(third, "neg", None) else -1
        if above >= 0 and self._is(q, "mul", above, None) and self._is(self.steps[q].args[1], "div", None, second):
            inverse = self.steps[q].args[1]
            if self.constant(self.steps[inverse].args[0]) == 1.0:
                return self._lost_by_quotient(q, above, second, 1.0 if negated else -1.0)
        return None

    def _lost_by_fma(self, a: int, b: int, c: int, whole: int) -> Lost:
        """Return the rounding error of an FMA that is computed by another FMA. c - s is about -a b and is rounded
        unless c is short; the error need not be representable. A product that is rounded separately is the same in
        both, so its rounding error is not recovered."""
        off = half_ulp(self.off[whole]) + self._of_product(self.steps[whole])
        if self.constant(c) != _LINE:
            off = off + half_ulp((self.values[a] * self.values[b]).size * 1.01 + self.off[whole])
        return Lost(whole, number(1.0, self.none), off)

    def _lost_by_quotient(self, q: int, above: int, below: int, sign: float) -> Lost:
        """Return the rounding error of a quotient. Inverse and product are rounded, each with an error of 2^-53 a /
        b."""
        self.off[q] = self.values[q].size * (2.0**-52 + 2.0**-100)
        self.quotients[q] = above, below
        factor = self.values[below] * number(sign, self.none)
        return Lost(q, factor, half_ulp((factor * both(self.off[q])).size))

    # From the result backwards

    def _follow(self, place: int, where: Array) -> None:
        """Find the steps whose rounding is the final one, which is at most half an ulp of the result."""
        step = self.steps[place]
        if step.op in ("scale", "neg", *SIGN):
            self._follow(step.args[0], where)
        elif step.op == "select":
            first = self._first(step)
            self._follow(step.args[1], where & first)
            self._follow(step.args[2], where & ~first)
        else:
            self.last[place] = self.last.get(place, np.zeros(len(where), bool)) | where & (self.off[place] > 0.0)

    @property
    def by_last(self) -> Array:
        """Return the error of the last rounding in ulp of the result: a half, unless it is exact."""
        return np.where(np.any(list(self.last.values()), axis=0), 0.5, 0.0)

    def _first(self, step: Step) -> Array:
        """Whether a selection takes its first number: for x < 0 on pieces on the left, for 0 <= x on the right."""
        return self._left if self.steps[step.args[0]].op == "lt" else ~self._left

    @property
    def _left(self) -> Array:
        return self.x.high <= 0

    def error(self) -> Array:
        """Return the largest effect on the result of all roundings but the last."""
        return self.backwards()[0]

    def backwards(self) -> tuple[Array, list[Span]]:
        """Return the result of `error`, and the derivative of the result by each step."""
        count = len(self.steps)
        slopes = [Span(self.none, self.none) for _ in range(count)]
        given: list[list[tuple[int, Span]]] = [[] for _ in range(count)]  # (step, factor) of the derivative
        together: list[list[tuple[int, Span]]] = [[] for _ in range(count)]
        self.bases: list[dict[Base, Array]] = [{} for _ in range(count)]
        slopes[self.result] = number(1.0, self.none)
        found = self.none.copy()
        for place in reversed(range(count)):
            slope = slopes[place]
            if not given[place] and place != self.result:
                continue
            self.bases[place] = self._bases(given[place]) or {(place,): self.none + 1.0}
            lost = self.lost.get(place)
            if lost:
                found += slope.size * lost.off
                together[lost.high].append((place, lost.factor))
            else:
                size = self._difference(together[place], place, slopes) * self.off[place]
                step = self.steps[place]
                if place in self.last:
                    product = slope.size * self._of_product(step) if step.op == "fma" else self.none
                    size = np.where(self.last[place], product, size)
                found += size
            for argument, factor in self._factors(place, self.steps[place]):
                if self.steps[argument].op != "const":
                    slopes[argument] = slopes[argument] + slope * factor
                    given[argument].append((place, factor))
        return found, slopes

    def _bases(self, given: list[tuple[int, Span]]) -> dict[Base, Array]:
        """Return a derivative as a sum of numbers times derivatives by other steps, possibly also times values of
        steps. In this form, equal derivatives are recognized as equal. The result is empty if there is no such form."""
        made: dict[Base, Array] = {}
        for place, factor in given:
            point = (factor.low == factor.high).all()
            symbol = () if point else tuple(i for i, value in enumerate(self.values) if value is factor)[:1]
            if not point and not symbol:
                return {}
            for base, number_ in self.bases[place].items():
                key = (base[0], *sorted((*base[1:], *symbol)))
                made[key] = made.get(key, self.none) + number_ * (factor.low if point else 1.0)
        return made if len(made) <= 4 and all(len(key) <= 3 for key in made) else {}

    def _difference(self, together: list[tuple[int, Span]], place: int, slopes: list[Span]) -> Array:
        """Return the magnitude of the derivatives by the steps that compute a rounding error, times its factors, minus
        the derivative by the rounded step itself."""
        total = -slopes[place]
        for lost, factor in together:
            total = total + slopes[lost] * factor
        bases = self._bases(together) if together else {}
        if not bases:
            return total.size
        for base, number_ in self.bases[place].items():
            bases[base] = bases.get(base, self.none) - number_
        parts = self.none
        for base, each in bases.items():
            size = np.abs(each) * slopes[base[0]].size
            for value in base[1:]:
                size = size * self.values[value].size
            parts = parts + size
        return np.minimum(total.size, parts * (1 + 2.0**-40))

    def _factors(self, place: int, step: Step) -> list[tuple[int, Span]]:
        """Return the derivatives of a step by its arguments."""
        one, values = number(1.0, self.none), [self.values[each] for each in step.args]
        if place in self.lost:
            return self._factors_of_lost(place)
        if place in self.quotients:
            above, below = self.quotients[place]
            inverse = self.values[below].inverse()
            return [(above, inverse), (below, -(self.values[above] * inverse * inverse))]
        if step.op in ("input", "const", "rint", "lt", "le", "and"):
            return []
        if step.op in SIGN:
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
            (varied,) = [i for i in (0, 1) if self.constant(step.args[i]) is None]
            made = [one if i == varied else Span(self.none, self.none) for i in (0, 1)]
        return list(zip(step.args, made, strict=True))

    def _factors_of_lost(self, place: int) -> list[tuple[int, Span]]:
        """Return the derivatives of a computed rounding error: for a quotient it is the error times the divisor."""
        high = self.lost[place].high
        if high in self.quotients or self.steps[high].op == "div":
            return [(self.steps[place].args[1], both(self.off[high]))]
        return []
