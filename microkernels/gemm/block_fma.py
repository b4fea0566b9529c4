"""The FMA panels of a GEMM: row vectors of A in registers, columns by broadcast elements of B."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from ..contract.machine import Address, Lanes, Vector
from .blocking import Block, Panel, embedded
from .epilogue_hook import Sum
from .hints import NONE, PanelHints
from .state import KernelState
from .update import Update

Sets = list[list[list[Vector]]]  # accumulators by set, row vector and column


class FmaPanel:
    """acc[i][j] += A[row vector i, k] * B[k, j]."""

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        self.state, self.m = state, state.m
        self.row_vectors = row_vectors = [state.m.lanes(state.product.dtype, count) for count in panel.row_vectors]
        spec = state.plan.spec
        self.update = Update(state, starts_as_c=spec.alpha == 1 and spec.beta == 1 and not state.plan.late_c)
        self.starts = [sum(lanes.bytes for lanes in row_vectors[:i]) for i in range(len(row_vectors))]
        self.widest = max(row_vectors, key=lambda lanes: lanes.capacity)
        # copies of an element side by side are one wider element
        copies = state.product.b.copies
        self.of_b = state.m.lanes("f64", self.widest.capacity // copies) if copies > 1 else self.widest
        for block in panel.blocks:
            if block.group > 1:  # k or the columns may end within a group
                rest = state.product.k if state.product.b.order == "F" else block.columns
                state.m.lanes(state.product.dtype, rest % block.group or block.group)
        if state.epilogue is not None:
            state.epilogue.prepare(panel.row_vectors)
        # distances of a step of k; 0 where the pointer moves at every step
        self.a_step, self.b_step = (
            step if isinstance(step, int) else 0 for step in (state.operands.lda, state.operands.b_step)
        )
        quiet = state.plan.hints == NONE
        self.hints = None if quiet else PanelHints(state, panel, self.a_step, self.b_step)

    def block(self, block: Block) -> None:
        """One block: start the accumulators, sum over the batch and k, update C."""
        state, m, row_vectors, columns = self.state, self.m, self.row_vectors, block.columns
        m.note(f"{columns} columns: {len(row_vectors) * columns * block.split} accumulators")
        if self.hints:
            self.hints.begin(block, row_vectors)
        with ExitStack() as scope:
            work = scope.enter_context(m.vectors(block.work, "A and B"))
            sets = [
                [scope.enter_context(m.vectors(columns, "accumulators")) for _ in row_vectors]
                for _ in range(block.split)
            ]
            load_c = partial(self._load_c, sets) if block.split > 1 else None  # sets that start as +0 are added
            with state.sums(self.update.starts_as_c, _registers(row_vectors, sets[0]), load_c):
                started = self._start(block, sets)
                if state.batch.count != 0:
                    with state.batch.pairs():
                        self._sum_over_k(block, sets, work, started)
                for extra in sets[1:]:
                    for lanes, total, row in zip(row_vectors, sets[0], extra):
                        for acc, other in zip(total, row):
                            m.add(acc, acc, other, lanes)
            self._update(sets[0], work)
            self._store(sets, work)

    def _start(self, block: Block, sets: Sets) -> list[bool]:
        """Load C or zeros; returns which sets hold a value, the others start with their first product."""
        state, m, row_vectors = self.state, self.m, self.row_vectors
        started = [False] * len(sets)
        if self.update.starts_as_c:
            self._load_c(sets)
            started[0] = True
        if state.batch.several or block.unroll < state.product.k:
            for number, accumulators in enumerate(sets):
                if not started[number]:
                    for lanes, row in zip(row_vectors, accumulators):
                        for acc in row:
                            m.zero(acc, lanes)
            started = [True] * len(sets)
        return started

    def _load_c(self, sets: Sets) -> None:
        m, row_vectors, first = self.m, self.row_vectors, sets[0]

        def load(some: slice, j: int, place: Address) -> None:
            m.load_next([row[j] for row in first[some]], place, row_vectors[some])

        self.state.each_c_together(len(first[0]), row_vectors, load)

    def _sum_over_k(self, block: Block, sets: Sets, work: list[Vector], started: list[bool]) -> None:
        state, m, row_vectors = self.state, self.m, self.row_vectors
        step = self._by_column(block, work) if block.group == 1 else self._by_row_vector(block, work)
        m.note(f"k: {len(row_vectors) * block.columns} FMA, {len(row_vectors)} of A, {block.columns} of B a step")

        def counted(kk: int, left: int) -> None:
            number = kk % block.split
            step(kk, left, sets[number], m.fma if started[number] else m.mul)
            if self.hints:
                self.hints.step(block, kk)
            if state.ahead is not None:
                state.ahead(kk, left)
            started[number] = True

        state.k.start()
        state.k.walk(state.product.k, block.unroll, counted, state.operands.lda, state.operands.b_step)

    def _a_places(self, kk: int) -> list[Address]:
        return [self.m.at(self.state.k.a, kk * self.a_step + start) for start in self.starts]

    def _b_place(self, kk: int, j: int) -> Address:
        state = self.state
        return self.m.column(state.k.b, state.operands.b_column, state.operands.b_multiples, j, kk * self.b_step)

    def _by_column(self, block: Block, work: list[Vector]) -> Callable[..., None]:
        """All row vectors of A in registers; each element of B is broadcast. A single column takes A from memory."""
        m, row_vectors = self.m, self.row_vectors
        a, y = work[: len(row_vectors)], work[-1]  # the same register where B needs none
        direct_b = embedded(len(row_vectors), m.facts)
        direct_a = block.columns == 1 and not direct_b

        def step(kk: int, left: int, accumulators: list[list[Vector]], combine: Callable[..., None]) -> None:
            places = self._a_places(kk)
            if not direct_a:
                for i in range(0, len(a), m.facts.loads_together):
                    some = slice(i, i + m.facts.loads_together)
                    m.load_next(a[some], places[i], row_vectors[some])
            for j in range(block.columns):
                if direct_b:
                    combine(accumulators[0][j], a[0], m.scalar(self._b_place(kk, j)), row_vectors[0])
                    continue
                m.broadcast(y, self._b_place(kk, j), self.of_b)
                if combine == m.fma and not direct_a:
                    column = [row[j] for row in accumulators]
                    m.fma_column(column, a, y, row_vectors, spent=j == block.columns - 1)
                    continue
                for row, register, place, lanes in zip(accumulators, a, places, row_vectors):
                    if direct_a:
                        from_memory = m.fma_memory if combine == m.fma else m.mul_memory
                        from_memory(row[j], y, place, lanes, register)
                    else:
                        combine(row[j], register, y, lanes)

        return step

    def _by_row_vector(self, block: Block, work: list[Vector]) -> Callable[..., None]:
        """Elements of B in registers, several in each, and multiplied by lane; row vectors of A two at a time.

        B brings `group` steps of k of each column where it is contiguous along k, else `group` columns of one step.
        """
        m, row_vectors, columns, group = self.m, self.row_vectors, block.columns, block.group
        along_k = self.state.product.b.order == "F"
        y, a = work[:-2], work[-2:]
        span = group if along_k else 1
        first_columns = range(0, columns, 1 if along_k else group)

        def fetch(kk: int, left: int) -> None:
            for register, j in zip(y, first_columns):
                count = min(group, left) if along_k else min(group, columns - j)
                m.load_group(register, self._b_place(kk, j), count, self.widest)

        def step(kk: int, left: int, accumulators: list[list[Vector]], combine: Callable[..., None]) -> None:
            if kk % span == 0:
                fetch(kk, left)
            places = self._a_places(kk)
            for i in range(0, len(row_vectors), 2):
                m.load_next(a, places[i], row_vectors[i : i + 2])
                for row, register, lanes in zip(accumulators[i : i + 2], a, row_vectors[i : i + 2]):
                    for j in range(columns):
                        register_of_b, place = (j, kk % span) if along_k else divmod(j, group)
                        combine(row[j], register, m.of_group(y[register_of_b], place), lanes)

        return step

    def _update(self, accumulators: list[list[Vector]], work: list[Vector]) -> None:
        """Scale, add C."""
        row_vectors, update = self.row_vectors, self.update
        registers = update.registers(work)
        update.scale_all(_registers(row_vectors, accumulators), registers, self.widest)
        self.m.note("C")
        columns = len(accumulators[0])
        if update.reads_c:
            # all loads before all stores: a masked load must not follow the masked store of a neighbour it may overlap
            def add_c(i: int, j: int, place: Address) -> None:
                update.add_c(accumulators[i][j], place, row_vectors[i], row_vectors[i], registers)

            self.state.each_c(columns, row_vectors, add_c)

    def _store(self, sets: Sets, work: list[Vector]) -> None:
        """Store the sums, or hand them to the epilogue, which stores its results."""
        m, row_vectors, epilogue, sums = self.m, self.row_vectors, self.state.epilogue, sets[0]
        columns = range(len(sums[0]))
        if epilogue is None:

            def store(past: Callable[..., None] | None) -> None:
                def together(some: slice, j: int, place: Address) -> None:
                    m.store_next(place, [row[j] for row in sums[some]], row_vectors[some])

                def alone(i: int, j: int, place: Address) -> None:
                    assert past is not None
                    past(place, sums[i][j], row_vectors[i])

                if past is None:
                    self.state.each_c_together(len(columns), row_vectors, together)
                else:
                    self.state.each_c(len(columns), row_vectors, alone)

            if self.hints:
                self.hints.store(store)
            else:
                store(None)
            return
        rows = [start // self.state.operands.size for start in self.starts]
        idle = [*work, *(register for extra in sets[1:] for row in extra for register in row)]
        epilogue.apply(
            [Sum(sums[i][j], row_vectors[i], rows[i], j) for i in range(len(row_vectors)) for j in columns], idle
        )


def _registers(row_vectors: list[Lanes], accumulators: list[list[Vector]]) -> list[tuple[Vector, Lanes]]:
    return [(acc, lanes) for lanes, row in zip(row_vectors, accumulators) for acc in row]
