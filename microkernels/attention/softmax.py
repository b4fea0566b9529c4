"""The step of the online softmax on a block of scores: its expressions and their code.

Scores are stored with a vector of queries for each key, so that maxima and sums are computed element by element:

    new = max(largest, scores)       p = 2^(score - new)       correction = 2^(largest - new)
    sum = sum * correction + p       out = out * correction + p * v

Without a mask, scores are in units of log 2 (the factor is part of the scale). With a mask they are natural. `largest`
begins with the lowest finite number, so that a score of -inf gives p = 0 and never NaN. Source of the online form:
Milakov and Gimelshein, Online normalizer calculation for softmax, 2018; Dao et al., FlashAttention, 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf

from ...encoder.records import NamedTuple
from ..codegen.fitting import Straight, too_few_registers
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic, arithmetic_of
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..expr.graph import (
    Expr,
    bits,
    call,
    constant,
    constant_bits,
    expand,
    fma_or_twice,
    from_bits,
    maximum,
    operand,
    rint,
    select,
    shift_right_logical,
)
from ..functions.activations import ACTIVATIONS
from ..functions.exp import STEPS, down, exp2_floor, exp2_near
from ..functions.limits import LIMITS, coefficients
from ..functions.power_parts import BELOW

LEAST = {"f32": -(2.0 - 2.0**-23) * 2.0**127, "f64": -(2.0 - 2.0**-52) * 2.0**1023}
"""The lowest finite number of each type."""


class Softmax(NamedTuple):
    """The expressions of the step for a type, an accuracy and a machine."""

    dtype: str
    accuracy: str
    natural: bool
    facts: Facts

    @property
    def arithmetic(self) -> Arithmetic:
        """The operations that expressions are lowered to."""
        return arithmetic_of(self.facts)

    def larger(self, a: Expr, b: Expr) -> Expr:
        """Return the larger of two values. If one is NaN, the result may be either: a score of NaN makes the sum NaN
        anyway."""
        return select(a < b, b, a) if _selects(self.dtype, self.facts) else maximum(a, b)

    def power(self, x: Expr) -> Expr:
        """Return 2^x, or e^x, for x <= 0, where it is a normal number, and 0 below; NaN for NaN. On Intel processors an
        instruction with a denormal operand or an underflowing result takes about 150 cycles, which every hidden key
        would cost."""
        limits = LIMITS[self.dtype]
        least = constant(-limits.normal if self.natural else -limits.reach, self.dtype)
        below = x < least
        if self.natural:
            powers = expand((call(BELOW, x),), ACTIVATIONS, accuracy=self.accuracy, tables=self.arithmetic.tables)
            return select(below, 0.0, powers[0])
        if self.dtype == "f32" and self.arithmetic.tables >= STEPS:  # one instruction takes the fraction
            return exp2_floor(select(below, -inf, x), self.accuracy)
        x = select(below, least, x)
        whole = rint(x)
        return select(below, 0.0, down(exp2_near(x - whole, self.accuracy), whole))

    @property
    def of_pairs(self) -> Softmax:
        """The expressions for powers that are rounded to bf16. Powers of 2 use the shorter polynomial."""
        return self if self.natural else self._replace(accuracy="fast")

    def lse(self, largest: Expr, total: Expr) -> Expr:
        """Return the natural logarithm of the sum of e^score."""
        log = call("log", total)
        return largest + log if self.natural else fma_or_twice(largest, coefficients(self.dtype).LN2[0], log)


@lru_cache(32)
def _selects(dtype: str, facts: Facts) -> bool:
    """Whether a comparison and a selection take at most as many instructions as a maximum that passes NaN on."""
    a, b = operand("a", dtype), operand("b", dtype)
    selected, larger = (Straight.of((way,), facts).operations for way in (select(a < b, b, a), maximum(a, b)))
    return selected <= larger


class SoftmaxCode(NamedTuple):
    """Code on a vector of queries, for some keys at a time.

    largest    largest = max(largest, score); with a mask, the masked score is stored back
    hidden     the same, if the causal mask hides some of the queries
    correct    correction = power(previous largest - largest), stored
    powers     total = total + p, with p stored; in bf16 for two keys, whose powers are rounded to bf16
    single     the same for a last key without a neighbour; if neighbours share a place, it is filled with 0
    total      total = previous total * correction + total
    join       combines two vectors of maxima; add: combines two sums

    If scores are not scaled yet and the factor is positive, `largest` starts afresh in every block and takes the
    largest unscaled score. Rounding preserves order, so this maximum times the factor is the maximum of the scaled
    scores. Then `correct` also computes the scaled maximum over this block and the ones before, and `powers` scales
    each score when it takes its distance from that maximum.
    """

    largest: Lowered
    hidden: Lowered
    correct: Lowered
    powers: Lowered
    single: Lowered
    total: Lowered
    join: Lowered
    add: Lowered
    anew: bool
    together: int  # keys of one step of `powers`

    @property
    def vectors(self) -> int:
        """The number of vector registers held at a time, including those of states."""
        walked = max(each.vectors + each.unroll for each in (self.largest, self.hidden, self.powers))
        return 1 + max(walked, *(1 + each.vectors for each in (self.correct, self.total, self.join, self.add)))


NEIGHBOURS, ALONE = "neighbours", "alone"
"""How powers are rounded to bf16: two keys side by side in 32 bits, or each key as the f32 of the same value."""


def _neighbours(low: Expr, high: Expr) -> Expr:
    """Return two non-negative numbers as neighbouring bf16, rounded to nearest with ties up."""
    first, second = (bits(each) + constant_bits(0x8000, "i32") for each in (low, high))
    return from_bits(shift_right_logical(first, 16) | (second & constant_bits(0xFFFF0000, "i32")))


def _alone(power: Expr) -> Expr:
    """Return a non-negative number as the f32 of the bf16 that `_neighbours` makes of it."""
    return from_bits((bits(power) + constant_bits(0x8000, "i32")) & constant_bits(0xFFFF0000, "i32"))


def _powers(
    code: Callable[..., Lowered],
    total: Expr,
    powers: tuple[Expr, Expr],
    kept: tuple[Expr, Expr],
    rounded: str,
    unroll: int,
) -> tuple[Lowered, Lowered]:
    """Return `SoftmaxCode.powers` and `SoftmaxCode.single`, made by `code`. Powers that stay alone are summed as many
    at a time as neighbours, so that the total has the same bits. kept: the powers that are stored, of which some may be
    dropped."""
    states = ("@l",), ("@m",)
    (power, after), (stored, stored_after) = powers, kept
    if not rounded:
        return code((total + power, stored), unroll, *states), code((total + power, stored), 1, *states)
    made = code((total + power + after, _neighbours(stored, stored_after)), unroll, *states)
    if rounded == NEIGHBOURS:
        return made, code((total + power, _neighbours(stored, power - power)), 1, *states)
    alone = code((total + power + after, _alone(stored), _alone(stored_after)), made.unroll, *states)
    if alone.unroll != made.unroll:
        raise UnsupportedError(
            f"the softmax step: {made.unroll} sums at a time, which products of pairs have, do not "
            "fit into the registers"
        )
    return alone, code((total + power, _alone(stored)), 1, *states)


@lru_cache(32)
def steps(
    softmax: Softmax,
    mask: bool,
    rounded: str,
    vectors: int,
    unroll: int,
    factor: float | None,
    dropped: bool = False,
) -> SoftmaxCode:
    """Return the code within `vectors` vector registers. Raises UnsupportedError if they do not suffice.

    rounded NEIGHBOURS or ALONE if powers are rounded to bf16, else ""
    factor  the factor of scores, if they are not scaled yet
    dropped whether powers are multiplied by "kept" after they are summed
    """
    dtype = softmax.dtype
    score, mask_of_key, window = operand("score", dtype), operand("mask", dtype), operand("window", dtype)
    largest, before, total = operand("@m", dtype), operand("before", dtype), operand("@l", dtype)
    correction, other = operand("correction", dtype), operand("other", dtype)
    anew = factor is not None and factor > 0 and not mask
    scaled = score if factor is None or anew else score * factor
    shown = scaled + mask_of_key if mask else scaled

    def distance(of: Expr) -> Expr:
        return fma_or_twice(of, constant(factor, dtype), -largest) if anew and factor else of - largest

    of_keys = softmax.of_pairs if rounded else softmax
    power, after = (of_keys.power(distance(each)) for each in (score, operand("score1", dtype)))
    kept, kept1 = (operand(each, dtype) for each in ("kept", "kept1"))
    stored = (power * kept, after * kept1) if dropped else (power, after)
    new = softmax.larger(before, largest * factor) if anew else largest
    corrected = (softmax.power(before - new), new) if anew else (softmax.power(before - new),)

    def code(outputs: Sequence[Expr], most: int, given: Sequence[str], invariant: Sequence[str] = ()) -> Lowered:
        straight = Straight.of(tuple(outputs), softmax.facts, ("score", "score1"))
        for copies in range(most, 0, -1):
            made = straight.allocated(vectors - 1 - copies, copies, given, invariant)
            if made is not None and (copies == 1 or made.missing <= 1):
                return made
        raise UnsupportedError(f"the softmax step {too_few_registers(vectors, softmax.arithmetic)}")

    def seen(value: Expr, stored: bool) -> Sequence[Expr]:
        return (softmax.larger(largest, value), value) if stored else (softmax.larger(largest, value),)

    return SoftmaxCode(
        code(seen(shown, shown is not score), unroll, ("@m",)),
        code(seen(shown + window, True), unroll, ("@m",)),
        code(corrected, 1, (), ("@m",)),
        *_powers(code, total, (power, after), stored, rounded, unroll),
        code((fma_or_twice(before, correction, total),), 1, ("@l",)),
        code((softmax.larger(largest, other),), 1, ("@m",), ("other",)),
        code((total + other,), 1, ("@l",), ("other",)),
        anew,
        2 if rounded else 1,
    )
