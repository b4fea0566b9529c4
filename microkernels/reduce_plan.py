"""How a reduction is cut: vectors, accumulators, and the code of each part."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .arithmetic import Arithmetic, own
from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .expr import BITS, INTEGER_OF, Expr, bits, from_bits, operand, select
from .lower import Lowered, lower
from .machine import Facts
from .reduce_spec import FLOATS, ReduceSpec, Reduction, Search, add
from .storage import narrowed, widened

MOST = {0: 8, 1: 4, None: 8}
"""Accumulators of one output, by axis: along rows they are joined for each row, so there are no more than needed."""
GROUP = 16
"""Rows that are folded together, at most: one after the other would wait for each other's loads and stores."""
_PACK = {"f32": "<f", "f64": "<d", "i32": "<i"}
_ENDS = {"i32": (-(1 << 31), (1 << 31) - 1)}


def identity_bits(reduction: Reduction | Search, compute: str) -> int:
    """The identity in the compute type; of integers the least and the largest stand for infinities."""
    value = reduction.identity
    if compute in _ENDS:
        low, high = _ENDS[compute]
        value = int(min(max(value, low), high))
    return int.from_bytes(struct.pack(_PACK[compute], value), "little")


@dataclass(frozen=True)
class ReducePlan:
    """The code of each part; `step` has as many copies as vectors of a row are taken together."""

    spec: ReduceSpec
    rows: int  # as they are walked: all of a matrix without gaps is one row
    columns: int
    vector: int  # elements of a whole vector
    step: Lowered
    tail: Lowered | None
    joins: tuple[Lowered, ...]
    results: tuple[Lowered, ...]
    cycles: float
    runs: int = 1  # of `step` for a row of a block of columns

    @property
    def accumulators(self) -> int:
        """Of one kind."""
        return self.step.copies * self.runs

    @property
    def kinds(self) -> int:
        """Kinds of accumulators: one for each output; for a search the values, their places, and the place to come."""
        return 3 if self.spec.search else len(self.spec.outputs)

    @property
    def parts(self) -> list[range]:
        """The kinds that belong to an output and are joined together."""
        return [range(2)] if self.spec.search else [range(i, i + 1) for i in range(self.kinds)]

    @property
    def tree(self) -> bool:
        """Whether the sums of several rows are folded by a tree of additions."""
        spec = self.spec
        adds = not spec.search and all(each.join is add for each in spec.reductions)
        return spec.axis == 1 and self.rows > 1 and adds and spec.compute in FLOATS

    @property
    def group(self) -> int:
        """Rows that are folded together."""
        return min(GROUP, self.rows, self.vector if self.tree else GROUP) if self.spec.axis == 1 else 1

    @cached_property
    def vectors(self) -> int:
        """Registers held at a time."""
        codes = [self.step, *([self.tail] if self.tail else []), *self.joins, *self.results]
        together = len(self.parts[0])
        held = (
            max(self.accumulators * self.kinds, self.group if self.tree else 0)
            + together
            + (together if together > 1 else 0)
        )
        return held + max(code.vectors for code in codes) + self.step.arithmetic.spare

    def __str__(self) -> str:
        return f"{self.spec}\n{self.accumulators} accumulators of {self.vector}; {self.step}; {self.cycles:.0f} cycles"


