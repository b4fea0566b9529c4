"""A fused kernel in sweeps over bands of columns, used if whole rows between walks do not fit into scratch memory.

    for each band of columns:   all walks over all rows, of these columns

If nothing is reduced along rows, columns do not depend on each other, so each band is a kernel of its own, and the
bands pass once. Reductions along rows take several phases, each a loop over all bands (phases.py). Rows of a
band are as far apart as those of the whole matrices. If elements depend on their column, as with random numbers, the
request of a band takes the column at which it begins as a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from ...encoder.records import NamedTuple
from ..choice import Refusal, Way, refused
from ..codegen.scratch import SCRATCH_BYTES
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import BYTE
from ..errors import UnsupportedError
from ..expr.along import ALONG, SCAN
from ..fused.inside import level_bytes_of
from ..fused.spec import FusedSpec
from ..operands import Operand
from .plan import PointerStep, SweepPlan, Total, WalkLoop, and_back, of_loops, planned

COLUMNS = (8192, 4096, 2048, 1024, 512, 256, 128, 64)
"""The numbers of columns per band that are tried: long pieces of a row suit the memory prefetchers, short ones fit."""
PLACE = {"row": "first row", "column": "first column"}
"""The names under which the row and column of a band's first element are kept in the frame. No operand can have
them."""


class ColumnBand(NamedTuple):
    """`times` bands side by side, and the columns and the code of one of them."""

    times: int
    columns: int
    code: SweepPlan


def banded(spec: FusedSpec, phases: Sequence[Sequence[ColumnBand]], totals: tuple[Total, ...] = ()) -> SweepPlan:
    """Return the plan of the bands of each phase. Raises UnsupportedError if they do not fit into scratch memory."""
    loops: list[WalkLoop] = []
    for number, bands in enumerate(phases):
        phase = f" of phase {number}" * (len(phases) > 1)
        own = [
            WalkLoop("bands", times, code, f"{columns} columns{phase}", 0, columns, _steps(spec, columns))
            for times, columns, code in bands
        ]
        own[0] = own[0]._replace(starts=tuple(each for each in totals if each.phase == number))
        loops += and_back(own) if phase else own
    plan = of_loops(spec, loops, totals)
    codes = (part.code for each in loops for part in each.body.parts)
    if plan.bytes_of_scratch > SCRATCH_BYTES + level_bytes_of(codes):
        raise UnsupportedError(
            f"{plan.scratch_bytes} bytes for walks and the rows between them, and the columns between phases, exceed "
            f"scratch memory, which has {SCRATCH_BYTES}"
        )
    return plan


def _steps(spec: FusedSpec, columns: int) -> tuple[PointerStep, ...]:
    """Return the steps from a band of `columns` columns to the next one: bytes for the pointer of each operand that has
    columns, and columns for the column number of the band."""
    found = [PointerStep(each.name, _bytes(spec, each, columns)) for each in spec.operands if wide(spec, each)]
    return (*found, *[PointerStep(PLACE["column"], columns)] * spec.placed)


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield bands from the widest on, or a refusal with the reason why there are none."""
    reason = _reason(spec)
    if reason:
        yield refused("bands of columns", reason)
        return
    for columns in COLUMNS:
        if columns < spec.n:
            yield Way(f"bands of {columns} columns", partial(_planned, spec, facts, columns))


def _reason(spec: FusedSpec) -> str:
    """Return the reason why columns depend on each other, or an empty string."""
    if any(step.op in (ALONG, SCAN) for step in spec.program.steps):
        return "columns depend on each other by a reduction along rows or of all elements, or by a scan"
    return ""


def _planned(spec: FusedSpec, facts: Facts, columns: int) -> SweepPlan:
    bands = [ColumnBand(times, width, planned(_band(spec, width), facts)) for times, width in widths(spec, columns)]
    return banded(spec, (bands,))


def widths(spec: FusedSpec, columns: int) -> list[tuple[int, int]]:
    """Return how many bands have `columns` columns, and 1 and the columns of the last band if it has fewer."""
    times, last = divmod(spec.n, columns)
    return [(times, columns), *[(1, last)] * bool(last)]


def _band(spec: FusedSpec, columns: int) -> FusedSpec:
    """Return the request for `columns` columns."""
    inputs, outputs = narrower(spec, spec.inputs, columns), narrower(spec, spec.outputs, columns)
    return replace(spec, n=columns, inputs=inputs, outputs=outputs, moved=spec.placed)


def narrower(spec: FusedSpec, operands: tuple[Operand, ...], columns: int) -> tuple[Operand, ...]:
    """Return the operands of a band of `columns` columns."""
    bits = -(-columns // BYTE)
    return tuple(
        each._replace(columns=bits if each.name in spec.bits else columns) if wide(spec, each) else each
        for each in operands
    )


def wide(spec: FusedSpec, operand: Operand) -> bool:
    """Whether an operand has several columns."""
    return operand.name in spec.bits or operand.columns > 1


def _bytes(spec: FusedSpec, operand: Operand, columns: int) -> int:
    """Return the bytes of `columns` columns of a row."""
    return columns // BYTE if operand.name in spec.bits else columns * ELEMENT_BYTES[operand.dtype]
