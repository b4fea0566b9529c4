"""Numbers by which fused kernels are planned."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class FusedTuning:
    """Default values, each with its source.

    accumulators    vectors of a pass, at most, each with accumulators of its own (Zen 4, softmax and layer norm of 384
                    columns: 8 take as long as 4, 2 longer)
    l1_bytes        bytes of a row of all operands up to which two rows are walked in turn: both stay in the first-level
                    cache (derived from 32 KiB)
    far_bytes       bytes of all matrices from which on rows are prefetched, as they come from memory (layer norm on a
                    Zen 4 with an L3 cache of 32 MiB: 3 MiB take 5 % longer, 32 MiB 18 % less)
    far_row_bytes   bytes of a row of all matrices beyond which rows from memory come one after the other (Zen 4, time
                    of one at a time by that of two in turn: softmax 0.99 with 384 columns, 0.87, 0.81 and 0.81 with
                    768, 1,024 and 2,048; layer norm 0.93, 0.92, 0.71, 0.92; rmsnorm 1.15, 0.93, 0.84, 0.80)
    strip_row_bytes bytes of a row up to which all rows are walked in strips of columns (batch normalisation on a Zen 4,
                    1024 rows in L2 and L3: 1.5 times as fast with 128 f32 in a row, 1.36 with 256, 1.09 with 512, 0.87
                    with 1000; 4096 rows of 1000 from memory 0.67)
    """

    accumulators: int = 4
    l1_bytes: int = 12 << 10
    far_bytes: int = 16 << 20
    far_row_bytes: int = 4 << 10
    strip_row_bytes: int = 2 << 10