def plan(spec: ReduceSpec, facts: Facts) -> ReducePlan:
    """As many accumulators as there are registers for, at most `MOST`."""
    arithmetic: Arithmetic = facts.arithmetic
    vector = facts.widths[0] // BITS[spec.compute]
    tables = [(spec.dtype, arithmetic.loads), *([] if spec.search else [(spec.out, arithmetic.stores)])]
    for dtype, table in tables:
        if dtype != spec.compute and (dtype, spec.compute) not in table:
            raise UnsupportedError(f"{dtype} computed in {spec.compute}: this target does not convert them")
    whole = spec.axis is None and spec.ldx == spec.n
    rows, columns = (1, spec.m * spec.n) if whole else (spec.m, spec.n)
    for copies in range(min(MOST[spec.axis], -(-columns // vector)), 0, -1):
        made = _parts(spec, arithmetic, rows, columns, vector, copies)
        if made is None:
            continue
        for runs in (2, 1) if spec.axis == 0 and columns >= 2 * copies * vector else (1,):
            found = replace(made, runs=runs)
            if found.vectors + _masks(spec, facts, columns % vector) <= facts.vector_registers:
                return found
    raise UnsupportedError(f"{spec.equation}: this target has too few registers for one accumulator of each kind")


def _masks(spec: ReduceSpec, facts: Facts, rest: int) -> int:
    """Registers that masks take."""
    sizes = {BITS[spec.compute] // 8, ELEMENT_BYTES[spec.dtype], ELEMENT_BYTES[spec.out]}
    return sum(facts.needs_mask_register(rest, size) for size in sizes if rest and size > 2)


def _parts(spec: ReduceSpec, arithmetic: Arithmetic, rows: int, columns: int, vector: int,
           copies: int) -> ReducePlan | None:  # fmt: skip
    """The code with so many accumulators; None where it cannot be had."""
    x, storage = operand("x", spec.compute), {"x": spec.dtype}
    ahead = 1 if spec.axis == 0 else copies * vector
    rest = columns % vector if spec.axis != 0 else 0

    def made(outputs: Sequence[Expr], count: int, given: str) -> Lowered | None:
        return lower(outputs, arithmetic, 64, count, given)

    def padded(reduction: Reduction | Search) -> Expr:
        return _padded(x, identity_bits(reduction, spec.compute), rest, vector)

    if spec.search:
        step = made(widened(_search_step(spec, x, ahead), storage), copies, "sum0")
        tail = made(widened(_search_step(spec, padded(spec.search), ahead), storage), 1, "sum0") if rest else None
        joins = [made(_search_join(spec), 1, "a0")]
        results = [made([operand("a", INTEGER_OF[spec.compute])], 1, "a")]
    else:
        sums = [operand(f"sum{i}", spec.compute) for i in range(len(spec.reductions))]
        pairs = list(zip(spec.reductions, sums))
        step = made(widened(tuple(each.step(of, x) for each, of in pairs), storage), copies, "sum0")
        ends = tuple(each.step(of, padded(each)) for each, of in pairs)
        tail = made(widened(ends, storage), 1, "sum0") if rest else None
        a, b = operand("a0", spec.compute), operand("b0", spec.compute)
        joins = [made([each.join(a, b)], 1, "a0") for each in spec.reductions]
        results = [made(_result(each, spec), 1, "a") for each in spec.reductions]
    if step is None or (rest and tail is None) or None in (*joins, *results):
        return None
    cycles = rows * -(-columns // vector) * max(1.0, step.operations / 4)
    of_joins, of_results = (tuple(code for code in codes if code is not None) for codes in (joins, results))
    return ReducePlan(spec, rows, columns, vector, step, tail, of_joins, of_results, cycles)


def _result(reduction: Reduction, spec: ReduceSpec) -> tuple[Expr, ...]:
    """What is stored of a finished sum."""
    a = operand("a", spec.compute)
    value = reduction.join(a, operand("init", spec.compute)) if spec.init else a
    return widened((narrowed(value, spec.out),), {"init": spec.out})


def _search_step(spec: ReduceSpec, x: Expr, ahead: int) -> tuple[Expr, ...]:
    """(best value, its place, the next place) after x."""
    assert spec.search is not None
    integer = INTEGER_OF[spec.compute]
    best, place, here = operand("sum0", spec.compute), operand("sum1", integer), operand("sum2", integer)
    take = spec.search.better(best, x)
    return select(take, x, best), select(take, here, place), here + ahead


def _search_join(spec: ReduceSpec) -> tuple[Expr, ...]:
    """(value, place) of two; of equals, or two NaN, the lower place."""
    assert spec.search is not None
    integer = INTEGER_OF[spec.compute]
    a, place_a = operand("a0", spec.compute), operand("a1", integer)
    b, place_b = operand("b0", spec.compute), operand("b1", integer)
    alike = (b == a) | (b != b) if spec.compute in FLOATS else b == a
    take = spec.search.better(a, b) | (alike & (place_b < place_a))
    return select(take, b, a), select(take, place_b, place_a)


def _padded(x: Expr, identity: int, rest: int, vector: int) -> Expr:
    """x with the identity in the elements beyond the row, which were loaded as zeros."""
    if identity == 0:
        return x
    integer = INTEGER_OF[x.dtype]
    pad = own("const", integer, value=(0,) * rest + (identity,) * (vector - rest))
    return from_bits(bits(x) | pad) if x.dtype != integer else x | pad
