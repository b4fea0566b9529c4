"""The plan of a reduction along rows whose number the call says.

    fewer rows than a block has:    one after the other
    otherwise:                      blocks of rows while rows last, then one more that ends with the last row

A block is rows that are interleaved, as few as the latency of an operation allows, or rows that are folded together.
Its loop counts what the call says, so there is one of it. The last one computes rows of the block before again, to the
same bits. Where a result starts as an init, which may be the result itself, rows behind the last whole block come one
after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ...encoder.records import dataclass
from ..choice import Plan, Way, choose
from ..contract.machine import Facts
from ..operands import LIKELY_ROWS
from ..reduce.candidates import interleaved
from ..reduce.pipeline import REDUCE
from ..reduce.plan import ReducePlan
from ..reduce.spec import ReduceSpec
from .spec import RowwiseSpec

WAY = "blocks of rows in one loop"
_LOWEST = 4
"""Interleaved rows of a block, at least: lower ones take more folding for each row."""

_OVERLAPPING = 32
"""Vectors of a block, at most, whose additions one after the other overlap with those of the next block: sums of
64 x 64 f32 in vectors of 8 and blocks of 4 rows take 1.01 of the time of blocks of 8 (a Zen 4)."""


@dataclass(frozen=True)
class ReductionsPlan(Plan):
    """The code of a block and of a single row."""

    spec: RowwiseSpec
    block: ReducePlan
    single: ReducePlan

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.block.rows

    @property
    def overlaps(self) -> bool:
        """Whether the last block computes rows of the one before again."""
        request = self.spec.request
        return isinstance(request, ReduceSpec) and not request.init

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return max(self.block.vectors, self.single.vectors)

    @property
    def cycles(self) -> float:
        """The estimate for one row of many."""
        return self.block.cycles / self.rows

    def __str__(self) -> str:
        rest = f"one more that ends with the last row; fewer than {self.rows}" if self.overlaps else "what is left"
        lines = [f"{self.rows} rows while they last, then {rest} one after the other; {self.cycles:.1f} cycles a row"]
        lines += [f"{code.rows} rows: {code}" for code in (self.block, self.single)]
        return "\n".join([str(self.spec), *(f"  {line}" for line in lines[:1]), *lines[1:]])


def candidates(spec: RowwiseSpec, facts: Facts) -> Iterator[Way]:
    """One way."""
    yield Way(WAY, partial(_planned, spec, facts))


def _planned(spec: RowwiseSpec, facts: Facts) -> ReductionsPlan:
    likely = _code(spec, facts, LIKELY_ROWS)
    block = _interleaved(spec, facts, likely) if likely.interleaved_rows else _part(spec, likely, likely.group)
    single = block if block.rows == 1 else replace(_code(spec, facts, 1), in_loops=True)
    return ReductionsPlan(spec, block, single)


def _interleaved(spec: RowwiseSpec, facts: Facts, likely: ReducePlan) -> ReducePlan:
    """The lowest block whose accumulators do not wait for each other, or of rows so short that blocks overlap; as high
    as that of a likely number at most."""
    height = _LOWEST
    while height < likely.interleaved_rows:
        if height * -(-likely.columns // likely.vector) <= _OVERLAPPING:
            return interleaved(_request(spec, height), facts)
        block = _code(spec, facts, height)
        if block.interleaved_rows == height:
            return block
        height *= 2
    return _part(spec, likely, likely.interleaved_rows)


def _part(spec: RowwiseSpec, code: ReducePlan, rows: int) -> ReducePlan:
    """The code of more rows for some of them."""
    return replace(code, spec=_request(spec, rows), rows=rows, cycles=code.cycles / code.rows * rows)


def _request(spec: RowwiseSpec, rows: int) -> ReduceSpec:
    made = spec.of(rows)
    assert isinstance(made, ReduceSpec)
    return made


def _code(spec: RowwiseSpec, facts: Facts, rows: int) -> ReducePlan:
    made = choose(REDUCE.candidates(_request(spec, rows), facts))
    assert isinstance(made, ReducePlan)
    return made
