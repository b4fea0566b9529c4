"""Constants for planning attention."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class AttentionTuning:
    """Default values, each with its source.

    query_bytes     the most bytes of the sums of one key for all queries of a block: 64 f32 (Zen 4)
    keys            the most keys of a block without the causal mask (Zen 4)
    strips          the most strips of 16 queries of a block, for products on tiles (Emerald Rapids)
    unroll          keys at a time in the softmax step (Zen 4)
    conversion_cycles   cycles of an instruction that converts an operand in the loops of a product, beside its FMAs
                    (Zen 3, docs/log/attention.md: 0.23 and 0.29)
    """

    query_bytes: int = 256
    keys: int = 64
    strips: int = 8
    unroll: int = 4
    conversion_cycles: float = 0.25


@dataclass(frozen=True)
class SequencesTuning:
    """The cuts of attention over sequences of different lengths: see runtime/grouped/attention_nest.py.

    rows     the queries of a kernel, the most first and one at last: a sequence's are cut into these, from its first
             on. All powers of two up to 128 were as fast for 24 to 500 queries and made twice the code (Ice Lake)
    keys     the keys for which kernels are planned, unless a sequence has more. So many need no sums of blocks that are
             laid by, so that a result does not depend on the longest other sequence
    around   the time of what a kernel does around its products, as a number of queries and of keys
    """

    rows: tuple[int, ...] = (64, 16, 4, 1)
    keys: int = 1 << 16
    around: int = 16


SEQUENCES = SequencesTuning()
