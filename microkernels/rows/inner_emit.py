"""Emit a product whose call gives the extent along which C is contiguous (inner_plan.py)."""

from __future__ import annotations

from collections.abc import Mapping

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..gemm.emit import emit_product
from ..gemm.plan import GemmPlan
from ..gemm.state import KernelState


def emit_blocks(m: Machine, plan: GemmPlan, extent: General | Slot, given: Mapping[str, General | Slot]) -> None:
    """Emit the blocks, the widest while as many are left, for these arguments besides the extent."""
    spec = plan.spec
    places = {name: m.in_slot(value) for name, value in given.items()}
    left = m.counter(f"{spec.counted} left")
    m.copy(left, extent)
    preserved = [left, *places.values()]
    m.save_for_parts()
    sizes = dict(zip("abc", map(ELEMENT_BYTES.__getitem__, spec.dtypes)))
    groups = {**dict(zip("ab", spec.groups)), "c": 1}
    for block in plan.along:
        width = block.width_along(spec.counted)
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
