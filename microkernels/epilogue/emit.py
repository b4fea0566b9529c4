"""Emit a BRGEMM with an epilogue as its plan says.

The epilogue may run on the accumulators in registers, for each block of C when its sums are complete:

    for a few sums at a time: C = f(sum, x, ...)        x loaded at the block's position in C, the result stored once

Otherwise a walk follows the product, over C or over scratch memory that holds the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ...encoder.deferred import lazy
from ..codegen.laid_by import LaidBy, RowSums
from ..codegen.long_sums import Between
from ..contract.machine import SCRATCH_ALIGNMENT, General, Machine, Slot, Vector
from ..contract.vector_verbs import claimed
from ..eltwise.emit import LongRows
from ..eltwise.pipeline import emit_inside
from ..expr.coordinates import COLUMN, ROW
from ..gemm.emit import emit_product
from ..gemm.plan import GemmPlan
from ..gemm.spec import PairBatch
from ..gemm.state import KernelState
from ..operands import ORIGIN
from ..operands import parameters as operand_parameters
from ..prepack.emit import emit_product as emit_packed
from ..prepack.operand_emit import changed
from .long_statistics import LongStatistics, levels_of_panels, levels_of_rows
from .on_tiles import OnTiles
from .plan import EpiloguePlan
from .results import before
from .spec import OLD, EpilogueSpec, parameters
from .stored import begin_statistics
from .sums import OnSums
from .tile_plan import TileEpiloguePlan

if TYPE_CHECKING:
    from . import tile_panel

tile_panel = lazy(__package__, ".tile_panel")


def emit(m: Machine, plan: EpiloguePlan | TileEpiloguePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    given = m.named_arguments(parameters(plan.spec))

    def body(long: bool) -> None:
        if plan.spec.results and len(_own(plan.spec)) > _IN_SLOTS:
            m.release(m.scratch(SCRATCH_ALIGNMENT))  # a frame has more slots
        begin_statistics(m, plan.spec, given.__getitem__)
        if isinstance(plan, TileEpiloguePlan):
            _on_grids(m, plan.of_long_sums if long else plan, given, long)
        elif plan.code is not None:
            emit_on_sums(m, plan, given, long=long)
        else:
            _over_c(m, plan, dict(given), long)

    product = plan.grids if isinstance(plan, TileEpiloguePlan) else plan.product
    m.by_count(given, product.without_levels, body)


def _own(spec: EpilogueSpec) -> list[str]:
    """Return the parameters of the epilogue, which the product does not know."""
    return [name for _, name in operand_parameters([*spec.extras, *spec.numbers, *spec.results])]


def _places(m: Machine, spec: EpilogueSpec, given: Mapping[str, General | Slot]) -> dict[str, Slot | General]:
    """Keep the row and column of C's first element, as the walk counts them, if the expression uses them."""
    used = [name for name, _ in spec.elementwise.program.inputs if name in (ROW, COLUMN)]
    in_frame: dict[str, Slot | General] = {}
    for name in used:
        number = name.removeprefix("@")
        if spec.moved:
            other = {"row": "column", "column": "row"} if spec.order[2] == "F" else {}
            in_frame[name] = _in_frame(m, given[other.get(number, number)])
            continue
        register = m.general(name)
        m.copy(register, 0)
        in_frame[name] = m.to_slot(register)
    return in_frame


_POINTERS = 2
"""The most operands of an epilogue on tiles whose pointers stay in registers."""
_OF_BATCH = ("count", "a_stride", "b_stride")
_IN_SLOTS = 4
"""The most operands, numbers and results of an epilogue that need no frame."""


def _registers_left(spec: EpilogueSpec, product: GemmPlan) -> bool:
    """Whether pointers may stay in registers: the product has a fixed shape and there are few results beside C."""
    many = spec.results and (len(_own(spec)) > _POINTERS or isinstance(spec.batch, PairBatch))
    return product.product.fixed and not many


# On accumulators in registers


