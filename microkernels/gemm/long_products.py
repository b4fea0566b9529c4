"""The sum over k: its loop, whose steps the request or each call counts, and the levels of the sums of products with a
long k, or of many pairs, which codegen/long_sums.py describes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from ..codegen.long_sums import MOST_TERMS, Between, LongSums
from ..codegen.long_sums import in_blocks as emitted_in_blocks
from ..contract.machine import Amount, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import claimed, held
from .blocking import Panel, Scheme
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


class KLoop:
    """The sum over k of one pair: pointers to the current step, and the counter of the loop.

    a, b   the pair's own pointers, unless a loop or runtime leading dimensions move them
    given  the steps of k, if the call gives them; the counter then holds those that are left
    may_be_empty   whether there may be none; false inside a test of it
    long   the levels of long sums
    whole  the steps of the body that is emitted, without a final one of another kind
    """

    long: LongProducts | None = None
    whole = 0

    def __init__(
        self,
        m: Machine,
        plan: GemmPlan,
        pair: tuple[General, General],
        given: General | Slot | None,
        tables: bool,
    ) -> None:
        """pair: the pointers to the current pair. given: as above. tables: whether the call passes tables of pairs."""
        self.m, self.pair, self.given, p = m, pair, given, plan.product
        loops = any(block.unroll < steps(p.k, panel, plan) for panel in plan.panels for block in panel.blocks)
        self.a, self.b = pair
        if loops or not p.fixed:
            self.a, self.b = m.general("a_k"), m.general("b_k")
        self.counter: General | Slot | None = None
        if loops:
            self.counter = m.counter("k") if tables and not p.fixed else m.general("k")
        self.may_be_empty = p.of_any_depth

    def start(self) -> None:
        """Point at the first step of k, and count the steps that the call gives."""
        if self.given is not None:
            m, left = self.m, claimed(self.counter)
            through = self.a if isinstance(left, Slot) else left
            m.copy(through, self.given)
            m.copy(left, through)
        if self.a is not self.pair[0]:
            self.m.copy(self.a, self.pair[0])
            self.m.copy(self.b, self.pair[1])

    def walk(
        self,
        count: int,
        unroll: int,
        step: Callable[[int, int], None],
        a_bytes: Amount,
        b_bytes: Amount,
        final: Callable[[int, int], None] | None = None,
    ) -> None:
        """Emit `count` steps of k, `unroll` per loop body, and a remainder; step(i, left) emits the i-th step of a
        body.

        a_bytes and b_bytes are the distances of one step. The pointers advance once per body. Along a distance that is
        known only at run time they advance at every step. `final` emits the very last step, if that differs.
        """
        moves = [(self.a, a_bytes), (self.b, b_bytes)]
        at_every_step = [each for each in moves if not isinstance(each[1], int)]

        def body(length: int, last: bool) -> None:
            self.whole = length - (final is not None and last)
            for i in range(length):
                (final if final and last and i == length - 1 else step)(i, length - i)
                for pointer, distance in at_every_step:
                    if not (last and i == length - 1):
                        self.m.advance(pointer, distance)
            for pointer, distance in moves if not last else ():
                if isinstance(distance, int):
                    self.m.advance(pointer, distance, length)

        if self.given is not None:
            self._walk_given(unroll, partial(body, last=False))
            return
        loops, rest = divmod(count, unroll) if count else (0, 0)
        if final and loops > 1 and not rest:  # the last step is peeled off the loop
            loops, rest = loops - 1, unroll
        if loops == 1:
            body(unroll, last=not rest)
        elif loops:

            def bodies(times: int) -> None:
                with self.m.loop(self.counter, times):
                    body(unroll, last=False)

            self.in_blocks(loops, unroll, bodies)
        if rest:
            body(rest, last=True)

    def _walk_given(self, unroll: int, body: Callable[[int], None]) -> None:
        """Emit the steps of k that the call gives: whole bodies, and what is left step by step. Long sums are laid by
        after blocks of whole bodies."""
        m, left = self.m, claimed(self.counter)
        if self.long is not None:
            bodies = max(1, self.long.steps // unroll)
            with m.while_at_least(left, bodies * unroll):
                with m.loop(self.long.blocks, bodies):
                    body(unroll)
                self.long.lay_by()
        for length in dict.fromkeys((unroll, 1)):
            with m.while_at_least(left, length):
                body(length)

    def in_blocks(self, times: int, steps: int, bodies: Callable[[int], None]) -> None:
        """Emit `times` bodies of this many steps of k, after some of which long sums are laid by."""
        if self.long is not None and self.long.dynamic is None:
            emitted_in_blocks(
                self.m, max(1, self.long.steps // steps), self.long.blocks, times, bodies, self.long.lay_by
            )
        elif times:
            bodies(times)


def steps(k: int, panel: Panel, plan: GemmPlan) -> int:
    """Return the steps of the loop over k: steps of the unit, or full vectors in a panel along k."""
    return k // plan.vector if panel.scheme is Scheme.ALONG_K else k
