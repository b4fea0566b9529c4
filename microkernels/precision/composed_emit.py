"""Emit a product in a composed precision as its plan says (eltwise/composed_plan.py)."""

from __future__ import annotations

from contextlib import nullcontext

from ..contract.dot_and_tile import OWN
from ..contract.machine import General, Machine, Slot
from ..eltwise.composed_emit import ComposedEmitter
from ..eltwise.composed_plan import ComposedPlan, ComposedStep, InBuffer, StepLoop
from ..gemm.emit import emit_product
from ..gemm.plan import scratch_sizes
from ..gemm.spec import parameters
from ..gemm.state import KernelState
from ..transform.pack import Packer
from ..transform.plan import TransformPlan


def emit(m: Machine, plan: ComposedPlan) -> None:
    """Append the kernel to the machine's assembler. Arguments wait in memory, since products need all registers."""
    m.enter(plan.registers)
    names = [name for _, name in parameters(plan.spec)]
    resident: dict[str, General | Slot] = {name: m.to_slot(each) for name, each in zip(names, m.arguments(len(names)))}
    base = m.general("scratch memory")
    m.copy(base, m.scratch(plan.scratch_bytes))
    resident["scratch"] = m.to_slot(base)
    tiles = max(sum(scratch_sizes(product.plan)) for product in plan.products)
    if tiles:
        resident["tiles"] = m.to_slot(m.scratch(tiles))
    _Products(m, plan, resident).run()
    m.leave()


class _Products(ComposedEmitter):
    """Emits products, around which tiles are configured."""

    working = 12

    def run(self) -> None:
        """Emit all steps."""
        steps, shapes = self.plan.steps, self.plan.tile_shapes
        multiply = [number for number, step in enumerate(steps) if _multiplies(step)]
        first, last = multiply[0], multiply[-1] + 1
        self.steps(*steps[:first])
        a, b, _ = self.plan.products[0].plan.spec.dtypes
        with self.m.tiles(a, b).opened(shapes, OWN, None) if shapes else nullcontext():
            self.steps(*steps[first:last])
        self.steps(*steps[last:])

    def step(self, step: ComposedStep) -> None:
        """Emit a step."""
        if isinstance(step.plan, TransformPlan):  # by pointers that are claimed last, as for packed operands
            packer, move = Packer(self.m, [step.plan], 1), step.plan
            source, target = self.new(step.at["x"]), self.new(step.at["y"])
            packer.claim_pointers()
            assert isinstance(move.spec.ldx, int)
            packer.block(move, source, target, move.spec.ldx * move.x.size)
            return
        if not step.multiplies:
            super().step(step)
            return
        state = KernelState(self.m, step.plan, [self.new(step.at[name]) for _, name in parameters(step.plan.spec)])
        if "tiles" in self.held:
            state.tile_scratch = self.new(InBuffer("tiles"))
        emit_product(state)


def _multiplies(step: ComposedStep | StepLoop) -> bool:
    return any(part.multiplies for part in (step.steps if isinstance(step, StepLoop) else (step,)))
