"""Numbers by which kernels of any number of rows are planned."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class RowwiseTuning:
    """Default values, each with its source.

    block_cycles    cycles of the widest block of rows, at least: pointers that move in memory and the loop took 5 % of
                    a row of 1024 f32 of relu, of 140 cycles (python -m tests.bench.runtime_rows on a Zen 4)
    turns           times that rows of fused kernels and reductions take turns in the widest block, at least: one row
                    alone took 13 % longer in layer norm of 384 columns, 8 rows 17 % longer in sums of 1024 (the same)
    most_rows       rows of the widest block, at most (estimate, not measured)
    factor          rows of a block over those of the next narrower one: fewer blocks are less code, and leave more
                    rows at the end to be computed one by one (estimate, not measured)
    rows_of_columns, factor_of_columns   the same two where columns are contiguous: pieces of 64 rows of relu, of 384
                    columns in order "F", took 1.2 to 1.4 times as long as whole columns of 256 rows, and blocks that
                    are halves of each other had 4 to 6 times the code of a fixed kernel (the same)
    vectors_of_columns  whole vectors of a step along a counted column, at most: more of them are single ones in columns
                    of 64 f32, which took as long as those of a fixed kernel (the same, on a Sapphire Rapids)
    vectors_of_joined_columns   the same where columns may be walked as one: 4 of them took 1.02 to 1.08 times as long
                    as 8 in x * 2 + x of 256 rows and 384 columns (the same)
    operations_of_wide_strips   operations of a vector up to which counted strips of columns are of more than 4 vectors:
                    sums of 256 rows took 1.5 times as long in narrow ones, which waited for each other, and the powers
                    of softmax, of 20 operations, as long as in wide ones, for 0.9 of the code (the same)
    """

    block_cycles: int = 320
    turns: int = 4
    most_rows: int = 64
    factor: int = 8
    rows_of_columns: int = 256
    factor_of_columns: int = 4
    vectors_of_columns: int = 4
    vectors_of_joined_columns: int = 8
    operations_of_wide_strips: int = 10
