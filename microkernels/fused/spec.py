"""The request for a fused kernel: an elementwise request whose expression has reductions along rows or columns.

A result that depends only on reductions, constants and per-row elements has one element per row: its shape is (m, 1). A
reduction down the columns has the shape (1, n), a reduction of all elements (1, 1); values computed only from such
reductions have their shape. If other expressions use a reduction down the columns, the request is split into sweeps
(sweeps.py), each of which is a request of its own (`requests_of_sweeps`). Everything else is as in
microkernels/eltwise/spec.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import cast

from ...encoder.records import cached_property, dataclass
from ..choice import Refusal, tried
from ..eltwise.mirror import mirrored
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.along import ALONG, DOWN, MEAN, SCAN_DOWN, has_reductions, without_means
from ..expr.graph import FLOATS, Expr, expressions, operand, ordered
from ..expr.program import program
from ..expr.scores import ScheduledFunction, equation
from ..functions.forms import chosen_forms
from ..operands import RUNTIME, Operand, View
from ..tensor.extent import SymbolicExtent
from . import by_columns
from .normalized import with_exact_column_sums
from .passes import KEPT_WORK, Passes, cut
from .sweeps import KEPT, NodeShapes, StoredValue, Sweep, counting, of_one_column, of_one_row, sweeps, used_again

BEFORE = "_before"
"""Suffix of an input that stands for the previous contents of a result and lies in the same memory."""
SCRATCH = 48 << 10
"""The most bytes of scratch memory for the kept elements of a row; further elements are recomputed."""
MOST_BANKS = 8
"""The most kept elements of an eager request: more of them would not fit into registers."""


@dataclass(frozen=True)
class FusedSpec(EltwiseSpec):
    """A checked request.

    by_index  names of the operands whose rows are found by an index (microkernels/indexed)
    eager  whether every element that a later pass needs is kept, as if that cost nothing
    """

    by_index: tuple[str, ...] = ()
    eager: bool = False

    @cached_property
    def transposed(self) -> FusedSpec:
        """The request of the row-major transposes, if columns are contiguous."""
        return fused_spec(mirrored(elementwise(self)))

    def again(self) -> FusedSpec:
        """Return the request made again by its function, which checks it."""
        return fused_spec(elementwise(self).again())

    @cached_property
    def passes(self) -> Passes:
        """The passes over a row, with functions not yet expanded."""
        names = {x.name for x in self.inputs}
        rows = [
            i
            for i, y in enumerate(self.outputs)
            if y.dtype == self.compute and not self.narrow(y) and f"{y.name}{BEFORE}" not in names
        ]
        line = max(1, self.n) * (8 if self.compute == "f64" else 4)
        narrow = {x.name for x in self.inputs if self.narrow(x)}
        lines, worth = (MOST_BANKS, 1) if self.eager else (SCRATCH // line, KEPT_WORK)
        return cut(without_means(self._forms, self.m, self.n), narrow, rows, lines, worth)

    @cached_property
    def eager_form(self) -> FusedSpec:
        """The request with more kept elements."""
        return replace(self, eager=True)

    @cached_property
    def _forms(self) -> tuple[Expr, ...]:
        """The expressions in the form for the requested accuracy, simplified if there is one row."""
        forms = chosen_forms(expressions(self.program), self.accuracy_of_functions)
        forms = of_one_column(forms) if self.n == 1 else forms
        return of_one_row(forms) if self.m == 1 and self._again(forms) else forms

    def _again(self, forms: Sequence[Expr]) -> bool:
        """Whether another expression, or a conversion, uses a reduction down the columns."""
        return used_again(forms) or any(
            expr.op == DOWN and y.dtype != self.compute for expr, y in zip(forms, self.outputs)
        )

    @cached_property
    def _cut(self) -> tuple[tuple[Sweep, ...], tuple[EltwiseSpec, ...]]:
        return self.cut_by(self.m)

    def cut_by(self, rows: int | str) -> tuple[tuple[Sweep, ...], tuple[EltwiseSpec, ...]]:
        """Return the sweeps and the request of each, chosen so that no element is overwritten before its last read.

        `rows` is the number of rows, by which means are divided, or the name under which the call gives it.
        """
        keeping = [
            i
            for i, y in enumerate(self.outputs)
            if y.dtype == self.compute and y.name not in (*self.bits, *self.by_index)
        ]
        direct = [y.dtype == self.compute for y in self.outputs]
        extents, count = self._extents, cast("int | str | Expr", rows)
        first: tuple[Sweep, ...] = ()
        if isinstance(rows, str) and self.divides_by_rows:
            first = (counting(rows, self.compute, {rows, *(each.name for each in self.operands)}),)
            name = first[0].made[0][1].name
            extents, count = {**extents, name: (False, False)}, operand(name, self.compute)
        forms = self._forms
        if self.accuracy != "fast":
            forms = with_exact_column_sums(forms, rows if isinstance(rows, int) else None)
        results = without_means(forms, self.m if isinstance(count, str) else count, self.n, divided=True)
        while True:
            found = (*first, *sweeps(results, extents, direct, keeping))
            requests_of_sweeps = self._requests(found)
            if all(
                x.name in walk.in_place for walk in requests_of_sweeps for x in walk.inputs if x.name.startswith(KEPT)
            ):
                return found, requests_of_sweeps
            keeping.pop()

    @property
    def sweeps(self) -> tuple[Sweep, ...]:
        """The sweeps, if reductions down the columns are used again; otherwise empty."""
        return self._cut[0] if self.swept else ()

    @property
    def requests_of_sweeps(self) -> tuple[EltwiseSpec, ...]:
        """The requests of the sweeps, or an empty tuple."""
        return self._cut[1] if self.swept else ()

    @cached_property
    def swept(self) -> bool:
        """Whether the request takes several sweeps over the rows."""
        return self._again(self._forms)

    @property
    def along_alone(self) -> bool:
        """Whether all reductions go along rows, and no scan goes along columns."""
        return {DOWN, SCAN_DOWN}.isdisjoint(expr.op for expr in ordered(self._forms))

    @cached_property
    def divides_by_rows(self) -> bool:
        """Whether a mean is taken down the columns, or of all elements."""
        return any(expr.op == DOWN and expr.value == MEAN for expr in ordered(self._forms))

    @cached_property
    def _extents(self) -> dict[str, tuple[bool, bool]]:
        """For each input, whether it has several rows and whether it has several columns."""
        return {x.name: (x.rows > 1, x.name in self.bits or x.columns > 1) for x in self.inputs}

    @property
    def shapes(self) -> tuple[NodeShapes, tuple[Expr, ...]]:
        """The shapes of all nodes of a request in sweeps, and its results."""
        return NodeShapes(self._forms, self._extents), self._forms

    def _requests(self, found: Sequence[Sweep]) -> tuple[EltwiseSpec, ...]:
        """Return the requests of the sweeps, whose inputs are operands or the results of earlier sweeps."""
        places = {place.name: self.place(place) for sweep in found for _, place in sweep.made if place.name}
        return tuple(self.request_of_sweep(sweep, {x.name: x for x in self.inputs} | places) for sweep in found)

    def request_of_sweep(self, sweep: Sweep, known: Mapping[str, Operand]) -> EltwiseSpec:
        """Return the request of a sweep. `known` maps names to inputs and to results of earlier sweeps."""
        made = program(*sweep.expressions)
        rows, columns = self.m if sweep.whole else 1, self.n if sweep.wide else 1
        inputs, outputs = sweep.operands(made, known, self.outputs)
        walk = EltwiseSpec(
            self.name, rows, columns, self.compute, made, inputs, outputs, self.accuracy, numerics=self.numerics
        )
        walk = replace(walk, moved=self.moved and walk.placed)
        extents = {x.name: (x.rows > 1, x.columns > 1 or x.name in walk.bits) for x in inputs}
        wide = NodeShapes(sweep.expressions, extents).wide
        matrices = all(
            (y.rows, y.columns) == (rows, columns) or (y.name in walk.bits and wide[expr] == sweep.wide)
            for y, expr in zip(outputs, sweep.expressions)
        )
        by_rows = is_fused(walk) or any(x.rows > 1 and walk.narrow(x) for x in inputs)
        return walk if matrices and not by_rows else fused_spec(walk)

    def place(self, place: StoredValue) -> Operand:
        """Return the operand for a place: one row in scratch memory, or a result."""
        if place.result is not None:
            return self.outputs[place.result]._replace(name=place.name, output=False)
        columns = 1 if place.narrow else self.n
        return Operand(place.name, 1, columns, View("C", columns), self.compute)

    @cached_property
    def schedule(self) -> ScheduledFunction:
        """The register scores of the chosen forms."""
        return equation(program(*self._forms))

    @cached_property
    def column_sums(self) -> dict[int, str]:
        """The results that are reductions down the columns, as result number -> reduction name."""
        results = without_means(self._forms, self.m, self.n)
        return {i: expr.value for i, expr in enumerate(results) if expr.op == DOWN}

    @property
    def sums_of_rows(self) -> tuple[tuple[str, int], ...]:
        """The names and columns of the results that are sums down the columns."""
        found = [self.outputs[number] for number, name in self.column_sums.items() if name == "sum"]
        return tuple((each.name, each.columns) for each in found)

    @cached_property
    def in_place(self) -> tuple[str, ...]:
        """Inputs that may share the memory of an output: same layout, and not read after its first write."""
        if not self.layouts:
            return tuple(x.name for x in self.inputs if self._outlived(x))
        if not self.dynamic:
            return self.transposed.in_place
        if all(each.rows == 1 or each.columns == 1 for each in self.operands):
            return ()  # reductions of single columns write their results before others have read all
        single = self.of(1).in_place  # a single row of the call is a column of one
        return tuple(name for name in self.transposed.in_place if name in single)

    def _outlived(self, x: Operand) -> bool:
        alike = [i for i, y in enumerate(self.outputs) if y._replace(name="", output=False) == x._replace(name="")]
        if self.swept:
            return bool(alike) and all(self._after(x.name, self.outputs[i].name) for i in alike)
        last = max(self.passes.reads(x.name), default=-1)
        kept = {each.result: each.level for each in self.passes.kept}
        if not alike or not self.column_sums.keys().isdisjoint(alike):
            return False
        return all(last <= kept.get(i, self.passes.writes(i)) for i in alike)

    def _after(self, x: str, y: str) -> bool:
        """Whether y is first written after the last read of x, or element by element in the sweep of that read."""
        reads = max(
            (i for i, walk in enumerate(self.requests_of_sweeps) if x in {each.name for each in walk.inputs}),
            default=-1,
        )
        first = next(i for i, walk in enumerate(self.requests_of_sweeps) if y in {each.name for each in walk.outputs})
        return reads < first or (reads == first and x in self.requests_of_sweeps[reads].in_place)


def is_fused(spec: EltwiseSpec) -> bool:
    """Whether the traced function contains reductions."""
    return has_reductions(step.op for step in spec.program.steps)


def fused_spec(spec: EltwiseSpec) -> FusedSpec:
    """Return the fused request for a request from eltwise_spec.

    Raises UnsupportedError with the reason and what would work.
    """
    if spec.compute not in FLOATS and any(step.op in (ALONG, DOWN) for step in spec.program.steps):
        raise UnsupportedError(
            f"{spec.name}: reductions along rows are not possible in {spec.compute} "
            'arithmetic; compute="f32" converts, and ts.reduce reduces integers'
        )
    made = FusedSpec(**{each.name: getattr(spec, each.name) for each in fields(spec)})
    if made.dynamic and spec.layouts and not made.along_alone:
        raise UnsupportedError(
            'rows given at the call (ts.RUNTIME): order "C" beside reductions or scans down the columns, or '
            "reductions of all elements; a number of rows works"
        )
    if spec.layouts:
        return _by_columns(made)
    outputs = tuple(_shaped(made, i, y) for i, y in enumerate(made.outputs))
    shaped = made if outputs == made.outputs else replace(made, outputs=outputs)
    if shaped.swept:
        shaped.requests_of_sweeps  # noqa: B018  # raises what the requests of the sweeps refuse
    return shaped


def _by_columns(spec: FusedSpec) -> FusedSpec:
    """Return the request with the shapes of its results, taken from the request of the transposes."""
    by_columns.check(spec)
    found = tried("transposed", lambda: by_columns.shaped(spec, spec.transposed.outputs))
    if isinstance(found, Refusal):
        raise UnsupportedError(f'order="F" is computed as its transpose, in which rows are columns: {found.error}')
    outputs, layouts = found
    return replace(spec, outputs=outputs, layouts=layouts)


def _shaped(spec: FusedSpec, result: int, y: Operand) -> Operand:
    """Shape a result: row values have one column, reductions down the columns one row, full reductions both."""
    if spec.swept:
        return _of_sweeps(spec, result, y)
    of_row = any(number == result for part in spec.passes.rows for number, _ in part.results)
    if result in spec.column_sums:
        columns = 1 if of_row else y.columns
        return y._replace(rows=1, columns=columns, view=View("C", columns))
    return _column(y) if of_row and y.columns > 1 else y


def _column(y: Operand) -> Operand:
    if y.view.leading != y.columns and not (y.view.leading is RUNTIME and isinstance(y.columns, SymbolicExtent)):
        raise UnsupportedError(
            f"ld{y.name}: {y.name} has one element for each row, stored contiguously; leave ld{y.name} out"
        )
    return y._replace(columns=1, view=View("C", 1))


def _of_sweeps(spec: FusedSpec, result: int, y: Operand) -> Operand:
    """Shape a result of a request in sweeps."""
    shapes, expr = spec.shapes
    single, wide = shapes.single[expr[result]], shapes.wide[expr[result]] or spec.n == 1
    if single:
        columns = y.columns if wide else 1
        return y._replace(rows=1, columns=columns, view=View("C", columns))
    return y if wide else _column(y)


def elementwise(spec: FusedSpec) -> EltwiseSpec:
    """Return the elementwise request from which `fused_spec` makes this one."""
    if spec.layouts:
        return by_columns.whole(spec)
    whole = View("C", spec.n)
    outputs = tuple(
        y if (y.rows, y.columns) == (spec.m, spec.n) else y._replace(rows=spec.m, columns=spec.n, view=whole)
        for y in spec.outputs
    )
    shaped = replace(spec, outputs=outputs)
    return EltwiseSpec(**{each.name: getattr(shaped, each.name) for each in fields(EltwiseSpec)})
