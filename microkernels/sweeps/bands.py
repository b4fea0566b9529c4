"""A fused kernel in sweeps over bands of columns, used if whole rows between walks do not fit into scratch memory.

    for each band of columns:   all walks over all rows, of these columns

If nothing is reduced along rows, columns do not depend on each other, so each band is a kernel of its own, and the
bands pass once. Reductions along rows take several phases, each a loop over all bands (phases.py). Rows of a
band are as far apart as those of the whole matrices. If elements depend on their column, as with random numbers, the
request of a band takes the column at which it begins as a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ...encoder.records import NamedTuple, dataclass
from ..choice import Plan, Refusal, Way, refused
from ..codegen.scratch import SCRATCH_BYTES, lined
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import BYTE
from ..errors import UnsupportedError
from ..expr.along import ALONG, SCAN
from ..fused.inside import level_bytes_of
from ..fused.spec import FusedSpec
from ..operands import Operand
from .plan import SweepPlan, planned

COLUMNS = (8192, 4096, 2048, 1024, 512, 256, 128, 64)
"""The numbers of columns per band that are tried: long pieces of a row suit the memory prefetchers, short ones fit."""


PLACE = {"row": "first row", "column": "first column"}
"""The names under which the row and column of a band's first element are kept in the frame. No operand can have
them."""


class Total(NamedTuple):
    """A reduction along rows, kept in scratch memory between phases."""

    name: str
    reduction: str
    rows: int
    phase: int

    def bytes(self, dtype: str) -> int:
        """Return its bytes of scratch memory, rounded up to whole cache lines."""
        return lined(self.rows * ELEMENT_BYTES[dtype])


class ColumnBand(NamedTuple):
    """`times` bands side by side, and the columns and the code of one of them."""

    times: int
    columns: int
    code: SweepPlan


@dataclass(frozen=True)
class BandedPlan(Plan):
    """The bands of each phase: some of equal columns, and a last one with the remaining columns. The reductions of a
    phase are the totals with its number."""

    spec: FusedSpec
    phases: tuple[tuple[ColumnBand, ...], ...]
    bytes_of_rows: int
    scratch_bytes: int  # bytes of scratch memory for the walks
    totals: tuple[Total, ...] = ()

    @property
    def bands(self) -> list[ColumnBand]:
        """The bands of all phases."""
        return [band for bands in self.phases for band in bands]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(band.code.registers for band in self.bands)

    @property
    def widest(self) -> int:
        """The most columns of a band."""
        return max(band.columns for band in self.bands)

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: rows between walks, the walks' own, and columns between phases."""
        return self.bytes_of_rows + self.scratch_bytes + sum(each.bytes(self.spec.compute) for each in self.totals)

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        return float(sum(band.times * band.code.cycles for band in self.bands))

    def steps(self, columns: int) -> dict[str, int]:
        """Return the increments from a band of `columns` columns to the next one: bytes for the pointer of each operand
        that has columns, and columns for the column number of the band."""
        spec = self.spec
        found = {each.name: _bytes(spec, each, columns) for each in spec.operands if wide(spec, each)}
        return found | ({PLACE["column"]: columns} if spec.placed else {})

    def __str__(self) -> str:
        lines = [
            f"phase {number}, " * (len(self.phases) > 1) + f"{band.times} x {band.columns} columns: {band.code}"
            for number, bands in enumerate(self.phases)
            for band in bands
        ]
        return "\n".join([str(self.spec), *lines, f"{self.cycles:.0f} cycles"])


def banded(spec: FusedSpec, phases: tuple[tuple[ColumnBand, ...], ...], totals: tuple[Total, ...] = ()) -> BandedPlan:
    """Return the plan of these bands. Raises UnsupportedError if they do not fit into scratch memory."""
    codes = [band.code for each in phases for band in each]
    held, own = max(code.bytes_of_rows for code in codes), max(code.scratch_bytes for code in codes)
    plan = BandedPlan(spec, phases, held, own, totals)
    if plan.bytes_of_scratch > SCRATCH_BYTES + level_bytes_of(part.code for code in codes for part in code.parts):
        raise UnsupportedError(
            f"{held} bytes of rows between walks, {own} bytes for one walk and the "
            f"columns between phases exceed scratch memory, which has {SCRATCH_BYTES}"
        )
    return plan


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


def _planned(spec: FusedSpec, facts: Facts, columns: int) -> BandedPlan:
    bands = [ColumnBand(times, width, planned(_band(spec, width), facts)) for times, width in widths(spec, columns)]
    return banded(spec, (tuple(bands),))


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
