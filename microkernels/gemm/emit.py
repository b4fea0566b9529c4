"""Emit a batch-reduce GEMM as its plan says. No decisions are made here.

    C = beta * C + alpha * sum_i A_i @ B_i

In column-major terms, the loops are: panels of rows; in them blocks of columns whose sums stay in registers; inside
these the batch and k. gemm/plan.py describes the kinds of block: FMA, along k, and on tensor units.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ..contract.machine import Address, Machine, Vector
from ..contract.vector_verbs import Factor
from .blocking import Panel, ProductBlock, Scheme, embedded
from .panel_loop import PanelLoop, Rows, VectorPanel
from .plan import GemmPlan
from .spec import parameters
from .state import KernelState

if TYPE_CHECKING:
    from . import block_along_k, block_dot, block_outer, block_tile, tile_state

block_along_k = lazy(__package__, ".block_along_k")
block_dot = lazy(__package__, ".block_dot")
block_tile = lazy(__package__, ".block_tile")
tile_state = lazy(__package__, ".tile_state")
block_outer = lazy(__package__, ".block_outer")


class FmaPanel(VectorPanel):
    """Emits blocks of acc[i][j] += A[row vector i, k] * B[k, j].

    started   which sets hold a value; others start with a product
    now       the set of the current step, which `adds` to it; its row vectors lie at `places`
    """

    started: list[bool]
    now: Rows
    adds: bool
    places: list[Address]

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        spec = state.plan.spec
        super().__init__(state, panel, starts_as_c=spec.alpha == 1 and spec.beta == 1 and not state.plan.late_c)

    def prepare(self, panel: Panel) -> None:
        """Set up lanes for elements of B: adjacent copies are read as one wider element, and k or the columns may end
        within a group."""
        m, b, product = self.m, self.state.product.b, self.state.product
        self.of_b = m.lanes("f64", self.widest.capacity // b.copies) if b.copies > 1 else self.widest
        for block in panel.blocks:
            if block.group > 1:
                rest = product.k if b.order == "F" else block.columns
                m.lanes(product.dtype, rest % block.group or block.group)

    def claim(self, block: ProductBlock, scope: ExitStack) -> None:
        """Claim registers for A and B, and the accumulators."""
        m, columns = self.m, block.columns
        m.note(f"{columns} columns: {len(self.row_vectors) * columns * block.split} accumulators")
        if self.hints:
            self.hints.begin(block, self.row_vectors)
        self.work = scope.enter_context(m.vectors(block.work, "A and B"))
        self.sets = [
            [scope.enter_context(m.vectors(columns, "accumulators")) for _ in self.row_vectors]
            for _ in range(block.split)
        ]
        self.every = self.sums = self.sets[0]
        self.spent = [register for extra in self.sets[1:] for row in extra for register in row]

    def summed(self) -> AbstractContextManager[None]:
        """Leave C as it is if the batch is empty: sets that start as +0 are added."""
        load_c = self.load_sums if len(self.sets) > 1 else None
        return self.state.sums(self.update.starts_as_c, self.registers, load_c)

    def load_c(self, block: ProductBlock) -> None:
        """Initialize the accumulators with C or zeros, unless a product does."""
        self.started = [False] * len(self.sets)
        if self.update.starts_as_c:
            self.load_sums()
            self.started[0] = True
        if self.state.batch.several or block.unroll < self.state.product.k:
            self.zero(*(each for each, started in zip(self.sets, self.started) if not started))
            self.started = [True] * len(self.sets)

    def sum_over_k(self, block: ProductBlock) -> None:
        """Emit the steps, each for the next set."""
        state, rows = self.state, len(self.row_vectors)
        self.m.note(f"k: {rows * block.columns} FMA, {rows} of A, {block.columns} of B a step")
        self.direct_b = embedded(rows, self.m.facts)
        self.direct_a = block.columns == 1 and not self.direct_b
        repeats = block.group == 1 and self.hints is None and state.ahead is None and block.repeats(state.product.k)
        self.walk(block, 1, repeats, self.started)

    def step(self, kk: int, left: int, elements: int) -> None:
        """Emit a step for the next set. Its first one multiplies, unless the set holds a value."""
        number = kk % len(self.sets)
        self.now, self.adds = self.sets[number], self.started[number]
        if self.current.group == 1:
            super().step(kk, left, elements)
            return
        self._by_row_vector(kk, left)
        self.beside(kk, left)

    def load_a(self, phase: int, kk: int, elements: int) -> None:
        """Hold all row vectors of A in registers. A single column reads A in place."""
        m, together, self.places = self.m, self.m.facts.loads_together, self._a_places(kk)
        for i in range(0, 0 if self.direct_a else len(self.places), together):
            some = slice(i, i + together)
            m.load_next(self.work[: len(self.places)][some], self.places[i], self.row_vectors[some])

    def load_b(self, phase: int, kk: int, j: int, elements: int) -> Vector | Factor:
        """Broadcast an element of B, by the product's own memory operand if no second product needs it."""
        place = self._b_place(kk, j)
        if self.direct_b:
            return self.m.scalar(place)
        self.m.broadcast(self.work[-1], place, self.of_b)
        return self.work[-1]

    def mma(self, phase: int, j: int, y: Vector | Factor) -> None:
        """Multiply and add, or multiply to start the accumulators."""
        m, row_vectors = self.m, self.row_vectors
        column = [row[j] for row in self.now]
        if self.direct_a:
            from_memory = m.fma_memory if self.adds else m.mul_memory
            for acc, register, place, lanes in zip(column, self.work, self.places, row_vectors):
                from_memory(acc, self.work[-1], place, lanes, register)
        elif self.adds and not self.direct_b:
            a = self.work[: len(row_vectors)]
            m.fma_column(column, a, self.work[-1], row_vectors, spent=j == self.current.columns - 1)
        else:
            for acc, register, lanes in zip(column, self.work, row_vectors):
                (m.fma if self.adds else m.mul)(acc, register, y, lanes)

    def finish(self) -> None:
        """Add the sets."""
        for extra in self.sets[1:]:
            for lanes, total, row in zip(self.row_vectors, self.sums, extra):
                for acc, other in zip(total, row):
                    self.m.add(acc, acc, other, lanes)

    def _a_places(self, kk: int) -> list[Address]:
        return [self.m.at(self.state.k.a, kk * self.a_step + start) for start in self.starts]

    def _b_place(self, kk: int, j: int) -> Address:
        state = self.state
        return self.m.column(state.k.b, state.operands.b_column, state.operands.b_multiples, j, kk * self.b_step)

    def _by_row_vector(self, kk: int, left: int) -> None:
        """Hold elements of B in registers, several in each, multiplied by lane. Load two row vectors of A at a time.

        A register of B holds `group` steps of k of one column if B is contiguous along k, else `group` columns of one
        step.
        """
        m, row_vectors, columns, group = self.m, self.row_vectors, self.current.columns, self.current.group
        along_k = self.state.product.b.order == "F"
        y, a = self.work[:-2], self.work[-2:]
        span = group if along_k else 1
        for register, j in zip(y, range(0, columns, 1 if along_k else group)) if kk % span == 0 else ():
            count = min(group, left) if along_k else min(group, columns - j)
            m.load_group(register, self._b_place(kk, j), count, self.widest)
        places = self._a_places(kk)
        for i in range(0, len(row_vectors), 2):
            m.load_next(a, places[i], row_vectors[i : i + 2])
            for row, register, lanes in zip(self.now[i : i + 2], a, row_vectors[i : i + 2]):
                for j in range(columns):
                    register_of_b, place = (j, kk % span) if along_k else divmod(j, group)
                    (m.fma if self.adds else m.mul)(row[j], register, m.of_group(y[register_of_b], place), lanes)


