"""Dot-product panels of a GEMM: row vectors of A in registers, columns by groups of B.

    acc[i][j] += sum over the elements e of a step of k:  A[row vector i, k, e] * B[k, e, j]

A sum starts as C if C = C + A B is requested, else as +0. The steps of k of all pairs of the batch are added in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any

from ..contract.dot_and_tile import UnitOf
from ..contract.machine import Address, Lanes, Pattern, Vector
from ..contract.vector_verbs import Factor, breadth
from ..hints import NONE
from .blocking import Panel, ProductBlock
from .epilogue_hook import Sum
from .hints import PanelHints
from .state import KernelState
from .update import Update, UpdateRegisters, vectors_together

_REPEATED = 4
"""The fewest steps of k for which a pattern is made. A pattern takes as long as two or three steps."""

Rows = list[list[Vector]]  # indexed by row vector and column
Visit = Callable[[Vector, Address, int], None]


@contextmanager
def opened(state: KernelState) -> Iterator[None]:
    """A scope in which the dot-product or MMLA unit of the product may be used."""
    product = state.product
    assert product.unit is not None
    dtypes = dict(zip("abc", state.plan.spec.dtypes))
    row_vector, group = dtypes[product.a.argument], dtypes[product.b.argument]
    made = state.m.unit if product.unit.columns == 1 else state.m.mmla
    state.unit = made(row_vector, group, state.plan.spec.numerics)
    state.result = state.m.result(_stored(state), product.dtype)
    with state.unit.opened():
        yield


def _stored(state: KernelState) -> str:
    """Return the type in memory that sums are converted to. An epilogue converts its results itself."""
    return state.plan.spec.dtype if state.epilogue is None else state.product.dtype


class SumPanel:
    """The code that dot-product and MMLA panels share: how accumulators are initialised, updated and stored."""

    def __init__(self, state: KernelState, panel: Panel) -> None:
        assert state.unit is not None and state.result is not None
        self.state, self.m, self.mode, self.result = state, state.m, state.unit, state.result
        product, spec = state.product, state.plan.spec
        self.row_vectors = [state.m.lanes(product.dtype, count) for count in panel.row_vectors]
        self.of_c = [state.m.lanes(_stored(state), count) for count in panel.row_vectors]
        if state.epilogue is not None:
            state.epilogue.prepare(panel.row_vectors)
        self.scaled = [state.m.lanes(self.result.scaled or product.dtype, count) for count in panel.row_vectors]
        self.update = Update(state, starts_as_c=spec.starts_as_c, result=self.result)
        self.rows = [sum(panel.row_vectors[:i]) for i in range(len(panel.row_vectors))]
        self.starts = [row * product.a.place for row in self.rows]
        self.a_step, self.b_step = (
            each if isinstance(each, int) else 0 for each in (state.operands.a_step, state.operands.b_step)
        )
        quiet = state.plan.hints == NONE
        self.hints = None if quiet else PanelHints(state, panel, self.a_step, self.b_step)

    def _begin(self, accumulators: Rows) -> None:
        """Initialize the accumulators with C or zeros."""
        if self.update.starts_as_c:
            self._each_c(accumulators, self._load_c)
        else:
            self._zero(accumulators)

    def _load_c(self, acc: Vector, place: Address, i: int) -> None:
        self.result.load(acc, place, self.of_c[i], self.row_vectors[i])

    def _each_c(self, accumulators: Rows, visit: Visit) -> None:
        columns = len(accumulators[0])
        self.state.each_c(columns, self.of_c, lambda i, j, place: visit(accumulators[i][j], place, i))

    def _zero(self, *rows: Rows) -> None:
        for each in rows:
            for row, lanes in zip(each, self.row_vectors):
                for acc in row:
                    self.m.zero(acc, lanes)

    def _update(self, accumulators: Rows, work: list[Vector]) -> None:
        """Scale the sums, add C, and store them unless an epilogue does. With beta = 0, C is not read: it may hold
        NaN."""
        result, update = self.result, self.update
        registers = [(acc, lanes) for lanes, row in zip(self.scaled, accumulators) for acc in row]
        widest = max(self.scaled, key=breadth)
        self.m.note("C")
        in_work = UpdateRegisters(work[0], work[0], work[1])
        with self.mode.closed() if update.computes else nullcontext():
            update.scale_all(registers, in_work, widest)
            if update.reads_c:
                self._each_c(
                    accumulators,
                    lambda acc, place, i: update.add_c(acc, place, self.of_c[i], self.scaled[i], in_work),
                )
        if self.state.epilogue is not None:
            return
        beside = vectors_together(result, self.scaled, self.m.facts.widths[0])

        def store(i: int, j: int, place: Address, past: Any) -> None:
            if i in beside:
                sums = [accumulators[each][j] for each in range(i, i + result.together)]
                result.store_together(place, sums, self.scaled[i])
            elif past is not None:
                past(place, accumulators[i][j], self.scaled[i])
            elif not any(first < i < first + result.together for first in beside):
                result.store(place, accumulators[i][j], self.of_c[i], self.scaled[i], work)

        columns = len(accumulators[0])
        if self.hints:
            self.hints.store(lambda past: self.state.each_c(columns, self.of_c, partial(store, past=past)))
        else:
            self.state.each_c(columns, self.of_c, partial(store, past=None))

    def _sums(self, accumulators: Rows) -> list[Sum]:
        row_vectors = range(len(self.row_vectors))
        return [
            Sum(accumulators[i][j], self.row_vectors[i], self.rows[i], j)
            for i in row_vectors
            for j in range(len(accumulators[0]))
        ]


class DotPanel(SumPanel):
    """The blocks of columns of one panel of rows."""

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(state, panel)
        assert isinstance(state.unit, UnitOf)
        self.unit = state.unit
        for lanes in self.row_vectors:
            self.unit.prepare(lanes)
        self.widest = max(self.row_vectors, key=breadth)
        self.embed = len(self.row_vectors) == 1
        self.several: dict[Vector, Sequence[Factor]] = {}  # the groups in a register

    def block(self, block: ProductBlock) -> None:
        """Emit one block: start the accumulators, sum over the batch and k, update C."""
        state, m, row_vectors, columns = self.state, self.m, self.row_vectors, block.columns
        facts = self.unit.facts
        m.note(f"{columns} columns: {len(row_vectors) * columns} accumulators")
        if self.hints:
            self.hints.begin(block, self.of_c)
        with ExitStack() as scope:
            work = scope.enter_context(m.vectors(block.work, "A and B"))
            accumulators = [scope.enter_context(m.vectors(columns, "accumulators")) for _ in row_vectors]
            corrections = work[-len(row_vectors) :] if facts.corrected else []
            # with blocks, each phase sums into accumulators of its own; otherwise all phases share the same ones
            count = facts.phases if facts.block else 0
            parts = [[scope.enter_context(m.vectors(columns, "parts")) for _ in row_vectors] for _ in range(count)]
            registers = [(acc, lanes) for lanes, row in zip(row_vectors, accumulators) for acc in row]
            if state.k.long is not None:
                every = [acc for acc, _ in registers]
                state.k.long.begin(state.k.long.of_registers(every, self.widest, work[0], self.unit))
            with state.sums(self.update.starts_as_c, registers, partial(self._begin, accumulators)):
                self._start(accumulators, corrections)
                if state.batch.count != 0:
                    with state.batch.pairs():
                        self._sum_over_k(block, accumulators, parts, work, corrections)
                if state.k.long is not None:
                    state.k.long.end()
                for row, correction, lanes in zip(accumulators, corrections, row_vectors):
                    for acc in row:
                        self.unit.subtract(acc, correction, lanes)
                for acc, lanes in registers:
                    self.unit.finish(acc, lanes)
            self._update(accumulators, work)
            if state.epilogue is not None:
                idle = [*work, *(each for part in parts for row in part for each in row)]
                with self.unit.closed():
                    state.epilogue.apply(self._sums(accumulators), idle)

    def _start(self, accumulators: Rows, corrections: list[Vector]) -> None:
        for correction, lanes in zip(corrections, self.row_vectors):
            self.m.zero(correction, lanes)
        self._begin(accumulators)

    def _sum_over_k(
        self, block: ProductBlock, accumulators: Rows, parts: list[Rows], work: list[Vector], corrections: list[Vector]
    ) -> None:
        state, unit, row_vectors = self.state, self.unit, self.row_vectors
        facts, rest = unit.facts, state.product.rest
        y, x, spare = self._registers(block, work)

        def step(kk: int, left: int, elements: int) -> None:
            if parts and kk % facts.block == 0:
                self._zero(*parts)
            for phase in range(facts.phases):
                for register, start, lanes in zip(x, self.starts, row_vectors):
                    self._load(phase, register, kk, start, lanes, elements, spare)
                for correction, register, lanes in zip(corrections, x, row_vectors):
                    unit.correct(correction, register, lanes)
                for j in range(block.columns):
                    group = self._factor(block, phase, y[j % len(y)], kk, j, elements)
                    for row, register, lanes in zip(parts[phase] if parts else accumulators, x, row_vectors):
                        unit.product(phase, row[j], register, group, lanes, spare)
            if self.hints:
                self.hints.step(block, kk)
            if parts and (left == 1 or (kk + 1) % facts.block == 0):
                self._fold(accumulators, parts)

        state.m.note(f"k: {len(row_vectors) * block.columns} products, {facts.depth} of k a step")
        state.k.start()
        k, unroll = state.product.k, block.unroll
        emitted, span = k if k <= unroll else unroll + k % unroll, self._span(block)
        repeats = emitted >= _REPEATED * span and self.hints is None and not parts

        def every(kk: int, left: int) -> None:
            step(kk, left, facts.depth)

        final = (lambda kk, left: step(kk, left, rest)) if rest else None
        whole = self._repeated(every, span) if repeats else every
        state.k.walk(k, unroll, whole, state.operands.a_step, state.operands.b_step, final)

    def _span(self, block: ProductBlock) -> int:
        """Return the steps of k whose groups of a column are loaded together."""
        return block.group if self.state.product.b.order == "F" else 1

    def _registers(self, block: ProductBlock, work: list[Vector]) -> tuple[list[Vector], list[Vector], list[Vector]]:
        """Return the registers of groups of B, of row vectors, and others. Registers of several groups come first: some
        units can name only low ones. If they hold steps of k, each column has its own."""
        rows = len(self.row_vectors)
        if block.group == 1:
            return [work[rows]], work[:rows], work[rows + 1 :]
        columns = block.columns if self._span(block) > 1 else 1
        return work[:columns], work[columns : columns + rows], work[columns + rows :]

    def _factor(self, block: ProductBlock, phase: int, y: Vector, kk: int, j: int, elements: int) -> Vector | Factor:
        """Return the group of column j as a factor: one of several that a load brings where there are so many, of steps
        of k or of columns; else it is fetched alone."""
        depth, group = self.unit.facts.depth, block.group
        number, count = (kk, self.state.k.whole) if self._span(block) > 1 else (j, block.columns)
        place = number % group
        if group == 1 or elements < depth or number - place + group > count:
            return self._fetch(phase, y, kk, j, elements)
        if place == 0:
            self.several[y] = self.unit.fetch_several(y, self._group(kk, j), self.widest)
        return self.several[y][place]

    def _repeated(self, step: Callable[[int, int], None], span: int) -> Callable[[int, int], None]:
        """Return a step that is emitted once, and appended again with other displacements. Of the steps of a span, each
        is emitted once."""
        m, k, found = self.m, self.state.k, dict[int, Pattern | None]()

        def repeated(kk: int, left: int) -> None:
            number = kk % span
            alone = span > 1 and kk - number + span > k.whole  # its groups are not those of a span
            pattern = None if alone else found.get(number)
            if pattern is not None:
                pattern.append(((kk - number) * self.a_step, (kk - number) * self.b_step))
            elif alone or number in found or kk >= span:
                step(kk, left)
            else:
                found[number] = m.pattern(partial(step, kk, left), (k.a, k.b))

        return repeated

    def _fold(self, accumulators: Rows, parts: list[Rows]) -> None:
        for i, lanes in enumerate(self.row_vectors):
            for j, acc in enumerate(accumulators[i]):
                self.unit.fold(acc, [part[i][j] for part in parts], lanes)

    def _load(
        self, phase: int, x: Vector, kk: int, start: int, lanes: Lanes, elements: int, spare: list[Vector]
    ) -> None:
        state, m = self.state, self.m
        disp = kk * self.a_step + start
        if state.product.a.steps == 1:
            self.unit.load(phase, x, m.at(state.k.a, disp), lanes, elements)
            return
        places = [m.column(state.k.a, state.operands.lda, state.operands.a_multiples, e, disp) for e in range(elements)]
        self.unit.load_rows(phase, x, places, lanes, spare)

    def _group(self, kk: int, j: int) -> Address:
        """Return the place of the group of column j, whose elements are neighbours."""
        operands = self.state.operands
        return self.m.column(self.state.k.b, operands.b_column, operands.b_multiples, j, kk * self.b_step)

    def _fetch(self, phase: int, y: Vector, kk: int, j: int, elements: int) -> Vector | Factor:
        """Fetch the group of column j: one load if B is contiguous along k, else its elements from several rows."""
        state, m, b = self.state, self.m, self.state.product.b
        whole = elements == self.unit.facts.depth
        if b.order == "C" and b.steps > 1:
            disp = kk * self.b_step + j * b.place
            places = [
                m.column(state.k.b, state.operands.ldb, state.operands.b_places, e, disp) for e in range(elements)
            ]
            return self.unit.fetch_strided(phase, y, places, self.widest)
        place = self._group(kk, j)
        if whole:
            return self.unit.fetch(phase, y, place, self.widest, self.embed)
        size = b.place * b.steps // self.unit.facts.depth
        return self.unit.fetch_strided(phase, y, [m.further(place, e * size) for e in range(elements)], self.widest)
