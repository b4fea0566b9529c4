"""Constants for planning fused kernels."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class FusedTuning:
    """Default values, each with its source.

    accumulators    the most vectors of a pass, each with accumulators of its own (Zen 4, softmax and layer norm of 384
                    columns: 8 take as long as 4, and 2 take longer)
    lone_operations the most operations per vector of a pass for which one row at a time stays in registers, where two
                    do not fit, instead of two in turn from L1: norms (6) take 0.88 to 1.0 of the time, the derivative
                    of rmsnorm (8) 0.96 to 1.08, that of layer norm (9) and softmax (18) 1.06 to 1.2 (Emerald Rapids;
                    docs/log/fused.md, "rows in registers")
    lone_vectors    the fewest vectors of such a row: on AVX2, layer norm of rows of 4 and 8 vectors takes 1.06 and 1.14
                    of the time of two in turn, on AVX-512 of 12 vectors 0.93 to 0.97 (the same)
    l1_bytes        the most bytes of a row of all operands for which two rows are processed in turn, so that both stay
                    in L1 (derived from 32 KiB)
    far_bytes       the bytes of all matrices from which rows are prefetched, because they come from memory (layer norm
                    on a Zen 4 with an L3 of 32 MiB: 3 MiB take 5 % longer, 32 MiB 18 % less)
    far_row_bytes   the bytes of a row of all matrices beyond which rows from memory are processed one at a time (Zen 4:
                    softmax of 768 columns takes 0.87 of the time of two rows in turn; docs/log/fused.md, "what bounds
                    softmax")
    busy            a pass with more operations per vector than this is bound by arithmetic, not by memory, and gets no
                    prefetches (Zen 4: the derivative of layer norm has 11 and gains 13 %; log_softmax has 17 and loses
                    5 %)
    strip_row_bytes the most bytes of a row for which all rows are processed in strips of columns (Zen 4, batch
                    normalisation of 1024 rows in L2 and L3: 1.5 times as fast with 128 f32 in a row, 1.36 with 256,
                    1.09 with 512, but 0.87 with 1000; 4096 rows of 1000 from memory 0.67)
    vectors_of_loaded_rows  the most vectors of a strip that loads its single rows: softmax in order "F" of dynamic rows
                    on AVX2 takes 0.96 to 1.02 of a fixed kernel's time with a pair and a vector, in f64 1.04 to 1.09,
                    and four vectors one by one 0.94 to 1.02, in f64 1.12 to 1.16; five vectors are no faster
                    (Zen 5; docs/log/fused.md)
    instructions_of_loaded_rows  the most instructions of a vector of such a strip: softmax on SSE, whose multiply-adds
                    of f32 are 48 instructions each, took 1.6 of the time of a fixed kernel (the same)
    """

    accumulators: int = 4
    lone_operations: int = 7
    lone_vectors: int = 12
    l1_bytes: int = 12 << 10
    far_bytes: int = 16 << 20
    far_row_bytes: int = 4 << 10
    busy: int = 12
    strip_row_bytes: int = 2 << 10
    vectors_of_loaded_rows: int = 3
    instructions_of_loaded_rows: int = 128
