"""What the blocks of one GEMM kernel share: arguments, pointers, strides, and the loops over the batch and over k.

All strides are in bytes: an int, or a register or stack slot where a leading dimension is given at the call. Pointers:

    a, b, c       the current panel of A, columns of B, block of C
    a_pair b_pair the same of pair i of the batch
    a_k b_k       the same at the current step of k
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..contract.dot_and_tile import Result, Unit
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..contract.mmla import MmlaUnit
from ..contract.outer_product import OuterProducts
from ..contract.values import claimed, held, known
from ..dtypes import DTYPES, ELEMENT_BYTES
from ..operands import RUNTIME
from .blocking import Operand, Panel
from .epilogue_hook import Epilogue
from .plan import GemmPlan
from .spec import ADDRESS, OFFSET, STRIDE, parameters


class KernelState:
    """Claims every register that lives as long as the kernel, when it is made."""

    def __init__(self, m: Machine, plan: GemmPlan, arguments: Sequence[General | Slot] | None = None) -> None:
        """arguments: where the parameters are, if the kernel has others beside them and has asked for all."""
        self.m, self.plan, self.product = m, plan, plan.product
        self.unit: Unit | MmlaUnit | None = None  # while it is open
        self.outer_products: OuterProducts | None = None  # the same
        self.result: Result | None = None
        self.tile: Any = None  # the state of a kernel on tiles
        self.tile_scratch: General | None = None  # memory for it (gemm_tile.scratch_sizes); None: it claims its own
        self.epilogue: Epilogue | None = None  # what is done with finished sums instead of storing them
        p = plan.product
        self.size = ELEMENT_BYTES[p.dtype]  # of a sum
        names = [name for _, name in parameters(plan.spec)]
        self.given: dict[str, General | Slot] = dict(zip(names, arguments or m.arguments(len(names))))
        self.a, self.b, self.c = (self.given[operand.argument] for operand in (p.a, p.b, p.c))
        self.count: Amount = p.pairs if isinstance(p.pairs, int) else self.given["count"]
        self.batched = p.pairs != 1
        self.may_be_empty = not isinstance(p.pairs, int)
        self._claim_leading()
        self._claim_batch()
        self._claim_loops()

    # Claims

    def _claim_leading(self) -> None:
        """Leading dimensions in bytes. With any at run time registers are short: rare values move to the stack."""
        p, m = self.product, self.m
        if not p.fixed:
            for name in ("count", "a_stride", "b_stride"):
                if name in self.given:
                    self.given[name] = m.park(self.given[name])
            if not isinstance(self.count, int):
                self.count = self.given["count"]
        self.ldc = self._bytes(p.c)
        if p.c.leading is RUNTIME:
            self.ldc = m.park(held(self.ldc))
        self.lda, self.ldb = self._bytes(p.a), self._bytes(p.b)
        by_columns = p.b.order == "F"
        along_k = p.a.order == "C"  # of square accumulators and of blocks only
        self.a_row: Amount = self.lda if along_k else p.a.place
        self.a_step = p.a.place * p.a.steps if along_k else self._step(p.a, self.lda)
        self.b_step = p.b.place * p.b.steps if by_columns else self._step(p.b, self.ldb)
        self.b_column: Amount = self.ldb if by_columns else p.b.place
        widest = max((block.columns for panel in self.plan.panels for block in panel.blocks), default=0)
        self.b_multiples = () if p.tile or p.outer_product else m.multiples(self.b_column, -(-widest // p.b.across))
        # where the elements of one step lie apart: distances of whole places
        grouped = p.unit or p.outer_product
        self.a_multiples = m.multiples(self.lda, p.a.steps) if grouped and p.a.steps > 1 and not along_k else ()
        self.b_places = m.multiples(self.ldb, p.b.steps) if grouped and p.b.steps > 1 and not by_columns else ()

    def _step(self, operand: Operand, leading: Amount) -> Amount:
        """The distance of one step of k where places along k are a leading dimension apart."""
        if operand.steps == 1:
            return leading
        if isinstance(leading, int):
            return leading * operand.steps
        register = self.m.general(f"step of {operand.argument}")
        self.m.copy(register, 0)
        self.m.advance(register, leading, operand.steps)
        return self.m.park(register)

    def _bytes(self, operand: Operand) -> Amount:
        if isinstance(operand.leading, int):
            return operand.leading * operand.place
        given = self.given[f"ld{operand.argument}"]
        if isinstance(given, Slot):
            register = self.m.general(f"ld{operand.argument}")
            self.m.copy(register, given)
            given = register
        if operand.place > 1:
            self.m.shift_left(given, operand.place.bit_length() - 1)
        return given

    def _claim_batch(self) -> None:
        m, p = self.m, self.product
        self.tables: tuple[General, ...] = ()
        self.pair_strides: tuple[Amount, ...] = ()
        if p.pairs is OFFSET:
            self.tables = tuple(self.given[f"{operand.argument}_offsets"] for operand in (p.a, p.b))
        elif p.pairs is ADDRESS:
            # a and b are offsets into every matrix of the batch, added to the addresses in the tables
            self.tables = self.a, self.b
            self.a, self.b = m.general("a"), m.general("b")
            m.copy(self.a, 0)
            m.copy(self.b, 0)
        elif self.batched:
            self.pair_strides = self._pair_stride(p.a, self.lda), self._pair_stride(p.b, self.ldb)
        self.a_pair, self.b_pair = self.a, self.b
        self.index = None
        if self.batched:
            self.a_pair, self.b_pair, self.index = m.general("a_pair"), m.general("b_pair"), m.general("index")

    def _pair_stride(self, operand: Operand, leading: Amount) -> Amount:
        p = self.product
        if p.pairs is STRIDE:
            return self.given[f"{operand.argument}_stride"]
        if isinstance(operand.distance, int):
            return operand.distance * operand.place
        asked = next(each for each in self.plan.spec.operands if each.name == operand.argument)
        register = self.m.general(f"{operand.argument}_stride")
        if operand.leading is RUNTIME:
            self.m.copy(register, 0)
            self.m.advance(register, leading, asked.columns if asked.view.order == "F" else asked.rows)
        else:  # an equivalent view of one line: only the way to the next matrix is what the call gives
            self.m.copy(register, self.given[f"ld{operand.argument}"])
            if operand.place > 1:
                self.m.shift_left(register, operand.place.bit_length() - 1)
        return self.m.park(register)

    def _claim_loops(self) -> None:
        m, p, panels = self.m, self.product, self.plan.panels
        loops_k = any(block.unroll < steps(p.k, panel, self.plan) for panel in panels for block in panel.blocks)
        self.a_k, self.b_k = self.a_pair, self.b_pair
        if loops_k or not p.fixed:
            self.a_k, self.b_k = m.general("a_k"), m.general("b_k")
        self.k_counter = None
        if loops_k:
            self.k_counter = m.counter("k") if self.tables and not p.fixed else m.general("k")
        self.row_counter = m.counter("rows") if any(panel.repeat > 1 for panel in panels) else None
        repeated = any(block.repeat > 1 for panel in panels for block in panel.blocks)
        self.column_counter = m.counter("columns") if repeated else None

    # Loops

    @contextmanager
    def unless_nothing_changes(self) -> Iterator[None]:
        """The body unless C = 1 * C of an empty batch: then C stays as it is, to the bit (-0 + 0 would be 0)."""
        if self.plan.spec.beta == 1 and self.may_be_empty and self.epilogue is None:
            with self.m.unless_zero(held(self.count)):
                self.may_be_empty = False
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
        if self.epilogue is None or spec.beta != 1 or not self.may_be_empty or (started and load_c is None):
            yield
            return
        if started and load_c is not None:
            load_c()
        for register, lanes in registers if not started else ():
            if DTYPES[lanes.dtype].real:
                self.m.constant(register, 0.0 if spec.alpha < 0 else -0.0, lanes)
            else:
                self.m.zero(register, lanes)
        with self.m.unless_zero(held(self.count)):
            self.may_be_empty = False
            yield
            self.may_be_empty = True

    @contextmanager
    def pairs(self) -> Iterator[None]:
        """The body for each pair of the batch."""
        m = self.m
        if not self.batched:
            yield
        elif self.tables:
            with self._unless_empty(), m.index_loop(claimed(self.index), self.count):
                for pair, base, table in zip((self.a_pair, self.b_pair), (self.a, self.b), self.tables):
                    m.load_general(pair, table, self.index)
                    m.advance(pair, base)
                yield
        else:
            m.copy(self.a_pair, self.a)
            m.copy(self.b_pair, self.b)
            with self._unless_empty(), m.loop(self.index, self.count):
                yield
                m.advance(self.a_pair, self.pair_strides[0])
                m.advance(self.b_pair, self.pair_strides[1])

    def _unless_empty(self) -> AbstractContextManager[None]:
        return self.m.unless_zero(held(self.count)) if self.may_be_empty else nullcontext()

    def start_k(self) -> None:
        """Point a_k and b_k at the first step of k."""
        if self.a_k is not self.a_pair:
            self.m.copy(self.a_k, self.a_pair)
            self.m.copy(self.b_k, self.b_pair)

    def walk_k(
        self,
        count: int,
        unroll: int,
        step: Callable[[int, int], None],
        a_bytes: Amount,
        b_bytes: Amount,
        final: Callable[[int, int], None] | None = None,
    ) -> None:
        """`count` steps of k, `unroll` in a loop body and a remainder; step(i, left) is the i-th of a body.

        a_bytes and b_bytes are the distances of one step. The pointers move once a body; along a distance that is
        known only at run time they move at every step. `final` is the last of all steps, where that differs.
        """
        moves = [(self.a_k, a_bytes), (self.b_k, b_bytes)]

        def body(length: int, last: bool) -> None:
            for i in range(length):
                (final if final and last and i == length - 1 else step)(i, length - i)
                for pointer, distance in moves:
                    if not isinstance(distance, int) and not (last and i == length - 1):
                        self.m.advance(pointer, distance)
            for pointer, distance in moves:
                if isinstance(distance, int) and not last:
                    self.m.advance(pointer, distance, length)

        loops, rest = divmod(count, unroll) if count else (0, 0)
        if final and loops > 1 and not rest:  # the last step is not one of a loop
            loops, rest = loops - 1, unroll
        if loops == 1:
            body(unroll, last=not rest)
        elif loops:
            with self.m.loop(self.k_counter, loops):
                body(unroll, last=False)
        if rest:
            body(rest, last=True)

    # C

    def each_c(self, columns: int, row_vectors: list[Lanes], visit: Callable[[int, int, Address], None]) -> None:
        """visit(chunk, column, address) for each vector of a block of C."""
        m, runtime = self.m, not isinstance(self.ldc, int)
        column = self.a_k if runtime else self.c  # a_k is idle outside the loop over k
        m.copy(column, self.c)
        for j in range(columns):
            disp = 0 if runtime else j * known(self.ldc)
            for i, lanes in enumerate(row_vectors):
                visit(i, j, m.at(column, disp))
                disp += lanes.bytes
            if runtime and j < columns - 1:
                m.advance(column, self.ldc)

    def next_columns(self, count: int) -> None:
        """Move b and c behind `count` columns."""
        self.m.advance(self.b, self.b_column, self._places_of_b(count))
        self.m.advance(self.c, self.ldc, count)
        if self.epilogue is not None:
            self.epilogue.move(0, count)

    def _places_of_b(self, columns: int) -> int:
        """Only a last block ends within a place."""
        return -(-columns // self.product.b.across)

    def next_rows(self, count: int) -> None:
        """Move b and c back to the first column, a and c down `count` rows."""
        columns, down = self.product.n, count * self.product.c.place
        self.m.advance(self.b, self.b_column, -self._places_of_b(columns))
        if isinstance(self.ldc, int):
            self.m.advance(self.c, down - columns * self.ldc)
        else:
            self.m.advance(self.c, self.ldc, -columns)
            self.m.advance(self.c, down)
        self.m.advance(self.a, self.a_row, count // self.product.a.across)
        if self.epilogue is not None:
            self.epilogue.move(count, -columns)


def steps(k: int, panel: Panel, plan: GemmPlan) -> int:
    """Steps of the loop over k: elements in an outer panel, full vectors in a dot panel."""
    return k // plan.vector if panel.scheme == "dot" else k
