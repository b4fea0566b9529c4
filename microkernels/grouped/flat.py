"""A group as one row of memory: values that are reduced over all its elements take a single walk, along that row.

    mean = mean of all x,  y = (x - mean) gamma          gamma has a value per row

    walk 0   one row of m * n elements    mean = sum of x along it / (m n)
    walk 1   m rows                       y = (x - mean) gamma

A reduction along the rows, followed by one down the column of their results, is one reduction along the long row. It
combines accumulators once instead of once per row. The matrices that it reads must have no gaps between their rows.
Groups of one row each are the rows of one kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...encoder.records import NamedTuple
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, SCAN
from ..expr.graph import FLOATS, Expr, expressions, ordered, rebuilt, with_args, with_named
from ..expr.program import program
from ..fused.spec import FusedSpec, elementwise, fused_spec
from ..fused.sweeps import NodeShapes, StoredValue, Sweep, of_one_row
from ..operands import LARGEST, Operand, View

WAY = "a group as one row"


class FlatSweeps(NamedTuple):
    """Sweeps, and the request of each."""

    sweeps: tuple[Sweep, ...]
    requests: tuple[EltwiseSpec, ...]


def flat_sweeps(spec: FusedSpec, groups: int = 1) -> FlatSweeps:
    """Return the walk along the row, which has one row for each of `groups` groups, and the walk over the rows of one
    group. Raises UnsupportedError with the reason if there are none."""
    shapes, results = spec.shapes
    of_rows = [y for y in results if not shapes.single[y]]
    if not spec.swept or not of_rows:
        raise UnsupportedError("one walk suffices")
    if any(shapes.single[expr] and shapes.wide[expr] for expr in shapes.order):
        raise UnsupportedError("reductions down the columns give a row for the group, not one value")
    needed = [*_needed(of_rows, shapes), *(y for y in results if shapes.single[y])]
    first, places = [], dict[Expr, StoredValue]()
    for number, expr in enumerate(dict.fromkeys(needed)):
        places[expr] = _place(spec, results, expr, number)
        first.append((_flat(expr), places[expr]))
    first += [
        (_flat(y), StoredValue("", number, True))
        for number, y in enumerate(results)
        if shapes.single[y] and places[y].result != number
    ]
    value = with_named({expr: place.name for expr, place in places.items()}.get)
    second = [
        (value(y), StoredValue("", number, not shapes.wide[y]))
        for number, y in enumerate(results)
        if not shapes.single[y]
    ]
    _check(spec, [expr for expr, _ in first])
    sweeps = Sweep(False, True, tuple(first)), Sweep(True, True, tuple(second))
    known = {place.name: spec.place(place) for place in places.values()} | {x.name: x for x in spec.inputs}
    return FlatSweeps(sweeps, (_along(spec, sweeps[0], known, groups), spec.request_of_sweep(sweeps[1], known)))


def rows_of(spec: FusedSpec, groups: int) -> FusedSpec:
    """Return the request of `groups` groups of one row each, which is one kernel with that number of rows."""
    plain = elementwise(spec)
    inputs, outputs = (
        tuple(each._replace(rows=groups) for each in operands) for operands in (plain.inputs, plain.outputs)
    )
    made = program(*of_one_row(expressions(plain.program)))
    return fused_spec(replace(plain, m=groups, program=made, inputs=inputs, outputs=outputs))


def _needed(results: Sequence[Expr], shapes: NodeShapes) -> Iterator[Expr]:
    """Yield the nodes of these expressions that have one value for the whole group."""
    stack, seen = list(results), set[Expr]()
    while stack:
        expr = stack.pop()
        if expr in seen:
            continue
        seen.add(expr)
        if not shapes.single[expr]:
            stack += expr.args
        elif expr.dtype not in FLOATS:
            raise UnsupportedError("a value for the whole group is a comparison, which is not stored between walks")
        else:
            yield expr


def _place(spec: FusedSpec, results: Sequence[Expr], expr: Expr, number: int) -> StoredValue:
    """Return the place of a group's value: in a result, or in scratch memory."""
    direct = (i for i, y in enumerate(results) if y is expr and spec.outputs[i].dtype == spec.compute)
    names = {each.name for each in spec.operands}
    name = next(each for each in (f"group{number}", f"group_{number}", f"_group{number}") if each not in names)
    return StoredValue(name, next(direct, None), True)


def _flat(expr: Expr) -> Expr:
    """Return the same expression on the long row."""

    def change(each: Expr, args: tuple[Expr, ...]) -> Expr:
        if each.op != DOWN:
            return with_args(each, args)
        if each.args[0].op != ALONG or each.args[0].value != each.value:
            raise UnsupportedError(
                f"{each.value} down the columns is taken of something other than {each.value} along the rows"
            )
        return args[0]

    for each in ordered([expr]):
        if each.op == SCAN:
            raise UnsupportedError("a scan begins anew in each single row, and the long row has no single rows")
        if each.op != DOWN and any(arg.op == ALONG for arg in each.args):
            raise UnsupportedError("a reduction along each single row is used, and the long row has no single rows")
    return rebuilt([expr], change)[0]


def _check(spec: FusedSpec, made: Sequence[Expr]) -> None:
    """Check that everything that the long row reads is in it."""
    if spec.m * spec.n > LARGEST:
        raise UnsupportedError(f"a group has {spec.m * spec.n} elements, and a row at most {LARGEST}")
    read = {each.value for each in ordered(made) if each.op == "input"}
    for x in spec.inputs:
        whole = (x.rows, x.columns) == (spec.m, spec.n) and x.name not in spec.bits
        if x.name in read and (x.rows, x.columns) != (1, 1) and not whole:
            raise UnsupportedError(f"{x.name} has one value for each row or column")
        if x.name in read and whole and spec.m > 1 and x.view.leading != spec.n:
            raise UnsupportedError(f"rows of {x.name} have gaps between them, or may have")


def _along(spec: FusedSpec, sweep: Sweep, known: Mapping[str, Operand], groups: int) -> EltwiseSpec:
    """Return the request of the walk along the row."""
    made, columns = program(*sweep.expressions), spec.m * spec.n
    inputs, outputs = sweep.operands(made, known, spec.outputs)
    flat = [x._replace(columns=columns, view=View("C", columns)) if x.columns * x.rows > 1 else x for x in inputs]
    read, written = (tuple(each._replace(rows=groups) for each in operands) for operands in (flat, outputs))
    return fused_spec(
        EltwiseSpec(
            spec.name, groups, columns, spec.compute, made, read, written, spec.accuracy, numerics=spec.numerics
        )
    )
