"""What each reduction keeps while elements go by: the table of their names.

sum, product, max, min, absmax     one value
squares                            the sum of squares
argmax, argmin                     the best value, its place, and the place of the element to come
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from .arithmetic import Arithmetic
from .expr import INTEGER_OF, Expr, bits, fma, from_bits, maximum, minimum, select
from .running import Running, State, simple

FLOATS = ("f32", "f64")
_PACK = {"f32": "<f", "f64": "<d", "i32": "<i"}
_ENDS = {"i32": (-(1 << 31), (1 << 31) - 1)}


class Reduction(NamedTuple):
    """step(so far, x): one element more; join(a, b): two partial results; `identity`: what nothing gives; first(x)."""

    step: Callable[[Expr, Expr], Expr]
    join: Callable[[Expr, Expr], Expr]
    identity: float
    first: Callable[[Expr], Expr]


class Search(NamedTuple):
    """better(a, b): b is to be preferred to a, a NaN to everything but another."""

    better: Callable[[Expr, Expr], Expr]
    identity: float


def add(a: Expr, b: Expr) -> Expr:
    """The join of sums."""
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
    return fma(x, x, total) if x.dtype in FLOATS else x * x + total


def _absmax(largest: Expr, x: Expr) -> Expr:
    """Floats without their sign are ordered as their bits are, NaN above infinity."""
    if x.dtype in FLOATS:
        return from_bits(maximum(bits(largest), bits(abs(x))))
    return maximum(largest, abs(x))


def _above(a: Expr, b: Expr) -> Expr:
    return ~(b <= a) & (a == a) if a.dtype in FLOATS else a < b


def _below(a: Expr, b: Expr) -> Expr:
    return ~(a <= b) & (a == a) if a.dtype in FLOATS else b < a


REDUCTIONS: dict[str, Reduction] = {
    "sum": Reduction(add, add, 0.0, _itself),
    "squares": Reduction(_add_square, add, 0.0, _square),
    "product": Reduction(_multiply, _multiply, 1.0, _itself),
    "max": Reduction(maximum, maximum, -inf, _itself),
    "min": Reduction(minimum, minimum, inf, _itself),
    "absmax": Reduction(_absmax, _absmax, 0.0, _size),
}
SEARCHES = {"argmax": Search(_above, -inf), "argmin": Search(_below, inf)}


def identity_bits(identity: float, compute: str) -> int:
    """In the compute type; of integers the least and the largest stand for infinities."""
    if compute in _ENDS:
        low, high = _ENDS[compute]
        identity = int(min(max(identity, low), high))
    return int.from_bytes(struct.pack(_PACK[compute], identity), "little")


def running(name: str, compute: str, arithmetic: Arithmetic, together: int, ahead: int) -> Running:
    """What `name` keeps, on a machine.

    together: vectors that a step may take; ahead: by how much the places of elements grow from step to step.
    """
    if name in SEARCHES:
        return _search(SEARCHES[name], compute, ahead)
    reduction = REDUCTIONS[name]
    found = arithmetic.running(name, compute, together)
    identity = identity_bits(reduction.identity, compute)
    return found or simple(compute, identity, reduction.step, reduction.join, reduction.first)


def _search(search: Search, compute: str, ahead: int) -> Running:
    integer = INTEGER_OF[compute]

    def step(state: State, elements: Sequence[Expr]) -> State:
        best, place, here = state
        (x,) = elements
        take = search.better(best, x)
        return select(take, x, best), select(take, here, place), here + ahead

    def fold(a: State, b: State) -> State:
        """Of equals, or two NaN, the lower place."""
        alike = (b[0] == a[0]) | (b[0] != b[0]) if compute in FLOATS else b[0] == a[0]
        take = search.better(a[0], b[0]) | (alike & (b[1] < a[1]))
        return select(take, b[0], a[0]), select(take, b[1], a[1])

    start = (identity_bits(search.identity, compute), 0, 0)
    return Running((compute, integer, integer), start, step, fold, lambda state: state[:2], counts=True)
