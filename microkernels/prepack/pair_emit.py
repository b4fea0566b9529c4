"""Emits a GEMM on tiles whose operands are transposed pair by pair, as its plan says (prepack/pair_plan.py).

The tiles are configured once, around all pairs. Registers are short in the product: whatever lives longer is parked.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..contract.dot_and_tile import OWN
from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..eltwise.emit import emit_walk
from ..gemm import emit as gemm
from ..gemm.plan import GemmPlan
from ..gemm.spec import Batch, parameters
from ..gemm.state import KernelState
from ..transform.emit import vectors
from ..transform.pack import Packer, block_bytes
from .block_emit import Parked
from .pair_plan import OLD, SUMS, PairPrepackPlan, tile_bytes


def registers(plan: PairPrepackPlan) -> int:
    """The most vector registers held at a time."""
    walk = plan.walk.registers if plan.walk is not None else 0
    return max(gemm.registers(plan.product), walk, *(vectors(change) for change in plan.changes.values()))


def emit_product(
    m: Machine, plan: PairPrepackPlan, arguments: Iterable[General | Slot], preserved: Iterable[General | Slot]
) -> None:
    """The kernel without its prologue and epilogue; `preserved` is not touched."""
    _Pairs(m, plan, arguments, preserved).run()


class _Pairs(Parked):
    """The batch loop of packed blocks, whose block is a whole pair."""

    plan: Any

    def _claim(self) -> None:
        m, plan = self.m, self.plan
        self.size = {operand.name: ELEMENT_BYTES[operand.dtype] * operand.group for operand in self.spec.operands}
        self.leading = dict(zip("abc", self.spec.leading))
        self.at = {name: self.given[name] for name in "abc"}
        self._claim_batch()
        self.row_counter = self.step_counter = None
        self.packer = Packer(m, plan.changes.values(), 1)
        self.buffers: dict[str, Slot] = {}
        sizes = {name: block_bytes(change.spec) for name, change in plan.changes.items()}
        for name, size in (*sizes.items(), ("sums", plan.sums), ("tiles", tile_bytes(plan.product))):
            if size:
                self.buffers[name] = m.park(m.scratch(size))
        self.scratch = None
        self.firsts = {name: m.park(m.general(f"pair of {name}")) for name in "ab"}
        for _ in range(m.generals_left()):
            m.general("a product")
        self._claim_pointers()

    @property
    def preserved(self) -> list[General | Slot]:
        """With the places of scratch memory."""
        return [*super().preserved, *self.buffers.values()]

    def run(self) -> None:
        """Zero, the pairs, and the walk over the sums; nothing at all where C = 1 * C."""
        m, plan, spec = self.m, self.plan, self.spec
        if spec.batch == 0 and spec.beta == 1:
            return
        unchanged = spec.beta == 1 and isinstance(spec.batch, Batch)
        with m.unless_zero(self.count) if unchanged else nullcontext():
            with self._tiles():
                if plan.zero is not None:
                    self._product(plan.zero)
                if spec.batch != 0:
                    self._pairs(0)
            if plan.walk is not None:
                self._walk()

    def _tiles(self) -> AbstractContextManager[None]:
        """A configuration for all products, unless the caller has one."""
        shapes, spec = self.plan.tile_shapes, self.spec
        if not shapes or spec.tiles != OWN:
            return nullcontext()
        product = self.plan.product.product
        dtypes = dict(zip("abc", spec.dtypes))
        tiles = self.m.tiles(dtypes[product.b.argument], dtypes[product.a.argument])
        return tiles.opened(shapes, OWN, None)  # type: ignore[no-any-return]

    def _steps(self, rows: int, pairs: int) -> None:
        """Pack the pair at hand and multiply it."""
        for name, change in self.plan.changes.items():
            leading = self._leading_bytes(name)
            self.packer.block(change, self.firsts[name], self.buffers[name], leading)
            if not isinstance(leading, int):
                self.m.release(leading)
        self._product(self.plan.product)

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
        self._claim_pointers()

    def _walk(self) -> None:
        m, walk = self.m, self.plan.walk
        m.reclaim(self.preserved)
        m.note("C from the sums")
        pointers = {}
        for operand in walk.spec.operands:
            pointers[operand.name] = m.general(operand.name)
            m.copy(pointers[operand.name], self.buffers["sums"] if operand.name == SUMS else self.at["c"])
        leading = {}
        for name in (OLD, "y") if not isinstance(self.leading["c"], int) else ():
            leading[f"ld{name}"] = m.general("leading dimension")
            m.copy(leading[f"ld{name}"], self.leading["c"])
        emit_walk(m, walk, pointers, leading)
