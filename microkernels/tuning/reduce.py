"""Numbers by which reductions are planned."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class ReduceTuning:
    """Default values: measured on a Zen 4 (`tilesmith bench reduce`, docs/reductions.md) unless a source is named.

    Along rows, one after the other, and over all elements:

    row_step                vectors that a step along a row takes, at most (four accumulators of one vector, or two of
                            two): accumulators are joined at the end of each row while the next row begins, so more of
                            them gain nothing
    long_row_step           the same of rows of more than `long_row` vectors, where joining more accumulators pays
    long_row                vectors of a row up to which it is short
    all_step                the same of a reduction of all elements, which joins its accumulators once
    straight_vectors        vectors of a row up to which it is straight-line code, without a loop
    body_vectors            vectors of a loop's body, at most (sums with squares of all elements: 0.91 of the rate of
                            loads instead of 0.90 with 16 vectors)
    folded_rows             rows whose accumulators are folded together, most first: one row after the other would wait
                            for each other's stores and loads; fewer are tried where registers are short

    Along interleaved rows:

    interleaved_body        vectors of a loop's body, of all rows together
    row_block_cost          what a row block takes to begin and end, in the time of folding one row of a power of two:
                            blocks of 4 and 8 rows are faster than of 5 or 6 (maximum of 64 x 96: 0.81 instead of 0.74
                            of the rate of loads)

    Down columns:

    column_step             vectors of columns that one step takes, at least: 4 accumulators hide the add latency behind
                            one load a cycle. Machines that load two vectors a cycle take more (`Facts.fma_latency`)
    near_block_vectors      vectors of a block of columns of a matrix in a near cache, at least
    block_vectors           vectors of a block of columns, at most: elsewhere blocks are wide, because prefetchers
                            follow long runs
    rows_per_turn           rows of a near block that go by before the next columns (sums with squares in L1: 0.90 of
                            the rate of loads instead of 0.87 with one row after the other)
    light_operations        operations for a vector up to which a near block of several steps pays
    line_bytes              bytes of a cache line: one prefetch for each line of the row to come

    Index searches (argmax, argmin):

    arg_blocks              (vectors of a row, sizes of its blocks in vectors, best first) for rows of so many vectors
                            and more: looking for the element in its block takes two vectors' time for each of its
                            vectors

    arg_blocks_beside_quick the same along rows where steps that mind no NaN are there too: 16 rows of 24 vectors reach
                            0.43 of the loads of L1 by those and 0.34 by blocks, 4 rows of 96 vectors 0.47 and 0.53,
                            2 of 192 0.44 and 0.58. Beyond L1 those come first (64 x 1536: 0.92 and 0.86)
    quick_unroll            vectors of such a step, best first, each with a mask of its own: with 2 they have other ones
                            for their comparisons (down columns in L1: 0.52 of the loads, with 1 or 4 0.37)
    quick_time              how long such a step takes at least, in the time of its loads: three operations for a vector

    Registers:

    code_registers          vector registers that the code of one part may ask for: as many as it wants
    few_registers           the same where no way fits otherwise: its constants then come from memory
    """

    row_step: int = 4
    long_row_step: int = 8
    long_row: int = 64
    all_step: int = 8
    straight_vectors: int = 32
    body_vectors: int = 32
    folded_rows: tuple[int, ...] = (16, 4, 1)
    interleaved_body: int = 32
    row_block_cost: int = 3
    column_step: int = 4
    near_block_vectors: int = 8
    block_vectors: int = 24
    rows_per_turn: int = 4
    light_operations: int = 5
    line_bytes: int = 64
    arg_blocks: tuple[tuple[int, tuple[int, ...]], ...] = ((128, (8, 4)), (32, (4,)))
    arg_blocks_beside_quick: tuple[tuple[int, tuple[int, ...]], ...] = ((192, (12, 8, 4)), (56, (8, 4)))
    quick_unroll: tuple[int, ...] = (2, 1)
    quick_time: float = 3.0
    code_registers: int = 64
    few_registers: int = 7
