"""The levels of the sums of products with a long k, or of many pairs: see codegen/long_sums.py. And the loop over a k
that each call gives, which may be long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from ..codegen.long_sums import MOST_TERMS, Between, LongSums
from ..contract.machine import Amount, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import claimed, held
from .plan import GemmPlan
from .spec import GemmSpec

POINTER_BYTES = 8
"""Bytes of an entry of a table of pairs."""


def in_blocks(product: GemmSpec, terms: int) -> GemmSpec:
    """Return the request of a product that is added to sums of so many terms. If they are many, each block is summed by
    itself first: see codegen/long_sums.py."""
    return replace(product, late=True) if terms > MOST_TERMS else product


class DynamicPairs:
    """More pairs than need no levels, of a batch whose size the call gives, in blocks: first the rest, then blocks of
    `block`, before each of which sums are laid by."""

    def __init__(self, m: Machine, count: Amount, spare: General, block: int) -> None:
        """block: a power of two. spare: a register whose value is not needed."""
        self.m, self.block = m, block
        self.first, self.later = m.counter("pairs of the first block"), m.counter("pairs of later blocks")
        self.now, self.left = m.counter("pairs of a block"), m.counter("pairs left")
        m.copy(spare, 0)
        if block > 1:
            m.copy(spare, count)
            m.advance(spare, -1)
            m.modulo(spare, block)
        m.advance(spare, 1)
        m.copy(self.first, spare)
        m.copy(self.later, count)
        m.advance(self.later, spare, -1)

    @property
    def claims(self) -> list[General | Slot]:
        """The registers and slots that other code must not claim."""
        return [self.first, self.later, self.now, self.left]

    @contextmanager
    def blocks(self, lay_by: Callable[[], None], tables: Sequence[General]) -> Iterator[Amount]:
        """A scope whose body runs for each block, with the number of its pairs. tables: pointers to the entries of the
        pairs of a block."""
        m = self.m
        m.copy(self.now, self.first)
        m.copy(self.left, self.later)
        m.advance(self.left, self.block)
        with m.while_at_least(self.left, self.block):
            yield self.now
            with m.unless_zero(self.left):
                for table in tables:
                    m.advance(table, held(self.now), POINTER_BYTES)
                lay_by()
                m.copy(self.now, self.block)
        for table in tables:
            m.advance(table, self.later, -POINTER_BYTES)
            m.advance(table, self.first, -POINTER_BYTES)
            m.advance(table, self.block * POINTER_BYTES)


class LongProducts:
    """The levels of the sums of a block: see codegen/long_sums.py. `begin` and `end` stand around the sums of a block,
    which are then added to the levels after each block of steps of k, or of pairs.

    base      the address of the levels, in the frame
    steps     the steps of k between two additions to levels; together: the pairs between them
    sums      emits the additions to levels at `pointer`
    dynamic   the pairs in blocks, if the call gives their number; None if their number is known, or if sums are laid by
              after each pair, and within it
    """

    between: Between

    def __init__(self, m: Machine, plan: GemmPlan, pointer: General, count: Amount, spare: General | None) -> None:
        """pointer: that to the current block of C. count: the number of pairs. spare: a register that is not needed
        outside the loop over the pairs."""
        levels, few = claimed(plan.levels_with_sums), plan.pairs_without_levels
        self.m, self.pointer, self.steps = m, pointer, plan.steps_of(levels.steps)
        of_pair = plan.additions(plan.product.k)
        self.together = 1 if plan.product.of_any_depth else max(1, levels.steps // of_pair)
        size = levels.bytes(plan.sums_of_block, m.facts.widths[0] // 8)
        self.base, self.c = m.to_slot(m.scratch(size)), m.counter("C")
        self.dynamic: DynamicPairs | None = None
        if few:
            self.dynamic = DynamicPairs(m, count, claimed(spare), 1 << self.together.bit_length() - 1)
        else:
            self.blocks, self.pairs = m.counter("blocks of k"), m.counter("pairs")
        self.sums = LongSums(m, levels, pointer)

    def begin(self, between: Between) -> None:
        """Clear the levels. between: emits the additions, which may change the pointer to C."""
        self.between = between
        with self._at_levels():
            between.clear()
        if self.dynamic is None:
            self.m.copy(self.pairs, 0)

    def of_registers(self, registers: Sequence[Vector], lanes: Lanes, free: Vector, unit: Any = None) -> Between:
        """Return the additions of registers, whose contents `clear` loses. free: a register that is free between steps.
        unit: the unit whose mode additions leave."""
        every = self.sums.clear, self.sums.lay_by, self.sums.bring_back
        arguments = [(registers, lanes), (registers, lanes, (free,)), (registers, lanes, (free,))]

        def of(part: Callable[..., None], given: tuple[Any, ...]) -> Callable[[], None]:
            def emitted() -> None:
                with nullcontext() if unit is None else unit.closed():
                    part(*given)

            return emitted

        return Between(*(of(part, given) for part, given in zip(every, arguments)))

    def pair_done(self) -> None:
        """Count a pair, and add the sums to the levels where there are enough."""
        if self.dynamic is None:
            self.m.advance(self.pairs, 1)
            with self.m.while_at_least(self.pairs, self.together):
                self.lay_by()

    def lay_by(self) -> None:
        """Add the sums to the levels, and set them to 0."""
        with self._at_levels():
            self.between.lay_by()

    def end(self) -> None:
        """Add the levels to the sums."""
        with self._at_levels():
            self.between.bring_back()

    @contextmanager
    def _at_levels(self) -> Iterator[None]:
        """A scope in which the pointer to C, which no step of k needs, points to the levels: registers are scarce."""
        m, pointer = self.m, self.pointer
        m.copy(self.c, pointer)
        m.copy(pointer, self.base)
        yield
        m.copy(pointer, self.c)


def steps_of_call(
    m: Machine, left: General | Slot, depth: int, unroll: int, body: Callable[[int], None], long: LongProducts | None
) -> None:
    """Emit the steps of k that the call gives, of which so many elements are left, `depth` for each step: bodies of
    `unroll` steps, and what is left step by step. Long sums are laid by after blocks of whole bodies."""
    if long is not None:
        bodies = max(1, long.steps // unroll)
        with m.while_at_least(left, bodies * unroll * depth):
            with m.loop(long.blocks, bodies):
                body(unroll)
            long.lay_by()
    for length in dict.fromkeys((unroll, 1)):
        with m.while_at_least(left, length * depth):
            body(length)
