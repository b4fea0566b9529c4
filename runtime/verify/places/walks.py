"""The steps of fused kernels of several walks, and of loops around them: over bands of columns, groups and samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....encoder.records import NamedTuple
from ....microkernels.chain.plan import ChainPlan
from ....microkernels.chain.spec import ChainSpec
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.fused.spec import BEFORE
from ....microkernels.grouped.spec import GroupedSpec
from ....microkernels.operands import Operand
from ....microkernels.sweeps.phases import NEXT
from ....microkernels.sweeps.plan import BLOCK, SweepPlan
from .chains import NOTHING, SCRATCH, Around, steps_of_chain
from .elements import At, steps_of
from .memory import MatrixAccess, PlacedStep

_TWICE = 2
_ROWS = 4
"""The most rows that are walked: rows do not differ in what they read and write, and scratch memory holds single rows
or one element of each."""


class Shift(NamedTuple):
    """Where a part of the matrices begins: its row and its column, and the name of the part."""

    row: int = 0
    column: int = 0
    name: str = ""


_WHOLE = Shift()


class Walks:
    """The places of one kernel, from which the steps of its walks are made.

    outputs   the results of the call
    alias     inputs that share the memory of a result, as a call in place passes them
    rows      as many rows as are walked, if the walks have `m`
    """

    def __init__(self, spec: Any, alias: Mapping[str, str], around: Around = NOTHING) -> None:
        self.inputs = {x.name for x in spec.inputs}
        self.outputs = {y.name: y for y in spec.outputs}
        self.alias, self.around = alias, around
        self.m, self.rows = spec.m, min(spec.m, _ROWS)
        self.versions: dict[str, int] = {}
        self.totals: dict[str, tuple[int, int]] = {}  # offset and rows
        self.final: dict[str, tuple[Any, At]] = {}

    def walk(
        self,
        name: str,
        code: Any,
        made: Sequence[tuple[Any, Any]],
        offsets: Mapping[str, int],
        places: Mapping[str, str],
        room: tuple[int, int],
        shift: Shift = _WHOLE,
    ) -> Iterator[PlacedStep]:
        """Yield the steps of one walk.

        made     (expression, place) of each of its results
        offsets  the places of rows in scratch memory
        places   the names of the results that hold other values, by the names of these
        room     the first byte of the walk's own scratch memory, and its bytes
        """
        spec = code.spec
        written = {y.name: place.name for y, (_, place) in zip(spec.outputs, made)}
        operands = {each.name: each for each in spec.operands}

        def at(name: str, output: bool) -> At | None:
            return self._at(operands[name], output, written, offsets, places, shift)

        rows = self.rows if spec.m == self.m and spec.m > 1 else None
        own: tuple[MatrixAccess, ...] = (MatrixAccess(SCRATCH, room[0], 1, room[1], 1, room[1], ""),) if room[1] else ()
        found = {*self.around.found} & operands.keys()
        own += (self.around.dump,) if found and self.around.dump is not None else ()
        for number, step in enumerate(steps_of(code, at, f"{name}{shift.name}", rows, own)):
            zeros = self.around.zeros if found and not number else None
            yield step._replace(reads=step.reads + ((zeros,) if zeros is not None else ()))
        for name, version in [(name, self.versions[name]) for name in self.totals if f"{name}{NEXT}" in operands]:
            self.versions[name] = version + 1

    def _at(
        self,
        operand: Operand,
        output: bool,
        written: Mapping[str, str],
        offsets: Mapping[str, int],
        places: Mapping[str, str],
        shift: Shift,
    ) -> At | None:
        name = operand.name
        total = name.removesuffix(NEXT)
        if total in self.totals:
            return At(SCRATCH, self.totals[total][0], f"{total}, version {self.versions[total] + (name != total)}")
        if name in offsets:
            return At(SCRATCH, offsets[name], f"{name}{shift.name}")
        own = places.get(name, self.alias.get(name, name))
        if own not in self.outputs or own in self.around.found:
            return None
        value = (written.get(name) if output else name) or f"the result {own}"
        if name.removesuffix(BEFORE) in self.outputs and not output:
            value = f"the result {own}"
        size = ELEMENT_BYTES[operand.dtype]
        pitch = (operand.view.leading if isinstance(operand.view.leading, int) else operand.columns) * size
        row = shift.row if operand.rows > 1 or self.outputs[own].rows > 1 else 0
        column = shift.column if operand.columns > 1 else 0
        found = At(own, row * pitch + column * size, value, row, column)
        if output:
            self.final[f"{own}{shift}"] = operand, found
        return found

    def given(self) -> Iterator[PlacedStep]:
        """Yield what the call leaves in the memory of results: inputs, if it computes in place."""
        for name, y in self.alias.items():
            operand = self.outputs[y]
            rows = self.rows if operand.rows == self.m else operand.rows
            size = ELEMENT_BYTES[operand.dtype]
            pitch = (operand.view.leading if isinstance(operand.view.leading, int) else operand.columns) * size
            yield PlacedStep("the call", (), (MatrixAccess(y, 0, rows, operand.columns, size, pitch, name),))

    def results(self) -> PlacedStep:
        """Return the read of all results by the caller."""
        reads = []
        for operand, at in self.final.values():
            rows = self.rows if operand.rows == self.m else operand.rows
            size = ELEMENT_BYTES[operand.dtype]
            pitch = (operand.view.leading if isinstance(operand.view.leading, int) else operand.columns) * size
            reads.append(
                MatrixAccess(at.space, at.offset, rows, operand.columns, size, pitch, at.value, at.row, at.column)
            )
        return PlacedStep("the caller", tuple(reads), ())


def aliases(spec: Any) -> list[dict[str, str]]:
    """Return the calls to check: with matrices of their own, and with each input in place of each result that it may
    be."""
    if getattr(spec, "layouts", ()) and not getattr(spec, "dynamic", False):
        return [{}]
    inputs, outputs = ([each for each in spec.operands if each.output == output] for output in (False, True))
    alike = [
        (x.name, y.name)
        for x in inputs
        for y in outputs
        if x.name in spec.in_place and (y.rows, y.columns, y.view, y.dtype) == (x.rows, x.columns, x.view, x.dtype)
    ]
    return [{}, *({x: y} for x, y in alike)]


def aliases_of(plan: Any) -> list[dict[str, str]]:
    """Return the calls of a plan to check. Walks over rows that the call counts are walked in blocks of different
    numbers of rows, so that no call in place can be told for all of them; each walk is checked by itself. Groups are
    checked with matrices of their own."""
    groups = isinstance(plan.spec, GroupedSpec)
    blocks = not groups and isinstance(plan, SweepPlan) and plan.spec.dynamic and plan.strips is None
    return [{}] if groups or blocks else aliases(plan.spec)


def of_one(plan: Any, alias: Mapping[str, str]) -> Iterator[PlacedStep]:
    """Yield the steps of a kernel of one walk."""
    walks = Walks(plan.spec, alias)
    yield from walks.given()
    yield from walks.walk("the walk", plan, (), {}, {}, (0, 0))
    yield walks.results()


def of_sweeps(plan: SweepPlan, alias: Mapping[str, str], around: Around = NOTHING) -> Iterator[PlacedStep]:
    """Yield the steps of sweeps over all rows. Of rows whose number the call gives, those of one block are walked; if
    columns are contiguous, they are the columns of the transposed matrices."""
    if isinstance(plan.spec, ChainSpec):
        yield from _with_products(plan)
        return
    request = plan.spec
    if isinstance(request, GroupedSpec):
        walks = Walks(replace(request.request, outputs=plan.loops[0].body.loops[0].body.spec.outputs), alias)
        walks.rows = walks.m
        yield from _sweep(walks, plan)
        return
    if plan.strips is not None:
        request = request.of(BLOCK - 1).transposed
    elif request.dynamic:
        request = request.likely
    walks = Walks(request, alias, around)
    yield from walks.given()
    yield from _sweep(walks, plan)
    if not plan.loops:  # of which some parts are walked
        yield walks.results()


def _with_products(plan: SweepPlan) -> Iterator[PlacedStep]:
    """Yield the steps of sweeps over bands of rows. The rows between them lie before the scratch memory of each."""
    offsets, size = dict(plan.offsets), ELEMENT_BYTES[plan.spec.compute]

    def rows(operands: Sequence[Operand]) -> tuple[MatrixAccess, ...]:
        own = [each for each in operands if each.name in offsets]
        pitch = [x.columns * size for x in own]
        return tuple(
            MatrixAccess(SCRATCH, offsets[x.name], x.rows, x.columns, size, at, x.name) for x, at in zip(own, pitch)
        )

    def behind(accesses: Sequence[MatrixAccess]) -> tuple[MatrixAccess, ...]:
        own = [each for each in accesses if each.space not in offsets]
        moved = [each._replace(offset=each.offset + plan.bytes_of_rows * (each.space == SCRATCH)) for each in own]
        return tuple(moved)

    results = []
    for number, part in enumerate(plan.parts):
        read = PlacedStep(f"walk {number}", rows(part.code.spec.inputs), ())
        yield read
        assert isinstance(part.code, ChainPlan)
        for step in steps_of_chain(part.code):
            yield step._replace(reads=behind(step.reads), writes=behind(step.writes), own=behind(step.own))
        results.append(PlacedStep(step.name, behind(step.reads), ()))
        yield read
        yield PlacedStep(f"walk {number}", (), rows(part.code.spec.outputs))
    yield from results


def _sweep(walks: Walks, plan: SweepPlan, shift: Shift = _WHOLE) -> Iterator[PlacedStep]:
    turns = plan.strips.interleaved if plan.strips is not None else ()
    inside = {name for number in turns for name in plan.parts[number].rows}  # they stay in registers
    offset, size = plan.bytes_of_rows + plan.scratch_bytes, ELEMENT_BYTES[plan.spec.compute]
    for each in plan.totals:
        walks.totals[each.name] = offset, each.rows
        offset += each.bytes(plan.spec.compute)
    for number, part in enumerate(plan.parts):
        yield from walks.walk(
            f"walk {number}",
            part.some,
            part.sweep.made if part.sweep is not None else (),
            {name: at for name, at in plan.offsets if name not in inside},
            {name: y for name, y in plan.places.items() if name not in walks.inputs},
            (plan.bytes_of_rows, plan.scratch_bytes),
            shift,
        )
    begin = shift
    for number, loop in enumerate(plan.loops):
        for each in loop.starts:
            walks.versions[each.name], at = 0, walks.totals[each.name][0]
            start = MatrixAccess(SCRATCH, at, each.rows, 1, size, size, f"{each.name}, version 0")
            yield PlacedStep(f"start of {each.name}", (), (start,))
        for turn in range(min(loop.times, _TWICE)):
            here = shift._replace(name=f"{shift.name}, part {turn} of loop {number}")
            if loop.body.parts and loop.body.loops:  # nothing lies in scratch memory between groups in turn
                yield from walks.walk("walk", loop.body, (), {}, {}, (0, loop.body.bytes_of_scratch), here)
            else:
                yield from _sweep(walks, loop.body, here)
            shift = Shift(shift.row + loop.rows, shift.column + loop.columns, shift.name)
        if loop.after:
            shift = begin
