"""Emit a product whose call gives the extent along which C is contiguous (inner_plan.py)."""

from __future__ import annotations

from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..gemm.emit import emit_product
from ..gemm.state import KernelState
from .emit import arguments_of
from .inner_plan import InnerPlan

_SPARE = 12
"""The number of general registers that a block may need. They are saved once, before any loop."""


def emit(m: Machine, plan: InnerPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    spec = plan.spec
    extent, given = arguments_of(m, spec)
    places = {name: m.in_slot(value) for name, value in given.items()}
    left = m.counter(f"{spec.counted} left")
    m.copy(left, extent)
    preserved = [left, *places.values()]
    for _ in range(min(_SPARE, m.generals_left() or _SPARE)):
        m.general("saved before any loop")
    sizes = dict(zip("abc", map(ELEMENT_BYTES.__getitem__, spec.dtypes)))
    groups = {**dict(zip("ab", spec.groups)), "c": 1}
    for width, block in plan.blocks:
        m.reclaim(preserved)
        m.note(f"{width} along the lines of C")
        with m.while_at_least(left, width):
            registers = []
            for name, place in places.items():
                registers.append(m.general(name))
                m.copy(registers[-1], place)
            emit_product(KernelState(m, block, registers))
            m.reclaim(preserved)
            for name in (spec.shared, "c"):
                m.advance(places[name], width * groups[name] * sizes[name])
    m.reclaim(preserved)
    m.leave()
