"""Emit a traced function in sweeps as its plan says (plan.py). No decisions are made here.

Pointers into the operands lie in the stack frame, and loops advance them there. Each walk claims registers only while
it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from types import MappingProxyType
from typing import Any

from ..chain.emit import BandLoop
from ..chain.frame_values import FrameValues
from ..chain.plan import ChainPlan
from ..codegen.selection import Constant, arithmetic_of
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import EltwiseSpec
from ..expr.graph import BITS
from ..fused.inside import FoundRows, emit_elements
from ..operands import RUNTIME, Number, parameters
from ..reduce.ops import running
from ..tensor.extent import SymbolicExtent
from .bands import PLACE
from .columns_emit import emit_columns
from .columns_plan import ColumnsPlan
from .phases import NEXT
from .plan import PlannedSweep, PointerStep, SweepPlan, Total, WalkLoop

_NOTHING: Mapping[str, str] = MappingProxyType({})


def emit(m: Machine, plan: SweepPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in plan.spec.interface.parameters()])
    frame.scratch(plan.bytes_of_scratch)
    into_frame(frame, plan)
    frame.save()
    emit_sweeps(frame, plan)
    m.leave()


def emit_with_products(m: Machine, plan: SweepPlan) -> None:
    """Append a kernel whose walks are loops over bands of rows, with the rows between them under names in the
    frame."""
    m.enter(plan.registers)
    frame = FrameValues(m, [name for _, name in parameters(plan.spec.arguments)])
    frame.scratch(plan.bytes_of_scratch)
    for name, offset in plan.offsets:
        frame.at[name] = m.to_slot(frame.register("scratch", offset))
    for name, result in plan.places.items():
        frame.copy_of(name, result)
    codes = [part.code for part in plan.parts]
    loops = [BandLoop.of_all_rows(frame, code, plan.bytes_of_rows) for code in codes if isinstance(code, ChainPlan)]
    frame.save()
    for number, loop in enumerate(loops):
        m.note(f"walk {number}")
        loop.all_rows()
        loop.back()
    m.leave()


def into_frame(frame: FrameValues, plan: SweepPlan) -> None:
    """Keep the totals, counters and numbers that the loops need, before any loop."""
    offset = plan.bytes_of_rows + plan.scratch_bytes
    for each in plan.totals:
        for name in (each.name, f"{each.name}{NEXT}"):
            frame.at[name] = frame.m.to_slot(frame.register("scratch", offset))
        offset += each.bytes(plan.spec.compute)
    for loop in plan.loops:
        if not loop.unrolled:
            frame.counter(loop.counter)
        if PLACE["column"] in (step.name for step in loop.steps):
            for name, place in PLACE.items():
                if plan.spec.moved:
                    frame.at[place] = frame.at[name]
                else:
                    frame.counter(place)
        into_frame(frame, loop.body)


def numbers_of(frame: FrameValues, spec: EltwiseSpec) -> dict[str, Any]:
    """Return registers with the numbers that a walk takes. A band's row and column are kept in the frame under names of
    their own."""
    names = {each.name: PLACE.get(each.name, "") for each in spec.arguments if isinstance(each, Number)}
    return {name: frame.register(place if place in frame.at else name) for name, place in names.items()}


def emit_sweeps(
    frame: FrameValues, plan: SweepPlan, found: FoundRows | None = None, places: Mapping[str, str] = _NOTHING
) -> None:
    """Emit all walks, and the loops after them.

    found   locates rows by an index
    places  the results whose memory further inputs share, keyed by input
    """
    places = {**plan.places, **places}
    for number, part in enumerate(plan.parts):
        frame.free()
        frame.m.note(f"walk {number}")
        emit_sweep(frame, plan, part, places, dict(plan.offsets), found)
    if plan.loops:
        _emit_loops(frame, plan, found)


def _emit_loops(frame: FrameValues, plan: SweepPlan, found: FoundRows | None) -> None:
    for name, place in PLACE.items():
        if place in frame.at and frame.at[place] is not frame.at.get(name):
            frame.m.copy(frame.at[place], 0)
    for loop in plan.loops:
        for total in loop.starts:
            frame.free()
            _start(frame, plan, total)
        frame.free()
        with _repeated(frame, plan, loop):
            frame.m.note(loop.each)
            for _ in range(loop.times if loop.unrolled else 1):
                emit_sweeps(frame, loop.body, found)
                _move(frame, loop.steps, found)
        _move(frame, loop.after, found)


@contextmanager
def _repeated(frame: FrameValues, plan: SweepPlan, loop: WalkLoop) -> Iterator[None]:
    """Repeat what is emitted inside, if the loop is not unrolled: not at all if the call gives 0 as its extent."""
    m = frame.m
    if loop.unrolled:
        yield
    elif isinstance(loop.times, SymbolicExtent):
        given = frame.at[plan.spec.extent]
        with m.unless_zero(given), m.loop(frame.at[loop.counter], given):
            yield
    else:
        with m.loop(frame.at[loop.counter], loop.times):
            yield


def _start(frame: FrameValues, plan: SweepPlan, total: Total) -> None:
    """Set a total to the value of no columns."""
    m, dtype, arithmetic = frame.m, plan.spec.compute, arithmetic_of(frame.m.facts, plan.spec.numerics)
    start = Constant(running(total.reduction, dtype, arithmetic, 1).start[0], BITS[dtype])
    pointer = frame.register(total.name)
    with m.predicates(), m.vectors(1, "what changes no element") as (register,):
        one = m.lanes(dtype, 1)
        arithmetic.constant(m, register, start, one)
        with m.loop(m.counter("rows"), total.rows):
            m.store(m.at(pointer), register, one)
            m.advance(pointer, ELEMENT_BYTES[dtype])


def _move(frame: FrameValues, steps: Sequence[PointerStep], found: FoundRows | None) -> None:
    """Move pointers and numbers, each pointer once if several operands have the rows of a table."""
    frame.free()
    tables = {} if found is None else found.tables
    for name, step in {tables.get(step.name, step.name): step for step in steps}.items():
        if step.by:
            frame.m.advance(frame.at[name], frame.at[step.by], step.amount)
        else:
            frame.m.advance(frame.at[name], step.amount)


def registers_of(
    frame: FrameValues,
    specs: Sequence[EltwiseSpec],
    places: Mapping[str, str] = _NOTHING,
    offsets: Mapping[str, int] | None = None,
    without: Collection[str] = (),
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return registers with the pointers and the other arguments of walks that run at a time. An input that shares a
    result's memory also shares its register.

    places   the operands whose memory others share, keyed by these
    offsets  of rows in scratch memory
    without  operands that need no pointers
    """
    offsets, found = offsets or {}, {}
    operands = [[each for each in spec.operands if each.name not in without] for spec in specs]
    for each in chain(*operands):
        own = places.get(each.name, each.name)
        if own not in found:
            found[own] = frame.register("scratch", offsets[own]) if own in offsets else frame.register(own)
    made = []
    for spec, several in zip(specs, operands):
        values = numbers_of(frame, spec)
        for each in several:
            if each.view.leading is RUNTIME:
                values[f"ld{each.name}"] = frame.register(f"ld{places.get(each.name, each.name)}")
        made.append(({each.name: found[places.get(each.name, each.name)] for each in several}, values))
    return made


def emit_sweep(
    frame: FrameValues,
    plan: SweepPlan,
    part: PlannedSweep,
    places: Mapping[str, str],
    offsets: Mapping[str, int],
    rows: FoundRows | None = None,
    extent: str = "",
) -> None:
    """Emit one walk. extent: the name of the number of rows, if the call gives it."""
    spec = part.code.spec
    located = () if rows is None else rows.of(spec)
    ((pointers, values),) = registers_of(frame, [spec], places, offsets, located)
    count = frame.register(extent) if extent and isinstance(part.code, ColumnsPlan) else None
    with frame.aside(plan.bytes_of_rows, plan.scratch_bytes, rows.kept if rows is not None and located else ()):
        if isinstance(part.code, ColumnsPlan):
            emit_columns(frame.m, part.code, pointers, values, count)
        else:
            assert not isinstance(part.code, ChainPlan), "loops over bands have no other walks beside them"
            by_index, finder = rows.begin(spec) if rows is not None else ({}, None)
            emit_elements(frame.m, part.code, pointers | by_index, values, finder)
