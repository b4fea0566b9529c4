"""Values that a kernel for dynamic columns computes once, or once per column, instead of once per vector.

    adam:   m' = ...,  w' = w - r0 m' / (sqrt(v' r1) + eps)        r0 = rate / c1, r1 = 1 / c2, once per call

They are those that a fused kernel computes between its passes (`fused/hoisted.py`): operations on single elements, or
on elements of a column. They stay in registers while the column is processed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import NamedTuple
from ..codegen.fitting import Straight, too_few_registers
from ..codegen.lowered import Lowered
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..eltwise.plan import EltwisePlan, Hoisted
from ..errors import UnsupportedError
from ..expr.conversions import narrowed
from ..expr.graph import Expr
from ..fused.hoisted import hoisted
from ..fused.passes import inputs_of
from ..fused.plan import expanded
from ..fused.spec import FusedSpec

_MASKS = 2
"""The most vector registers that hold masks."""


class LoopInvariant(NamedTuple):
    """The names of the values, the code that computes them all, and whether it uses elements of a column.

    The code runs in the registers that the code of a vector has for values that change, whose numbers are `registers`,
    and in `more` others.
    """

    names: tuple[str, ...]
    code: Lowered
    per_column: bool
    registers: tuple[int, ...]

    @property
    def more(self) -> int:
        """The number of further registers."""
        return max(0, self.code.vectors - len(self.registers))


def split(walk: FusedSpec, facts: Facts) -> tuple[Hoisted, tuple[Expr, ...]] | None:
    """Return the results of a walk in terms of values that are computed once, and these values; None if there are no
    such values, or if others are needed between passes."""
    arithmetic = arithmetic_of(facts, walk.numerics)

    def with_functions(values: Sequence[Expr]) -> Sequence[Expr]:
        return expanded(walk, arithmetic, tuple(values))

    passes = hoisted(walk.passes, walk.compute, with_functions)
    if len(passes.passes) != 1 or len(passes.rows) != 1 or passes.rows[0].results or passes.reductions:
        return None
    (elements,), (values,) = passes.passes, passes.rows
    if len(elements.results) != len(walk.outputs):
        return None
    moved = elements is not walk.passes.passes[0]  # then functions are expanded
    made = elements.values if moved else with_functions(elements.values)
    results = dict(zip((number for number, _ in elements.results), made))
    types = [(y.dtype, (y.dtype, walk.compute) in arithmetic.converts) for y in walk.outputs]
    outputs = tuple(narrowed(results[number], *each) for number, each in enumerate(types))
    names = tuple(name for name, _ in values.values)
    return Hoisted(names, outputs), tuple(with_functions([value for _, value in values.values]))


def invariant_of(hoisted: Hoisted, values: Sequence[Expr], plan: EltwisePlan, facts: Facts) -> LoopInvariant:
    """Return the code of the values. Raises UnsupportedError if registers do not suffice."""
    body = plan.code
    free = body.changing
    left = max(0, facts.vector_registers - plan.registers - _MASKS)
    code = Straight.of(values, facts, arithmetic=body.arithmetic).allocated(len(free) + left)
    if code is None or code.masks > body.masks:
        raise UnsupportedError(f"values that are computed once: {too_few_registers(len(free) + left, body.arithmetic)}")
    elements = {each.name for each in plan.spec.inputs if each.columns == 1 and each.rows > 1}
    return LoopInvariant(hoisted.values, code, bool(elements & set(inputs_of(values))), free)
