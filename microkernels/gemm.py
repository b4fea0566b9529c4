"""Batch-reduce GEMM: emits what the plan says, and decides nothing.

    C = beta * C + alpha * sum_i A_i @ B_i

in column-major terms: panels of rows, in them blocks of columns that stay in registers, inside these the batch and k.
The two kinds of block, outer products and dot products along k, are described in gemm_plan.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from .gemm_frame import Frame
from .gemm_plan import Block, GemmPlan, Panel, embedded, work_registers
from .machine import Address, General, Lanes, Machine, Vector


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter()
    frame = Frame(m, plan)
    for number, panel in enumerate(plan.panels):
        last = number == len(plan.panels) - 1 and panel.repeat == 1
        m.note(f"panel of {panel.rows} rows ({panel.scheme} {'+'.join(map(str, panel.chunks))})")
        with ExitStack() as scope:
            scope.enter_context(m.predicates())
            emit_block = (_OuterPanel if panel.scheme == "outer" else _DotPanel)(frame, panel, scope).block
            with m.loop(frame.row_counter, panel.repeat):
                _panel(frame, panel, emit_block, last)
                if not last:
                    frame.next_rows(panel.rows)
    m.leave()


def _panel(frame: Frame, panel: Panel, emit_block: Callable[[Block], None], last: bool) -> None:
    """All columns of one panel; leaves b and c behind the last column unless nothing follows."""
    m = frame.m
    for number, block in enumerate(panel.blocks):
        with m.loop(frame.column_counter, block.repeat):
            emit_block(block)
            if not (last and number == len(panel.blocks) - 1 and block.repeat == 1):
                frame.next_columns(block.columns)


class _Scaling:
    """What becomes of a finished sum: acc = beta * C + alpha * acc, in the fewest instructions."""

    def __init__(self, frame: Frame, *, early_c: bool) -> None:
        self.m, self.alpha, self.beta = frame.m, frame.plan.spec.alpha, frame.plan.spec.beta
        self.early_c = early_c  # the accumulators started as C: nothing is left to do
        self.reads_c = self.beta != 0 and not early_c

    def by_alpha(self, registers: Sequence[tuple[Vector, Lanes]], spare: Vector, widest: Lanes) -> None:
        """Multiply every register by alpha."""
        if self.alpha != 1:
            self.m.constant(spare, self.alpha, widest)
            for register, lanes in registers:
                self.m.mul(register, register, spare, lanes)

    def load_beta(self, work: Sequence[Vector], widest: Lanes) -> None:
        """beta in the first work register, where `add_c` needs it."""
        if self.beta not in (0, 1):
            self.m.constant(work[0], self.beta, widest)

    def add_c(self, acc: Vector, place: Address, lanes: Lanes, work: Sequence[Vector]) -> None:
        """acc += beta * C. With beta = 0 C is not read: it may hold NaN."""
        if self.beta == 1 and not self.early_c:
            self.m.add_memory(acc, place, lanes, work[0])
        elif self.beta not in (0, 1):
            self.m.fma_memory(acc, work[0], place, lanes, work[1])


class _OuterPanel:
    """acc[i][j] += A[chunk i, k] * B[k, j]."""

    def __init__(self, frame: Frame, panel: Panel, scope: ExitStack) -> None:
        self.frame, self.m = frame, frame.m
        self.chunks = chunks = [frame.m.lanes(frame.product.dtype, count) for count in panel.chunks]
        spec = frame.plan.spec
        self.scaling = _Scaling(frame, early_c=spec.alpha == 1 and spec.beta == 1 and not frame.plan.late_c)
        self.starts = [sum(lanes.bytes for lanes in chunks[:i]) for i in range(len(chunks))]
        self.widest = max(chunks, key=lambda lanes: lanes.capacity)

    def block(self, block: Block) -> None:
        """One block: start the accumulators, sum over the batch and k, update C."""
        frame, m, chunks, columns = self.frame, self.m, self.chunks, block.columns
        m.note(f"{columns} columns: {len(chunks) * columns * block.split} accumulators")
        with ExitStack() as scope:
            sets = [
                [scope.enter_context(m.vectors(columns, "accumulators")) for _ in chunks] for _ in range(block.split)
            ]
            work = scope.enter_context(m.vectors(work_registers(len(chunks), m.facts, frame.plan.spec), "A and B"))
            started = self._start(block, sets)
            if frame.count != 0:
                with frame.pairs():
                    self._sum_over_k(block, sets, work, started)
            for extra in sets[1:]:
                for lanes, total, row in zip(chunks, sets[0], extra):
                    for acc, other in zip(total, row):
                        m.add(acc, acc, other, lanes)
            self._update(sets[0], work)

    def _start(self, block: Block, sets: list[list[list[Vector]]]) -> list[bool]:
        """Load C or zeros; returns which sets hold a value, the others start with their first product."""
        frame, m, chunks = self.frame, self.m, self.chunks
        started = [False] * len(sets)
        if self.scaling.early_c:
            frame.each_c(block.columns, chunks, lambda i, j, place: m.load(sets[0][i][j], place, chunks[i]))
            started[0] = True
        if frame.batched or block.unroll < frame.product.k:
            for number, accumulators in enumerate(sets):
                if not started[number]:
                    for lanes, row in zip(chunks, accumulators):
                        for acc in row:
                            m.zero(acc, lanes)
            started = [True] * len(sets)
        return started

    def _sum_over_k(
        self, block: Block, sets: list[list[list[Vector]]], work: list[Vector], started: list[bool]
    ) -> None:
        frame, m, chunks = self.frame, self.m, self.chunks
        a, y = work[: len(chunks)], work[-1]
        direct_b = embedded(len(chunks), m.facts)
        a_step, b_step = (s if isinstance(s, int) else 0 for s in (frame.lda, frame.b_step))
        m.note(f"k: {len(chunks) * block.columns} FMA, {len(chunks)} of A, {block.columns} of B a step")

        def step(kk: int) -> None:
            """A single column takes A from memory and B from a register; others hold A and pass over B."""
            accumulators, combine = sets[kk % block.split], m.fma if started[kk % block.split] else m.mul
            started[kk % block.split] = True
            places = [m.at(frame.a_k, kk * a_step + start) for start in self.starts]
            direct = [block.columns == 1 and not direct_b and lanes.full for lanes in chunks]
            for register, place, lanes, from_memory in zip(a, places, chunks, direct):
                if not from_memory:
                    m.load(register, place, lanes)
            for j in range(block.columns):
                element = m.column(frame.b_k, frame.b_column, frame.b_multiples, j, kk * b_step)
                if direct_b:
                    value = m.scalar(element)
                else:
                    m.broadcast(y, element, self.widest)
                    value = y
                for row, register, place, lanes, from_memory in zip(accumulators, a, places, chunks, direct):
                    if from_memory:
                        combine(row[j], value, m.memory(place), lanes)
                    else:
                        combine(row[j], register, value, lanes)

        frame.start_k()
        frame.walk_k(frame.product.k, block.unroll, step, frame.lda, frame.b_step)

    def _update(self, accumulators: list[list[Vector]], work: list[Vector]) -> None:
        """Scale, add C, store."""
        m, chunks, scaling = self.m, self.chunks, self.scaling
        registers = [(acc, lanes) for lanes, row in zip(chunks, accumulators) for acc in row]
        scaling.by_alpha(registers, work[0], self.widest)
        scaling.load_beta(work, self.widest)

        m.note("C")
        columns = len(accumulators[0])
        if scaling.reads_c:
            # all loads before all stores: a masked load must not follow the masked store of a neighbour it may overlap
            self.frame.each_c(columns, chunks, lambda i, j, at: scaling.add_c(accumulators[i][j], at, chunks[i], work))
        self.frame.each_c(columns, chunks, lambda i, j, at: m.store(at, accumulators[i][j], chunks[i]))


class _DotPanel:
    """acc[r][j] += A[r, k..] * B[k.., j] element by element along k, and at the end the sum of each register.

    The remainder of k comes first: its product clears the rest of the register it starts. A panel may hold its rows of
    A in registers for all blocks.
    """

    def __init__(self, frame: Frame, panel: Panel, scope: ExitStack) -> None:
        self.frame, self.m, self.rows = frame, frame.m, panel.rows
        self.scaling = _Scaling(frame, early_c=False)
        self.in_a_row = frame.ldc == frame.size  # a row of C lies contiguously
        dtype, vector = frame.product.dtype, frame.plan.vector
        self.dtype, self.vector = dtype, vector
        self.full, self.one = self.m.lanes(dtype, vector), self.m.lanes(dtype, 1)
        self.steps, rest = divmod(frame.product.k, vector)
        self.tail = self.m.lanes(dtype, rest) if rest else None
        self.sums = (
            {block.columns: self.m.lanes(dtype, block.columns) for block in panel.blocks} if self.in_a_row else {}
        )
        self.held: dict[tuple[int, int], Vector] = {}
        if panel.held:
            registers = scope.enter_context(self.m.vectors(panel.held, "rows of A"))
            (spare,) = scope.enter_context(self.m.vectors(1, "spare"))
            places = [(row, start) for row in range(self.rows) for start, _ in self._chunks()]
            self.held = dict(zip(places, registers))
            for start, lanes in self._chunks():
                for row in range(self.rows):
                    self._load_row(self.held[row, start], frame.a, row, start, lanes, spare)

    def _chunks(self) -> list[tuple[int, Lanes]]:
        """(first element, lanes) of each vector along k, the remainder first."""
        full = [(i * self.vector, self.full) for i in range(self.steps)]
        return [(self.steps * self.vector, self.tail), *full] if self.tail else full

    def _load_row(self, dst: Vector, base: General, row: int, start: int, lanes: Lanes, spare: Vector) -> None:
        """Elements start.. of a row of A."""
        frame, m = self.frame, self.m
        disp = row * frame.size + start * frame.lda
        if frame.lda == frame.size:
            m.load(dst, m.at(base, disp), lanes)
        else:
            m.gather(dst, [m.at(base, disp + i * frame.lda) for i in range(lanes.count)], lanes, spare)

    def block(self, block: Block) -> None:
        """One block of columns."""
        frame, m = self.frame, self.m
        m.note(f"{self.rows} x {block.columns} sums along k")
        with ExitStack() as scope:
            acc = [scope.enter_context(m.vectors(block.columns, "accumulators")) for _ in range(self.rows)]
            a = [] if self.held else scope.enter_context(m.vectors(self.rows, "A"))
            work = scope.enter_context(m.vectors(3, "B"))
            straight = not frame.batched and (self.tail is not None or block.unroll == self.steps)
            if not straight:
                for row in acc:
                    for register in row:
                        m.zero(register, self.full)
            if frame.count != 0:
                with frame.pairs():
                    self._sum_over_k(block, acc, a, work, started=not straight)
            sums = [m.reduce_columns(row, self.full, work[0]) for row in acc]
            self._update(sums, block.columns, work)

    def _sum_over_k(
        self, block: Block, acc: list[list[Vector]], a: list[Vector], work: list[Vector], started: bool
    ) -> None:
        frame, m = self.frame, self.m

        def chunk(start: int, lanes: Lanes) -> None:
            nonlocal started
            rows = [self.held[r, start] for r in range(self.rows)] if self.held else a
            if not self.held:
                for r, register in enumerate(a):
                    self._load_row(register, frame.a_k, r, start, lanes, work[1])
            for j in range(block.columns):
                place = m.column(frame.b_k, frame.b_column, frame.b_multiples, j, start * frame.size)
                # once a register holds a sum, products are as wide as it: a remainder must not come from memory
                whole = lanes is self.full or (lanes.full and not started)
                value = m.memory(place) if self.rows == 1 and whole else work[0]
                if value is work[0]:
                    m.load(value, place, lanes)
                for register, row in zip(rows, acc):
                    if started:
                        m.fma(row[j], register, value, self.full)
                    else:
                        m.mul(row[j], register, value, lanes)
            started = True

        frame.start_k()
        if self.tail is not None:
            chunk(self.steps * self.vector, self.tail)
        a_bytes, b_bytes = self.vector * frame.lda, self.vector * frame.size
        frame.walk_k(self.steps, block.unroll, lambda i: chunk(i * self.vector, self.full), a_bytes, b_bytes)

    def _update(self, sums: list[Vector], columns: int, work: list[Vector]) -> None:
        """A row of C is a vector where it lies contiguously, else element by element."""
        frame, m, scaling = self.frame, self.m, self.scaling
        scaling.by_alpha([(total, self.full) for total in sums], work[0], self.full)
        scaling.load_beta(work, self.full)
        if self.in_a_row:
            lanes = self.sums[columns]
            scaling.add_c(sums[0], m.at(frame.c), lanes, work)
            m.store(m.at(frame.c), sums[0], lanes)
            return
        for row, total in enumerate(sums):
            for j, element in enumerate(m.elements(total, columns, work[1:], self.full)):
                place = m.at(frame.c, row * frame.size + j * frame.ldc)
                scaling.add_c(element, place, self.one, work)
                m.store(place, element, self.one)
