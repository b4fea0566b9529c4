"""Constants for planning transposes and layout transforms (`microkernels/transform/`, `machines/*/shuffles.py`).

This module is the pattern for the parts of a tuning table: a frozen dataclass whose fields have default values. A
string below each field gives the unit, the meaning, and the source of the value. A family's module replaces fields.
"""

from __future__ import annotations

from dataclasses import astuple

from ...encoder.records import dataclass


@dataclass(frozen=True)
class ShuffleCosts:
    """Reciprocal throughputs in cycles: how long one instruction on one register occupies the shuffle pipes."""

    unpack: float
    """Interleaves elements, and permutes them by an immediate, within lanes of 16 bytes."""
    cross: float
    """Moves elements of 4 bytes and more, or whole lanes, between lanes."""
    table: float
    """Permutes bytes within lanes by a register of indices."""
    fine_table: float
    """Moves elements of 1 or 2 bytes between lanes, from one source or two."""
    insert: float
    """Inserts a piece from memory; the load is counted apart."""
    blend: float = 0.0
    """Cycles of all vector pipes for a shuffle or an insert, on machines where some pipes blend but do not shuffle."""
    wide_blend: float = 0.0
    """Like `blend`, for registers of 512 bits, which have fewer such pipes."""

    def scaled(self, times: int) -> ShuffleCosts:
        """The costs of instructions that are split into `times` operations."""
        return self if times == 1 else ShuffleCosts(*(times * cycles for cycles in astuple(self)))


@dataclass(frozen=True)
class TransformTuning:
    """Constants by which the planner of transforms compares tiles, stores and loops.

    A tile's price is `(cycles + instruction_cycles * instructions) * weight`: see `transform/cost.py`.
    """

    # Shuffles on x86. On AArch64 the costs are derived from the target's pipes.

    shuffles_one_pipe: ShuffleCosts = ShuffleCosts(1, 1, 1, 2, insert=0, blend=1 / 3, wide_blend=1 / 2)
    """Costs where one pipe shuffles (Intel's port 5). An insert from memory is a blend, which runs on any of three
    vector ports, or on two for 512 bits. Source: Intel optimization manual, 2.6.1 and 15.11; uops.info."""
    shuffles_two_pipes: ShuffleCosts = ShuffleCosts(1 / 2, 1 / 2, 1 / 2, 1, insert=1 / 2)
    """Costs where two pipes of the full width shuffle (AMD). Source: two shuffles start per cycle; uops.info."""
    shuffles_split: ShuffleCosts = shuffles_two_pipes
    """Costs for registers of 256 bits on a processor that splits 512-bit operations in two; 512-bit operations take
    twice as long. Source: the two pipes above. `zen4` has a measurement."""

    # Prices of tiles

    loop_instructions: float = 2.0
    """The number of instructions that end a tile's loop. Source: listings."""
    instruction_cycles: float = 0.02
    """Cycles that each instruction adds to a price. Of tiles with equal cycles the one with fewer instructions wins;
    the value is small enough to decide nothing else. Source: none, it breaks ties."""
    split_store_weight: float = 0.01
    """Fraction of a tile's price for each store but the first into one cache line of y. Source: as above."""
    split_load_weight: float = 0.002
    """Fraction of a tile's price for each load but the first from one cache line of x, if x and y exceed L1: the line
    may be evicted before it is read again. Source: as above; less than for a store, which weighs first."""
    partial_stream_weight: float = 1.0
    """Fraction of a tile's price if streaming stores write less than a cache line each: the write-combining buffer may
    be flushed half full. Source: the planner's assumption that such stores halve the speed."""
    ordinary_store_weight: float = 1.6
    """The ratio of the time of ordinary stores to that of streaming stores if x and y exceed the caches. Source: 1.6 to
    3 from 30 MiB on, docs/transposes.md, "Large matrices"."""

    # Sizes of tiles

    widened_tiles: int = 2
    """How many of the tiles with the fewest cycles are also tried with whole cache lines. Source: planning time."""
    most_register_bits: int = 6
    """The most address bits that number a tile's registers: 6 are 64, loaded in passes. Source: the size of code."""
    most_read_register_bits: int = 5
    """The most address bits for a tile that was widened to read whole cache lines. Source: measured, 64 registers gain
    nothing."""
    most_passes: int = 8
    """The most passes over a tile that does not fit the registers. Source: more repeat more loads than tiles save."""
    in_place_block: int = 16
    """The minimum rows and columns of a block of a transpose in place. Source: the tile of 16 x 16 f32."""

    # Loops. Sources: docs/transposes.md, "Large matrices"; sizes up to 2048 x 2048 on Zen 4.

    along_rows_bytes: int = 4 << 20
    """The bytes of x and y from which every loop goes along the rows of x: no L2 holds them."""
    along_rows_caches: int = 4
    """A loop goes along the rows of x because its cache lines are split only if x and y exceed this many L1 caches."""
    along_rows_leading_lines: int = 8
    """A row of y must also exceed this many cache lines, unless its length is a whole number of cache lines."""

    # Streaming stores. Sources: docs/transposes.md, "Large matrices".

    streaming_l2_caches: int = 4
    """Streaming stores begin to pay if x and y fill at least this many L2 caches."""
    streaming_l3_share: int = 2
    """Streaming stores begin to pay if x and y fill this part of L3, given as a divisor."""
    streaming_l3_bytes: int = 24 << 20
    """The most bytes of L3 that count for this, because many cores share L3. Measured where two cores see 480 MiB."""
    streaming_columns: int = 1024
    """Columns of x that are processed together. They are also rows of y, each with a page to be translated. Values from
    64 to 1024 differ little."""
    streaming_rows: int = 128
    """Rows of x that are processed together if L3 may hold x: y is then written in longer runs. 2048 x 2048 f32 then
    takes 0.74 to 0.88 of the time."""
    streaming_row_blocks: int = 3
    """The most bytes of x and y for this, as a multiple of the bytes from which streaming stores pay. Beyond it, reads
    need long runs: 3008 x 3008 f32 would take 1.8 times as long."""
    peeled_tiles: int = 16
    """The minimum number of tiles along the rows of x for which the first and last rows are peeled to align y, which
    costs three tiles."""
