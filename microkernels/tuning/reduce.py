"""Constants for planning reductions."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class ReduceTuning:
    """Default values, measured on a Zen 4 (`tilesmith bench reduce`, docs/reductions.md) unless a source is named.

    Along rows, one after the other, and over all elements:

    row_step                the most vectors that a step along a row takes (four accumulators of one vector, or two of
                            two). Accumulators are joined at the end of each row while the next row begins, so more gain
                            nothing
    long_row_step           the same for rows of more than `long_row` vectors, where joining more accumulators pays
    long_row                the most vectors of a short row
    all_step                the same as `row_step` for a reduction of all elements, which joins its accumulators once
    straight_vectors        the most vectors of a row that is fully unrolled
    body_vectors            the most vectors of a loop body (sums with squares of all elements: 0.91 of the rate of
                            loads instead of 0.90 with 16 vectors)
    folded_rows             how many rows' accumulators are folded together, most first: rows one after the other would
                            wait for each other's stores and loads. Fewer are tried if registers are short

    Along interleaved rows:

    interleaved_body        vectors of a loop body, of all rows together
    row_block_cost          the time that a row block takes to begin and end, in units of the time of folding one row of
                            a power of two: blocks of 4 and 8 rows are faster than blocks of 5 or 6 (maximum of 64 x 96:
                            0.81 instead of 0.74 of the rate of loads)

    Down columns:

    column_step             the minimum vectors of columns per step: 4 accumulators hide the add latency behind one load
                            per cycle. Machines that load two vectors per cycle take more (`Facts.fma_latency`)
    near_block_vectors      the minimum vectors of a block of columns of a matrix in a near cache
    block_vectors           the most vectors of a block of columns otherwise. Blocks are then wide, because prefetchers
                            follow long runs
    rows_per_turn           rows of a near block that are processed before the next columns (sums with squares in L1:
                            0.90 of the rate of loads instead of 0.87 with one row after the other)
    light_operations        the most operations per vector for which a near block of several steps pays
    line_bytes              bytes of a cache line: one prefetch for each line of the next row

    Index searches (argmax, argmin):

    arg_blocks              (vectors of a row, sizes of its blocks in vectors, best first) for rows of at least this
                            many vectors. Finding the element within its block takes two vectors' time per vector of the
                            block
    arg_blocks_beside_quick the same along rows if quick steps, which ignore NaN, are possible too: 16 rows of 24
                            vectors reach 0.43 of the rate of loads in L1 with quick steps and 0.34 with blocks, 4 rows
                            of 96 vectors 0.47 and 0.53. More figures: docs/log/reductions.md, "argmax on a Zen 4
                            again"
    quick_unroll            vectors of a quick step, best first, each with a mask of its own: with 2, other masks are
                            left for their comparisons (down columns in L1: 0.52 of the rate of loads, with 1 or 4 0.37)
    quick_time              the minimum time of a quick step, in units of its loads' time: three operations per vector

    Registers:

    code_registers          the most vector registers that the code of one part may ask for; the value sets no limit
    few_registers           the same if no way fits otherwise, the best first: constants then come from memory. With 7,
                            an index search of 8-bit floats with a tail takes 14 registers, and a target without
                            integers of 256 bits has 13
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
    few_registers: tuple[int, ...] = (7, 5)
