"""Panels of a GEMM on dot-product and MMLA units: row vectors of A in registers, groups along k of columns of B.

acc[i][j] += sum over the elements e of a step of k:  A[row vector i, k, e] * B[k, e, columns j]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

from ..contract.dot_and_tile import GroupsOf, Unit, UnitOf
from ..contract.machine import Address, Vector
from ..contract.mmla import halves
from ..contract.vector_verbs import Factor
from .blocking import Panel, ProductBlock, ProductOperand
from .long_products import LongProducts
from .panel_loop import Rows, VectorPanel
from .state import KernelState

if TYPE_CHECKING:
    from ..codegen.long_sums import Between

_REPEATED = 4
"""The fewest steps of k for which a pattern is made. A pattern takes as long as two or three steps."""


def opened(state: KernelState) -> AbstractContextManager[None]:
    """A scope in which the dot-product or MMLA unit of the product may be used."""
    product = state.product
    assert product.unit is not None
    dtypes = dict(zip("abc", state.plan.spec.dtypes))
    row_vector, group = dtypes[product.a.argument], dtypes[product.b.argument]
    state.unit = state.m.unit(row_vector, group, state.plan.spec.numerics, product.unit.columns)
    return state.unit.opened()


class FragmentPanel(VectorPanel):
    """The blocks of columns of one panel of rows: row vectors of A, as many columns of B at a time as the unit takes.

    together       columns of a fragment
    parts          accumulators of each phase, if a unit sums blocks of steps by themselves (`facts.block`)
    corrections    what is to be subtracted from the accumulators of each row vector
    strided        whether the elements of a step of B come from several rows
    x, y           registers of fragments of row vectors, and of columns
    several        the groups in a register of y, if a load brings several
    """

    parts: list[Rows]
    corrections: list[Vector]
    x: list[list[Vector]]
    y: list[Vector]
    spare: list[Vector]
    several: dict[Vector, Sequence[Factor]]

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(state, panel, starts_as_c=state.plan.spec.starts_as_c)
        assert state.unit is not None
        self.unit = state.unit
        product, facts = state.product, state.unit.facts
        self.facts, self.together, self.phases = facts, facts.columns, facts.phases
        self.unit.embeds = len(self.row_vectors) == 1
        self.strided = product.b.order == "C" and product.b.steps > 1
        self.of_a, self.of_b = self._groups(product.a, False), self._groups(product.b, not self.strided)
        self._prepare_unit(scope)

    def _groups(self, operand: ProductOperand, neighbours: bool) -> dict[int, GroupsOf]:
        """Return how a step of an operand lies in memory, by the elements that are used: all, or those of the last
        step. neighbours: whether the elements of a step are."""
        depth, elements = self.facts.depth, self.facts.depth // operand.steps
        size = operand.place // elements // operand.across
        last = 1 if neighbours and self.together == 1 else elements
        rest = GroupsOf(last, size, operand.across, self.state.product.rest)
        return {rest.used: rest, depth: GroupsOf(depth if neighbours else elements, size, operand.across, depth)}

    def _prepare_unit(self, scope: ExitStack) -> None:
        """Set up loads, which on an MMLA unit may need the offsets of blocks."""
        unit, a = self.unit, self.state.product.a
        for lanes in self.row_vectors:
            unit.prepare_rows(lanes, a.place)
        if a.across > 1 and a.order == "C" and self.facts.gathered > 1:
            (register,) = scope.enter_context(self.m.vectors(1, "offsets of blocks"))
            unit.offsets(register, self.state.operands.lda)

    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Claim registers for A and B, the accumulators of whole fragments, and those of phases."""
        m, columns, facts, rows = self.m, block.columns, self.facts, len(self.row_vectors)
        odd = -columns % self.together
        m.note(f"{columns} columns: {rows * (columns + odd)} accumulators")
        if self.hints:
            self.hints.begin(block, self.of_c)
        # the plan's work registers include the other half of an odd column
        self.work = scope.enter_context(m.vectors(block.work - rows * odd, "A and B"))
        self.every = [scope.enter_context(m.vectors(columns + odd, "accumulators")) for _ in self.row_vectors]
        self.sets, self.sums = [self.every], [row[:columns] for row in self.every]
        self.corrections = self.work[-rows:] if facts.corrected else []
        # with blocks, each phase sums into accumulators of its own; otherwise all phases share the same ones
        count = facts.phases if facts.block else 0
        self.parts = [
            [scope.enter_context(m.vectors(columns, "parts")) for _ in self.row_vectors] for _ in range(count)
        ]
        self.spent = [
            each for part in [*self.parts, [row[columns:] for row in self.every]] for row in part for each in row
        ]
        self._assign(block)

    def _assign(self, block: ProductBlock) -> None:
        """Assign work registers. Those of several groups come first, because some units can name only low ones; if they
        hold steps of k, each column has its own."""
        size, rows = self.unit.registers, len(self.row_vectors)
        ahead = 0 if block.group == 1 else block.columns if self._span(block) > 1 else 1
        self.y, rest = self.work[:ahead], self.work[ahead:]
        self.x = [rest[i : i + size] for i in range(0, rows * size, size)]
        self.spare = rest[rows * size :]
        if not self.y:
            self.y, self.spare = self.spare[:1], self.spare[1:]
        self.several = {}

    def _span(self, block: ProductBlock) -> int:
        """Return the steps of k whose groups of a column are loaded together."""
        return block.group if self.state.product.b.order == "F" else 1

    def _in_span(self, kk: int) -> bool:
        """Whether the groups of a step are loaded together with those of others."""
        span = self._span(self.current)
        return kk - kk % span + span <= self.state.k.whole

    def levels(self, long: LongProducts) -> Between:
        """Add registers, whole ones of an MMLA unit."""
        if self.together == 1:
            return super().levels(long)
        return self.levels_in(long, self.m.lanes(self.state.product.dtype, self.m.facts.widths[0] // 32))

    def summed(self) -> AbstractContextManager[None]:
        """Leave C as it is if the batch is empty."""
        load_c = self.load_sums if self.together == 1 else None
        return self.state.sums(self.update.starts_as_c, self.registers, load_c)

    def load_c(self, block: ProductBlock) -> None:
        """Initialize the accumulators with C or zeros."""
        for correction, lanes in zip(self.corrections, self.row_vectors):
            self.m.zero(correction, lanes)
        if not self.update.starts_as_c:
            self.zero(self.every)
            return
        self.zero([row[block.columns :] for row in self.every])
        self.load_sums()
        for each in self._fragments():
            self.unit.load_c(each, self.work[0])

    def _fragments(self) -> list[list[Vector]]:
        """Return the accumulators of each row vector and several columns. Those of a column are its sums."""
        if self.together == 1:
            return []
        return [row[j : j + self.together] for row in self.every for j in range(0, len(row), self.together)]

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps; a step of few is emitted once, and appended again."""
        k, unroll = self.state.product.k, block.unroll
        self.m.note(f"k: {len(self.row_vectors) * len(self.every[0])} products, {self.facts.depth} of k a step")
        emitted, span = k if k <= unroll else unroll + k % unroll, self._span(block)
        repeats = emitted >= _REPEATED * span and self.together == 1 and self.hints is None and not self.parts
        self.walk(block, self.facts.depth, repeats, [True] * span)

    def alike(self, kk: int) -> bool:
        """Whether a step is in a span, or all are alone."""
        return self._span(self.current) == 1 or self._in_span(kk)

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit the products of a step. Sums of blocks of steps start with the first one, and are added after the last
        one."""
        starts, ends = (each % max(1, self.facts.block) == 0 for each in (kk, kk + 1))
        if self.parts and starts:
            self.zero(*self.parts)
        super().step(kk, left, elements)
        if self.parts and (ends or left == 1):
            for i, lanes in enumerate(self.row_vectors):
                for j, acc in enumerate(self.every[i]):
                    self.dot.fold(acc, [part[i][j] for part in self.parts], lanes)

    def load_a(self, phase: int, kk: int, elements: int) -> None:
        """Load the row vectors, and add to their corrections."""
        groups = self.of_a[elements]
        for i, (x, lanes) in enumerate(zip(self.x, self.row_vectors)):
            self.unit.load_a(phase, x, self._places_of_a(i, kk, groups), groups, lanes, self.spare)
        for correction, x, lanes in zip(self.corrections, self.x, self.row_vectors):
            self.dot.correct(correction, x[0], lanes)

    def mma(self, phase: int, j: int, y: Vector | Factor) -> None:
        """Multiply the row vectors by the columns of a fragment."""
        unit, spare, end = self.unit, self.spare, j + self.together
        for row, x, lanes in zip(self.parts[phase] if self.parts else self.every, self.x, self.row_vectors):
            unit.mma(phase, row[j:end], x, y, lanes, spare)

    @property
    def dot(self) -> Unit:
        """The dot-product unit, which alone has blocks and corrections."""
        assert isinstance(self.unit, UnitOf)
        return self.unit

    def _places_of_a(self, i: int, kk: int, groups: GroupsOf) -> list[Address]:
        """Return the places of a row vector in a step: of each element or group, or of the blocks of each register."""
        k, m, operands = self.state.k, self.m, self.state.operands
        disp = kk * self.a_step
        if groups.across > 1:
            rows = m.facts.widths[0] // 64
            distance = operands.a_row if isinstance(operands.a_row, int) else 0
            registers = range(halves(self.row_vectors[i].count, 2 * rows))
            return [
                m.at(k.a, disp + (self.first_rows[i] + each * rows) // groups.across * distance) for each in registers
            ]
        disp += self.starts[i]
        if groups.elements == self.facts.depth:
            return [m.at(k.a, disp)]
        needed = range(-(-groups.used // groups.elements))
        return [m.column(k.a, operands.lda, operands.a_multiples, e, disp) for e in needed]

    def load_b(self, phase: int, kk: int, j: int, elements: int) -> Vector | Factor:
        """Load the columns of a fragment: at once if B is contiguous along k, else their elements from several rows."""
        k, m, b, operands, groups = self.state.k, self.m, self.state.product.b, self.state.operands, self.of_b[elements]
        y = self.y[j % len(self.y)]
        if self.current.group > 1 and elements == self.facts.depth:
            factor = self._of_several(y, kk, j)
            if factor is not None:
                return factor
        disp, whole = kk * self.b_step, b.across > 1 or elements == self.facts.depth
        columns: Iterable[int] = (j,)
        if self.together > 1:
            columns = range(j, min(j + self.together, self.current.columns), b.across)
        places = []
        for each in columns:
            if self.strided:
                needed = range(-(-elements // groups.elements))
                step = disp + each * b.place
                places.append([m.column(k.b, operands.ldb, operands.b_places, e, step) for e in needed])
                continue
            place = m.column(k.b, operands.b_column, operands.b_multiples, each // b.across, disp)
            if whole:
                places.append([place])
            else:  # the last step ends within the columns' groups
                needed = range(-(-elements // groups.elements))
                places.append([m.further(place, e * groups.bytes) for e in needed])
        return self.unit.load_b(phase, y, places, groups, self.widest, self.spare)

    def _of_several(self, y: Vector, kk: int, j: int) -> Factor | None:
        """Return the group of a column out of a register of several, which the first of them loads; None where there
        are too few, of steps of k or of columns, to fill a register."""
        group, operands = self.current.group, self.state.operands
        number, fills = kk, self._in_span(kk)
        if self._span(self.current) == 1:
            number, fills = j, j - j % group + group <= self.current.columns
        if fills and number % group == 0:
            place = self.m.column(self.state.k.b, operands.b_column, operands.b_multiples, j, kk * self.b_step)
            self.several[y] = self.dot.fetch_several(y, place, self.widest)
        return self.several[y][number % group] if fills else None

    def finish(self) -> None:
        """Subtract corrections, complete the sums, and make columns of them."""
        for row, correction, lanes in zip(self.every, self.corrections, self.row_vectors):
            for acc in row:
                self.dot.subtract(acc, correction, lanes)
        for acc, lanes in self.registers:
            self.unit.finish(acc, lanes)
        for each in self._fragments():
            self.unit.store_c(each, self.work[0])
