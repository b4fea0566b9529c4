"""The loop of every panel of a GEMM: start the accumulators of a block, sum over the batch and k, update C.

    load_c      accumulators = C, or zeros
    load_a      the fragments of rows for a step of k
    load_b      a fragment of columns
    mma         accumulators += rows * columns
    store_c     C = beta * C + alpha * sum, or the epilogue

A panel says how its fragments are claimed, loaded, multiplied and stored; the order of these is stated here. A sum
starts as C if C = C + A B is requested, else as +0. The steps of k of all pairs of the batch are added in order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, new
from ..contract.machine import Address, General, Lanes, Pattern, Vector
from ..contract.vector_verbs import Factor, breadth, claimed
from ..hints import NONE
from .blocking import Panel, ProductBlock
from .long_products import LongProducts
from .state import KernelState

if TYPE_CHECKING:
    from ..codegen.long_sums import Between
    from ..contract.dot_and_tile import Result
    from . import epilogue_hook, hints

epilogue_hook = lazy(__package__, ".epilogue_hook")
hints = lazy(__package__, ".hints")

Rows = list[list[Vector]]
"""Accumulators, by row vector and column."""
Registers = list[tuple[Vector, Lanes]]


class UpdateRegisters(NamedTuple):
    """The vector registers of an update. Registers whose values are not needed at the same time may be the same."""

    alpha: Vector
    beta: Vector
    c: Vector


class Update:
    """Emits C = beta * C + alpha * sum in the fewest instructions. With beta = 0, C is not read: it may hold NaN.

    starts_as_c   the accumulators started as C, so that nothing is left to be added
    result        how C is converted from and to its element type; None if C has the type of the sums, so that it can be
                  a memory operand of the arithmetic
    c_first       the order of the factors of beta * C, which determines the result if both are NaN
    """

    def __init__(
        self, state: KernelState, *, starts_as_c: bool, result: Result | None = None, c_first: bool = False
    ) -> None:
        spec = state.plan.spec
        self.m, self.alpha, self.beta = state.m, spec.alpha, spec.beta
        self.starts_as_c, self.result, self.c_first = starts_as_c, result, c_first
        self.reads_c = self.beta != 0 and not starts_as_c
        self.converts = result is not None and bool(result.scaled)
        self.direct = spec.dtype == state.product.dtype and self.alpha == 1 and not self.reads_c
        """Whether a sum is stored unchanged."""
        self.computes = self.alpha != 1 or self.reads_c or self.converts
        """Whether a sum is changed before it is stored."""

    def registers(self, work: Sequence[Vector]) -> UpdateRegisters:
        """Return the registers for sums that are updated one after the other. beta reuses the register of alpha; so
        does C, unless it is loaded beside beta."""
        beside = self.result is not None or self.beta not in (0, 1)
        return UpdateRegisters(work[0], work[0], work[1] if beside else work[0])

    def load_alpha(self, register: Vector, lanes: Lanes) -> None:
        """Load alpha into each element of the register, if it is needed."""
        if self.alpha != 1:
            self.m.constant(register, self.alpha, lanes)

    def load_beta(self, register: Vector, lanes: Lanes) -> None:
        """Load beta into each element of the register, if it is needed."""
        if self.beta not in (0, 1):
            self.m.constant(register, self.beta, lanes)

    def convert(self, acc: Vector, lanes: Lanes) -> None:
        """Convert the sum to the type that it is scaled in."""
        if self.converts and self.result is not None:
            self.result.convert(acc, lanes)

    def scale(self, acc: Vector, alpha: Vector, lanes: Lanes) -> None:
        """acc *= alpha."""
        if self.alpha != 1:
            self.m.mul(acc, acc, alpha, lanes)

    def scale_all(self, sums: Sequence[tuple[Vector, Lanes]], work: UpdateRegisters, widest: Lanes) -> None:
        """Convert and scale every sum. Afterwards beta is in its register."""
        for acc, lanes in sums if self.converts else ():
            self.convert(acc, lanes)
        self.load_alpha(work.alpha, widest)
        for acc, lanes in sums if self.alpha != 1 else ():
            self.scale(acc, work.alpha, lanes)
        self.load_beta(work.beta, widest)

    def add_c(self, acc: Vector, place: Address, of_c: Lanes, lanes: Lanes, work: UpdateRegisters) -> None:
        """acc += beta * C, with beta in its register. of_c: the same elements in C's type."""
        m = self.m
        if not self.reads_c:
            return
        if self.result is None:
            if self.beta == 1:
                m.add_memory(acc, place, lanes, work.c)
            else:
                m.fma_memory(acc, work.beta, place, lanes, work.c)
            return
        self.result.load(work.c, place, of_c, lanes)
        self.add_loaded_c(acc, lanes, work)

    def add_loaded_c(self, acc: Vector, lanes: Lanes, work: UpdateRegisters) -> None:
        """acc += beta * C, with both in their registers."""
        if self.beta == 1:
            self.m.add(acc, acc, work.c, lanes)
        else:
            factors = (work.c, work.beta) if self.c_first else (work.beta, work.c)
            self.m.fma(acc, *factors, lanes)

    def line(self, acc: Vector, place: Address, of_c: Lanes, lanes: Lanes, work: UpdateRegisters) -> None:
        """Convert and scale one register of sums and add C. alpha and beta are in their registers."""
        self.convert(acc, lanes)
        self.scale(acc, work.alpha, lanes)
        self.add_c(acc, place, of_c, lanes, work)

    def from_memory(self, sums: Address, place: Address, of_c: Lanes, lanes: Lanes, work: Sequence[Vector]) -> None:
        """Compute C from a vector of sums in memory, in five registers; alpha, beta and C share two of them."""
        result, acc, registers = claimed(self.result), work[4], UpdateRegisters(work[1], work[2], work[1])
        self.m.load(acc, sums, lanes)
        self.convert(acc, lanes)
        self.load_alpha(registers.alpha, lanes)
        self.scale(acc, registers.alpha, lanes)
        if self.reads_c:
            result.load(registers.c, place, of_c, lanes)
            self.load_beta(registers.beta, lanes)
            self.add_loaded_c(acc, lanes, registers)
        result.store(place, acc, of_c, lanes, work[:4])


