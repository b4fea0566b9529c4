"""The panels of a GEMM on outer-product accumulators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial

from ...encoder.records import NamedTuple
from ..codegen.long_sums import Between
from ..contract.machine import Address, Amount, General, Vector
from ..contract.outer_product import OuterProducts
from ..contract.vector_verbs import breadth, claimed
from .blocking import Panel, ProductBlock, ProductOperand, split_extent
from .epilogue_hook import ColumnSums, LineEpilogue
from .grid_panel import GridPanel, update_of
from .long_products import LongProducts
from .panel_loop import UpdateRegisters
from .search_outer import transposed_sides
from .state import KernelState

_UPDATE_REGISTERS = 6  # alpha, beta, C, the sums, and two registers that a store overwrites
Visit = Callable[[int, int, Address, int], None]
"""Called with (accumulator, line, place in C, row vector)."""


class _Factor(NamedTuple):
    """A factor of the product: its vectors are loaded or, if it is contiguous along k, transposed.

    which       "x" or "y", as the accumulators name it
    base        the pointer to the current step; `step` are the bytes of a step
    leading     bytes between places along k; `multiples` are registers with multiples of it
    between     bytes from a column of x, or a row of y, to the next
    """

    which: str
    operand: ProductOperand
    transposes: bool
    base: General
    step: int
    leading: Amount
    multiples: Sequence[General]
    between: Amount


def opened(state: KernelState) -> AbstractContextManager[None]:
    """A scope in which the outer-product accumulators exist, for a product that uses them."""
    product, dtypes = state.product, dict(zip("abc", state.plan.spec.dtypes))
    state.outer_products = state.m.outer_products(dtypes[product.b.argument], dtypes[product.a.argument])
    return state.outer_products.opened()


class OuterProductPanel(GridPanel):
    """The blocks of columns of one panel of rows."""

    unit: OuterProducts

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(state, panel, update_of(state))
        self.unit, product, of, k = claimed(state.outer_products), state.product, state.operands, state.k
        turns_x, turns_y = transposed_sides(product)
        self.of_x = _Factor("x", product.b, turns_x, k.b, self.b_step, of.ldb, of.b_places, of.b_column)
        self.of_y = _Factor("y", product.a, turns_y, k.a, self.a_step, of.lda, of.a_multiples, of.a_row)
        self.total = product.k * self.facts.depth - (self.facts.depth - product.rest if product.rest else 0)
        self.transposition = self.facts.transposed * self.facts.depth  # elements of k
        self.kept = self.facts.accumulators - 1  # the accumulator that turns rows into columns
        for block in panel.blocks:
            self._prepare(self.of_x, split_extent(block.columns, self.facts.side))
        self._prepare(self.of_y, self.row_vectors)
        if state.epilogue is not None:
            state.epilogue.prepare(self.row_vectors)
        self.lanes_of_c()

    def _prepare(self, factor: _Factor, counts: tuple[int, ...]) -> None:
        """Claim the predicates and constants that loads of a factor need."""
        for count in counts:
            self.unit.prepare(count)
        if factor.transposes:
            for elements in {self.total % self.transposition, self.transposition} - {0}:
                self.unit.prepare_elements(elements, factor.which)
        elif factor.operand.steps > 1:
            for first in range(0, len(counts), self.facts.depth):
                self.unit.prepare_elements(sum(counts[first : first + self.facts.depth]), factor.which)

    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Divide the columns among accumulators. If the call gives their number, there is at least one, and at most one
        accumulator has all; the vectors of B are then transposed, and at the end, the pointers of the epilogue are
        behind these columns."""
        self.divide(block, "accumulators")
        self.counts = self.columns if self.dynamic is None else (self.unit.count(self.dynamic),)

    def sum_over_pairs(self, block: ProductBlock) -> None:
        """Emit the products of all pairs, whose vectors share registers: one for each accumulator along a side, or
        those of one transposition."""
        x, y, kept = self.of_x, self.of_y, self.facts.transposed
        plain = any(each.operand.steps > 1 and not each.transposes for each in (x, y))
        with (
            self.m.vectors(kept if x.transposes else len(self.columns), "columns of B") as self.x,
            self.m.vectors(kept if y.transposes and not x.transposes else len(self.row_vectors), "rows of A") as self.y,
            self.m.vectors(self.facts.depth + 2 if plain else 0, "plain rows") as self.spare,
        ):
            super().sum_over_pairs(block)

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps of k of one pair, from vectors that need no transposing, or from transposed ones."""
        if self.of_x.transposes or self.of_y.transposes:
            self._sum_transposed()
            return
        self.m.note(f"k: {len(self.row_vectors) * len(self.columns)} outer products a step")
        self.walk(block, self.facts.depth, False, [True])

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit a step: the vectors of columns and of rows, and all products of both."""
        self._load(self.of_x, self.x, self.columns, kk, elements)
        self._load(self.of_y, self.y, self.row_vectors, kk, elements)
        self._mma(self.x, self.y)

    def _load(self, factor: _Factor, dst: list[Vector], counts: tuple[int, ...], kk: int, elements: int) -> None:
        """Load the vectors of one step: packed groups directly, or groups interleaved from plain elements."""
        m, disp = self.m, kk * factor.step
        if factor.operand.steps > 1:
            places = [m.column(factor.base, factor.leading, factor.multiples, e, disp) for e in range(elements)]
            self.unit.interleave(dst, places, counts, factor.which, self.spare)
            return
        for register, count in zip(dst, counts):
            self.unit.load(register, m.at(factor.base, disp), count, factor.which, elements)
            disp += count * factor.operand.place

    def _mma(self, x: list[Vector], y: list[Vector]) -> None:
        """Emit a product for each accumulator."""
        for i, j, accumulator in self.each():
            self.unit.product(accumulator, x[j], y[i], self.counts[j], self.row_vectors[i])

    # The sum, with operands that are contiguous along k

    def _sum_transposed(self) -> None:
        """Emit the transpositions along k. One has as many steps as an accumulator has columns, or as registers can
        hold."""
        k, steps = self.state.k, self.facts.transposed
        full, tail = divmod(self.total, self.transposition)
        self.m.note(f"k: {steps} steps a transposition")

        def transpositions(times: int) -> None:
            with self.m.loop(k.counter, times):
                self._one_transposition(self.transposition)
                if full > 1 or tail:
                    self.advance(steps, known_distances=True)

        k.in_blocks(full, steps, transpositions)
        if tail:
            self._one_transposition(tail)

    def _one_transposition(self, elements: int) -> None:
        unit, depth, groups = self.unit, self.facts.depth, -(-elements // self.facts.depth)
        if self.of_x.transposes:
            unit.transpose(self.kept, self._walk(self.of_x, 0, self.columns[0], self.dynamic), elements, "x")
            unit.columns(self.x[:groups], self.kept)
        else:
            unit.transpose(self.kept, self._rows_of_y(0), elements, "y")
            unit.columns(self.y[:groups], self.kept)
        if self.of_x.transposes and self.of_y.transposes:
            for i, rows in enumerate(self.row_vectors):
                unit.transpose(self.kept, self._rows_of_y(i), elements, "y")
                for s in range(groups):
                    unit.columns([self.y[i]], self.kept, s)
                    unit.product(self.number(i, 0), self.x[s], self.y[i], self.counts[0], rows)
            return
        for s in range(groups):
            part = min(depth, elements - s * depth)
            if self.of_x.transposes:
                self._load(self.of_y, self.y, self.row_vectors, s, part)
                self._mma([self.x[s]], self.y)
            else:
                self._load(self.of_x, self.x, self.columns, s, part)
                self._mma(self.x, [self.y[s]])
            self.advance(1, known_distances=False)

    def _rows_of_y(self, i: int) -> Iterator[Address]:
        return self._walk(self.of_y, self.first_rows[i], self.row_vectors[i])

    def _walk(self, factor: _Factor, first: int, count: int, dynamic: General | None = None) -> Iterator[Address]:
        """Yield the addresses of columns of x or rows of y. Each is valid until the next one is requested. dynamic: how
        many of them the code uses, at least one, if the call gives it."""
        m, pointer = self.m, self.unit.pointer
        m.copy(pointer, factor.base)
        m.advance(pointer, factor.between, first)
        with ExitStack() as scope:
            for number in range(count):
                if number:
                    if dynamic is not None:
                        scope.enter_context(m.beyond(dynamic, number + 1))
                    m.advance(pointer, factor.between)
                yield m.at(pointer)

    # C

    def _lines(self, visit: Callable[[int, int], None]) -> None:
        """Call visit(columns, line) for the lines of each accumulator along the columns."""
        counts: tuple[int | General, ...] = self.columns if self.dynamic is None else (self.dynamic,)
        for j, count in enumerate(counts):
            self.unit.lines(count, partial(visit, j))

    def _each_line(self, visit: Visit) -> None:
        """Visit every line of every accumulator, in the order of C's columns."""
        m, operands, pointer, size = self.m, self.state.operands, self.unit.pointer, self.state.product.c.place
        m.copy(pointer, operands.c)

        def at_line(j: int, line: int) -> None:
            for i, row in enumerate(self.first_rows):
                visit(self.number(i, j), line, m.at(pointer, row * size), i)
            m.advance(pointer, operands.ldc)

        self._lines(at_line)

    def load_grid(self) -> None:
        """Load the accumulators line by line."""
        if self.direct:
            self._each_line(lambda acc, line, place, i: self.unit.load_line(acc, line, place, self.row_vectors[i]))
        else:
            with self.m.vectors(1, "C") as (sums,):

                def load(accumulator: int, line: int, place: Address, i: int) -> None:
                    claimed(self.state.result).load(sums, place, self.of_c[i], self.lanes[i])
                    self.unit.put(accumulator, line, sums)

                self._each_line(load)

    def store_c(self) -> None:
        """Scale, add C, and store, line by line."""
        self.m.note("C")
        if self.state.epilogue is not None:
            self._fused()
        elif self.direct:
            self._each_line(lambda acc, line, place, i: self.unit.store_line(place, acc, line, self.row_vectors[i]))
        else:
            self._update()

    def _update(self) -> None:
        widest, result = max(self.lanes, key=breadth), claimed(self.state.result)
        with self.m.vectors(_UPDATE_REGISTERS, "C") as (alpha, beta, c, sums, *spare):
            self.update.load_alpha(alpha, widest)
            self.update.load_beta(beta, widest)

            def store(accumulator: int, line: int, place: Address, i: int) -> None:
                self.unit.take(sums, accumulator, line)
                self.update.line(sums, place, self.of_c[i], self.lanes[i], UpdateRegisters(alpha, beta, c))
                result.store(place, sums, self.of_c[i], self.lanes[i], [*spare, c])

            self._each_line(store)

    def _fused(self) -> None:
        """Emit the epilogue of each line; its pointers advance with the lines. At the end they are back at the first
        column, unless the call gives the number of columns."""
        epilogue: LineEpilogue = self.state.epilogue  # type: ignore[assignment]  # the plan of one on lines has this one
        parts = [ColumnSums(row, 0, count) for row, count in zip(self.first_rows, self.row_vectors)]

        def visit(j: int, line: int) -> None:
            epilogue.line(lambda i, register: self.unit.take(register, self.number(i, j), line))
            epilogue.forward(1)

        with epilogue.opened(parts, 0):
            self._lines(visit)
            if self.dynamic is None:
                epilogue.forward(-sum(self.columns))

    def levels(self, long: LongProducts) -> Between:
        """Return the additions of the lines of all accumulators to their levels in memory."""
        m, sums, wide, unit = self.m, long.sums, len(self.row_vectors), self.unit
        lanes = m.lanes(self.state.product.dtype, self.facts.side)
        count = sum(self.columns) * wide

        def each_line(visit: Callable[[int, int, Address], None]) -> None:
            m.copy(unit.pointer, long.base)

            def at_line(j: int, line: int) -> None:
                for i in range(wide):
                    visit(self.number(i, j), line, m.at(unit.pointer, i * lanes.bytes))
                m.advance(unit.pointer, wide * lanes.bytes)

            self._lines(at_line)

        def clear() -> None:
            with m.vectors(1, "0") as (zero,):
                sums.clear([zero] * count, lanes)

        def lay_by() -> None:
            with m.vectors(2, "sums") as (acc, other):

                def add(accumulator: int, line: int, place: Address) -> None:
                    unit.take(acc, accumulator, line)
                    m.load(other, place, lanes)
                    m.add(acc, acc, other, lanes)
                    m.store(place, acc, lanes)

                each_line(add)
                self.clear_grid()
                sums.carry(0, [acc] * count, other, lanes)

        def bring_back() -> None:
            with m.vectors(2, "sums") as (acc, other):

                def add(accumulator: int, line: int, place: Address) -> None:
                    unit.take(acc, accumulator, line)
                    for level in range(sums.levels.depth):
                        m.load(other, m.further(place, level * count * lanes.bytes), lanes)
                        m.add(acc, acc, other, lanes)
                    unit.put(accumulator, line, acc)

                each_line(add)

        return Between(clear, lay_by, bring_back)