PanelOf = Callable[[KernelState, Panel, ExitStack], PanelLoop]


_PANELS: dict[Scheme, Callable[[], PanelOf]] = {
    Scheme.FMA: lambda: FmaPanel,
    Scheme.ALONG_K: lambda: block_along_k.AlongKPanel,
    Scheme.DOT: lambda: block_dot.FragmentPanel,
    Scheme.TILE: lambda: block_tile.TilePanel,
    Scheme.OUTER_PRODUCT: lambda: block_outer.OuterProductPanel,
    Scheme.MMLA: lambda: block_dot.FragmentPanel,
}


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(registers(plan))
    given = m.named_arguments(parameters(plan.spec))
    body = lambda long: emit_product(KernelState(m, plan, [*given.values()], long))  # noqa: E731
    m.by_count(given, plan.without_levels, body)


def registers(plan: GemmPlan) -> int:
    """Return the most vector registers that a block holds."""
    return max((panel.registers for panel in plan.panels), default=0)


def emit_product(
    state: KernelState,
    products: Callable[[], AbstractContextManager[None]] = nullcontext,
    panels: PanelOf | None = None,
) -> None:
    """Emit the kernel without its prologue and epilogue.

    products: the loop over the products of a stack; the setup that they share, such as masks, is emitted before it.
    panels: the emitter of panels, if it is not that of their scheme.
    """
    m, plan = state.m, state.plan
    unit = unit_opened(state)
    once = plan.set_up_once
    with state.unless_nothing_changes(), unit, nullcontext() if once else products():
        for number, panel in enumerate(plan.panels):
            last = number == len(plan.panels) - 1 and panel.repeat == 1
            m.note(f"panel of {panel.rows} rows ({panel.scheme.value}, {'+'.join(map(str, panel.row_vectors))})")
            with ExitStack() as scope:
                scope.enter_context(m.predicates())
                emitter = (panels or emitter_of(state, panel))(state, panel, scope)
                if state.epilogue is not None:
                    state.epilogue.begin_panel(panel)
                with products() if once else nullcontext(), m.loop(state.row_counter, panel.repeat):
                    emitter.blocks(panel, last)
                    if state.epilogue is not None:
                        state.epilogue.end_of_panel()
                    if not last:
                        state.next_rows(panel.rows)
    if "c" in plan.hints.streaming:  # order the streaming stores before all later stores
        m.shuffles().streamed()


def emitter_of(state: KernelState, panel: Panel) -> PanelOf:
    """Return the emitter of a panel's blocks."""
    return _PANELS[panel.scheme]()


def unit_opened(state: KernelState) -> AbstractContextManager[None]:
    """A scope in which the product's unit may be used. Registers and memory of tiles are claimed before any loop."""
    unit = state.product.unit
    if unit is None or not state.plan.panels:
        return nullcontext()
    if unit.of_tiles:
        return tile_state.opened(state)
    return block_outer.opened(state) if unit.of_outer_products else block_dot.opened(state)