def vectors_together(result: Result, row_vectors: Sequence[Lanes], bits: int) -> list[int]:
    """Return the first of each group of neighbouring row vectors that fill registers and are stored as one."""
    group, first, found = result.together, 0, []
    whole = [lanes.full and lanes.bytes * 8 == bits for lanes in row_vectors]
    while group > 1 and first + group <= len(whole):
        if all(whole[first : first + group]):
            found.append(first)
            first += group
        else:
            first += 1
    return found


class PanelLoop(ABC):
    """One panel of rows; its blocks of columns are emitted one by one.

    first_rows       the first row of each row vector
    count            the steps of k; distances: bytes from one to the next
    a_step, b_step   the same as numbers; 0 if the pointer advances at every step
    dynamic          the number of columns of a block, if the call gives it, which only outer products take
    """

    current: ProductBlock
    dynamic: General | None = None

    def __init__(self, state: KernelState, panel: Panel) -> None:
        self.state, self.m = state, state.m
        self.first_rows = [sum(panel.row_vectors[:i]) for i in range(len(panel.row_vectors))]
        self.count, self.distances = state.product.k, (state.operands.a_step, state.operands.b_step)
        self.a_step, self.b_step = (each if isinstance(each, int) else 0 for each in self.distances)

    def blocks(self, panel: Panel, last: bool) -> None:
        """Emit all columns. Leaves b and c past the last one, unless no code follows: `last`."""
        for number, block in enumerate(panel.blocks):
            with self.m.loop(self.state.column_counter, block.repeat):
                self.block(block)
                if not (last and number == len(panel.blocks) - 1 and block.repeat == 1):
                    self.state.next_columns(block.columns)

    def block(self, block: ProductBlock) -> None:
        """Emit one block: start the accumulators, sum over the batch and k, update C."""
        with ExitStack() as scope:
            self.claim(block, scope)
            long = self.state.k.long
            if long is not None:
                long.begin(self.levels(long))
            with self.summed():
                self.load_c(block)
                if self.state.batch.count != 0:
                    self.sum_over_pairs(block)
                if long is not None:
                    long.end()
                self.finish()
            self.store_c()

    def sum_over_pairs(self, block: ProductBlock) -> None:
        """Emit the products of all pairs of the batch."""
        with self.state.batch.pairs():
            self.pair(block)

    def pair(self, block: ProductBlock) -> None:
        """Emit the products of the current pair."""
        self.state.k.start()
        self.sum_over_k(block)

    @abstractmethod
    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Claim the fragments of a block."""

    @abstractmethod
    def levels(self, long: LongProducts) -> Between:
        """Return the additions of the accumulators to the levels of long sums."""

    def summed(self) -> AbstractContextManager[None]:
        """A scope around the sum, from the start of the accumulators on."""
        return nullcontext()

    @abstractmethod
    def load_c(self, block: ProductBlock) -> None:
        """Start the accumulators as C or zeros."""

    @abstractmethod
    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps of k of one pair, from its first one."""

    def finish(self) -> None:  # noqa: B027  # most panels do nothing here
        """Complete the sums after the last product."""

    @abstractmethod
    def store_c(self) -> None:
        """Update C from the finished sums, or pass them to the epilogue."""

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit a step of k, if `walk` emits them. left: the steps to the end of the loop's body; elements: those of a
        group that are used."""
        raise NotImplementedError

    def alike(self, kk: int) -> bool:
        """Whether a step of k has the code of the others of its set."""
        return True

    def advance(self, steps: int, known_distances: bool) -> None:
        """Advance along k. Distances given at the call are added at every step, constant ones once after several
        steps."""
        for pointer, distance in zip((self.state.k.a, self.state.k.b), self.distances):
            if isinstance(distance, int) == known_distances:
                self.m.advance(pointer, distance, steps)

    def last_step(self, kk: int, left: int) -> None:
        """Emit the last step of k, if `ends_apart`: by default one that ends within a group."""
        self.step(kk, left, self.state.product.rest)

    @property
    def ends_apart(self) -> bool:
        """Whether the last step of k differs from the others."""
        return self.state.product.rest > 0

    def walk(self, block: ProductBlock, depth: int, repeats: bool, started: list[bool]) -> None:
        """Emit the steps of k. repeats: whether a step is emitted once, and appended again with other displacements.
        started: which sets of accumulators, taken in turn, hold a value."""
        state, m = self.state, self.m
        self.current = block
        patterns: dict[int, tuple[int, Pattern]] = {}  # by set: (step of recording, pattern)
        sets = len(started)

        def whole(kk: int, left: int) -> None:
            number, alike = kk % sets, self.alike(kk)
            if alike and number in patterns:
                first, pattern = patterns[number]
                pattern.append(((kk - first) * self.a_step, (kk - first) * self.b_step))
                return
            if alike and repeats and started[number]:
                made = m.pattern(partial(self.step, kk, left, depth), (state.k.a, state.k.b))
                if made is not None:
                    patterns[number] = kk, made
                return
            self.step(kk, left, depth)
            started[number] = True

        state.k.walk(self.count, block.unroll, whole, *self.distances, self.last_step if self.ends_apart else None)


class VectorPanel(PanelLoop):
    """The panels whose accumulators are vector registers of sums: row vectors times columns.

    mode      a scope for ordinary arithmetic, outside the unit's rounding mode
    work      the vector registers beside the accumulators
    sets      the accumulators of a block, in sets among which the steps of k are divided; `every` is the first set
    sums      those of columns of C
    spent     further registers, which hold nothing once the sums are finished
    """

    mode: Callable[[], AbstractContextManager[None]]
    work: list[Vector]
    sets: list[Rows]
    every: Rows
    sums: Rows
    spent: list[Vector]

    def __init__(self, state: KernelState, panel: Panel, starts_as_c: bool) -> None:
        super().__init__(state, panel)
        self.result = state.result
        self.mode = nullcontext if state.unit is None else state.unit.closed
        product, epilogue, result = state.product, state.epilogue, state.result
        self.row_vectors = [state.m.lanes(product.dtype, count) for count in panel.row_vectors]
        self.widest = max(self.row_vectors, key=breadth)
        self.of_c = self.scaled = self.row_vectors
        if result is not None:
            stored = state.plan.spec.dtype if epilogue is None else product.dtype
            self.of_c = [state.m.lanes(stored, count) for count in panel.row_vectors]
        self.prepare(panel)
        if epilogue is not None:
            epilogue.prepare(panel.row_vectors)
        if result is not None:
            self.scaled = [state.m.lanes(result.scaled or product.dtype, count) for count in panel.row_vectors]
        self.update = Update(state, starts_as_c=starts_as_c, result=result)
        self.starts = [row * product.a.place for row in self.first_rows]
        quiet = state.plan.hints == NONE
        self.hints = None if quiet else hints.PanelHints(state, panel, self.a_step, self.b_step)

    def prepare(self, panel: Panel) -> None:  # noqa: B027  # only some panels need more lanes
        """Set up further lanes, before those of C are."""

    @property
    def registers(self) -> Registers:
        """The accumulators with their lanes."""
        return [(acc, lanes) for lanes, row in zip(self.row_vectors, self.every) for acc in row]

    def levels(self, long: LongProducts) -> Between:
        """Add the registers of all sets."""
        return self.levels_in(long, self.widest)

    def levels_in(self, long: LongProducts, lanes: Lanes) -> Between:
        """Add these lanes of the registers of all sets."""
        added = [acc for each in self.sets for row in each for acc in row]
        return long.of_registers(added, lanes, self.work[0], self.state.unit)

    def summed(self) -> AbstractContextManager[None]:
        """Leave C as it is if the batch is empty."""
        return self.state.sums(self.update.starts_as_c, self.registers)

    def zero(self, *rows: Rows) -> None:
        """Set accumulators to 0."""
        for each in rows:
            for row, lanes in zip(each, self.row_vectors):
                for acc in row:
                    self.m.zero(acc, lanes)

    def load_sums(self) -> None:
        """Load the accumulators from C."""
        if self.result is None:
            self.state.load_c(self.sums, self.row_vectors)
            return
        for i, j, place in self.state.places_of_c(len(self.sums[0]), self.of_c):
            self.result.load(self.sums[i][j], place, self.of_c[i], self.row_vectors[i])

    # The sum over k

    phases = together = 1
    """Passes over the accumulators of a step, and columns of a fragment."""

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit a step of k: each fragment of columns is multiplied by all row vectors."""
        for phase in range(self.phases):
            self.load_a(phase, kk, elements)
            for j in range(0, self.current.columns, self.together):
                self.mma(phase, j, self.load_b(phase, kk, j, elements))
        self.beside(kk, left)

    @abstractmethod
    def load_a(self, phase: int, kk: int, elements: int) -> None:
        """Load the fragments of all row vectors."""

    @abstractmethod
    def load_b(self, phase: int, kk: int, j: int, elements: int) -> Vector | Factor:
        """Load the fragment of the columns from j on."""

    @abstractmethod
    def mma(self, phase: int, j: int, y: Vector | Factor) -> None:
        """Multiply all row vectors by the columns from j on."""

    def beside(self, kk: int, left: int) -> None:
        """Emit what stands beside a step."""
        if self.hints:
            self.hints.step(self.current, kk)
        if self.state.ahead is not None:
            self.state.ahead(kk, left)

    # C

    def store_c(self) -> None:
        """Scale the sums, add C, and store them unless an epilogue does. With beta = 0, C is not read: it may hold
        NaN."""
        update, sums, state = self.update, self.sums, self.state
        registers = [(acc, lanes) for lanes, row in zip(self.scaled, sums) for acc in row]
        work = update.registers(self.work)
        self.m.note("C")
        with self.mode() if update.computes else nullcontext():
            update.scale_all(registers, work, max(self.scaled, key=breadth))
            # all loads come before all stores: a masked load must not follow the masked store of a neighbour that it
            # may overlap
            for i, j, place in state.places_of_c(len(sums[0]), self.of_c) if update.reads_c else ():
                update.add_c(sums[i][j], place, self.of_c[i], self.scaled[i], work)
        if state.epilogue is not None:
            kind = epilogue_hook.Sum
            made = [
                new(kind, (acc, lanes, first, j, True))
                for row, lanes, first in zip(sums, self.row_vectors, self.first_rows)
                for j, acc in enumerate(row)
            ]
            with self.mode():
                state.epilogue.apply(made, [*self.work, *self.spent])
        elif self.hints:
            self.hints.store(self._store)
        else:
            self._store(None)

    def _store(self, past: Callable[[Address, Vector, Lanes], None] | None) -> None:
        """Store the sums. past: the store past the caches, where one is asked for."""
        sums, result, scaled, state = self.sums, self.result, self.scaled, self.state
        if past is None and result is None:
            state.store_c(sums, scaled)
            return
        beside = [] if result is None else vectors_together(result, scaled, self.m.facts.widths[0])
        for i, j, place in state.places_of_c(len(sums[0]), self.of_c):
            if result is not None and i in beside:
                result.store_together(place, [row[j] for row in sums[i : i + result.together]], scaled[i])
            elif past is not None:
                past(place, sums[i][j], scaled[i])
            elif result is not None and not any(first < i < first + result.together for first in beside):
                result.store(place, sums[i][j], self.of_c[i], scaled[i], self.work)
