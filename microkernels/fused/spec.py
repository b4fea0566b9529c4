"""The request for a fused kernel: an elementwise one whose expression has reductions along its rows or columns.

A result that depends on reductions, numbers and single elements of rows alone has one element a row: its shape is
(m, 1). A reduction down the columns has one row, one of all elements the shape (1, 1). All else is as in
microkernels/eltwise/spec.py.
"""

from __future__ import annotations

from dataclasses import fields, replace

from ...encoder.records import cached_property, dataclass
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.along import DOWN, has_reductions, without_means
from ..expr.graph import FLOATS, Expr, expressions
from ..expr.program import program
from ..expr.scores import Equation, equation
from ..operands import Operand, View
from .forms import chosen_forms
from .passes import Passes, cut

SCRATCH = 48 << 10
"""Bytes of scratch memory for kept elements of a row; beyond them they are computed again."""


@dataclass(frozen=True)
class FusedSpec(EltwiseSpec):
    """A checked request."""

    @cached_property
    def passes(self) -> Passes:
        """The passes over a row; functions are not expanded."""
        rows = [i for i, y in enumerate(self.outputs) if y.dtype == self.compute and not self.narrow(y)]
        line = max(1, self.n) * (8 if self.compute == "f64" else 4)
        narrow = {x.name for x in self.inputs if self.narrow(x)}
        return cut(without_means(self._forms, self.m, self.n), narrow, rows, SCRATCH // line)

    @property
    def _forms(self) -> tuple[Expr, ...]:
        """The expressions in the forms of the accuracy that is asked for."""
        return chosen_forms(expressions(self.program), self.accuracy_of_functions)

    @cached_property
    def schedule(self) -> Equation:
        """Of the forms that are computed."""
        return equation(program(*self._forms))

    @cached_property
    def column_sums(self) -> dict[int, str]:
        """The results that are reductions down the columns, by the names of these."""
        results = without_means(expressions(self.program), self.m, self.n)
        return {i: expr.value for i, expr in enumerate(results) if expr.op == DOWN}

    @cached_property
    def in_place(self) -> tuple[str, ...]:
        """Inputs that may be an output too: laid out as it is, and no longer read when it is first written."""
        return tuple(x.name for x in self.inputs if self._outlived(x))

    def _outlived(self, x: Operand) -> bool:
        alike = [i for i, y in enumerate(self.outputs) if y._replace(name="", output=False) == x._replace(name="")]
        last = max(self.passes.reads(x.name), default=-1)
        kept = {each.result: each.level for each in self.passes.kept}
        if not alike or not self.column_sums.keys().isdisjoint(alike):
            return False
        return all(last <= kept.get(i, self.passes.writes(i)) for i in alike)


def is_fused(spec: EltwiseSpec) -> bool:
    """Whether a traced function has reductions."""
    return has_reductions(step.op for step in spec.program.steps)


def fused_spec(spec: EltwiseSpec) -> FusedSpec:
    """The request for a fused kernel, of one that eltwise_spec made.

    Raises UnsupportedError with the reason and what would work.
    """
    if spec.compute not in FLOATS:
        raise UnsupportedError(f'{spec.name}: reductions along rows in arithmetic of {spec.compute}; compute="f32" '
                               "converts, and ts.reduce reduces integers")  # fmt: skip
    if spec.layouts:
        raise UnsupportedError(f'{spec.name}: order "C" for all, beside reductions along rows; ts.transpose turns one')
    made = FusedSpec(**{each.name: getattr(spec, each.name) for each in fields(spec)})
    return replace(made, outputs=tuple(_shaped(made, i, y) for i, y in enumerate(made.outputs)))


def _shaped(spec: FusedSpec, result: int, y: Operand) -> Operand:
    """A result of the row has one column, a reduction down the columns one row, one of all elements both."""
    of_row = any(number == result for part in spec.passes.rows for number, _ in part.results)
    if result in spec.column_sums:
        if y.dtype != spec.compute:
            raise UnsupportedError(f"{y.name}: {spec.column_sums[result]} down the columns (axis=0) or of all is added "
                                   f"up in memory, in {spec.compute}: out= with that type for {y.name}")  # fmt: skip
        columns = 1 if of_row else y.columns
        return y._replace(rows=1, columns=columns, view=View("C", columns))
    if not of_row or y.columns == 1:
        return y
    if y.view.leading != y.columns:
        raise UnsupportedError(f"ld{y.name}: {y.name} has one element for each row, one behind the other")
    return y._replace(columns=1, view=View("C", 1))


def elementwise(spec: FusedSpec) -> EltwiseSpec:
    """The request that `fused_spec` takes and makes this one of."""
    whole = View("C", spec.n)
    outputs = tuple(y if (y.rows, y.columns) == (spec.m, spec.n)
                    else y._replace(rows=spec.m, columns=spec.n, view=whole) for y in spec.outputs)  # fmt: skip
    shaped = replace(spec, outputs=outputs)
    return EltwiseSpec(**{each.name: getattr(shaped, each.name) for each in fields(shaped)})
