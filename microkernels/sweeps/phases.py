"""A fused kernel in sweeps over bands of columns that also reduces along rows. Each such reduction takes a phase over
all bands.

    y = (x - s) * t,   s = sum of x down the columns,   t = sum of (x - s) along rows

    phase 0   t = 0;   for each band of columns:   the walks for s,   t = t + sum of (x - s) along the rows of the band
    phase 1            for each band of columns:   the walks for s,   y = (x - s) * t

Rows between walks have the length of a band, and the values between phases are columns. Neither grows with the number
of columns of the matrices. A later phase recomputes the values that it needs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..choice import Refusal, Way, choose
from ..contract.machine import Facts
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, MEAN, SCAN, along, down, without_means
from ..expr.graph import Expr, constant, maximum, minimum, operand, ordered, rebuilt, with_args, with_named
from ..expr.program import program
from ..fused import plan as fused
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec, elementwise, fused_spec
from ..fused.sweeps import NodeShapes
from ..operands import Operand, View
from . import bands
from .bands import COLUMNS, ColumnBand, narrower, wide
from .plan import WAY, SweepPlan, Total, of_one_walk, planned

_JOINS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "max": maximum,
    "absmax": maximum,
    "min": minimum,
}
"""The combination of a reduction over the bands so far with that of one more band, keyed by reduction."""
NEXT = "_next"
"""Suffix of the name of a reduction after a band. It shares the memory of the reduction before the band."""


def in_bands(spec: FusedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield all ways of bands of columns, in phases if there are reductions along rows."""
    yield from bands.candidates(spec, facts)
    operations = {step.op for step in spec.program.steps}
    if ALONG in operations and SCAN not in operations:
        yield from candidates(spec, facts)


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Way]:
    """Yield bands from the widest on."""
    for columns in COLUMNS:
        if columns < spec.n:
            yield Way(f"bands of {columns} columns in phases", partial(_planned, spec, facts, columns))


def _planned(spec: FusedSpec, facts: Facts, columns: int) -> SweepPlan:
    totals, results = _cut(spec)
    phases = []
    for number in range(len(results)):
        made = [
            (times, _band(spec, totals, results[number], number, width)) for times, width in bands.widths(spec, columns)
        ]
        phases.append(tuple(ColumnBand(times, band.n, _code(band, facts)) for times, band in made))
    read = {x.name for x in made[0][1].inputs}
    if not {*spec.in_place} & read <= {*made[0][1].in_place}:
        raise UnsupportedError(f"{WAY} do not fit, because a band would overwrite what it still reads")
    return bands.banded(spec, phases, totals)


def _code(band: FusedSpec, facts: Facts) -> SweepPlan:
    if band.swept:
        return planned(band, facts)
    found = choose(fused.candidates(band, facts))
    assert isinstance(found, FusedPlan)
    return of_one_walk(found, facts)


def _cut(spec: FusedSpec) -> tuple[tuple[Total, ...], list[list[Expr]]]:
    """Return the reductions along rows, and the expressions of each phase, with those of the results last."""
    results = without_means(_whole_means(spec), spec.m, spec.n, divided=True)
    extents = {x.name: (x.rows > 1, wide(spec, x)) for x in spec.inputs}
    single = NodeShapes(results, extents).single
    depth: dict[Expr, int] = {}
    totals: dict[Expr, Total] = {}
    taken = {each.name for each in spec.operands}
    reduced = _reduced(results)
    for expr in ordered(results):
        depth[expr] = max((depth[arg] + (arg in reduced) for arg in expr.args), default=0)
        if expr in reduced:
            name = next(
                each for i in range(len(taken) + 1 + len(totals)) if not {each := f"total{i}", f"{each}{NEXT}"} & taken
            )
            taken.add(name)
            totals[expr] = Total(name, expr.value, 1 if single[expr] or expr.op == DOWN else spec.m, depth[expr])
    phases = max((each.phase for each in totals.values()), default=-1) + 1

    def value(before: int) -> Callable[[Expr], Expr]:
        return with_named({expr: each.name for expr, each in totals.items() if each.phase < before}.get)

    found = []
    for phase in range(phases):
        own, made = [expr for expr in totals if totals[expr].phase == phase], value(phase)
        found.append([_JOINS[expr.value](operand(totals[expr].name, expr.dtype), made(expr)) for expr in own])
    return tuple(totals.values()), [*found, [*map(value(phases), results)]]


def _whole_means(spec: FusedSpec) -> tuple[Expr, ...]:
    """Return the results, in which a mean of all elements is their sum divided by their number."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == DOWN and expr.value == MEAN and args[0].op == ALONG and args[0].value == MEAN:
            return down("sum", along("sum", args[0].args[0])) / constant(float(spec.m * spec.n), expr.dtype)
        return with_args(expr, args)

    return rebuilt(spec.shapes[1], change)


def _reduced(results: Sequence[Expr]) -> set[Expr]:
    """Return the reductions along rows. A reduction of all elements counts as one."""
    order = ordered(results)
    every = {
        expr for expr in order if expr.op == DOWN and expr.args[0].op == ALONG and expr.args[0].value == expr.value
    }
    used = {*results, *(arg for expr in order if expr not in every for arg in expr.args)}
    return every | {expr for expr in order if expr.op == ALONG and expr in used}


def _band(spec: FusedSpec, totals: tuple[Total, ...], results: list[Expr], number: int, columns: int) -> FusedSpec:
    """Return the request of a phase for `columns` columns."""
    last = number > max((each.phase for each in totals), default=-1)
    made = program(*results)
    names = {name for name, _ in made.inputs}
    given = [x for x in narrower(spec, spec.inputs, columns) if x.name in names]
    known = [Operand(each.name, each.rows, 1, View("C", 1), spec.compute) for each in totals if each.name in names]
    if last:
        outputs = tuple(
            y._replace(view=View("C", columns)) if each.columns < spec.n else y
            for y, each in zip(narrower(spec, elementwise(spec).outputs, columns), spec.outputs)
        )
    else:
        outputs = tuple(
            Operand(f"{each.name}{NEXT}", spec.m, columns, View("C", columns), spec.compute, True)
            for each in totals
            if each.phase == number
        )
    request = replace(elementwise(spec), n=columns, program=made, inputs=(*given, *known), outputs=outputs)
    found = replace(fused_spec(replace(request, moved=request.placed)), by_index=spec.by_index)
    return replace(found, outputs=narrower(spec, spec.outputs, columns)) if last else found