def emit_on_sums(
    m: Machine,
    plan: EpiloguePlan,
    given: Mapping[str, General | Slot],
    emitted: Callable[[KernelState], None] = emit_product,
    long: bool = False,
) -> None:
    """Append the product with the epilogue at the end of each block, without the kernel's prologue and epilogue.
    `given` holds the registers or slots of its parameters; `emitted` emits the product; long: as in KernelState."""
    assert isinstance(plan.product, GemmPlan)
    own = _own(plan.spec)
    few = _registers_left(plan.spec, plan.product)
    pointers = {name: _moved(m, given[name], few) for name in own if not (plan.spec.moved and name in ORIGIN)}
    pointers |= _places(m, plan.spec, given)
    waiting: General | Slot | None = None
    if plan.waiting:
        register = m.scratch(plan.waiting * m.facts.widths[0] // 8)
        waiting = register if few else m.to_slot(register)
    base = _levels(m, plan.spec, plan.product)
    arguments = [value for name, value in given.items() if name not in own]
    state = KernelState(m, plan.product, arguments, long)
    state.epilogue = OnSums(state, plan, pointers, waiting)
    state.epilogue.long = _long_statistics(state, plan.spec, base, pointers)
    emitted(state)


def _levels(m: Machine, spec: EpilogueSpec, product: GemmPlan) -> General | Slot | None:
    """Claim the memory of the levels of long statistics, before any loop."""
    levels = levels_of_panels(spec, product)
    return None if levels is None else m.to_slot(m.scratch(levels.bytes))


def _given(base: General | Slot | None) -> Sequence[General | Slot]:
    return () if base is None else (base,)


def _long_statistics(
    state: KernelState, spec: EpilogueSpec, base: General | Slot | None, pointers: Mapping[str, General | Slot]
) -> LongStatistics | None:
    levels = levels_of_panels(spec, state.plan)
    if levels is None or base is None:
        return None
    return LongStatistics(state.m, levels, state.operands, base, pointers)


def _on_grids(m: Machine, plan: TileEpiloguePlan, given: Mapping[str, General | Slot], long: bool) -> None:
    """Append the product, with the epilogue on each grid of tiles. long: as in KernelState."""
    own = _own(plan.spec)
    base = _levels(m, plan.spec, plan.grids)
    apart = plan.interleaved and isinstance(plan.spec.batch, PairBatch)  # a runtime batch leaves no registers
    few = _registers_left(plan.spec, plan.grids) and not apart
    buffers: list[General | Slot] = [m.scratch(plan.buffer_bytes * plan.buffers)] if plan.buffer_bytes else []
    arguments = [
        _in_frame(m, value) if apart and name in _OF_BATCH else value
        for name, value in given.items()
        if name not in own
    ]
    kept = few and isinstance(plan.product, GemmPlan) and len(own) <= _POINTERS
    pointers = {name: _moved(m, given[name], kept) for name in own if not (plan.spec.moved and name in ORIGIN)}
    pointers |= _places(m, plan.spec, given)
    if not isinstance(plan.product, GemmPlan):
        buffers = [m.to_slot(register) for register in buffers]
        arguments = changed(m, plan.product, arguments, [*pointers.values(), *buffers, *_given(base)])
    if few:
        if len(own) <= _POINTERS:
            pointers |= {name: m.in_register(value, "pointer") for name, value in pointers.items() if name in own}
        buffers = [m.in_register(value, "pointer") for value in buffers]
    elif isinstance(plan.product, GemmPlan):
        buffers = [m.to_slot(register) for register in buffers]
    if plan.buffers > 1:
        second = m.general("buffer")
        m.copy(second, buffers[0])
        m.advance(second, plan.buffer_bytes)
        buffers.append(second)
    state = KernelState(m, plan.grids, arguments, long)
    epilogue = OnTiles(state, plan, pointers, buffers)
    epilogue.long = _long_statistics(state, plan.spec, base, pointers)
    state.epilogue = cast(Any, epilogue)  # panels on grids ask for columns or lines, not for registers
    emit_product(state, panels=tile_panel.FusedTilePanel if buffers else None)


def _moved(m: Machine, pointer: General | Slot, few: bool) -> General | Slot:
    """Return a pointer that may be advanced. An argument on the stack is copied, because it belongs to the caller."""
    return pointer if few and not isinstance(pointer, Slot) else _in_frame(m, pointer)


# In a walk


def _over_c(m: Machine, plan: EpiloguePlan, given: Mapping[str, General | Slot], long: bool) -> None:
    """Append the product, then the walk over C or over its sums in scratch memory. long: as in KernelState."""
    spec = plan.spec
    assert plan.elementwise is not None
    resident = {name: _in_frame(m, given[name]) for name in _own(spec)}
    arguments = {name: value for name, value in given.items() if name not in resident}
    levels, base = levels_of_rows(spec, plan.elementwise), None
    if levels is not None:
        base = resident[_LEVELS] = m.to_slot(m.scratch(levels.bytes))
    copy = m.general("C")
    m.copy(copy, arguments["c"])
    resident["y"] = resident[OLD] = resident["c"] = m.to_slot(copy)
    if spec.scratch:
        base = m.scratch(spec.scratch)
        m.copy(arguments["c"], base)  # the pointer to C itself is kept in the frame, because registers are scarce
        resident["c"] = m.to_slot(base)
    emit_packed(m, plan.product, list(arguments.values()), resident.values(), long)
    m.reclaim(list(resident.values()))
    m.note("epilogue")
    pointers: dict[str, General] = {}
    kept = {before(name): name for name in spec.statistics}
    for operand in plan.elementwise.spec.operands:
        if operand.name not in kept:
            pointers[operand.name] = m.general(operand.name)
            m.copy(pointers[operand.name], resident[operand.name])
    pointers |= {name: pointers[output] for name, output in kept.items()}
    other = {"row": "column", "column": "row"} if spec.order[2] == "F" else {}
    values: dict[str, General] = {}
    for number in plan.elementwise.spec.numbers:
        values[number.name] = m.general(number.name)
        m.copy(values[number.name], resident[other.get(number.name, number.name)])
    rows = _long_rows(m, plan, levels, base, pointers) if levels is not None else None
    emit_inside(m, plan.elementwise, pointers, values, rows)


_LEVELS = " levels"
"""The pointer in the frame to the levels of long statistics. No operand has this name."""


def _long_rows(
    m: Machine, plan: EpiloguePlan, levels: LaidBy, base: General | Slot | None, pointers: Mapping[str, General]
) -> LongRows:
    """Return the statistics of the walk that are laid by. C's pointer is borrowed for the levels."""
    sums, saved, c = RowSums(m, levels), m.counter("C"), pointers["y"]

    def between(free: Sequence[Vector]) -> Between:
        sums.free = free
        inner = sums.between(pointers, c)

        def at_levels(part: Callable[[], None]) -> None:
            m.copy(saved, c)
            m.copy(c, claimed(base))
            part()
            m.copy(c, saved)

        return Between(*(partial(at_levels, part) for part in inner))

    return LongRows(levels.levels.steps, m.counter("blocks of rows"), between)


def _in_frame(m: Machine, value: General | Slot) -> General | Slot:
    """Keep a copy of an argument that lies in a slot, because that slot belongs to the caller."""
    return m.to_slot(m.in_register(value, "pointer"))
