"""Constants by which the planners of matrix products compare ways (gemm/, prepack/)."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class GemmTuning:
    """Default values.

    "Estimate, not measured" means that no measurement of this value alone is recorded: it was set while the kernels
    were written on a Zen 4 (2026-11-20), and `tilesmith bench gemm` measures all values together.

    The rows of a panel are in vector registers, the *row vectors*; its columns form blocks of accumulators.
    """

    # The loop over k
    straight_instructions: int = 320
    """The most instructions of a sum over k that is fully unrolled. Source: estimate, not measured; about 2 KiB of
    code, a sixteenth of an L1 instruction cache of 32 KiB."""
    body_instructions: int = 160
    """The most instructions of a loop body over k. Source: estimate, not measured; half of a sum without a loop."""
    most_of_any_depth: int = 8
    """The most steps of k in a loop body if the call gives k; what is left of them follows one by one. Source: estimate,
    not measured; three and a half single steps on average."""
    stack_straight_instructions: int = 700
    """The most instructions of a block's sum over k that is fully unrolled in a stack of products. In a stack, the
    loop's end recurs with every product, and a short loop is mispredicted. Source: measured on a Zen 4
    (docs/log/gemm.md, "Stacks"): 98 instead of 106 ns for 13 x 13 x 13 in f64, 445 instead of 474 for 23 x 23 x 23;
    1,500 gain nothing more."""
    stack_ahead_cycles: float = 12
    """The minimum cycles of a step of k that hide the prefetch of one cache line of each operand of a stack's next
    product. Source: measured on a Zen 4 (docs/log/gemm.md, "Stacks"): steps of 14 cycles and more lose nothing in L2,
    and gain up to a factor of three from memory; steps of 5 to 9 cycles, 8 x 8 x 8, lose 7 to 20 %."""
    stack_far_cycles: float = 1800
    """If a product takes fewer cycles than this, and its steps of k fetch all lines of a product, the lines of the
    product after the next are prefetched instead of the next one's. Source: measured on a Zen 4 (docs/log/gemm.md,
    "Stacks"): 0.80 to 0.94 of the time from memory for 599 to 1,776 cycles, 1.00 to 1.04 for 1,936, 1.07 for 4,500."""
    window_instructions: int = 200
    """How many instructions a processor looks ahead. A shorter block overlaps with the next one, which hides the
    latency of its sums; on units of dot products, as much of it as the window has room for other blocks (f32 from bf16
    of 1 x 31 x 17 takes 0.91 of the time so on an Emerald Rapids). Source: a little less than the reorder buffers of
    Skylake (224 entries) and Zen 3 (256), by Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs"; the value
    itself is an estimate, not measured."""
    longest_late_c: int = 64
    """The most steps of k for which C is added to the finished sum. Longer sums start as C, and hide the wait for it by
    themselves. Source: the gain of short sums is measured, 47 instead of 130 ns for 13 x 13 x 13 on a Zen 4
    (docs/log/gemm.md, "A Zen 4"); the limit is an estimate, not measured."""

    # The size of panels of FMA blocks
    most_row_vectors: int = 8
    """The most row vectors of a panel that has few columns. Source: estimate, not measured; two FMAs per cycle with a
    latency of 4 cycles (uops.info, Zen 4 and Skylake) need eight accumulators, and a single column has no others."""
    few_columns: int = 5
    """A panel may have `most_row_vectors` if C has fewer columns than this. Source: estimate, not measured."""
    most_row_vectors_of_many_columns: int = 5
    """The most row vectors of a panel with more columns. Blocks whose rows and columns are balanced need the fewest
    loads. Source: counting loads."""
    most_along_k_rows: int = 3
    """The most remaining rows, beyond full registers, that a panel along k may take. Source: estimate, not measured."""
    share_along_k: float = 0.5
    """The most cycles of a panel along k with dynamic columns, relative to row vectors, whose cycles are overestimated
    if they fill few elements of a register. Source: on an Emerald Rapids, products by 3 columns, 64 deep, estimated at
    0.58 take as long either way, for 2.6 times the code; by 1 and 2 columns, at 0.06 to 0.46, they take 0.14 to 0.7 of
    the time."""
    most_far_columns: int = 8
    """The most columns that a panel along k reads side by side if L1 does not hold them all. Source: measured on a Zen
    5 (docs/log/gemm.md, "Products by a vector"): in f32 8 columns take 0.5 to 1.0 of the time of 16 in L2, 0.7 from
    L3."""
    far_columns_ahead: int = 512
    """How many bytes ahead the lines of these columns are prefetched if L2 does not hold them. Source: the same: 0.86
    to 1.0 of the time from L3, 0.8 from memory. 1024 bytes are as good, 2048 and more are worse. In L2 the prefetches
    take up to 1.2 times as long."""
    most_held_row_vectors: int = 4
    """The most registers in which a panel along k keeps its rows of A for all blocks. Source: estimate, not
    measured."""
    instruction_cycles: float = 0.02
    """Cycles that an instruction costs beside the busiest resource. The shorter of two equal blocks wins. Source:
    chosen only to break ties."""
    line_cycles: float = 0.05
    """Cycles for a cache line that a step of k fetches if panels do not stay in L1. Source: estimate, not measured."""
    of_gapless_lines: float = 0.25
    """The part of `line_cycles` that a line costs if a single panel reads all of A without gaps, since the processor's
    prefetches follow it. Source: measured on a Zen 4 (docs/log/gemm.md, "Blocks of B one panel wide"): f64 of 1000
    cubed in blocks of 24 columns takes 1.07 of the time with panels of 16 and 8."""
    most_gapless_row_vectors: int = 4
    """The most row vectors of such a panel. Blocks of more have so few columns that their loads outweigh this. Source:
    counting loads."""
    line_bytes: int = 64
    """Bytes of a cache line. Source: the manuals of most processors."""

    # Large products whose k is cut into parts (runtime/ops/block_rules.py)
    blocks_beside_parts_of_k: int = 2
    """The most blocks of C beside which k is cut into parts. Source: estimate, not measured; with more, a few threads
    have work without them."""
    products_in_parts_of_k: int = 1 << 22
    """The fewest multiplications of such a product. Source: estimate, not measured; some 30 us of one thread."""
    least_part_of_k: int = 512
    """The fewest steps of a part, which has a multiple of them. Source: estimate, not measured; storing and adding the
    sums of a part then takes a few hundredths of the time of the part."""
    parts_of_k: int = 4
    """The fewest parts. Source: estimate, not measured."""

    # Rows given at the call (rows/search.py). Source of all: measured on a Zen 4 (docs/log/gemm.md, "Blocks of counted
    # rows that weigh code"), chosen together so that 35 products take the time of kernels for a fixed number of rows.
    cycles_for_code: float = 0.012
    """The price of code in the choice of a panel's blocks: code as long as the widest block counts as this fraction of
    the panel's cycles."""
    cycles_for_code_of_panels: float = 0.003
    """The same in the choice of panels. It is lower, since estimates of different panels are less comparable than those
    of blocks within a panel."""
    cycles_for_code_inside: float = 0.004
    """The price of code in the choice of a panel's blocks inside a longer kernel (microkernels/chain), whose panels and
    widest blocks are those of a product of a known number of rows. Measured on a Zen 3 (docs/log/fused.md, "Bands whose
    rows the call counts"): blocks of 2 columns between 4 and 1."""
    most_code: float = 1.9
    """The most instructions of a product of dynamic columns, relative to those of the shortest product of a known
    number of 64 or more. Source: issue 22 asks for at most 2.0 times the bytes; the estimate is within 6 % of the
    bytes (docs/log/gemm.md, "The code of counted rows is bounded")."""
    most_code_of_bands: float = 2.07
    """The same of the bands of a traced function, with the code for single rows. Source: the ratio by this estimate is
    0.9 to 1.25 of that of the bytes. Of 192 functions on nine targets, 24 have more than twice the bytes, and all of
    them are estimated above this value, as 13 others are that have 1.87 to 2.0 times the bytes."""
    far_line_cycles: float = 4
    """The minimum cycles for a cache line that a step of k fetches if panels do not stay in L1."""
    evicted_line_cycles: float = 2.4
    """The same if panels would fit into L1, but their lines share sets. Source: measured on a Zen 5, with 1024 bytes
    between steps of k: 80 x 4 columns of f32 take 1.2 of the 10 cycles of their FMAs (docs/log/gemm.md, "Counted rows
    on a Zen 5")."""
    narrow_instructions_a_cycle: float = 2
    """Instructions per cycle in a block that is narrower than the widest one."""
    block_cycles: float = 16
    """Cycles between two blocks. A narrower block counts them twice."""
    narrow_body_instructions: int = 24
    """The minimum number of instructions in a narrower block's loop over k."""

    # Outer-product accumulators
    outer_product_rows: int = 2
    """Accumulators along the rows of C in a grid of several columns: 2 x 2 loads two vectors of each factor for four
    products. Source: counting loads."""
    outer_product_rows_alone: int = 4
    """Accumulators along the rows of C if one accumulator covers all columns. Source: counting loads; ZA has four
    accumulators of 32 bits."""

    # Cache hints, for requests that name no operands (gemm/hints.py)
    prefetch: str = ""
    """Operands whose cache lines are prefetched. Source: see docs/log/gemm.md, "Cold operands"."""
    streaming: str = ""
    """Operands that bypass the caches. Source: the same."""
    prefetch_cycles: float = 400
    """How many cycles a prefetch is ahead of its load on vector units. Source: about the memory latency of a Zen 4."""
    prefetch_cycles_of_tiles: float = 1600
    """How many cycles a prefetch is ahead of its load on tiles. Source: Intel's optimization manual, 20.13.1.2: 100
    products ahead."""

    # Tile registers
    tile_grid_side: int = 2
    """Tiles of C along either side of a grid: 2 x 2 needs one load per product, and leaves four of eight tiles for the
    factors. Source: counting loads."""
    vector_instructions_a_cycle: float = 4
    """Vector instructions per cycle while plain rows are interleaved. Source: estimate, not measured."""
    store_wait_cycles: float = 45
    """Cycles that a tile load waits for vector stores right before it. Source: measured on a Xeon
    (docs/mixed-precision.md)."""
    configure_cycles: float = 204
    """Cycles of LDTILECFG and TILERELEASE, once per call. Source: Intel's manual for LDTILECFG; both together were
    measured as 195 on a Xeon (docs/mixed-precision.md)."""
    most_rows_alone: int = 4
    most_steps_alone: int = 8
    most_steps_of_pairs: int = 2
    """Products with dynamic columns whose grid is one tile across: of one tile of rows, with one step of k, or with the
    most steps if there are so few rows; of more rows, in pairs of tiles, with at most that many whole steps. Source: on
    an Emerald Rapids, 1 and 4 rows of 2 to 8 steps take 0.6 to 1.1 of a fixed kernel's time where grids of four tiles
    take 0.7 to 2.0; 12 and 16 rows of two and more steps take up to 1.7 (docs/log/gemm.md)."""
    most_shifted_cycles: float = 600
    """The most cycles of a block of dynamic columns that is computed once more, in part, rather than with tiles of
    another configuration. Source: on an Emerald Rapids, blocks of 228 to 594 estimated cycles take 0.66 to 1.02 of the
    time of a call of 65 to 120 rows, blocks of 869 and more 0.9 to 1.9 (docs/log/gemm.md, "Code of counted rows on
    tiles")."""
    likely_pairs: int = 4
    """The assumed number of pairs of a batch whose size is given at the call. Source: estimate, not measured."""

    # Blocks of an operand that are packed on the fly
    packed_block_bytes: int = 32 << 10
    """The most bytes of scratch memory that a block may fill. Source: the size of an L1 data cache."""
    packed_pairs_bytes: int = 16 << 10
    """The most bytes of blocks of several pairs that are packed together. Source: half of an L1 data cache; the other
    half is for the operand that they are multiplied with."""
    packed_block_steps: int = 64
    """The minimum number of steps of k for which the rows of a block leave room. Source: estimate, not measured."""
