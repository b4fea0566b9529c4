"""Sums of many terms: accumulators are regularly added to sums in memory, these to others, and then start again.

    after 128 additions to an accumulator:      first += accumulator,   accumulator = 0
    after 128 of those:                         second += first,        first = 0
    at the end:                                 accumulator += first + second

Each addition may lose half an ulp of a sum, always in the same direction if the terms are alike: the mean of a million
rows of 0.1 was off by 1 %, and a sum of ones in f32 stops at 2^24. In levels, a term passes at most `steps` additions
in the accumulator and in each level. Levels need no compensation, so infinities and NaN go through sums as always, and
over the real numbers every sum is what it was, which is what proofs compare.

`MOST_TERMS` is the promise of docs/numerics.md. Sums of no more terms are added as if this module did not exist.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple

if TYPE_CHECKING:
    from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector

MOST_TERMS = 4096
"""The most terms of a register: its lanes times the additions to each of them."""
_STEPS = (128, 64, 32, 16, 8)
"""Additions between two levels. Adding a register to memory takes four instructions: with 128, that is one for each 32
that load and add; fewer steps need more levels and are taken where lanes are many."""
_STRAIGHT = 2
"""The most vectors of a level that need no loop."""
_DEEPEST = 3
"""The most levels of a sum down columns, of which the last takes whatever comes. A sum that needs fewer has the bits of
one with all of them, so that kernels whose rows the call counts give the bits of those for a number of rows."""
_DEPTHS = range(_DEEPEST, 16)
"""The most levels of other sums, the first that suffices: vectors of 16 numbers need 4 for 2^31 of them."""
MOST_OF_EACH = math.isqrt(MOST_TERMS)
"""The most pairs, and the most terms of each, whose sums need no levels, where the call gives both."""
DYNAMIC_TERMS = 1 << 31
"""The most terms of a sum whose length the call gives."""
STEPS_OF_PRODUCTS = 1024
"""The same between two levels of the sums of a product of matrices, whose blocks hold many."""


class Levels(NamedTuple):
    """steps: additions to an accumulator, and to each level below the last, until the next level takes it. depth: the
    number of levels in memory."""

    steps: int
    depth: int

    def bytes(self, vectors: int, vector_bytes: int) -> int:
        """Return the bytes of memory for the levels of this many registers."""
        return self.depth * vectors * vector_bytes

    def take(self, additions: int, most: int) -> bool:
        """Whether a term of a sum of so many additions passes at most `most` of them."""
        return self.depth * self.steps - (-additions // int(self.steps**self.depth)) <= most

    def __str__(self) -> str:
        return f"{self.depth} levels of sums in memory, each of {self.steps}"


def levels_of(steps: int, lanes: int) -> Levels | None:
    """Return the levels of a sum, or None if it needs none.

    steps    additions to each lane of an accumulator
    lanes    the lanes of an accumulator whose sums are added together in the end: 1 down columns
    """
    if steps * lanes <= MOST_TERMS:
        return None
    for deepest in _DEPTHS:
        for each in _STEPS:
            depth = next((depth for depth in range(1, deepest) if each ** (depth + 1) >= steps), deepest)
            if (each * (depth + 1) + -(-steps // each**depth)) * lanes <= MOST_TERMS:
                return Levels(each, depth)
    raise AssertionError(f"{steps} additions to {lanes} lanes: no memory holds so many terms")


def counters_of(m: Machine, levels: Levels) -> Sequence[General | Slot]:
    """Claim a counter for each level but the last."""
    return [m.counter("sums of a level") for _ in range(levels.depth - 1)]


def levels_of_product(steps: int) -> Levels:
    """Return the levels of the sums of a product with this many steps of k, which are too many without."""
    each = STEPS_OF_PRODUCTS
    return Levels(each, 1 if steps <= each * (MOST_TERMS - each) else 2)


MOST_OF_BLOCK = MOST_TERMS // 2
"""The most additions to a sum that is added to other blocks, and the most of these blocks."""


def most_of_block(blocks: bool) -> int:
    """Return the most additions to a sum without levels. blocks: whether it is added to other blocks, of which there
    are as many at most."""
    return MOST_OF_BLOCK if blocks else MOST_TERMS


def levels_of_blocks(blocks: int) -> Levels | None:
    """Return the levels of a sum in memory to which so many blocks are added, or None if it needs none."""
    most = most_of_block(True)
    each = most // 4  # three levels and the rest
    if blocks <= most:
        return None
    every = (Levels(each, depth) for depth in range(1, _DEEPEST))
    return next((levels for levels in every if levels.take(blocks, most)), Levels(each, _DEEPEST))


class LongSums:
    """Emits the additions of accumulators to their levels, which lie at `base` + `offset`. Each method takes the same
    registers, each of which has a place of its own in every level."""

    def __init__(
        self, m: Machine, levels: Levels, base: General, offset: int = 0, taken: Sequence[General | Slot] | None = None
    ) -> None:
        """taken: counters of the sums that each level but the last has taken, if other sums use them too."""
        self.m = m
        self.levels, self.base, self.offset = levels, base, offset
        self.taken = counters_of(m, levels) if taken is None else taken
        self.counter = m.counter("sums of a block")

    def clear(self, registers: Sequence[Vector], lanes: Lanes) -> None:
        """Set all levels to 0. A register is used for it, and left at 0."""
        m, count, zero = self.m, len(registers), registers[0]
        m.zero(zero, lanes)

        def vector(number: int) -> None:
            for level in range(self.levels.depth):
                m.store(self.place(level, number, count, lanes), zero, lanes)

        self.each(count, lanes, vector)
        for taken in self.taken[: self.levels.depth - 1]:
            m.copy(taken, 0)

    def each(self, count: int, lanes: Lanes, vector: Callable[[int], None]) -> None:
        """Emit code for each vector of a level, with its number. Many share a loop, in which `base` moves."""
        if count <= _STRAIGHT:
            for number in range(count):
                vector(number)
            return
        with self.m.loop(self.counter, count):
            vector(0)
            self.m.advance(self.base, lanes.bytes)
        self.m.advance(self.base, -count * lanes.bytes)

    def lay_by(self, registers: Sequence[Vector], lanes: Lanes, free: Sequence[Vector] = ()) -> None:
        """Add the registers to the first level and set them to 0. Uses a register of `free`, or claims one."""
        with self._register(free) as other:
            self.into(0, registers, other, lanes)

    @contextmanager
    def _register(self, free: Sequence[Vector]) -> Iterator[Vector]:
        with self.m.vectors(0 if free else 1, "a sum in memory") as claimed:
            yield [*free, *claimed][0]

    def into(self, level: int, registers: Sequence[Vector], other: Vector, lanes: Lanes) -> None:
        """Add the level below (the registers, below the first) to a level, and set it to 0."""
        m, count = self.m, len(registers)
        if level == 0:
            for number, register in enumerate(registers):
                self._add_to(self.place(0, number, count, lanes), register, other, lanes)
        else:

            def vector(number: int) -> None:
                below = self.place(level - 1, number, count, lanes)
                m.load(registers[0], below, lanes)
                self._add_to(self.place(level, number, count, lanes), registers[0], other, lanes)
                m.store(below, registers[0], lanes)

            self.each(count, lanes, vector)
        self.carry(level, registers, other, lanes)

    def carry(self, level: int, registers: Sequence[Vector], other: Vector, lanes: Lanes) -> None:
        """Count a sum that a level has taken, and add the level to the next one when it has taken enough. Of registers,
        only the number and the first, which is free, matter."""
        if level + 1 < self.levels.depth:
            self.m.advance(self.taken[level], 1)
            with self.m.while_at_least(self.taken[level], self.levels.steps):
                self.into(level + 1, registers, other, lanes)

    def _add_to(self, place: Address, register: Vector, other: Vector, lanes: Lanes) -> None:
        """Add a register to memory, and set it to 0."""
        m = self.m
        m.load(other, place, lanes)
        m.add(register, register, other, lanes)
        m.store(place, register, lanes)
        m.zero(register, lanes)

    def bring_back(self, registers: Sequence[Vector], lanes: Lanes, free: Sequence[Vector] = ()) -> None:
        """Add all levels to the registers. Uses a register of `free`, or claims one."""
        with self._register(free) as other:
            for number, register in enumerate(registers):
                for level in range(self.levels.depth):
                    self.m.load(other, self.place(level, number, len(registers), lanes), lanes)
                    self.m.add(register, register, other, lanes)

    def place(self, level: int, number: int, count: int, lanes: Lanes) -> Address:
        """Return the place of the sum with this number, of `count`, in a level."""
        return self.m.at(self.base, self.offset + (level * count + number) * lanes.bytes)


class Between(NamedTuple):
    """What is emitted between two blocks of steps: `lay_by`, and around all blocks `clear` and `bring_back`."""

    clear: Callable[[], None]
    lay_by: Callable[[], None]
    bring_back: Callable[[], None]


def in_blocks(
    m: Machine,
    block: int,
    counter: General | Slot,
    times: int,
    steps: Callable[[int], None],
    lay_by: Callable[[], None],
) -> None:
    """Emit a loop of `times` steps in blocks of `block`, after each of which sums are laid by, and then the rest.
    `steps` emits a loop of that many."""
    blocks, rest = divmod(times, block)
    if blocks:
        with m.loop(counter, blocks):
            steps(block)
            lay_by()
    if rest:
        steps(rest)


def rest_and_blocks(
    m: Machine, block: int, counter: General | Slot, count: int, rows: Callable[[int], None], between: Between
) -> None:
    """Emit a number of rows that is known: the rest, then blocks, before each of which sums are laid by. `rows` emits
    the next rows."""
    blocks, rest = divmod(count, block)
    between.clear()
    if rest:
        rows(rest)
    with m.loop(counter, blocks):
        between.lay_by()
        rows(block)
    between.bring_back()


def dynamic_in_blocks(
    m: Machine,
    block: int,
    whole: General,
    count: Amount,
    left: General | Slot,
    rows: Callable[[], None],
    between: Between,
) -> None:
    """Emit `count` rows, a number that the call gives, in the order of a number that is known: all at once if they are
    at most MOST_TERMS, else the rest and then blocks.

    whole   a register that this may change
    left    the next rows, which `rows` counts down
    """
    _zero_if_few(m, whole, count)
    m.copy(left, count)
    with m.unless_zero(whole):
        between.clear()
        m.copy(whole, count)
        m.modulo(whole, block)
        m.copy(left, whole)
        m.copy(whole, count)
        m.advance(whole, left, -1)
    m.advance(whole, block)
    with m.while_at_least(whole, block):
        rows()
        with m.unless_zero(whole):
            between.lay_by()
            m.copy(left, block)
    _zero_if_few(m, whole, count)
    with m.unless_zero(whole):
        between.bring_back()


def _zero_if_few(m: Machine, dst: General, count: Amount) -> None:
    """Set a register to 0 if the count is at most MOST_TERMS, a power of two."""
    m.copy(dst, count)
    m.advance(dst, MOST_TERMS - 1)
    m.shift_right(dst, MOST_TERMS.bit_length())
