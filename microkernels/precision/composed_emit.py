"""Emit a product in a composed precision as its plan says (precision/composed_plan.py)."""

from __future__ import annotations

from contextlib import nullcontext

from ..contract.dot_and_tile import OWN
from ..contract.machine import General, Machine, Slot
from ..eltwise.emit import emit_elementwise
from ..eltwise.plan import EltwisePlan
from ..gemm.emit import emit_product
from ..gemm.plan import GemmPlan, scratch_sizes
from ..gemm.spec import parameters
from ..gemm.state import KernelState
from ..transform.pack import Packer
from ..transform.plan import TransformPlan
from .composed_plan import ComposedPlan, ComposedStep, InBuffer, StepLoop


def emit(m: Machine, plan: ComposedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    _Composed(m, plan).run()
    m.leave()


class _Composed:
    """Registers and slots that live for the whole kernel: arguments, scratch memory, what moves, and a counter."""

    def __init__(self, m: Machine, plan: ComposedPlan) -> None:
        self.m, self.plan = m, plan
        names = [name for _, name in parameters(plan.spec)]
        self.resident: dict[str, General | Slot] = {
            name: m.to_slot(each) for name, each in zip(names, m.arguments(len(names)))
        }
        base = m.general("scratch memory")
        m.copy(base, m.scratch(plan.scratch_bytes))
        self.resident["scratch"] = m.to_slot(base)
        tiles = max(sum(scratch_sizes(product)) for product in plan.products)
        if tiles:
            self.resident["tiles"] = m.to_slot(m.scratch(tiles))
        self.moving = {name: m.general(name) for name in plan.moving}
        self.kept = [*self.resident.values(), *self.moving.values()]
        if self.moving:
            self.counter = m.counter("repetitions")
            self.kept.append(self.counter)
            m.save_for_parts()

    def run(self) -> None:
        """Emit the steps. Tiles are configured around all products."""
        steps, shapes = self.plan.steps, self.plan.tile_shapes
        multiply = [number for number, step in enumerate(steps) if _multiplies(step)]
        first, last = multiply[0], multiply[-1] + 1
        self._steps(*steps[:first])
        a, b, _ = self.plan.products[0].spec.dtypes
        with self.m.tiles(a, b).opened(shapes, OWN, None) if shapes else nullcontext():
            self._steps(*steps[first:last])
        self._steps(*steps[last:])

    def _steps(self, *steps: ComposedStep | StepLoop) -> None:
        m = self.m
        for step in steps:
            if isinstance(step, ComposedStep):
                m.note(str(step))
                m.reclaim(self.kept)
                self._step(step)
                continue
            for name, (start, _) in step.over.items():
                self._set(self.moving[name], start)
            with m.loop(self.counter, step.times):
                self._steps(*step.steps)
                for name, (_, by) in step.over.items():
                    m.advance(self.moving[name], by)

    def _step(self, step: ComposedStep) -> None:
        m, plan = self.m, step.plan
        if isinstance(plan, EltwisePlan):
            emit_elementwise(m, plan, {x.name: self._new(step.at[x.name]) for x in plan.spec.operands}, {})
        elif isinstance(plan, TransformPlan):
            packer = Packer(m, [plan], 1)
            source, target = self._new(step.at["x"]), self._new(step.at["y"])
            packer.claim_pointers()
            assert isinstance(plan.spec.ldx, int)
            packer.block(plan, source, target, plan.spec.ldx * plan.x.size)
        else:
            state = KernelState(m, plan, [self._new(step.at[name]) for _, name in parameters(plan.spec)])
            if "tiles" in self.resident:
                state.tile_scratch = self._new(InBuffer("tiles"))
            emit_product(state)

    def _new(self, place: InBuffer | int) -> General:
        """Return a register with an argument of a step."""
        register = self.m.general("an argument")
        self._set(register, place)
        return register

    def _set(self, register: General, place: InBuffer | int) -> None:
        m = self.m
        if isinstance(place, int):
            m.copy(register, place)
        else:
            base = (self.moving | self.resident).get(place.buffer, self.resident["scratch"])
            m.copy(register, base)
            m.advance(register, self.plan.places.get(place.buffer, 0) + place.offset)


def _multiplies(step: ComposedStep | StepLoop) -> bool:
    return any(isinstance(part.plan, GemmPlan) for part in (step.steps if isinstance(step, StepLoop) else (step,)))
