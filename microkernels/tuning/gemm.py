"""The numbers that the planners of matrix products weigh ways by (gemm/, prepack/)."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class GemmTuning:
    """The defaults.

    "Estimate, not measured" means that no measurement of the number alone is recorded: it was set while kernels were
    written on a Zen 4 (2026-11-20), and `tilesmith bench gemm` measures all of them together.

    The rows of a panel lie in vector registers, the *row vectors*; its columns form blocks of accumulators.
    """

    # The loop over k
    straight_instructions: int = 320
    """Instructions: the longest sum over k that is written out without a loop. Source: estimate, not
    measured; about 2 KiB of code, a sixteenth of a first-level instruction cache of 32 KiB."""
    body_instructions: int = 160
    """Instructions of a loop body over k, at most. Source: estimate, not measured; half of a sum without a loop."""
    stack_straight_instructions: int = 700
    """Instructions: the longest sum over k of a block that is written out in a stack of products. There the end of a
    loop comes back with every product, and a short one is mispredicted. Source: measured on a Zen 4 (docs/log/gemm.md,
    "Stacks"): 98 instead of 106 ns for 13 x 13 x 13 in f64, 445 instead of 474 for 23 x 23 x 23; 1,500 gain nothing
    more."""
    stack_ahead_cycles: float = 12
    """Cycles of a step of k that hide the prefetch of a cache line of each operand of a stack's next product. Source:
    measured on a Zen 4 (docs/log/gemm.md, "Stacks"): steps of 14 cycles and more lose nothing in L2, and gain up to a
    factor of three from memory; steps of 5 to 9 cycles, 8 x 8 x 8, lose 7 to 20 %."""
    stack_far_cycles: float = 1800
    """Cycles of a product below which the lines of the one after the next are prefetched, where the steps of k fetch
    all of them. Source: measured on a Zen 4 (docs/log/gemm.md, "Stacks"): 0.80 to 0.94 of the time from memory for 599
    to 1,776 cycles, 1.00 to 1.04 for 1,936, 1.07 for 4,500."""
    window_instructions: int = 200
    """Instructions that a processor looks ahead: a shorter block overlaps with the next one, which hides the latency of
    its sums. Source: a little less than the reorder buffers of Skylake (224 entries) and Zen 3 (256), by Agner Fog,
    "The microarchitecture of Intel, AMD and VIA CPUs"; the number itself is an estimate, not measured."""
    longest_late_c: int = 64
    """Steps of k up to which C is added to the finished sum; longer sums start as C, and hide the wait for it by
    themselves. Source: that short sums gain is measured, 47 instead of 130 ns for 13 x 13 x 13 on a Zen 4
    (docs/log/gemm.md, "A Zen 4"); the limit is an estimate, not measured."""

    # The size of panels of FMA blocks
    most_row_vectors: int = 8
    """Vector registers for one column of a panel that has few columns. Source: estimate, not measured; two FMAs a cycle
    of 4 cycles (uops.info, Zen 4 and Skylake) need eight accumulators, and one column has no others."""
    few_columns: int = 5
    """Columns of C below which a panel may have `most_row_vectors`. Source: estimate, not measured."""
    most_row_vectors_of_many_columns: int = 5
    """The same with more columns: blocks whose rows and columns are balanced need the fewest loads. Source: counting of
    loads."""
    most_along_k_rows: int = 3
    """Rows left over from full registers that a panel along k may take. Source: estimate, not measured."""
    most_held_row_vectors: int = 4
    """Vector registers in which a panel along k keeps its rows of A for all blocks. Source: estimate, not measured."""
    instruction_cycles: float = 0.02
    """Cycles that an instruction costs beside the busiest resource: of equal blocks the shorter wins. Source: chosen to
    decide between equals only."""
    line_cycles: float = 0.05
    """Cycles of a cache line that a step of k fetches where panels do not stay in the first-level cache. Source:
    estimate, not measured."""
    line_bytes: int = 64
    """Bytes of a cache line. Source: the manuals of most processors."""

    # Rows given at the call (rows/search.py). Source of all: measured on a Zen 4 (docs/log/gemm.md, "Blocks of counted
    # rows that weigh code"), chosen together so that 35 products take the time of kernels for a number of rows.
    cycles_for_code: float = 0.012
    """Part of a panel's cycles that code as long as its widest block is worth."""
    cycles_for_code_of_panels: float = 0.003
    """The same of all panels: estimates of different panels compare less well than those of blocks of one."""
    far_line_cycles: float = 4
    """Cycles of a cache line that a step of k fetches where panels do not stay in the first-level cache, at least."""
    narrow_instructions_a_cycle: float = 2
    """Instructions of a narrower block in a cycle."""
    block_cycles: float = 16
    """Cycles between blocks, and of a narrower block once more."""
    narrow_body_instructions: int = 24
    """Instructions of a narrower block's loop over k, at least."""

    # Outer-product accumulators
    outer_product_rows: int = 2
    """Accumulators along the rows of C in a grid of several columns: 2 x 2 loads two vectors of each factor for four
    products. Source: counting of loads."""
    outer_product_rows_alone: int = 4
    """The same where one accumulator covers all columns. Source: counting of loads; ZA has four of 32 bits."""

    # Hints to the caches, of requests that name no operands (gemm/hints.py)
    prefetch: str = ""
    """Operands whose lines are prefetched. Source: see docs/log/gemm.md, "Cold operands"."""
    streaming: str = ""
    """Operands that are kept out of the caches. Source: the same."""
    prefetch_cycles: float = 400
    """Cycles that a prefetch is ahead of its load on vector units. Source: about the latency of memory on a Zen 4."""
    prefetch_cycles_of_tiles: float = 1600
    """The same on tiles. Source: Intel's optimization manual, 20.13.1.2: 100 products ahead."""

    # Tile registers
    tile_grid_side: int = 2
    """Tiles of C along either side of a grid: 2 x 2 needs a load for each product, and leaves four of eight tiles for
    the factors. Source: counting of loads."""
    vector_instructions_a_cycle: float = 4
    """Vector instructions each cycle while plain rows are interleaved. Source: estimate, not measured."""
    store_wait_cycles: float = 45
    """Cycles that a tile load waits for vector stores right before it. Source: measured on a Xeon
    (docs/mixed-precision.md)."""
    configure_cycles: float = 204
    """Cycles of LDTILECFG and TILERELEASE, once a call. Source: Intel's manual for LDTILECFG; both together were
    measured as 195 on a Xeon (docs/mixed-precision.md)."""
    likely_pairs: int = 4
    """Pairs of matrices, assumed of a batch whose size is given at the call. Source: estimate, not measured."""

    # Blocks of an operand that are packed on the fly
    packed_block_bytes: int = 32 << 10
    """Bytes of scratch memory that a block may fill. Source: the size of a first-level data cache."""
    packed_pairs_bytes: int = 16 << 10
    """Bytes of blocks of several pairs that are packed together. Source: half of a first-level data cache; the other
    half is for the operand that they are multiplied with."""
    packed_block_steps: int = 64
    """Steps of k, the fewest that the rows of a block leave room for. Source: estimate, not measured."""
