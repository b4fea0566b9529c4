"""Emit a GEMM with operands transposed or packed first as its plan says (prepack/operand_plan.py)."""

from __future__ import annotations

from collections.abc import Iterable

from ..contract.machine import Amount, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..gemm import emit as gemm
from ..gemm.spec import parameters
from ..gemm.state import KernelState
from ..transform.pack import Packer
from ..transform.plan import TransformPlan, vectors
from .copies_emit import ElementCopies
from .operand_plan import CopiedElements, OperandPrepackPlan

_SUMS = 5  # vector registers that compute C from sums


def registers(plan: OperandPrepackPlan) -> int:
    """The most vector registers held at a time."""
    products, changes = [part.product for part in plan.parts.values()], list[TransformPlan | CopiedElements]()
    for part in plan.parts.values():
        changes += part.changes.values()
    least = 0
    if plan.loop is not None and plan.loop.by_pairs:
        least = _SUMS
    elif plan.loop is not None and plan.loop.first is not None:
        products.append(plan.loop.first)
    held = (each.vectors if isinstance(each, CopiedElements) else vectors(each) for each in changes)
    return max(least, *held, *map(gemm.registers, products))


def emit_product(
    m: Machine, plan: OperandPrepackPlan, arguments: Iterable[General | Slot], preserved: Iterable[General | Slot] = ()
) -> None:
    """Emit the changes of layout, then the product of the result. Registers and slots in `preserved` keep their
    values."""
    gemm.emit_product(KernelState(m, plan.product, changed(m, plan, arguments, preserved), True))


def changed(
    m: Machine, plan: OperandPrepackPlan, arguments: Iterable[General | Slot], preserved: Iterable[General | Slot] = ()
) -> list[General | Slot]:
    """Emit the changes of layout. Returns the arguments of the product of the operands in scratch memory. An extent
    that the call gives is no argument here."""
    held = list(preserved)
    given = dict(zip([name for _, name in parameters(plan.spec.likely)], arguments))
    for operand in plan.spec.operands:
        change = plan.changes.get(operand.name)
        if change is None or not plan.count:
            continue
        scratch = m.scratch(plan.scratch_of[operand.name])
        if isinstance(change, CopiedElements):
            ElementCopies(m, operand, change, given[operand.name], scratch).run()
            given[operand.name] = scratch
            m.reclaim([*held, *given.values()])
            continue
        packer = Packer(m, [change], plan.count)
        packer.claim_pointers()
        leading, distance = _distances(m, change, given.get(f"ld{operand.name}"))
        packer.block(change, given[operand.name], scratch, leading, plan.count, distance)
        given[operand.name] = scratch
        m.reclaim([*held, *given.values()])
    return [given[name] for _, name in parameters(plan.product.spec.likely)]


def _distances(m: Machine, plan: TransformPlan, given: Amount | None) -> tuple[Amount, Amount]:
    """Return the bytes between the lines of an operand, and between adjacent matrices of a dense batch."""
    size, spec = ELEMENT_BYTES[plan.spec.dtype], plan.spec
    if isinstance(spec.ldx, int):
        return spec.ldx * size, spec.ldx * size * spec.m
    leading, distance = m.general("leading dimension"), m.general("distance of matrices")
    assert given is not None
    m.copy(leading, given)
    m.shift_left(leading, size.bit_length() - 1)
    m.copy(distance, 0)
    m.advance(distance, leading, spec.m)
    return leading, distance
