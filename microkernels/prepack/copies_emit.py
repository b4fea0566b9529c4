"""Emit a GEMM with copies of the broadcast operand's elements as its plan says (prepack/copies_plan.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..gemm import emit as gemm
from ..gemm.spec import parameters
from ..gemm.state import KernelState
from .copies_plan import CopiesPlan

_BODY = 4  # vectors per loop body


def registers(plan: CopiesPlan) -> int:
    """The most vector registers held at a time."""
    return max(gemm.registers(plan.product), 3)


def emit_product(
    m: Machine, plan: CopiesPlan, arguments: Iterable[General | Slot], preserved: Iterable[General | Slot] = ()
) -> None:
    """Emit the copies, then their product. Registers and slots in `preserved` keep their values."""
    held, given = list(preserved), dict(zip([name for _, name in parameters(plan.spec)], arguments))
    name = plan.product.product.b.argument
    scratch = m.scratch(plan.scratch)
    _Copies(m, plan, given[name], scratch).run()
    given[name] = scratch
    m.reclaim([*held, *given.values()])
    gemm.emit_product(KernelState(m, plan.product, [given[each] for _, each in parameters(plan.spec)], True))


class _Copies:
    """Pointers to the elements and to their copies."""

    def __init__(self, m: Machine, plan: CopiesPlan, source: General | Slot, scratch: General) -> None:
        self.m, self.plan = m, plan
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        self.source, self.target = m.general("elements"), m.general("copies")
        m.copy(self.source, source)
        m.copy(self.target, scratch)
        self.lines, self.vectors = m.counter("lines"), m.general("vectors")
        self.registers: Any = ()

    def run(self) -> None:
        """Emit the copies line by line."""
        m, plan = self.m, self.plan
        operand = next(each for each in plan.spec.operands if each.name == plan.product.product.b.argument)
        leading = operand.view.leading
        assert isinstance(leading, int), "see `candidate`"
        whole, rest = divmod(plan.length, plan.vector)
        loops, single = divmod(whole, _BODY)
        m.note(f"each element of {operand.name} {plan.product.product.b.copies} times")
        with m.predicates(), m.vectors(3, "elements and copies") as self.registers, m.loop(self.lines, plan.lines):
            if loops:
                with m.loop(self.vectors, loops):
                    self._step([plan.vector] * _BODY)
            self._step([plan.vector] * single + [rest] * bool(rest))
            done = (loops * _BODY + single) * plan.vector + rest
            m.advance(self.source, (leading - done) * self.size)

    def _step(self, counts: list[int]) -> None:
        """Copy some vectors and advance the pointers past them. The last vector may be partial."""
        m, (x, low, high) = self.m, self.registers
        lanes = m.lanes(self.plan.spec.dtype, self.plan.vector)
        for number, count in enumerate(counts):
            at = number * self.plan.vector * self.size
            m.load(
                x, m.at(self.source, at), lanes if count == self.plan.vector else m.lanes(self.plan.spec.dtype, count)
            )
            m.twice(low, high, x)
            m.store(m.at(self.target, 2 * at), low, lanes)
            m.store(m.at(self.target, 2 * at + self.plan.vector * self.size), high, lanes)
        m.advance(self.source, sum(counts) * self.size)
        m.advance(self.target, 2 * len(counts) * self.plan.vector * self.size)
