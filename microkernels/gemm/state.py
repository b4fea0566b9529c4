"""State that the blocks of one GEMM kernel share: operands, loops over the batch and over k, the walk through C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..contract.machine import Address, General, Lanes, Machine, Slot, Vector
from ..contract.values import held, known
from ..dtypes import DTYPES
from .addresses import OperandAddresses
from .epilogue_hook import Epilogue
from .loops import BatchIterator, KLoop
from .plan import GemmPlan

if TYPE_CHECKING:
    from ..contract.dot_and_tile import Result, Unit
    from ..contract.mmla import MmlaUnit
    from ..contract.outer_product import OuterProducts


class KernelState:
    """Claims every register that lives as long as the kernel, when it is made: operands, batch, k, then C's loops."""

    def __init__(self, m: Machine, plan: GemmPlan, arguments: Sequence[General | Slot] | None = None) -> None:
        """arguments: where the parameters are, if the kernel has others beside them and has asked for all."""
        self.m, self.plan, self.product = m, plan, plan.product
        self.unit: Unit | MmlaUnit | None = None  # while it is open
        self.outer_products: OuterProducts | None = None  # the same
        self.result: Result | None = None
        self.tile: Any = None  # the state of a kernel on tiles
        self.tile_scratch: General | None = None  # memory for it (block_tile.scratch_sizes); None: it claims its own
        self.epilogue: Epilogue | None = None  # what is done with finished sums instead of storing them
        self.ahead: Callable[[int, int], None] | None = None  # beside each step of k of FMA blocks
        self.operands = OperandAddresses(m, plan, arguments)
        self.batch = BatchIterator(m, plan, self.operands)
        self.k = KLoop(m, plan, self.batch)
        panels = plan.panels
        self.row_counter = m.counter("rows") if any(panel.repeat > 1 for panel in panels) else None
        repeated = any(block.repeat > 1 for panel in panels for block in panel.blocks)
        self.column_counter = m.counter("columns") if repeated else None

    @contextmanager
    def unless_nothing_changes(self) -> Iterator[None]:
        """The body unless C = 1 * C of an empty batch: then C stays as it is, to the bit (-0 + 0 would be 0)."""
        if self.plan.spec.beta == 1 and self.batch.may_be_empty and self.epilogue is None:
            with self.m.unless_zero(held(self.batch.count)):
                self.batch.may_be_empty = False
                yield
        else:
            yield

    @contextmanager
    def sums(self, started: bool, registers: Sequence[tuple[Vector, Lanes]],
             load_c: Callable[[], None] | None = None) -> Iterator[None]:  # fmt: skip
        """Around a sum over the pairs to which 1 * C is added afterwards, and an epilogue applied: of an empty batch
        it is the zero that changes no C, not even -0.

        started: whether the sum begins as C; load_c, where an empty sum would not leave C as it is, loads it apart.
        """
        spec = self.plan.spec
        if self.epilogue is None or spec.beta != 1 or not self.batch.may_be_empty or (started and load_c is None):
            yield
            return
        if started and load_c is not None:
            load_c()
        for register, lanes in registers if not started else ():
            if DTYPES[lanes.dtype].real:
                self.m.constant(register, 0.0 if spec.alpha < 0 else -0.0, lanes)
            else:
                self.m.zero(register, lanes)
        with self.m.unless_zero(held(self.batch.count)):
            self.batch.may_be_empty = False
            yield
            self.batch.may_be_empty = True

    # C

    def each_c(self, columns: int, row_vectors: list[Lanes], visit: Callable[[int, int, Address], None]) -> None:
        """visit(row vector, column, address) for each vector of a block of C."""
        m, runtime = self.m, not isinstance(self.operands.ldc, int)
        column = self.k.a if runtime else self.operands.c  # idle outside the loop over k
        m.copy(column, self.operands.c)
        for j in range(columns):
            disp = 0 if runtime else j * known(self.operands.ldc)
            for i, lanes in enumerate(row_vectors):
                visit(i, j, m.at(column, disp))
                disp += lanes.bytes
            if runtime and j < columns - 1:
                m.advance(column, self.operands.ldc)

    def each_c_together(self, columns: int, row_vectors: list[Lanes],
                        visit: Callable[[slice, int, Address], None]) -> None:  # fmt: skip
        """The same, for as many neighbouring row vectors as one instruction moves."""
        together = self.m.facts.loads_together

        def first(i: int, j: int, place: Address) -> None:
            if i % together == 0:
                visit(slice(i, i + together), j, place)

        self.each_c(columns, row_vectors, first)

    def next_columns(self, count: int) -> None:
        """Move b and c behind `count` columns."""
        self.m.advance(self.operands.b, self.operands.b_column, self._places_of_b(count))
        self.m.advance(self.operands.c, self.operands.ldc, count)
        if self.epilogue is not None:
            self.epilogue.move(0, count)

    def _places_of_b(self, columns: int) -> int:
        """Only a last block ends within a place."""
        return -(-columns // self.product.b.across)

    def next_rows(self, count: int) -> None:
        """Move b and c back to the first column, a and c down `count` rows."""
        columns, down = self.product.n, count * self.product.c.place
        self.m.advance(self.operands.b, self.operands.b_column, -self._places_of_b(columns))
        if isinstance(self.operands.ldc, int):
            self.m.advance(self.operands.c, down - columns * self.operands.ldc)
        else:
            self.m.advance(self.operands.c, self.operands.ldc, -columns)
            self.m.advance(self.operands.c, down)
        self.m.advance(self.operands.a, self.operands.a_row, count // self.product.a.across)
        if self.epilogue is not None:
            self.epilogue.move(count, -columns)
