"""The results of one row, in a call without rows.

A result that depends only on operands of one row has one row itself, if the columns of the matrices are contiguous.
The code for some rows computes such results beside the others. A call without rows executes none of it, so they have
code of their own, which only such a call executes.
"""

from __future__ import annotations

from dataclasses import replace

from ...encoder.records import dataclass
from ..chain.frame_values import FrameValues
from ..choice import choose
from ..contract.machine import Facts
from ..eltwise import plan as elementwise
from ..eltwise.plan import EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..expr.graph import expressions
from ..expr.program import program
from ..fused.inside import emit_elements, scratch_bytes_of
from ..fused.plan import FusedPlan
from ..fused.spec import FusedSpec, fused_spec, is_fused
from ..fused.spec import elementwise as elementwise_spec
from ..sweeps.emit import emit_sweeps, registers_of
from ..sweeps.pipeline import FUSED
from ..sweeps.plan import SweepPlan
from .spec import Request

Code = EltwisePlan | FusedPlan | SweepPlan


@dataclass(frozen=True)
class WithoutRows:
    """The code of the results of one row, and its bytes of scratch memory."""

    code: Code
    scratch_bytes: int

    def __str__(self) -> str:
        return f"without rows: {self.code}"


def without_rows(spec: Request, facts: Facts) -> WithoutRows | None:
    """Return the code of the results that do not have the rows of the call, or None if all have them."""
    if not spec.by_columns or not isinstance(spec, FusedSpec):
        return None
    request = spec.of(1)
    own = [number for number, y in enumerate(request.outputs) if y.name not in spec.banded]
    if not own:
        return None
    part = _part(request.transposed, own)
    code = choose(FUSED.candidates(part, facts) if isinstance(part, FusedSpec) else elementwise.candidates(part, facts))
    assert isinstance(code, Code), "matrices of one column need no bands of columns"
    return WithoutRows(code, scratch_bytes_of(code, facts))


def _part(transposed: FusedSpec, own: list[int]) -> EltwiseSpec:
    """Return the request for the results of these numbers."""
    whole = elementwise_spec(transposed)
    every = expressions(whole.program)
    made = program(*(every[number] for number in own))
    names = {name for name, _ in made.inputs}
    part = replace(
        whole,
        program=made,
        inputs=tuple(x for x in whole.inputs if x.name in names),
        outputs=tuple(whole.outputs[number] for number in own),
    )
    return fused_spec(part) if is_fused(part) else part


def emit_without_rows(frame: FrameValues, plan: WithoutRows, extent: str) -> None:
    """Append that code, and the test whether the call has no rows. Pointers are kept in the frame."""
    m = frame.m
    frame.free()
    rows = frame.register(extent)
    with m.within(rows, 1):
        m.note("no rows")
        frame.free()
        if isinstance(plan.code, SweepPlan):
            emit_sweeps(frame, plan.code)
            frame.free()
            return
        ((pointers, values),) = registers_of(frame, [plan.code.spec])
        with frame.aside(0, plan.scratch_bytes):
            emit_elements(m, plan.code, pointers, values)
        frame.free()
