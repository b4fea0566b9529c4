"""Constants for planning kernels for any number of rows."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class RowwiseTuning:
    """Default values, each with its source.

    block_cycles    the minimum cycles of the widest block of rows: pointers that move in memory, and the loop, took 5 %
                    of relu of a row of 1024 f32, of 140 cycles (tilesmith bench rows --tables times on a Zen 4)
    turns           the minimum number of times that rows of fused kernels and reductions take turns in the widest
                    block: one row alone took 13 % longer in layer norm of 384 columns, 8 rows 17 % longer in sums of
                    1024 (the same)
    most_rows       the most rows of the widest block (estimate, not measured)
    factor          the ratio of a block's rows to those of the next narrower block: fewer blocks are less code, and
                    leave more remaining rows to be computed one by one (estimate, not measured)
    rows_of_columns, factor_of_columns   `most_rows` and `factor` if columns are contiguous: pieces of 64 rows of relu,
                    of 384 columns in order "F", took 1.2 to 1.4 times as long as whole columns of 256 rows, and blocks
                    that are halves of each other had 4 to 6 times the code of a fixed kernel (the same)
    rows_of_long_columns, instructions_of_long_columns   `rows_of_columns` if a vector takes more than this many
                    instructions: softmax on SSE and AVX (some 400) in blocks of 16, 4 and 1 rows takes 1.00 to 1.03 of
                    a fixed kernel's time for 0.7 to 2.0 times its code, and with 256, 64, 16, 4 and 1 rows 1.4 to 3.7
                    times; softmax on AVX2 (25 instructions) took 1.3 times as long in blocks of 16 rows (Zen 5)
    vectors_of_columns  the most whole vectors of a step along a dynamic column: with more, the vectors of columns of 64
                    f32 would be processed one by one; with 4, they took as long as in a fixed kernel (the same, on a
                    Sapphire Rapids)
    vectors_of_joined_columns   the same if columns may be processed as one: 4 vectors took 1.02 to 1.08 times as long
                    as 8 in x * 2 + x of 256 rows and 384 columns (the same)
    vectors_of_sums  the most vectors of a dynamic strip if only sums are computed: four take 0.2 to 1.0 of a fixed
                    kernel's time and 0.6 to 1.7 times its code, and eight take as long for 1.5 times the code of four
                    (`tilesmith bench rows --tables times --seconds 0.1 --only "order F"`, a Zen 4)
    instructions_of_a_copy  the least instructions of a vector's code, for each operand of the columns, for which the
                    last elements are copied to scratch memory and processed there as a vector. Columns of 65 to 71 f32
                    take 0.92 to 1.02 of the time and 0.7 to 0.8 of the code of vectors of half, a quarter, ... the
                    elements, for gelu and tanh on SSE and gelu on AVX (460 to 1370 instructions), and 0.94 to 1.04 for
                    exp2, elu_inv and sigmoid_inv on SSE (307 to 463); tanh and elu on AVX (460 and 510 for two
                    halves) took up to 1.04, gelu of bf16 on AVX2 (73) 1.2 (a Xeon of the Emerald Rapids family)
    instructions_of_a_copy_beside   the same for fused functions of more than `instructions_of_long_columns`, whose
                    operands are many: adam and adamw on SSE and AVX (29 and more for each of seven operands) take 0.92
                    to 1.06 of a fixed kernel's time with 65 to 102 rows in columns with gaps (the same)
    """

    block_cycles: int = 320
    turns: int = 4
    most_rows: int = 64
    factor: int = 8
    rows_of_columns: int = 256
    factor_of_columns: int = 4
    rows_of_long_columns: int = 16
    instructions_of_long_columns: int = 128
    vectors_of_columns: int = 4
    vectors_of_joined_columns: int = 8
    vectors_of_sums: int = 4
    instructions_of_a_copy: int = 130
    instructions_of_a_copy_beside: int = 25
