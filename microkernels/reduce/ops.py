"""The accumulator state of each reduction.

sum, product, max, min, absmax     one value
squares                            the sum of squares; max_squares and the like reduce squared elements
argmax, argmin                     the best value and its index; if a step takes several elements, that of the first one
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import reduce
from math import inf
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ..codegen.reducer import HERE, NEXT, Running, State, simple
from ..expr.graph import INTEGER_OF, MASK_OF, Expr, bits, from_bits, maximum, minimum, multiply_add, operand, select

if TYPE_CHECKING:
    from ..codegen import selection
    from ..codegen.selection import Arithmetic

selection = lazy(__package__, "..codegen.selection")


FLOATS = ("f32", "f64")
_PACK = {"f32": "<f", "f64": "<d", "i32": "<i", "i64": "<q"}
_ENDS = {"i32": (-(1 << 31), (1 << 31) - 1), "i64": (-(1 << 63), (1 << 63) - 1)}
_LEAST = -inf
_OF_SQUARES = "_squares"


class Reduction(NamedTuple):
    """step(total, x) adds one element, join(a, b) combines two totals, `identity` is the total of no elements, and
    first(x) the total of one element."""

    step: Callable[[Expr, Expr], Expr]
    join: Callable[[Expr, Expr], Expr]
    identity: float
    first: Callable[[Expr], Expr]


class ArgReduction(NamedTuple):
    """beyond(a, b) is true if b is preferred to a or one of them is a NaN; `best` names the reduction that returns the
    element."""

    beyond: Callable[[Expr, Expr], Expr]
    best: str

    def better(self, a: Expr, b: Expr) -> Expr:
        """Whether b is preferred to a. A NaN is preferred to everything but another NaN."""
        beyond = self.beyond(a, b)
        return beyond & (a == a) if a.dtype in FLOATS else beyond


def add(a: Expr, b: Expr) -> Expr:
    """Join two sums, or two sums of squares."""
    return a + b


def _itself(x: Expr) -> Expr:
    return x


def _square(x: Expr) -> Expr:
    return x * x


def _size(x: Expr) -> Expr:
    return abs(x)


def _multiply(a: Expr, b: Expr) -> Expr:
    return a * b


def _add_square(total: Expr, x: Expr) -> Expr:
    return multiply_add(x, x, total) if x.dtype in FLOATS else x * x + total


def _absmax(largest: Expr, x: Expr) -> Expr:
    """Return the larger of `largest` and |x|. Floats without a sign are ordered like their bits, NaN above infinity."""
    if x.dtype in FLOATS:
        return from_bits(maximum(bits(largest), bits(abs(x))))
    return maximum(largest, abs(x))


def _larger(a: Expr, b: Expr) -> Expr:
    """Return the larger of two absolute values."""
    return _absmax(a, b) if a.dtype in FLOATS else maximum(a, b)


def _above(a: Expr, b: Expr) -> Expr:
    return ~(b <= a) if a.dtype in FLOATS else a < b


def _below(a: Expr, b: Expr) -> Expr:
    return ~(a <= b) if a.dtype in FLOATS else b < a


REDUCTIONS: dict[str, Reduction] = {
    "sum": Reduction(add, add, 0.0, _itself),
    "squares": Reduction(_add_square, add, 0.0, _square),
    "product": Reduction(_multiply, _multiply, 1.0, _itself),
    "max": Reduction(maximum, maximum, -inf, _itself),
    "min": Reduction(minimum, minimum, inf, _itself),
    "absmax": Reduction(_absmax, _larger, 0.0, _size),
}
SEARCHES = {"argmax": ArgReduction(_above, "max"), "argmin": ArgReduction(_below, "min")}


def of_squares(name: str) -> str:
    """Return the name of the reduction of squares. Only "squares", the sum of squares, has its own steps."""
    return "squares" if name == "sum" else name + _OF_SQUARES


def of_elements(name: str) -> tuple[str, bool]:
    """Return (the name of the reduction, whether elements are squared before its steps)."""
    return name.removesuffix(_OF_SQUARES), name.endswith(_OF_SQUARES)


def identity_bits(identity: float, compute: str) -> int:
    """Return the bits of an identity. Integers have no infinities: their smallest and largest value replace them."""
    if compute in _ENDS:
        low, high = _ENDS[compute]
        identity = low if identity == -inf else high if identity == inf else int(identity)
    return int.from_bytes(struct.pack(_PACK[compute], identity), "little")


def running(name: str, compute: str, arithmetic: Arithmetic, vectors_per_step: int) -> Running:
    """Return the accumulator state of a reduction on a machine, with steps of at most `vectors_per_step` vectors."""
    if name in SEARCHES:
        best = running(SEARCHES[name].best, compute, arithmetic, min(vectors_per_step, 2))
        masked = vectors_per_step > 1 and ("eq_where", compute) in arithmetic.rows and compute in FLOATS
        return _search(SEARCHES[name], compute, best, vectors_per_step, masked)
    reduction = REDUCTIONS[name]
    special = arithmetic.running(name, compute, vectors_per_step)
    least = name == "absmax" and compute in _ENDS  # the smallest integer is its own absolute value
    identity = identity_bits(_LEAST if least else reduction.identity, compute)
    return special or simple(compute, identity, reduction.step, reduction.join, reduction.first)


def quick_search(name: str, compute: str, exact: Running) -> Running:
    """Return a state that holds the best number, its index, and a mask of the lanes without a NaN. If a lane is missing
    from the mask, the whole result is discarded.

    A step takes two elements, whose indices are HERE and NEXT, and a single comparison finds a NaN in either of them.
    The best so far is always a number, so it is kept by a comparison and an extremum that do not wait for each other.
    `exact` is the state that replaces this one if there was a NaN; both are folded in the same way.
    """
    arg_reduction, integer, mask = SEARCHES[name], INTEGER_OF[compute], MASK_OF[compute]
    second = f"{arg_reduction.best}_second"

    def step(state: State, elements: Sequence[Expr]) -> State:
        best, index, numbers = state
        numbers = selection.own("still_ordered", mask, numbers, elements[0], elements[-1])
        for x, here in zip(elements, (HERE, NEXT)):
            beyond = best < x if arg_reduction.best == "max" else x < best
            index = select(beyond, operand(here, integer), index)
            best = selection.own(second, compute, x, best)
        return best, index, numbers

    return Running((*exact.types, mask), (*exact.start, -1), step, exact.fold, lambda state: state[:2], together=2)


def _search(arg_reduction: ArgReduction, compute: str, most: Running, vectors_per_step: int, masked: bool) -> Running:
    """Return a state that holds the best element and its index.

    most    the state that finds the best of several elements of a step; the index within the step is found later
    masked  whether the state has a mask of the lanes whose best so far is a number, so that a comparison under this
            mask does not have to wait for the comparison that computes it
    """
    integer = INTEGER_OF[compute]
    here = operand(HERE, integer)

    def best_of(elements: Sequence[Expr]) -> Expr:
        if len(elements) == 1:
            return elements[0]
        steps = [elements[i : i + most.together] for i in range(0, len(elements), most.together)]
        assert most.first is not None
        state = reduce(most.step, steps[1:], most.first(steps[0]))
        return most.near(state) if most.near is not None else most.value(state)

    def step(state: State, elements: Sequence[Expr]) -> State:
        best, index, *is_number = state
        x = best_of(elements)
        take = is_number[0] & arg_reduction.beyond(best, x) if masked else arg_reduction.better(best, x)
        taken = select(take, x, best), select(take, here, index)
        return (*taken, is_number[0] & (x == x)) if masked else taken

    def fold(a: State, b: State) -> State:
        """Combine two states; of two equal elements or two NaN, keep the lower index."""
        alike = (b[0] == a[0]) | (b[0] != b[0]) if compute in FLOATS else b[0] == a[0]
        take = arg_reduction.better(a[0], b[0]) | (alike & (b[1] < a[1]))
        return select(take, b[0], a[0]), select(take, b[1], a[1])

    start = (identity_bits(REDUCTIONS[arg_reduction.best].identity, compute), 0)
    mask_types, mask_starts = ((MASK_OF[compute],), (-1,)) if masked else ((), ())
    return Running(
        (compute, integer, *mask_types),
        (*start, *mask_starts),
        step,
        fold,
        lambda state: state[:2],
        together=vectors_per_step,
    )
