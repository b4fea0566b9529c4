"""The panels of a GEMM on outer-product accumulators.

    acc (j, i) += X (j, k) (x) Y (i, k)         a step of k is one outer product for each accumulator

X are columns of the product's B, Y rows of its A. Lines of an accumulator are columns of C, which are contiguous. A sum
starts as C if C = C + A B is requested, else as +0. Scaling and conversion happen in vector registers, line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from ...encoder.records import NamedTuple
from ..codegen.long_sums import Between
from ..contract.machine import Address, Amount, General, Vector
from ..contract.vector_verbs import breadth, claimed
from .blocking import Panel, ProductBlock, ProductOperand, split_extent
from .epilogue_hook import ColumnSums, LineEpilogue
from .long_products import LongProducts
from .panel_loop import PanelLoop, Update, UpdateRegisters
from .search_outer import transposed_sides
from .state import KernelState

_UPDATE_REGISTERS = 6  # alpha, beta, C, the sums, and two registers that a store overwrites
Visit = Callable[[int, int, Address, int], None]
"""Called with (accumulator, line, place in C, row vector)."""


class _Source(NamedTuple):
    """A factor that is loaded without transposing.

    which       "x" or "y", as the accumulators name it
    base        the pointer to the current step
    leading     bytes between places along k; `multiples` are registers with multiples of it
    """

    which: str
    operand: ProductOperand
    base: General
    leading: Amount
    multiples: Sequence[General]


@contextmanager
def opened(state: KernelState) -> Iterator[None]:
    """A scope in which the outer-product accumulators exist, for a product that uses them."""
    plan = state.plan
    dtypes = dict(zip("abc", plan.spec.dtypes))
    state.outer_products = state.m.outer_products(dtypes[plan.product.b.argument], dtypes[plan.product.a.argument])
    if state.epilogue is None:
        state.result = state.m.result(plan.spec.dtype, plan.product.dtype)
    with state.outer_products.opened():
        yield


class OuterProductPanel(PanelLoop):
    """The blocks of columns of one panel of rows."""

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        assert state.outer_products is not None
        self.state, self.m, self.fused = state, state.m, state.epilogue is not None
        self.result: Any = state.result
        self.outer_products, self.facts = state.outer_products, state.outer_products.facts
        product, spec = state.product, state.plan.spec
        self.row_vectors = panel.row_vectors
        self.starts = [sum(panel.row_vectors[:i]) for i in range(len(panel.row_vectors))]
        self.update = Update(state, starts_as_c=spec.starts_as_c, result=self.result, c_first=True)
        self.direct = self.fused or self.update.direct
        self.transposes_x, self.transposes_y = transposed_sides(product)
        self.total = product.k * self.facts.depth - (self.facts.depth - product.rest if product.rest else 0)
        self.transposition = self.facts.transposed * self.facts.depth  # elements of k
        self.kept = self.facts.accumulators - 1  # the accumulator that turns rows into columns
        self.b_step, self.a_step = (
            each if isinstance(each, int) else 0 for each in (state.operands.b_step, state.operands.a_step)
        )
        self._prepare(panel)

    def _prepare(self, panel: Panel) -> None:
        """Claim the predicates and constants that the loops need."""
        product, spec, m, facts = self.state.product, self.state.plan.spec, self.m, self.facts
        for block in panel.blocks:
            self._prepare_factor(split_extent(block.columns, facts.side), product.b.steps, "x", self.transposes_x)
        self._prepare_factor(self.row_vectors, product.a.steps, "y", self.transposes_y)
        if self.fused:
            claimed(self.state.epilogue).prepare(self.row_vectors)
            return
        self.lanes = [m.lanes(self.result.scaled or product.dtype, count) for count in self.row_vectors]
        self.of_c = self.lanes if self.direct else [m.lanes(spec.dtype, count) for count in self.row_vectors]

    def _prepare_factor(self, counts: tuple[int, ...], steps: int, which: str, turns: bool) -> None:
        for count in counts:
            self.outer_products.prepare(count)
        if turns:
            self.outer_products.prepare_transpose(self.total % self.transposition, which)
        elif steps > 1:
            for first in range(0, len(counts), self.facts.depth):
                self.outer_products.prepare_plain(sum(counts[first : first + self.facts.depth]), which)

    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Divide the columns among accumulators. If the call gives their number, there is at least one, and at most one
        accumulator has all; the vectors of B are then transposed, and at the end, the pointers of the epilogue are
        behind these columns."""
        self.columns = split_extent(block.columns, self.facts.side)
        self.counts = self.columns if self.dynamic is None else (self.outer_products.count(self.dynamic),)
        self.m.note(f"{len(self.row_vectors)} x {len(self.columns)} accumulators")

    def sum_over_pairs(self, block: ProductBlock) -> None:
        """Emit the products of all pairs, whose vectors share registers."""
        with ExitStack() as scope:
            self._claim(scope)
            super().sum_over_pairs(block)

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps of k of one pair, from vectors that need no transposing, or from transposed ones."""
        if self.transposes_x or self.transposes_y:
            self.state.k.start()
            self._sum_transposed()
            return
        self.m.note(f"k: {len(self.row_vectors) * len(self.columns)} outer products a step")
        self.walk(block, self.facts.depth, False, [True])

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit a step: the vectors of columns and of rows, and all products of both."""
        self.load_b(kk, elements)
        self.load_a(kk, elements)
        self.mma(self.x, self.y)

    def _claim(self, scope: ExitStack) -> None:
        """Claim the vectors of both factors: one for each accumulator along a side, or those of one transposition."""
        product, steps = self.state.product, self.facts.transposed
        plain = any(
            operand.steps > 1 and not transposes_it
            for operand, transposes_it in ((product.b, self.transposes_x), (product.a, self.transposes_y))
        )
        keeps_x, keeps_y = self.transposes_x, self.transposes_y and not self.transposes_x
        self.x, self.y, self.spare = (
            scope.enter_context(self.m.vectors(count, role))
            for count, role in (
                (steps if keeps_x else len(self.columns), "columns of B"),
                (steps if keeps_y else len(self.row_vectors), "rows of A"),
                (self.facts.depth + 2 if plain else 0, "plain rows"),
            )
        )

    def _outer_product(self, i: int, j: int) -> int:
        return i * len(self.columns) + j

    def levels(self, long: LongProducts) -> Between:
        """Return the additions of the lines of all accumulators to their levels in memory."""
        m, sums, wide = self.m, long.sums, len(self.row_vectors)
        lanes = m.lanes(self.state.product.dtype, self.facts.side)
        count = sum(self.columns) * wide

        def each_line(visit: Callable[[int, int, Address], None]) -> None:
            pointer = self.outer_products.pointer
            m.copy(pointer, long.base)

            def at_line(j: int, line: int) -> None:
                for i in range(wide):
                    visit(self._outer_product(i, j), line, m.at(pointer, i * lanes.bytes))
                m.advance(pointer, wide * lanes.bytes)

            for j, lines in enumerate(self._lines()):
                self.outer_products.lines(lines, partial(at_line, j))

        def clear() -> None:
            with m.vectors(1, "0") as (zero,):
                sums.clear([zero] * count, lanes)

        def lay_by() -> None:
            with m.vectors(2, "sums") as (acc, other):

                def add(outer_product: int, line: int, place: Address) -> None:
                    self.outer_products.take(acc, outer_product, line)
                    m.load(other, place, lanes)
                    m.add(acc, acc, other, lanes)
                    m.store(place, acc, lanes)

                each_line(add)
                for outer_product in range(wide * len(self.columns)):
                    self.outer_products.zero(outer_product)
                sums.carry(0, [acc] * count, other, lanes)

        def bring_back() -> None:
            with m.vectors(2, "sums") as (acc, other):

                def add(outer_product: int, line: int, place: Address) -> None:
                    self.outer_products.take(acc, outer_product, line)
                    for level in range(sums.levels.depth):
                        m.load(other, m.further(place, level * count * lanes.bytes), lanes)
                        m.add(acc, acc, other, lanes)
                    self.outer_products.put(outer_product, line, acc)

                each_line(add)

        return Between(clear, lay_by, bring_back)

    def load_b(self, kk: int, elements: int) -> None:
        """Load the vectors of columns."""
        state, b = self.state, self.state.product.b
        source = _Source("x", b, state.k.b, state.operands.ldb, state.operands.b_places)
        self._load(source, self.x, self.columns, kk * self.b_step, elements)

    def load_a(self, kk: int, elements: int) -> None:
        """Load the vectors of rows."""
        state, a = self.state, self.state.product.a
        source = _Source("y", a, state.k.a, state.operands.lda, state.operands.a_multiples)
        self._load(source, self.y, self.row_vectors, kk * self.a_step, elements)

    def _load(self, source: _Source, dst: list[Vector], counts: tuple[int, ...], disp: int, elements: int) -> None:
        """Load the vectors of one step: packed groups directly, or groups interleaved from plain elements."""
        m, base = self.m, source.base
        if source.operand.steps > 1:
            places = [m.column(base, source.leading, source.multiples, e, disp) for e in range(elements)]
            self.outer_products.interleave(dst, places, counts, source.which, self.spare)
            return
        for register, count in zip(dst, counts):
            self.outer_products.load(register, m.at(base, disp), count, source.which, elements)
            disp += count * source.operand.place

    def mma(self, x: list[Vector], y: list[Vector]) -> None:
        """Emit a product for each accumulator."""
        for i, rows in enumerate(self.row_vectors):
            for j, columns in enumerate(self.counts):
                self.outer_products.product(self._outer_product(i, j), x[j], y[i], columns, rows)

    # The sum, with operands that are contiguous along k

    def _sum_transposed(self) -> None:
        """Emit the transpositions along k. One has as many steps as an accumulator has columns, or as registers can
        hold."""
        state, m = self.state, self.m
        full, tail = divmod(self.total, self.transposition)
        m.note(f"k: {self.facts.transposed} steps a transposition")

        def transpositions(times: int) -> None:
            with m.loop(state.k.counter, times):
                self._one_transposition(self.transposition)
                if full > 1 or tail:
                    self._advance(self.facts.transposed, whole=True)

        state.k.in_blocks(full, self.facts.transposed, transpositions)
        if tail:
            self._one_transposition(tail)

    def _advance(self, steps: int, whole: bool) -> None:
        """Advance along k. Distances known only at the call are added at every step, constant ones once per
        transposition."""
        state = self.state
        for pointer, distance in ((state.k.a, state.operands.a_step), (state.k.b, state.operands.b_step)):
            if isinstance(distance, int) == whole:
                self.m.advance(pointer, distance, steps)

    def _one_transposition(self, elements: int) -> None:
        groups = -(-elements // self.facts.depth)
        if self.transposes_x:
            self._keep("x", self.x[:groups], self._rows_of_x(), elements)
        else:
            self._keep("y", self.y[:groups], self._rows_of_y(0), elements)
        if self.transposes_x and self.transposes_y:
            for i in range(len(self.row_vectors)):
                self.outer_products.transpose(self.kept, self._rows_of_y(i), elements, "y")
                for s in range(groups):
                    self.outer_products.columns([self.y[i]], self.kept, s)
                    self.outer_products.product(
                        self._outer_product(i, 0), self.x[s], self.y[i], self.counts[0], self.row_vectors[i]
                    )
            return
        for s in range(groups):
            part = min(self.facts.depth, elements - s * self.facts.depth)
            if self.transposes_x:
                self.load_a(s, part)
                self.mma([self.x[s]], self.y)
            else:
                self.load_b(s, part)
                self.mma(self.x, [self.y[s]])
            self._advance(1, whole=False)

    def _keep(self, which: str, dst: list[Vector], rows: Iterator[Address], elements: int) -> None:
        self.outer_products.transpose(self.kept, rows, elements, which)
        self.outer_products.columns(dst, self.kept)

    def _rows_of_x(self) -> Iterator[Address]:
        return self._walk(self.state.k.b, self.state.operands.b_column, 0, self.columns[0], self.dynamic)

    def _rows_of_y(self, i: int) -> Iterator[Address]:
        return self._walk(self.state.k.a, self.state.operands.a_row, self.starts[i], self.row_vectors[i])

    def _walk(
        self, base: General, distance: Amount, first: int, count: int, dynamic: General | None = None
    ) -> Iterator[Address]:
        """Yield addresses a distance apart. Each is valid until the next one is requested. counted: how many of them
        the code uses, at least one, if the call gives it."""
        m, pointer = self.m, self.outer_products.pointer
        m.copy(pointer, base)
        m.advance(pointer, distance, first)
        with ExitStack() as scope:
            for number in range(count):
                if number:
                    if dynamic is not None:
                        scope.enter_context(m.beyond(dynamic, number + 1))
                    m.advance(pointer, distance)
                yield m.at(pointer)

    # C

    def _each_line(self, visit: Visit) -> None:
        """Visit every line of every accumulator, in the order of C's columns."""
        m, state, pointer, size = self.m, self.state, self.outer_products.pointer, self.state.product.c.place
        m.copy(pointer, state.operands.c)

        def at_line(j: int, line: int) -> None:
            for i, start in enumerate(self.starts):
                visit(self._outer_product(i, j), line, m.at(pointer, start * size), i)
            m.advance(pointer, state.operands.ldc)

        for j, count in enumerate(self._lines()):
            self.outer_products.lines(count, partial(at_line, j))

    def _lines(self) -> tuple[int | General, ...]:
        """Return the number of lines of each accumulator along the columns."""
        return self.columns if self.dynamic is None else (self.dynamic,)

    def load_c(self, block: ProductBlock) -> None:
        """Start the accumulators, line by line if they start as C."""
        outer_products = self.outer_products
        if not self.update.starts_as_c:
            for outer_product in range(len(self.row_vectors) * len(self.columns)):
                outer_products.zero(outer_product)
        elif self.direct:
            self._each_line(
                lambda outer_product, line, place, i: outer_products.load_line(
                    outer_product, line, place, self.row_vectors[i]
                )
            )
        else:
            with self.m.vectors(1, "C") as (acc,):
                self._each_line(
                    lambda outer_product, line, place, i: self._load_line(outer_product, line, place, i, acc)
                )

    def _load_line(self, outer_product: int, line: int, place: Address, i: int, acc: Vector) -> None:
        self.result.load(acc, place, self.of_c[i], self.lanes[i])
        self.outer_products.put(outer_product, line, acc)

    def store_c(self) -> None:
        """Scale, add C, and store, line by line."""
        self.m.note("C")
        if self.fused:
            self._fused()
            return
        if self.direct:
            self._each_line(
                lambda outer_product, line, place, i: self.outer_products.store_line(
                    place, outer_product, line, self.row_vectors[i]
                )
            )
            return
        widest = max(self.lanes, key=breadth)
        with self.m.vectors(_UPDATE_REGISTERS, "C") as work:
            self.update.load_alpha(work[0], widest)
            self.update.load_beta(work[1], widest)
            self._each_line(lambda outer_product, line, place, i: self._update(outer_product, line, place, i, work))

    def _fused(self) -> None:
        """Emit the epilogue of each line; its pointers advance with the lines. At the end they are back at the first
        column, unless the call gives the number of columns."""
        state: Any = self.state
        epilogue: LineEpilogue = state.epilogue
        parts = [ColumnSums(start, 0, count) for start, count in zip(self.starts, self.row_vectors)]
        with epilogue.opened(parts, 0):
            for j, count in enumerate(self._lines()):

                def visit(line: int, j: int = j) -> None:
                    def take(i: int, register: Vector) -> None:
                        self.outer_products.take(register, self._outer_product(i, j), line)

                    epilogue.line(take)
                    epilogue.forward(1)

                self.outer_products.lines(count, visit)
            if self.dynamic is None:
                epilogue.forward(-sum(self.columns))

    def _update(self, outer_product: int, line: int, place: Address, i: int, work: list[Vector]) -> None:
        """Update one line of C: scale, add C, store."""
        alpha, beta, c, acc, *spare = work
        self.outer_products.take(acc, outer_product, line)
        self.update.line(acc, place, self.of_c[i], self.lanes[i], UpdateRegisters(alpha, beta, c))
        self.result.store(place, acc, self.of_c[i], self.lanes[i], [*spare, c])
