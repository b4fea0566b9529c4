"""Prove code by comparison with proved code: it leaves the same nodes, and the other claims of a proof hold.

    known = Nodes(kernel)       of a kernel whose proof succeeded
    known.same(other)           whether other code leaves the same nodes

Both are executed over one table, in which equal expressions have the same number. So neither a definition of the
request nor a proof that two expressions are equal is needed. This is meant for code that differs in a few instructions.
"""

from __future__ import annotations

from typing import Any

from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.symbolic.machine import Done, Undecidable, execute
from tilesmith.emulation.symbolic.modes.caller import Caller
from tilesmith.runtime.verify.callers.in_place import overwritten, placed_calls
from tilesmith.runtime.verify.callers.mode import mode
from tilesmith.runtime.verify.check import conditions, looked_at, uncollected
from tilesmith.runtime.verify.operands import Call
from tilesmith.runtime.verify.requests import every_call

_MOST = 400_000
"""The most nodes of a table; a larger table is replaced by a new one."""


class Nodes:
    """The nodes that proved code leaves, call by call."""

    def __init__(self, kernel: Any) -> None:
        self.code, self.target, self.spec, self.kind = kernel.code, kernel.target, kernel.spec, kernel.kind
        self.calls: list[tuple[Any, Call]] = list(every_call(self.spec, self.kind)[1])
        self._left: dict[int, Done] = {}

    def same(self, code: bytes) -> bool:
        """Whether other code leaves the same nodes in every call, and the other claims of a proof hold for it. The
        nodes do not tell what the code does with other indices, so such code is never the same."""
        if any(call.indices for _, call in self.calls):
            return False
        with uncollected():
            return all(self._same(code, number) for number in range(len(self.calls)))

    def _same(self, code: bytes, number: int) -> bool:
        spec, call = self.calls[number]
        left = self.of(number)
        try:
            done, caller = self.beside(code, number)
        except (Fault, Undecidable):
            return False
        if not all(
            (done.memory.held(region) == left.memory.held(region)).all() for region in call.regions if region.writable
        ):
            return False
        claims, _ = conditions(code, self.target, spec, call, done)
        if not all(claim.holds for claim in (*claims, mode(code, self.target, spec, call, done, caller)[0])):
            return False
        placed = placed_calls(self.spec, self.kind, spec)
        return all(claim.holds for claim in overwritten(code, self.target, spec, placed, done, looked_at)[0])

    def beside(self, code: bytes, number: int) -> tuple[Done, Caller]:
        """Execute other code in a call by a caller of any mode, over the table of `of`."""
        call, caller = self.calls[number][1], Caller(self.target.arch)
        return execute(
            code, self.target, call.integers, call.regions, call.symbolic(), like=self.of(number), caller=caller
        ), caller

    def of(self, number: int) -> Done:
        """Execute the kernel in a call; the result is kept."""
        found = self._left.get(number)
        if found is None or len(found.table.entries) > _MOST:
            call = self.calls[number][1]
            found = self._left[number] = execute(self.code, self.target, call.integers, call.regions, call.symbolic())
        return found
