"""A fused kernel in sweeps over bands of columns, where rows between walks do not fit into scratch memory as a whole.

    for each band of columns:   all walks over all rows, of these columns

A column does not depend on another one where nothing is reduced along rows, so each band is a kernel of its own.
Matrices of the band have rows that are as far apart as those of the whole. A band begins at a column of the whole:
where elements depend on their place, so with random numbers, its request takes that column as a number.
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
"""Columns of a band that are tried: long pieces of a row suit the prefetchers of memory, short ones fit."""


PLACE = {"row": "first row", "column": "first column"}
"""The names under which the place of a band's first element is parked; none of them can be that of an operand."""


class Band(NamedTuple):
    """So many bands side by side, and the walks of one of them."""

    times: int
    code: SweepPlan


@dataclass(frozen=True)
class BandedPlan(Plan):
    """Bands of some columns, and a last one of those that are left."""

    spec: FusedSpec
    bands: tuple[Band, ...]

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return max(each.code.registers for each in self.bands)

    @property
    def widest(self) -> int:
        """Columns of a band."""
        return max(each.code.spec.n for each in self.bands)

    @property
    def room(self) -> int:
        """Bytes of scratch memory for walks."""
        return max(each.code.room for each in self.bands)

    @property
    def bytes_of_scratch(self) -> int:
        """Rows between walks, and what walks claim."""
        return max(each.code.bytes_of_rows + each.code.room for each in self.bands)

    @property
    def cycles(self) -> float:
        """The estimate for a call."""
        return float(sum(each.times * each.code.cycles for each in self.bands))

    @property
    def walked(self) -> int:
        """Bytes of matrices that all walks read and write."""
        return sum(each.times * each.code.walked for each in self.bands)

    def steps(self, columns: int) -> dict[str, int]:
        """Bytes from a band of so many columns to the next one, of each operand that has columns."""
        return steps(self.spec, columns)

    def __str__(self) -> str:
        lines = [f"{each.times} x {each.code.spec.n} columns: {each.code}" for each in self.bands]
        return "\n".join([str(self.spec), *lines, f"{self.cycles:.0f} cycles"])


def candidates(spec: FusedSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Bands from the widest on, or why there are none."""
    reason = _reason(spec)
    if reason:
        yield refused("bands of columns", reason)
        return
    for columns in COLUMNS:
        if columns < spec.n:
            yield Way(f"bands of {columns} columns", partial(_planned, spec, facts, columns))


def _reason(spec: FusedSpec) -> str:
    """Why columns depend on each other."""
    if any(step.op == ALONG for step in spec.program.steps):
        return "columns depend on each other by a reduction along rows or of all elements"
    return ""


def _planned(spec: FusedSpec, facts: Facts, columns: int) -> BandedPlan:
    times, last = divmod(spec.n, columns)
    bands = [Band(times, planned(_band(spec, columns), facts))]
    if last:
        bands.append(Band(1, planned(_band(spec, last), facts)))
    return BandedPlan(spec, tuple(bands))


def _band(spec: FusedSpec, columns: int) -> FusedSpec:
    """The request for so many columns."""
    inputs, outputs = narrower(spec, spec.inputs, columns), narrower(spec, spec.outputs, columns)
    return replace(spec, n=columns, inputs=inputs, outputs=outputs, moved=spec.placed)


def narrower(spec: FusedSpec, operands: tuple[Operand, ...], columns: int) -> tuple[Operand, ...]:
    """The operands of a band of so many columns."""
    bits = -(-columns // BYTE)
    return tuple(each._replace(columns=bits if each.name in spec.bits else columns) if wide(spec, each) else each
                 for each in operands)  # fmt: skip


def wide(spec: FusedSpec, operand: Operand) -> bool:
    """Whether an operand has columns."""
    return operand.name in spec.bits or operand.columns > 1


def steps(spec: FusedSpec, columns: int) -> dict[str, int]:
    """What is added from a band of so many columns to the next one: bytes to the pointer of each operand that has
    columns, and columns to the place of the band."""
    found = {each.name: _bytes(spec, each, columns) for each in spec.operands if wide(spec, each)}
    return found | ({PLACE["column"]: columns} if spec.placed else {})


def _bytes(spec: FusedSpec, operand: Operand, columns: int) -> int:
    """Of a row of so many columns."""
    return columns // BYTE if operand.name in spec.bits else columns * ELEMENT_BYTES[operand.dtype]
