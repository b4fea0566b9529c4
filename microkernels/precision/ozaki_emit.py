"""Emit an f64 product on a tensor unit for int8 (Ozaki scheme) as its plan says (precision/ozaki_plan.py)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from ..contract.dot_and_tile import OWN
from ..contract.machine import General, Machine
from ..eltwise.emit import emit_elementwise
from ..gemm.emit import emit_product, registers
from ..gemm.plan import scratch_sizes
from ..gemm.spec import parameters
from ..gemm.state import KernelState
from ..transform.pack import Packer
from ..transform.plan import TransformPlan, vectors
from .composed_spec import SLICES
from .ozaki_plan import ElementwiseStep, OzakiPlan


def emit(m: Machine, plan: OzakiPlan) -> None:
    """Append the kernel: slices of a, slices of b, their products, C."""
    held = [vectors(transpose) for transpose in plan.transposes if transpose is not None]
    m.enter(max([registers(plan.product), *(step.plan.registers for step in plan.elementwise_steps), *held]))
    _OzakiEmitter(m, plan).run()
    m.leave()


class _OzakiEmitter:
    """Registers and slots that live for the whole kernel: arguments, scratch memory, current slice, loop counters."""

    def __init__(self, m: Machine, plan: OzakiPlan) -> None:
        self.m, self.plan, spec = m, plan, plan.spec
        self.places = plan.places
        given = m.arguments(len(parameters(spec)))
        self.resident: dict[str, Any] = {name: m.to_slot(register) for name, register in zip("abc", given)}
        base = m.general("scratch memory")
        m.copy(base, m.scratch(self.places["end"]))
        self.resident["scratch"] = m.to_slot(base)
        tiles = sum(scratch_sizes(plan.product))
        self.resident["tiles"] = m.to_slot(m.scratch(tiles)) if tiles else None
        self.slice, self.left = m.general("slice"), m.general("products")
        self.counter = m.counter("slices")
        m.save_for_parts()

    def run(self) -> None:
        """Emit all steps: transposes and slices of both operands, products, and C."""
        for number, (once, again) in enumerate(self.plan.splits):
            name = "ab"[number]
            transpose = self.plan.transposes[number]
            if transpose is not None:
                self._transpose(transpose, name)
            self.m.note(f"slices of {name}")
            for step in once:
                self._elementwise(step)
            self._slices(number, again)
        self._elementwise(self.plan.start)
        shapes = self.plan.tile_shapes
        with self.m.tiles("i8", "i8").opened(shapes, OWN, None) if shapes else nullcontext():
            self._products()
        self._elementwise(self.plan.finish)

    def _slices(self, number: int, steps: Sequence[ElementwiseStep]) -> None:
        """Store a's slices in ascending and b's in descending order, so that pairs with equal s + u are neighbours."""
        operand = self.plan.spec.operands[number]
        size, name = operand.rows * operand.columns, operand.name
        self._pointer(self.slice, "scratch", self.places[f"slices of {name}"] + (SLICES - 1) * size * number)
        with self.m.loop(self.counter, SLICES):
            for step in steps:
                self._elementwise(step)
            self.m.advance(self.slice, -size if number else size)

    def _products(self) -> None:
        """Multiply the slices, from s + u = 10 with nine pairs to s + u = 2 with one pair."""
        m, spec = self.m, self.plan.spec
        self._pointer(self.slice, "scratch", self.places["slices of b"])
        m.copy(self.left, SLICES)
        with m.loop(self.counter, SLICES):
            self._reclaim()
            pointers = [
                self._new("scratch", self.places["slices of a"]),
                self._copy(self.slice),
                self._new("scratch", self.places["sums"]),
                self._copy(self.left),
            ]
            for size in (spec.m * spec.k, spec.k * spec.n):
                pointers.append(m.general("distance of slices"))
                m.copy(pointers[-1], size)
            state = KernelState(m, self.plan.product, pointers)
            if self.resident["tiles"] is not None:
                state.tile_scratch = self._new("tiles", 0)
            emit_product(state)
            self._elementwise(self.plan.add)
            m.advance(self.slice, spec.k * spec.n)
            m.advance(self.left, -1)

    def _transpose(self, plan: TransformPlan, name: str) -> None:
        self._reclaim()
        packer = Packer(self.m, [plan], 1)
        source, target = self._new(name, 0), self._new("scratch", self.places["rests"])
        packer.claim_pointers()
        assert isinstance(plan.spec.ldx, int)
        packer.block(plan, source, target, plan.spec.ldx * plan.x.size)

    def _elementwise(self, step: ElementwiseStep) -> None:
        self._reclaim()
        pointers = {}
        for operand in step.plan.spec.operands:
            buffer, disp = step.at[operand.name]
            if buffer == "slice":
                pointers[operand.name] = self._copy(self.slice)
            elif buffer in self.resident:
                pointers[operand.name] = self._new(buffer, disp)
            else:
                pointers[operand.name] = self._new("scratch", self.places[buffer] + disp)
        emit_elementwise(self.m, step.plan, pointers, {})

    def _reclaim(self) -> None:
        self.m.reclaim(
            [
                *(register for register in self.resident.values() if register is not None),
                self.slice,
                self.left,
                self.counter,
            ]
        )

    def _new(self, name: str, disp: int) -> General:
        register = self.m.general("pointer")
        self._pointer(register, name, disp)
        return register

    def _pointer(self, register: General, name: str, disp: int) -> None:
        self.m.copy(register, self.resident[name])
        self.m.advance(register, disp)

    def _copy(self, source: General) -> General:
        register = self.m.general("copy")
        self.m.copy(register, source)
        return register
