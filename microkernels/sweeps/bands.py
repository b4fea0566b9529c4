"""A fused kernel in sweeps over bands of columns, used if whole rows between walks do not fit into scratch memory.

    for each band of columns:   all walks over all rows, of these columns

If nothing is reduced along rows, columns do not depend on each other, so each band is a kernel of its own. Rows of a
band are as far apart as those of the whole matrices. If elements depend on their column, as with random numbers, the
request of a band takes the column at which it begins as a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ...encoder.records import NamedTuple, dataclass
from ..choice import Plan, Refusal, Way, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.plan import BYTE
from ..expr.along import ALONG
from ..fused.spec import FusedSpec
from ..operands import Operand
from .plan import SweepPlan, planned

COLUMNS = (8192, 4096, 2048, 1024, 512, 256, 128, 64)
"""The numbers of columns per band that are tried: long pieces of a row suit the memory prefetchers, short ones fit."""


PLACE = {"row": "first row", "column": "first column"}
"""The names under which the row and column of a band's first element are kept in the frame. No operand can have
them."""


class RepeatedSweeps(NamedTuple):
    """`times` bands side by side, and the walks of one of them."""

    times: int
    code: SweepPlan


@dataclass(frozen=True)
class BandedPlan(Plan):
    """Bands of some columns, and a last band with the remaining columns."""

    spec: FusedSpec
    bands: tuple[RepeatedSweeps, ...]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(each.code.registers for each in self.bands)

    @property
    def widest(self) -> int:
        """The most columns of a band."""
        return max(each.code.spec.n for each in self.bands)

    @property
    def scratch_bytes(self) -> int:
        """Bytes of scratch memory for the walks."""
        return max(each.code.scratch_bytes for each in self.bands)

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: the rows between walks, and the walks' own."""
        return max(each.code.bytes_of_rows + each.code.scratch_bytes for each in self.bands)

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        return float(sum(each.times * each.code.cycles for each in self.bands))

    @property
    def bytes_of_operands(self) -> int:
        """Bytes of matrices that all walks read and write."""
        return sum(each.times * each.code.bytes_of_operands for each in self.bands)

    def steps(self, columns: int) -> dict[str, int]:
        """Return the bytes from a band of `columns` columns to the next one, for each operand that has columns."""
        return steps(self.spec, columns)

    def __str__(self) -> str:
        lines = [f"{each.times} x {each.code.spec.n} columns: {each.code}" for each in self.bands]
        return "\n".join([str(self.spec), *lines, f"{self.cycles:.0f} cycles"])


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
    if any(step.op == ALONG for step in spec.program.steps):
        return "columns depend on each other by a reduction along rows or of all elements"
    return ""


def _planned(spec: FusedSpec, facts: Facts, columns: int) -> BandedPlan:
    times, last = divmod(spec.n, columns)
    bands = [RepeatedSweeps(times, planned(_band(spec, columns), facts))]
    if last:
        bands.append(RepeatedSweeps(1, planned(_band(spec, last), facts)))
    return BandedPlan(spec, tuple(bands))


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


def steps(spec: FusedSpec, columns: int) -> dict[str, int]:
    """Return the increments from a band of `columns` columns to the next one: bytes for the pointer of each operand
    that has columns, and columns for the column number of the band."""
    found = {each.name: _bytes(spec, each, columns) for each in spec.operands if wide(spec, each)}
    return found | ({PLACE["column"]: columns} if spec.placed else {})


def _bytes(spec: FusedSpec, operand: Operand, columns: int) -> int:
    """Return the bytes of `columns` columns of a row."""
    return columns // BYTE if operand.name in spec.bits else columns * ELEMENT_BYTES[operand.dtype]
