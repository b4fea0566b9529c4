"""GEMM panels along k: one to three rows of A, multiplied element by element along k with whole columns of B."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

from ..contract.machine import General, Lanes, Vector
from ..contract.vector_verbs import known
from .blocking import Panel, ProductBlock
from .epilogue_hook import Sum
from .hints import PanelHints
from .long_products import LongProducts
from .panel_loop import PanelLoop, Update
from .state import KernelState

if TYPE_CHECKING:
    from ..codegen.long_sums import Between


class AlongKPanel(PanelLoop):
    """Emit acc[r][j] += A[r, k..] * B[k.., j] element by element along k, and at the end the sum of each register.

    The remainder of k comes first: its product clears the rest of the register that it initializes. A panel may hold
    its rows of A in registers for all blocks.

    started   whether the accumulators hold a value
    totals    the register with the sums of each row
    """

    acc: list[list[Vector]]
    a: list[Vector]
    work: list[Vector]
    started: bool
    totals: list[Vector]

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        super().__init__(state, panel)
        self.rows = panel.rows
        self.update = Update(state, starts_as_c=False)
        prefetches = bool(state.plan.hints.prefetch)
        self.hints = PanelHints(state, panel, known(state.operands.lda), state.operands.size) if prefetches else None
        self.in_a_row = state.operands.ldc == state.operands.size  # a row of C is contiguous
        dtype, vector = state.product.dtype, state.plan.vector
        self.dtype, self.vector = dtype, vector
        self.full, self.one = self.m.lanes(dtype, vector), self.m.lanes(dtype, 1)
        self.count, rest = divmod(state.product.k, vector)
        self.distances = self.a_step, self.b_step = vector * known(state.operands.lda), vector * state.operands.size
        self.tail = self.m.lanes(dtype, rest) if rest else None
        self.sums = (
            {block.columns: self.m.lanes(dtype, block.columns) for block in panel.blocks} if self.in_a_row else {}
        )
        if state.epilogue is not None:
            state.epilogue.prepare([1, *self.sums])
        self.held: dict[tuple[int, int], Vector] = {}
        if panel.held:
            registers = scope.enter_context(self.m.vectors(panel.held, "rows of A"))
            (spare,) = scope.enter_context(self.m.vectors(1, "spare"))
            places = [(row, start) for row in range(self.rows) for start, _ in self._row_vectors()]
            self.held = dict(zip(places, registers))
            for start, lanes in self._row_vectors():
                for row in range(self.rows):
                    self._load_row(self.held[row, start], state.operands.a, row, start, lanes, spare)

    def _row_vectors(self) -> list[tuple[int, Lanes]]:
        """Return (first element, lanes) of each vector along k, the remainder first."""
        full = [(i * self.vector, self.full) for i in range(self.count)]
        return [(self.count * self.vector, self.tail), *full] if self.tail else full

    def _load_row(self, dst: Vector, base: General, row: int, start: int, lanes: Lanes, spare: Vector) -> None:
        """Load the elements of a row of A from `start` on."""
        state, m = self.state, self.m
        disp = row * state.operands.size + start * known(state.operands.lda)
        if state.operands.lda == state.operands.size:
            m.load(dst, m.at(base, disp), lanes)
        else:
            m.gather(dst, [m.at(base, disp + i * known(state.operands.lda)) for i in range(lanes.count)], lanes, spare)

    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Claim the accumulators, and registers for A and B."""
        m, columns = self.m, block.columns
        m.note(f"{self.rows} x {columns} sums along k")
        self.acc = [scope.enter_context(m.vectors(columns, "accumulators")) for _ in range(self.rows)]
        self.a = [] if self.held else scope.enter_context(m.vectors(self.rows, "A"))
        self.work = scope.enter_context(m.vectors(4, "B"))
        self.started = self.state.batch.several or (self.tail is None and block.unroll != self.count)

    def levels(self, long: LongProducts) -> Between:
        """Add all accumulators."""
        return long.of_registers([each for row in self.acc for each in row], self.full, self.work[0])

    def summed(self) -> AbstractContextManager[None]:
        """Leave C as it is if the batch is empty. The sums of a row end in its first register."""
        return self.state.sums(False, [(row[0], self.full) for row in self.acc])

    def load_c(self, block: ProductBlock) -> None:
        """Set the accumulators to 0, unless a product starts them."""
        for row in self.acc if self.started else ():
            for register in row:
                self.m.zero(register, self.full)

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the remainder of k, then the vectors along it."""
        self.current = block
        if self.tail is not None:
            self._row_vector(self.count * self.vector, self.tail)
        repeats = not self.held and self.hints is None and block.repeats(self.count)
        self.walk(block, self.vector, repeats, [self.started])

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit the products of whole vectors along k."""
        if self.hints:
            self.hints.step(self.current, kk * self.vector)
        self._row_vector(kk * self.vector, self.full)

    def _row_vector(self, start: int, lanes: Lanes) -> None:
        """Emit the products of the elements from `start` on, which start the accumulators unless they hold a value."""
        state, m, acc, work, started = self.state, self.m, self.acc, self.work, self.started
        rows = [self.held[r, start] for r in range(self.rows)] if self.held else self.a
        if not self.held:
            for r, register in enumerate(self.a):
                self._load_row(register, state.k.a, r, start, lanes, work[1])
        for j in range(self.current.columns):
            operands = state.operands
            place = m.column(state.k.b, operands.b_column, operands.b_multiples, j, start * operands.size)
            # once a register holds a sum, products must have its full width, so the remainder is loaded
            whole = lanes is self.full or (lanes.full and not started)
            if self.rows == 1 and whole:
                (m.fma_memory if started else m.mul_memory)(acc[0][j], rows[0], place, lanes, work[0])
                continue
            m.load(work[0], place, lanes)
            for register, row in zip(rows, acc):
                if started:
                    m.fma(row[j], register, work[0], self.full)
                else:
                    m.mul(row[j], register, work[0], lanes)
        self.started = True

    @property
    def ends_apart(self) -> bool:
        """The remainder of k comes first."""
        return False

    def finish(self) -> None:
        """Add the elements of each register."""
        self.totals = [self.m.sum_columns(row, self.full, self.work[0]) for row in self.acc]

    def store_c(self) -> None:
        """Update C. A row of C is stored as one vector if it is contiguous, else element by element."""
        state, m, update, sums, work = self.state, self.m, self.update, self.totals, self.work
        columns, idle = len(self.acc[0]), [each for row in self.acc for each in row if each not in sums] + self.a
        registers = update.registers(work)
        update.scale_all([(total, self.full) for total in sums], registers, self.full)
        if self.in_a_row:
            lanes = self.sums[columns]
            update.add_c(sums[0], m.at(state.operands.c), lanes, lanes, registers)
            if state.epilogue is not None:
                state.epilogue.apply([Sum(sums[0], lanes, 0, 0, along_rows=False)], [*idle, *work])
            else:
                m.store(m.at(state.operands.c), sums[0], lanes)
            return
        for row, total in enumerate(sums):
            for j, element in enumerate(m.elements(total, columns, work[2:], self.full)):
                place = m.at(state.operands.c, row * state.operands.size + j * known(state.operands.ldc))
                update.add_c(element, place, self.one, self.one, registers)
                if state.epilogue is not None:
                    state.epilogue.apply([Sum(element, self.one, row, j)], [*idle, work[1]])
                else:
                    m.store(place, element, self.one)
