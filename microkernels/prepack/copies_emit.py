"""Emit copies of an operand's elements side by side as a plan says (prepack/copies_plan.py)."""

from __future__ import annotations

from typing import Any

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..operands import Operand
from .operand_plan import CopiedElements

_BODY = 4  # vectors per loop body


class ElementCopies:
    """Pointers to the elements and to their copies."""

    def __init__(
        self, m: Machine, operand: Operand, plan: CopiedElements, source: General | Slot, scratch: General
    ) -> None:
        self.m, self.operand, self.plan = m, operand, plan
        self.size = ELEMENT_BYTES[operand.dtype]
        self.source, self.target = m.general("elements"), m.general("copies")
        m.copy(self.source, source)
        m.copy(self.target, scratch)
        self.lines, self.vectors = m.counter("lines"), m.general("vectors")
        self.registers: Any = ()

    def run(self) -> None:
        """Emit the copies line by line."""
        m, plan = self.m, self.plan
        leading = self.operand.view.leading
        assert isinstance(leading, int), "see `candidate`"
        whole, rest = divmod(plan.length, plan.vector)
        loops, single = divmod(whole, _BODY)
        m.note(f"each element of {self.operand.name} {plan.copies} times")
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
        lanes = m.lanes(self.operand.dtype, self.plan.vector)
        for number, count in enumerate(counts):
            at = number * self.plan.vector * self.size
            m.load(x, m.at(self.source, at), lanes if count == self.plan.vector else m.lanes(self.operand.dtype, count))
            m.twice(low, high, x)
            m.store(m.at(self.target, 2 * at), low, lanes)
            m.store(m.at(self.target, 2 * at + self.plan.vector * self.size), high, lanes)
        m.advance(self.source, sum(counts) * self.size)
        m.advance(self.target, 2 * len(counts) * self.plan.vector * self.size)
