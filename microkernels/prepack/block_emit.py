"""Emit a GEMM whose operand is packed block by block, as its plan says (prepack/block_plan.py).

If all leading dimensions are constants, long-lived values (pointers into the operands, scratch memory, counters) stay
in registers. If one is an argument of the call, registers are scarce: these values are kept on the stack, and each
product and each packing claims registers only while it runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..codegen.between_blocks import BetweenBlocks
from ..codegen.laid_by import LaidBy
from ..codegen.level_loops import LevelLoops, LevelSteps
from ..contract.machine import Amount, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..gemm import emit as gemm
from ..gemm.plan import GemmPlan
from ..gemm.spec import ADDRESS, OFFSET, STRIDE, PairBatch, parameters
from ..gemm.state import KernelState
from ..operands import RUNTIME
from ..operands import Operand as Matrix
from ..transform.pack import Packer
from .operand_plan import OperandPrepackPlan


def emit_product(
    m: Machine, plan: OperandPrepackPlan, arguments: Iterable[General | Slot], preserved: Iterable[General | Slot]
) -> None:
    """Emit the kernel without its prologue and epilogue. Registers and slots in `preserved` keep their values."""
    packed = _PackedOnStack if RUNTIME in plan.spec.leading else _Packed
    packed(m, plan, arguments, preserved).run()


class _Packed:
    """Long-lived registers: pointers to the blocks of a, b and C, scratch memory, and loop counters."""

    def __init__(
        self,
        m: Machine,
        plan: Any,
        arguments: Iterable[General | Slot],
        preserved: Iterable[General | Slot],
    ) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        spec = plan.spec
        names = [name for _, name in parameters(spec)]
        self.given = dict(zip(names, arguments))
        self.held = list(preserved)  # registers and slots of the caller
        size = {name: ELEMENT_BYTES[dtype] for name, dtype in zip("abc", spec.dtypes)}
        self.size = size
        operands = {operand.name: operand for operand in spec.operands}
        self.operands: dict[str, Matrix] = operands
        self.levels: BetweenBlocks | None = None
        self._claim()

    # Pointer updates

    def _advance(self, pointer: General | Slot, name: str, leading: int = 0, elements: int = 0) -> None:
        """Advance a pointer into an operand by a number of leading dimensions and elements."""
        size, distance = self.size[name], self.leading[name]
        if isinstance(distance, int):
            self.m.advance(pointer, (leading * distance + elements) * size)
        else:
            self.m.advance(pointer, distance, leading * size)
            self.m.advance(pointer, elements * size)

    def _along_k(self, name: str, steps: int) -> None:
        """Advance the pointer to the current pair along k."""
        contiguous = self.spec.order["ab".index(name)] == ("C" if name == "a" else "F")
        self._advance(self.firsts[name], name, **{"elements" if contiguous else "leading": steps})

    def _lines(self, name: str) -> int:
        """Return the leading dimensions from one matrix of a dense batch to the next."""
        operand = self.operands[name]
        return operand.rows if operand.view.order == "C" else operand.columns

    def _leading_bytes(self, name: str) -> Amount:
        """Return the leading dimension of an operand in bytes, as a number or in a register."""
        if isinstance(self.leading[name], int):
            return int(self.leading[name] * self.size[name])
        leading = self.m.general("leading dimension")
        self.m.copy(leading, self.leading[name])
        self.m.shift_left(leading, self.size[name].bit_length() - 1)
        return leading

    # Register claims, all before the first loop

    def _claim(self) -> None:
        """Claim pointers to the operands, the state of the batch, loop counters, and scratch memory."""
        m, plan = self.m, self.plan
        self.leading: dict[str, Any] = dict(zip("abc", self.spec.leading))
        self.at: dict[str, Any] = {name: self.given[name] for name in "abc"}
        self._claim_batch()
        (rows_all, k), (rows, steps, pairs) = plan.extents, plan.part
        counted = rows_all >= 2 * rows, k >= 2 * steps  # a loop of one iteration needs no counter
        self.row_counter, self.step_counter = (m.counter("blocks") if counts else None for counts in counted)
        self.packer = Packer(m, [part.changes[plan.packed] for part in plan.parts.values()], pairs)
        self.scratch: Any = m.scratch(plan.scratch_of[plan.packed])
        self._claim_levels(plan.laid_by)
        # pointers to the current pair; the arguments themselves, if no loop returns to the first pair
        again = isinstance(self.spec.batch, PairBatch) or rows_all > rows
        self.firsts: dict[str, Any] = {name: m.general(f"pair of {name}") if again else self.at[name] for name in "ab"}
        self._settle()

    def _claim_levels(self, laid_by: LaidBy | None) -> None:
        """Claim memory and counters for the levels of C, if sums are long."""
        if laid_by is not None:
            c = self.at["c"]
            steps = laid_by.levels.steps
            self.levels = BetweenBlocks(self, laid_by, lambda: {"c": (c, self._leading_bytes("c"))}, steps)

    def _claim_batch(self) -> None:
        m, spec = self.m, self.spec
        self.tables: dict[str, Any] = {}
        self.strides: dict[str, Any] = {}
        self.count: Any = spec.batch if isinstance(spec.batch, int) else 1
        if isinstance(spec.batch, PairBatch):
            self.count = self._kept("count")
        if spec.batch is STRIDE or spec.strides is RUNTIME:
            self.strides = {name: self._kept(f"{name}_stride") for name in "ab"}
        elif spec.batch is OFFSET:
            self.tables = {name: self._kept(f"{name}_offsets") for name in "ab"}
        elif spec.batch is ADDRESS:
            # a and b then hold offsets into every matrix of the batch
            self.tables = {name: m.to_slot(self.given[name]) for name in "ab"}
            self.at = {**self.at, "a": m.general("a"), "b": m.general("b")}
            for name in "ab":
                m.copy(self.at[name], 0)
        self.index = m.general("index") if self.tables else m.counter("pairs")
        a, b = self.size["a"], self.size["b"]
        self.levels_of_pairs = [LevelSteps(each.times, (each.a * a, each.b * b)) for each in spec.loops]
        self.around = LevelLoops(m, self.levels_of_pairs)

    @property
    def preserved(self) -> list[General | Slot]:
        """Return the registers and slots that a product must not claim."""
        every = (
            *self.held,
            *self.at.values(),
            *self.tables.values(),
            *self.strides.values(),
            *self.leading.values(),
            self.count,
            self.index,
            self.scratch,
            *self.firsts.values(),
            self.row_counter,
            self.step_counter,
            *self.around.claims,
            *self.packer.preserved,
            *(() if self.levels is None else self.levels.claims),
        )
        return [claimed for claimed in every if claimed is not None and not isinstance(claimed, int)]

    def _settle(self) -> None:
        """Claim once all registers that products and packing claim later.

        The first claim of a callee-saved register saves it, and this must happen outside of loops.
        """
        plan, m = self.plan, self.m
        for product in (
            *([plan.loop.first] if plan.loop.first else []),
            *(part.product for part in plan.parts.values()),
        ):
            m.reclaim(self.preserved)
            KernelState(m, product, [m.general(name) for _, name in parameters(product.spec)])
        self.claim_pointers()

    def claim_pointers(self) -> None:
        self.m.reclaim(self.preserved)
        self.packer.claim_pointers()

    def _kept(self, name: str) -> Any:
        return self.m.in_slot(self.given[name])

    # Loops

    def run(self) -> None:
        """Emit the loop over blocks of rows."""
        m, plan = self.m, self.plan
        if plan.loop.first:
            self._product(plan.loop.first)
        (extent, _), (rows, _, _) = plan.extents, plan.part
        full, rest = divmod(extent, rows)
        if self.spec.batch == 0:
            return
        blocks = full + bool(rest)
        if full:
            with m.loop(self.row_counter, full):
                self._rows(rows)
                if blocks > 1:
                    self._next_rows(rows)
        if rest:
            self._rows(rest)

    def _next_rows(self, rows: int) -> None:
        packed = self.plan.packed
        self._advance(self.at["c"], "c", elements=rows)
        self._advance(self.at[packed], packed, leading=rows)

    def _rows(self, rows: int) -> None:
        """Emit all pairs for one block of rows."""
        if self.levels is None:
            self._pairs(rows)
            return
        self.levels.begin(rows)
        self._pairs(rows)
        self.levels.end()

    def _pairs(self, rows: int) -> None:
        """Emit the loop over the batch: groups of pairs of a dense batch, or single pairs as the call gives them."""
        m, (_, _, pairs), spec = self.m, self.plan.part, self.spec
        if isinstance(spec.batch, PairBatch):
            self._dynamic_pairs(rows)
            return
        count, moves = (spec.batch or 1), self.strides
        if self.levels_of_pairs:
            count, (a, b) = self.levels_of_pairs[-1]
            moves = {"a": a, "b": b}
        for name in "ab":
            m.copy(self.firsts[name], self.at[name])  # emits nothing if both are one register
        with self.around.pairs([self.firsts[name] for name in "ab"]), m.loop(self.index, count // pairs):
            self._steps(rows, pairs)
            if moves:
                for name in "ab":
                    m.advance(self.firsts[name], moves[name])
            elif count > pairs:
                for name in "ab":
                    self._advance(self.firsts[name], name, leading=pairs * self._lines(name))

    def _dynamic_pairs(self, rows: int) -> None:
        with self.m.unless_zero(self.count):
            for name in self.strides:
                self.m.copy(self.firsts[name], self.at[name])
            self._loop_over_pairs(rows)

    def _loop_over_pairs(self, rows: int) -> None:
        """Emit the loop over `count` pairs, from the current one or from the beginning of the tables on."""
        m = self.m
        if self.strides:
            with m.loop(self.index, self.count):
                self._steps(rows, 1)
                for name in "ab":
                    m.advance(self.firsts[name], self.strides[name])
            return
        with m.index_loop(self.index, self.count):
            for name in "ab":
                self._fetch(name)
            self._steps(rows, 1)

    def _fetch(self, name: str) -> None:
        """Load the pointer to the current pair from its table."""
        m, first = self.m, self.firsts[name]
        m.copy(first, self.tables[name])
        m.load_general(first, first, self.index)
        m.advance(first, self.at[name])

    def _steps(self, rows: int, pairs: int) -> None:
        """Emit the loop over k, in blocks if k is too long for one; the pointers to the pair are restored."""
        m, (_, steps, _) = self.m, self.plan.part
        full, rest = divmod(self.spec.k, steps)
        blocked = full + bool(rest) > 1
        with m.loop(self.step_counter, full):
            self._block(rows, steps, pairs)
            self._added()
            if blocked:
                for name in "ab":
                    self._along_k(name, steps)
        if rest:
            self._block(rows, rest, pairs)
            self._added()
        if blocked:
            for name in "ab":
                self._along_k(name, -full * steps)

    def _added(self) -> None:
        if self.levels is not None:
            self.levels.after(1)

    def _block(self, rows: int, steps: int, pairs: int) -> None:
        """Pack one block and multiply it."""
        part, name = self.plan.parts[rows, steps, pairs], self.plan.packed
        leading = self.leading[name] * self.size[name]
        self.packer.block(
            part.changes[name], self.firsts[name], self.scratch, leading, pairs, self._lines(name) * leading
        )
        self._product(part.product)

    def _product(self, plan: GemmPlan) -> None:
        """Multiply one packed block, and free the registers and slots of the product afterwards."""
        m = self.m
        m.reclaim(self.preserved)
        values = {**self._pointers(), **{f"ld{name}": leading for name, leading in self.leading.items()}}
        arguments = []
        for _, name in parameters(plan.spec):
            arguments.append(m.general(name))
            m.copy(arguments[-1], values[name])
        with m.set_aside(self.aside):
            gemm.emit_product(KernelState(m, plan, arguments))
        self.claim_pointers()

    @property
    def aside(self) -> list[General | Slot]:
        """Return the values that are saved to the stack while a product runs, which may use their registers."""
        return []

    def _pointers(self) -> dict[str, General | Slot]:
        """Return the pointers to the operands of a product."""
        other = "b" if self.plan.packed == "a" else "a"
        return {self.plan.packed: self.scratch, other: self.firsts[other], "c": self.at["c"]}


class _PackedOnStack(_Packed):
    """`_Packed` with long-lived values on the stack; each product and each packing claims registers while it runs."""

    def _claim_batch(self) -> None:
        super()._claim_batch()
        m = self.m
        self.leading.update({name: self._kept(f"ld{name}") for name in "abc" if self.leading[name] is RUNTIME})
        self.at = {name: m.to_slot(pointer) for name, pointer in self.at.items()}

    def _settle(self) -> None:
        m = self.m
        self.scratch = m.to_slot(self.scratch)
        again = self.firsts["a"] is not self.at["a"]
        self.firsts = {name: m.to_slot(pointer) for name, pointer in self.firsts.items()} if again else self.at
        for _ in range(m.generals_left()):
            m.general("a product")
        self.claim_pointers()

    def _fetch(self, name: str) -> None:
        m = self.m
        pointer = m.general("pair")
        m.copy(pointer, self.tables[name])
        m.load_general(pointer, pointer, self.index)
        m.advance(pointer, self.at[name])
        m.copy(self.firsts[name], pointer)
        m.release(pointer)

    def _block(self, rows: int, steps: int, pairs: int) -> None:
        name = self.plan.packed
        part = self.plan.parts[rows, steps, pairs]
        self.packer.block(part.changes[name], self.firsts[name], self.scratch, self._leading_bytes(name))
        self._product(part.product)

    @property
    def aside(self) -> list[General | Slot]:
        return self.preserved
