"""The plan of a reduction along rows whose number is given at the call.

    fewer rows than a block has:    one row at a time
    otherwise:                      blocks of rows while enough rows are left, then one more that ends with the last row

A block consists of rows that are interleaved, as few as the latency of an operation allows, or of rows that are folded
together. The block is emitted once, in a loop whose trip count comes from the call. The last block computes rows of the
previous block again, to the same bits. If the results have an initial value, which may be the result array itself, no
row may be computed twice: the rows behind the last whole block are then computed one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ..choice import Way, choose
from ..contract.machine import Facts
from ..reduce.candidates import interleaved
from ..reduce.pipeline import REDUCE
from ..reduce.plan import ReducePlan
from ..reduce.spec import ReduceSpec
from .plan import Remainder, RowBlock, RowwisePlan
from .spec import Request

WAY = "blocks of rows in one loop"
_LOWEST = 4
"""The minimum number of interleaved rows per block: blocks with fewer rows take more folding per row."""

_OVERLAPPING = 32
"""In blocks with at most this many vectors, the dependent additions overlap with those of the next block: sums of 64 x
64 f32 in vectors of 8 and blocks of 4 rows take 1.01 times as long as in blocks of 8 (a Zen 4)."""


def candidates(spec: Request, facts: Facts) -> Iterator[Way]:
    """Yield the only way."""
    yield Way(WAY, partial(_planned, spec, facts))


def _planned(spec: Request, facts: Facts) -> RowwisePlan:
    likely = _code(spec, facts, spec.likely.m)
    block = _interleaved(spec, facts, likely) if likely.interleaved_rows else _part(spec, likely, likely.group)
    single = [replace(_code(spec, facts, 1), in_loops=True)] * (block.rows > 1)
    remainder = Remainder.SINGLE if block.spec.init else Remainder.OVERLAPPED
    blocks = tuple(RowBlock(code.rows, code) for code in (block, *single))
    return RowwisePlan(spec, blocks, max(code.bytes_of_scratch for code in (block, *single)), remainder=remainder)


def _interleaved(spec: Request, facts: Facts, likely: ReducePlan) -> ReducePlan:
    """Return the block with the fewest rows that either keeps its accumulators from waiting for each other, or has rows
    so short that consecutive blocks overlap. It has at most as many rows as the block of the likely number."""
    height = _LOWEST
    while height < likely.interleaved_rows:
        if height * -(-likely.columns // likely.vector) <= _OVERLAPPING:
            return interleaved(_request(spec, height), facts)
        block = _code(spec, facts, height)
        if block.interleaved_rows == height:
            return block
        height *= 2
    return _part(spec, likely, likely.interleaved_rows)


def _part(spec: Request, code: ReducePlan, rows: int) -> ReducePlan:
    """Return the plan of many rows, cut down to `rows` of them."""
    return replace(code, spec=_request(spec, rows), rows=rows, cycles=code.cycles / code.rows * rows)


def _request(spec: Request, rows: int) -> ReduceSpec:
    made = spec.of(rows)
    assert isinstance(made, ReduceSpec)
    return made


def _code(spec: Request, facts: Facts, rows: int) -> ReducePlan:
    made = choose(REDUCE.candidates(_request(spec, rows), facts))
    assert isinstance(made, ReducePlan)
    return made
