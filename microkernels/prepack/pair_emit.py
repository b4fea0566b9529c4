"""Emit a GEMM on tiles whose operands are transposed pair by pair, as its plan says (prepack/pair_plan.py).

The tiles are configured once, around all pairs. The product leaves few registers, so values that live longer are
kept in the frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from types import SimpleNamespace
from typing import Any, cast

from ..codegen.between_blocks import BetweenBlocks, Matrices
from ..codegen.laid_by import LaidBy
from ..contract.dot_and_tile import OWN, Result
from ..contract.machine import General, Lanes, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..gemm import emit as gemm
from ..gemm.long_products import DynamicPairs
from ..gemm.panel_loop import Update
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec, PairBatch, parameters
from ..gemm.state import KernelState
from ..transform.pack import Packer
from .block_emit import _PackedOnStack
from .operand_plan import OperandPrepackPlan

_WORK = 5  # vector registers that compute C from sums


def emit_product(
    m: Machine, plan: OperandPrepackPlan, arguments: Iterable[General | Slot], preserved: Iterable[General | Slot]
) -> None:
    """Emit the kernel without its prologue and epilogue. Registers and slots in `preserved` keep their values."""
    _Pairs(m, plan, arguments, preserved).run()


class _Pairs(_PackedOnStack):
    """The batch loop of packed blocks. A block is a whole pair."""

    plan: Any

    def _claim(self) -> None:
        m, plan = self.m, self.plan
        self.size = {operand.name: ELEMENT_BYTES[operand.dtype] * operand.group for operand in self.spec.operands}
        self.leading = dict(zip("abc", self.spec.leading))
        self.at = {name: self.given[name] for name in "abc"}
        self._claim_batch()
        self.row_counter = self.step_counter = None
        self.packer = Packer(m, plan.changes.values(), 1)
        self.buffers: dict[str, Any] = {}
        for name, size in plan.scratch_of.items():
            if size:
                self.buffers[name] = m.to_slot(m.scratch(size))
        self.dynamic: DynamicPairs | None = None
        if plan.laid_by is not None:
            self._claim_levels_of(plan.laid_by)
        self.scratch = None
        self.firsts = {name: m.to_slot(m.general(f"pair of {name}")) for name in "ab"}
        for _ in range(m.generals_left()):
            m.general("a product")
        self.claim_pointers()

    def _claim_levels_of(self, laid_by: LaidBy) -> None:
        """Claim memory and counters for the levels of the sums."""
        m, plan, spec = self.m, self.plan, self.spec
        dense = dict(laid_by.sums)["c"] * ELEMENT_BYTES[spec.acc_dtype]

        def matrices() -> Matrices:
            sums = self.buffers.get("sums")
            return {"c": (self.at["c"], self._leading_bytes("c")) if sums is None else (sums, dense)}

        self.levels = BetweenBlocks(self, laid_by, matrices, plan.together)
        if isinstance(spec.batch, PairBatch):
            spare = m.general("spare")
            self.dynamic = DynamicPairs(m, self.count, spare, 1 << plan.together.bit_length() - 1)
            m.release(spare)

    @property
    def preserved(self) -> list[General | Slot]:
        """The registers and slots that a product must not claim, including the addresses of scratch memory."""
        dynamic = self.dynamic.claims if self.dynamic is not None else ()
        return [*super().preserved, *self.buffers.values(), *dynamic]

    def run(self) -> None:
        """Emit the zeroing, the pairs, and C from the sums. Nothing runs for C = 1 * C."""
        m, loop, spec = self.m, self.plan.loop, self.spec
        if spec.batch == 0 and spec.beta == 1:
            return
        unchanged = spec.beta == 1 and isinstance(spec.batch, PairBatch)
        with m.unless_zero(self.count) if unchanged else nullcontext():
            with self._tiles():
                if loop.first is not None:
                    self._product(loop.first)
                if spec.batch != 0:
                    self._rows(spec.n if spec.order[2] == "C" else spec.m)
            if loop.finish:
                self._finish()

    def _tiles(self) -> AbstractContextManager[None]:
        """Return a configuration of tiles for all products, unless the caller has configured them."""
        shapes, spec = self.plan.tile_shapes, self.spec
        if not shapes or spec.tiles != OWN:
            return nullcontext()
        product = self.plan.product.product
        dtypes = dict(zip("abc", spec.dtypes))
        tiles = self.m.tiles(dtypes[product.b.argument], dtypes[product.a.argument])
        return tiles.opened(shapes, OWN, None)

    def _dynamic_pairs(self, rows: int) -> None:
        """Emit the loop over pairs whose number the call gives; if sums have levels, in the blocks of one product of
        the whole batch."""
        if self.dynamic is None or self.levels is None:
            super()._dynamic_pairs(rows)
            return
        count, places = self.count, list(self.tables.values())
        with self.m.unless_zero(count):
            for name in self.strides:
                self.m.copy(self.firsts[name], self.at[name])
            with self.dynamic.blocks(self.levels.lay_by, places) as self.count:
                self._loop_over_pairs(rows)
        self.count = count

    def _added(self) -> None:
        if self.levels is not None and self.dynamic is None:
            self.levels.after(1)

    def _steps(self, rows: int, pairs: int) -> None:
        """Pack the current pair and multiply it."""
        for name, change in self.plan.changes.items():
            leading = self._leading_bytes(name)
            self.packer.block(change, self.firsts[name], self.buffers[name], leading)
            if not isinstance(leading, int):
                self.m.release(leading)
        self._product(self.plan.product)
        self._added()

    def _product(self, plan: GemmPlan) -> None:
        m = self.m
        m.reclaim(self.preserved)
        places = {**self.firsts, "c": self.buffers.get("sums", self.at["c"])}
        places.update({name: self.buffers[name] for name in self.plan.changes})
        values = {**places, **{f"ld{name}": leading for name, leading in self.leading.items()}}
        arguments = [m.general(name) for _, name in parameters(plan.spec)]
        for register, (_, name) in zip(arguments, parameters(plan.spec)):
            m.copy(register, values[name])
        state = KernelState(m, plan, arguments)
        if "tiles" in self.buffers:
            state.tile_scratch = m.general("scratch memory of tiles")
            m.copy(state.tile_scratch, self.buffers["tiles"])
        gemm.emit_product(state)
        self.claim_pointers()

    def _finish(self) -> None:
        """Emit C = beta * C + alpha * S line by line, with the operations that the product of a whole batch uses."""
        m, spec = self.m, self.spec
        m.reclaim(self.preserved)
        m.note("C from the sums")
        lines, length = (spec.m, spec.n) if spec.order[2] == "C" else (spec.n, spec.m)
        counters = m.counter("lines"), m.counter("vectors")
        sums, c = m.general("sums"), m.general("c")
        m.copy(sums, self.buffers["sums"])
        m.copy(c, self.at["c"])
        ldc = self._leading_bytes("c")
        result = m.result(spec.dtype, spec.acc_dtype)
        widest = m.facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
        full, rest = divmod(length, widest)
        with ExitStack() as scope:
            scope.enter_context(m.predicates())
            made = {n: _lanes(m, result, spec, n) for n in (*([widest] if full else []), *([rest] if rest else []))}
            update = Update(cast(KernelState, self._state()), starts_as_c=False, result=result, c_first=True)
            work = scope.enter_context(m.vectors(_WORK, "C"))
            with m.loop(counters[0], lines):
                if full:
                    of_sums, of_c = made[widest]
                    with m.loop(counters[1], full):
                        update.from_memory(m.at(sums), m.at(c), of_c, of_sums, work)
                        m.advance(sums, of_sums.bytes)
                        m.advance(c, of_c.bytes)
                if rest:
                    of_sums, of_rest = made[rest]
                    update.from_memory(m.at(sums), m.at(c), of_rest, of_sums, work)
                    m.advance(sums, of_sums.bytes)
                m.advance(c, ldc)
                m.advance(c, -full * of_c.bytes if full else 0)

    def _state(self) -> Any:
        """Return the attributes of a kernel that an update reads."""
        return SimpleNamespace(m=self.m, plan=self.plan, product=self.plan.product.product)


def _lanes(m: Machine, result: Result, spec: GemmSpec, count: int) -> tuple[Lanes, Lanes]:
    """Return the lanes of `count` sums of a line, and of the same number of elements of C."""
    return m.lanes(result.scaled or spec.acc_dtype, count), m.lanes(spec.dtype, count)
