"""Emits a BRGEMM with an epilogue as its plan says.

Either the epilogue runs on accumulators in registers, for each block of C when its sums are complete:

    for a few sums at a time: C = f(sum, x, ...)        x loaded at the block's position in C, the result stored once

or a walk follows the product, over C or over scratch memory that holds the sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..contract.machine import General, Machine, Slot
from ..eltwise.emit import emit_walk
from ..gemm.emit import emit_product
from ..gemm.plan import GemmPlan
from ..gemm.state import KernelState
from ..prepack.emit import emit_product as emit_packed
from ..prepack.operand_emit import changed
from .on_tiles import OnTiles
from .plan import EpiloguePlan
from .spec import OLD, parameters
from .sums import OnSums
from .tile_plan import TileEpiloguePlan


def emit(m: Machine, plan: EpiloguePlan | TileEpiloguePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    names = [name for _, name in parameters(plan.spec)]
    given = m.arguments(len(names))
    if isinstance(plan, TileEpiloguePlan):
        _on_grids(m, plan, dict(zip(names, given)))
    elif plan.code is not None:
        _on_sums(m, plan, dict(zip(names, given)))
    else:
        _walk(m, plan, dict(zip(names, given)))
    m.leave()


_POINTERS = 2
"""Operands of an epilogue on tiles whose pointers have registers."""

# On accumulators in registers


def _on_sums(m: Machine, plan: EpiloguePlan, given: Mapping[str, General | Slot]) -> None:
    """Append the product, with the epilogue at the end of each block."""
    assert isinstance(plan.product, GemmPlan)
    extras = [extra.name for extra in plan.spec.extras]
    few = plan.product.product.fixed  # a product of fixed shape leaves registers for pointers
    pointers = {name: _moved(m, given[name], few) for name in extras}
    waiting: General | Slot | None = None
    if plan.waiting:
        register = m.scratch(plan.waiting * m.facts.widths[0] // 8)
        waiting = register if few else m.park(register)
    arguments = [value for name, value in given.items() if name not in extras]
    state = KernelState(m, plan.product, arguments)
    state.epilogue = OnSums(state, plan, pointers, waiting)
    emit_product(state)


def _on_grids(m: Machine, plan: TileEpiloguePlan, given: Mapping[str, General | Slot]) -> None:
    """Append the product, with the epilogue on each grid of tiles."""
    names = [extra.name for extra in plan.spec.extras]
    few = plan.grids.product.fixed
    buffers: list[General | Slot] = [m.scratch(plan.buffer_bytes * plan.buffers)] if plan.buffer_bytes else []
    arguments = [value for name, value in given.items() if name not in names]
    kept = few and isinstance(plan.product, GemmPlan) and len(names) <= _POINTERS
    pointers = {name: _moved(m, given[name], kept) for name in names}
    if not isinstance(plan.product, GemmPlan):
        buffers = [m.park(register) for register in buffers]
        arguments = changed(m, plan.product, arguments, [*pointers.values(), *buffers])
    if few:
        pointers = {name: _held(m, value) if len(names) <= _POINTERS else value for name, value in pointers.items()}
        buffers = [_held(m, value) for value in buffers]
    elif isinstance(plan.product, GemmPlan):
        buffers = [m.park(register) for register in buffers]
    if plan.interleaved:
        second = m.general("buffer")
        m.copy(second, buffers[0])
        m.advance(second, plan.buffer_bytes)
        buffers.append(second)
    state = KernelState(m, plan.grids, arguments)
    state.epilogue = cast(Any, OnTiles(state, plan, pointers, buffers))  # tiles call the verbs of a BufferedEpilogue
    emit_product(state)


def _held(m: Machine, value: General | Slot) -> General:
    """In a register."""
    if not isinstance(value, Slot):
        return value
    register = m.general("pointer")
    m.copy(register, value)
    return register


def _moved(m: Machine, pointer: General | Slot, few: bool) -> General | Slot:
    """Return a pointer that may be advanced, because an argument on the stack belongs to the caller."""
    return pointer if few and not isinstance(pointer, Slot) else _parked(m, pointer)


# In a walk


def _walk(m: Machine, plan: EpiloguePlan, given: Mapping[str, General | Slot]) -> None:
    """Append the product, then the walk over C or over its sums in scratch memory."""
    spec = plan.spec
    assert plan.walk is not None
    resident = {extra.name: _parked(m, given[extra.name]) for extra in spec.extras}
    arguments = {name: value for name, value in given.items() if name not in resident}
    copy = m.general("C")
    m.copy(copy, arguments["c"])
    resident["y"] = resident[OLD] = resident["c"] = m.park(copy)
    if spec.scratch:
        base = m.scratch(spec.scratch)
        m.copy(arguments["c"], base)  # the pointer to C itself is parked, because registers are short
        resident["c"] = m.park(base)
    emit_packed(m, plan.product, list(arguments.values()), resident.values())
    m.reclaim(list(resident.values()))
    m.note("epilogue")
    pointers: dict[str, General] = {}
    for operand in plan.walk.spec.operands:
        pointers[operand.name] = m.general(operand.name)
        m.copy(pointers[operand.name], resident[operand.name])
    emit_walk(m, plan.walk, pointers, {})


def _parked(m: Machine, value: General | Slot) -> General | Slot:
    """Park a value in a slot, so that it takes no general register."""
    if not isinstance(value, Slot):
        return m.park(value)
    register = m.general("pointer")
    m.copy(register, value)
    return m.park(register)
