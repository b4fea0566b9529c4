"""Emit a kernel that is composed of steps over buffers in scratch memory as its plan says (composed_plan.py)."""

from __future__ import annotations

from collections.abc import Mapping

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..operands import parameters
from ..transform.emit import Cursor, TransformEmitter
from ..transform.plan import TransformPlan
from .composed_plan import ComposedPlan, ComposedStep, InBuffer, StepLoop
from .emit import emit_elementwise
from .plan import EltwisePlan


def emit(m: Machine, plan: ComposedPlan) -> None:
    """Append a kernel without products to the machine's assembler."""
    m.enter(plan.registers)
    given = m.named_arguments(parameters(plan.spec.arguments))
    # claimed once, because a claim inside a loop would move the stack pointer each time
    base = m.scratch(plan.scratch_bytes)
    arguments = {each.name: m.in_register(given[each.name], each.name) for each in plan.spec.operands}
    ComposedEmitter(m, plan, {**arguments, "scratch": base}).run()
    m.leave()


class ComposedEmitter:
    """Emits the steps. Registers and slots that live for the whole kernel: arguments and scratch memory (`resident`),
    what moves, and a counter."""

    working = 8  # general registers of a step; callee-saved ones must be saved before any loop

    def __init__(self, m: Machine, plan: ComposedPlan, resident: Mapping[str, General | Slot]) -> None:
        self.m, self.plan = m, plan
        self.held = {**resident, **{name: m.general(name) for name in plan.moving}}
        self.kept = [*self.held.values()]
        if plan.loops:
            self.counter = m.counter("repetitions")
            self.kept.append(self.counter)
            m.save_for_parts(self.working)

    def run(self) -> None:
        """Emit all steps."""
        self.steps(*self.plan.steps)
        self.m.reclaim(self.kept)

    def steps(self, *steps: ComposedStep | StepLoop) -> None:
        """Emit some steps."""
        m = self.m
        for step in steps:
            if isinstance(step, ComposedStep):
                m.note(str(step))
                m.reclaim(self.kept)
                self.step(step)
                continue
            for name, (start, _) in step.over.items():
                if start != InBuffer(name):
                    self._set(self.held[name], start)
            with m.loop(self.counter, step.times):
                self.steps(*step.steps)
                for name, (_, by) in step.over.items():
                    m.advance(self.held[name], by)

    def step(self, step: ComposedStep) -> None:
        """Emit a step."""
        m, plan = self.m, step.plan
        if isinstance(plan, EltwisePlan):
            at = {x.name: self.new(step.at[x.name]) for x in plan.spec.operands}
            spilled = self.plan.spilled
            base = self.held["scratch"] if spilled else None
            assert base is None or not isinstance(base, Slot)
            with m.scratch_within(base, spilled):
                emit_elementwise(m, plan, at, {})
            return
        assert isinstance(plan, TransformPlan)
        size, spec = ELEMENT_BYTES[plan.spec.dtype], plan.spec
        assert isinstance(spec.ldx, int) and isinstance(spec.ldy, int)
        x = Cursor(m, self.new(step.at["x"]), spec.ldx * size, "row")
        y = Cursor(m, self.new(step.at["y"]), spec.ldy * size, "row")
        depth = sum(len(sizes) for _, sizes in plan.nest)
        counters = [*(m.counter("loop") for _ in range(depth - 1)), m.general("innermost loop")]
        TransformEmitter(m, plan, x, y, counters).run()

    def new(self, at: InBuffer | int) -> General:
        """Return a register with an argument of a step."""
        register = self.m.general("an argument")
        self._set(register, at)
        return register

    def _set(self, register: General | Slot, at: InBuffer | int) -> None:
        m = self.m
        if isinstance(at, int):
            m.copy(register, at)
        else:
            m.copy(register, self.held.get(at.buffer, self.held["scratch"]))
            m.advance(register, self.plan.places.get(at.buffer, 0) + at.offset)
