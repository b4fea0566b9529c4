"""Emit a batch-reduce GEMM as its plan says. No decisions are made here.

    C = beta * C + alpha * sum_i A_i @ B_i

In column-major terms, the loops are: panels of rows; in them blocks of columns whose sums stay in registers; inside
these the batch and k. gemm/plan.py describes the kinds of block: FMA, along k, and on tensor units.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import new
from ..contract.machine import Address, Lanes, Machine, Pattern, Vector
from ..contract.vector_verbs import breadth
from ..hints import NONE
from .blocking import Panel, ProductBlock, Scheme, embedded
from .plan import GemmPlan
from .spec import parameters
from .state import KernelState
from .update import Update

if TYPE_CHECKING:
    from . import (
        block_along_k,
        block_dot,
        block_mmla,
        block_outer,
        block_tile,
        epilogue_hook,
        fused_tile,
        hints,
        tile_state,
    )

epilogue_hook = lazy(__package__, ".epilogue_hook")
hints = lazy(__package__, ".hints")
block_along_k = lazy(__package__, ".block_along_k")
block_dot = lazy(__package__, ".block_dot")
block_tile = lazy(__package__, ".block_tile")
fused_tile = lazy(__package__, ".fused_tile")
tile_state = lazy(__package__, ".tile_state")
block_outer = lazy(__package__, ".block_outer")
block_mmla = lazy(__package__, ".block_mmla")


Sets = list[list[list[Vector]]]  # accumulators indexed by set, row vector and column


class FmaPanel:
    """Emits blocks of acc[i][j] += A[row vector i, k] * B[k, j]."""

    def __init__(self, state: KernelState, panel: Panel, scope: ExitStack) -> None:
        self.state, self.m = state, state.m
        self.row_vectors = row_vectors = [state.m.lanes(state.product.dtype, count) for count in panel.row_vectors]
        spec = state.plan.spec
        self.update = Update(state, starts_as_c=spec.alpha == 1 and spec.beta == 1 and not state.plan.late_c)
        self.starts = [sum(lanes.bytes for lanes in row_vectors[:i]) for i in range(len(row_vectors))]
        self.widest = max(row_vectors, key=breadth)
        # adjacent copies of an element are read as one wider element
        copies = state.product.b.copies
        self.of_b = state.m.lanes("f64", self.widest.capacity // copies) if copies > 1 else self.widest
        for block in panel.blocks:
            if block.group > 1:  # k or the columns may end within a group
                rest = state.product.k if state.product.b.order == "F" else block.columns
                state.m.lanes(state.product.dtype, rest % block.group or block.group)
        if state.epilogue is not None:
            state.epilogue.prepare(panel.row_vectors)
        # bytes of a step of k; 0 if the pointer advances at every step
        self.a_step, self.b_step = (
            step if isinstance(step, int) else 0 for step in (state.operands.lda, state.operands.b_step)
        )
        quiet = state.plan.hints == NONE
        self.hints = None if quiet else hints.PanelHints(state, panel, self.a_step, self.b_step)

    def block(self, block: ProductBlock) -> None:
        """Emit one block: start the accumulators, sum over the batch and k, update C."""
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
            if state.k.long is not None:
                sums = [acc for each in sets for row in each for acc in row]
                state.k.long.begin(state.k.long.of_registers(sums, self.widest, work[0]))
            load_c = partial(self._load_c, sets) if block.split > 1 else None  # sets that start as +0 are added
            with state.sums(self.update.starts_as_c, _registers(row_vectors, sets[0]), load_c):
                started = self._start(block, sets)
                if state.batch.count != 0:
                    with state.batch.pairs():
                        self._sum_over_k(block, sets, work, started)
                if state.k.long is not None:
                    state.k.long.end()
                for extra in sets[1:]:
                    for lanes, total, row in zip(row_vectors, sets[0], extra):
                        for acc, other in zip(total, row):
                            m.add(acc, acc, other, lanes)
            self._update(sets[0], work)
            self._store(sets, work)

    def _start(self, block: ProductBlock, sets: Sets) -> list[bool]:
        """Initialize the accumulators with C or zeros. Returns which sets hold a value; others start with a product."""
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
        self.state.load_c(sets[0], self.row_vectors)

    def _sum_over_k(self, block: ProductBlock, sets: Sets, work: list[Vector], started: list[bool]) -> None:
        state, m, row_vectors = self.state, self.m, self.row_vectors
        step = self._by_column(block, work) if block.group == 1 else self._by_row_vector(block, work)
        m.note(f"k: {len(row_vectors) * block.columns} FMA, {len(row_vectors)} of A, {block.columns} of B a step")

        patterns: dict[int, tuple[int, Pattern | None]] = {}  # by set: (step of recording, pattern)
        repeats = block.group == 1 and self.hints is None and state.ahead is None and block.repeats(state.product.k)

        def counted(kk: int, left: int) -> None:
            number = kk % block.split
            first, pattern = patterns.get(number, (kk, None))
            if pattern is not None:
                pattern.append(((kk - first) * self.a_step, (kk - first) * self.b_step))
                return
            combine = m.fma if started[number] else m.mul
            if repeats and started[number]:
                emitted = partial(step, kk, left, sets[number], combine)
                patterns[number] = kk, m.pattern(emitted, (state.k.a, state.k.b))
                return
            step(kk, left, sets[number], combine)
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

    def _by_column(self, block: ProductBlock, work: list[Vector]) -> Callable[..., None]:
        """Hold all row vectors of A in registers, and broadcast each element of B. A single column reads A in place."""
        m, row_vectors = self.m, self.row_vectors
        a, y = work[: len(row_vectors)], work[-1]  # the same register if B needs none
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

    def _by_row_vector(self, block: ProductBlock, work: list[Vector]) -> Callable[..., None]:
        """Hold elements of B in registers, several in each, multiplied by lane. Load two row vectors of A at a time.

        A register of B holds `group` steps of k of one column if B is contiguous along k, else `group` columns of one
        step.
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
        """Scale the sums and add C."""
        row_vectors, update = self.row_vectors, self.update
        registers = update.registers(work)
        update.scale_all(_registers(row_vectors, accumulators), registers, self.widest)
        self.m.note("C")
        columns = len(accumulators[0])
        if update.reads_c:
            # all loads come before all stores: a masked load must not follow the masked store of a neighbour that it
            # may overlap
            def add_c(i: int, j: int, place: Address) -> None:
                update.add_c(accumulators[i][j], place, row_vectors[i], row_vectors[i], registers)

            self.state.each_c(columns, row_vectors, add_c)

    def _store(self, sets: Sets, work: list[Vector]) -> None:
        """Store the sums, or pass them to the epilogue, which stores its results."""
        row_vectors, epilogue, sums = self.row_vectors, self.state.epilogue, sets[0]
        columns = range(len(sums[0]))
        if epilogue is None:

            def store(past: Callable[..., None] | None) -> None:
                def alone(i: int, j: int, place: Address) -> None:
                    assert past is not None
                    past(place, sums[i][j], row_vectors[i])

                if past is None:
                    self.state.store_c(sums, row_vectors)
                else:
                    self.state.each_c(len(columns), row_vectors, alone)

            if self.hints:
                self.hints.store(store)
            else:
                store(None)
            return
        rows = [start // self.state.operands.size for start in self.starts]
        idle = [*work, *(register for extra in sets[1:] for row in extra for register in row)]
        kind = epilogue_hook.Sum
        epilogue.apply(
            [
                new(kind, (sums[i][j], row_vectors[i], rows[i], j, True))
                for i in range(len(row_vectors))
                for j in columns
            ],
            idle,
        )


def _registers(row_vectors: list[Lanes], accumulators: list[list[Vector]]) -> list[tuple[Vector, Lanes]]:
    return [(acc, lanes) for lanes, row in zip(row_vectors, accumulators) for acc in row]


Emitted = Callable[..., Any]


_PANELS: dict[Scheme, Callable[[], Emitted]] = {
    Scheme.FMA: lambda: FmaPanel,
    Scheme.ALONG_K: lambda: block_along_k.AlongKPanel,
    Scheme.DOT: lambda: block_dot.DotPanel,
    Scheme.TILE: lambda: block_tile.TilePanel,
    Scheme.OUTER_PRODUCT: lambda: block_outer.OuterProductPanel,
    Scheme.MMLA: lambda: block_mmla.MmlaPanel,
}


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(registers(plan))
    names = [name for _, name in parameters(plan.spec)]
    arguments = m.arguments(len(names))
    count = dict(zip(names, arguments)).get("count")
    m.by_count(count, plan.pairs_without_levels, lambda long: emit_product(KernelState(m, plan, arguments, long)))


def registers(plan: GemmPlan) -> int:
    """Return the most vector registers that a block holds."""
    return max((panel.registers for panel in plan.panels), default=0)


def emit_product(state: KernelState, products: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
    """Emit the kernel without its prologue and epilogue.

    products: the loop over the products of a stack; the setup that they share, such as masks, is emitted before it.
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
                emitter = emitter_of(state, panel)(state, panel, scope)
                if state.epilogue is not None:
                    state.epilogue.begin_panel(panel)
                with products() if once else nullcontext(), m.loop(state.row_counter, panel.repeat):
                    _panel(state, panel, emitter, last)
                    if state.epilogue is not None:
                        state.epilogue.end_of_panel()
                    if not last:
                        state.next_rows(panel.rows)
    if "c" in plan.hints.streaming:  # order the streaming stores before all later stores
        m.shuffles().streamed()


def emitter_of(state: KernelState, panel: Panel) -> Emitted:
    """Return the emitter of a panel's blocks. On tiles with an epilogue, each block depends on the one before."""
    fused = panel.scheme is Scheme.TILE and state.epilogue is not None
    return fused_tile.FusedTilePanel if fused else _PANELS[panel.scheme]()


def unit_opened(state: KernelState) -> AbstractContextManager[Any]:
    """A scope in which the product's unit may be used. Registers and memory of tiles are claimed before any loop."""
    product = state.product
    if not state.plan.panels:
        return nullcontext()
    if product.tile is not None:
        return tile_state.opened(state)
    if product.unit is not None:
        return block_dot.opened(state)
    return nullcontext() if product.outer_product is None else block_outer.outer_product_opened(state)


def _panel(state: KernelState, panel: Panel, emitter: Any, last: bool) -> None:
    """Emit all columns of one panel. Leaves b and c past the last column, unless no code follows."""
    m = state.m
    if panel.scheme is Scheme.TILE and state.epilogue is not None:
        emitter.blocks()
        return
    for number, block in enumerate(panel.blocks):
        with m.loop(state.column_counter, block.repeat):
            emitter.block(block)
            if not (last and number == len(panel.blocks) - 1 and block.repeat == 1):
                state.next_columns(block.columns)
