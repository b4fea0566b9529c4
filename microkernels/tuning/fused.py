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
    """

    accumulators: int = 4
    l1_bytes: int = 12 << 10
