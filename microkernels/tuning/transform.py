"""The numbers of the planner of transposes and layout transforms (`microkernels/transform/`, `machines/*/shuffles.py`).

This module is the pattern for the parts of a tuning table: a frozen dataclass whose fields have the default as their
value, and below it a line with the unit, the meaning, and the source of the number. A family's module replaces fields.
"""

from __future__ import annotations

from dataclasses import astuple

from ...encoder.records import dataclass


@dataclass(frozen=True)
class ShuffleCosts:
    """Reciprocal throughputs in cycles: for how long one instruction on one register occupies the shuffle pipes."""

    unpack: float
    """Interleaves, and permutes elements by an immediate, within lanes of 16 bytes."""
    cross: float
    """Moves elements of 4 bytes and more, or whole lanes, from lane to lane."""
    table: float
    """Permutes bytes within lanes by a register of indices."""
    fine_table: float
    """Moves elements of 1 or 2 bytes from lane to lane, from one source or two."""
    insert: float
    """Inserts a piece from memory, beside the load."""
    blend: float = 0.0
    """Of all vector pipes, for a shuffle or an insert, where some of these pipes blend but do not shuffle."""
    wide_blend: float = 0.0
    """The same, for registers of 512 bits, which have fewer such pipes."""

    def scaled(self, times: int) -> ShuffleCosts:
        """The costs of instructions that are split into so many."""
        return self if times == 1 else ShuffleCosts(*(times * cycles for cycles in astuple(self)))


@dataclass(frozen=True)
class TransformTuning:
    """What the planner of transforms weighs tiles, stores and loops by.

    A tile's price is `(cycles + instruction_cycles * instructions) * weight`: see `transform/cost.py`.
    """

    # Shuffles on x86. AArch64 derives its costs from the pipes of the target.

    shuffles_one_pipe: ShuffleCosts = ShuffleCosts(1, 1, 1, 2, insert=0, blend=1 / 3, wide_blend=1 / 2)
    """Cycles where one pipe shuffles (Intel's port 5). An insert from memory is a blend, which any of three vector
    ports executes, or of two for 512 bits. Source: Intel optimization manual, 2.6.1 and 15.11; uops.info."""
    shuffles_two_pipes: ShuffleCosts = ShuffleCosts(1 / 2, 1 / 2, 1 / 2, 1, insert=1 / 2)
    """Cycles where two pipes of the full width shuffle (AMD). Source: two shuffles start in a cycle; uops.info."""
    shuffles_split: ShuffleCosts = shuffles_two_pipes
    """Cycles, for registers of 256 bits, on a processor that splits operations of 512 bits in two; these take twice as
    long. Source: the two pipes above. `zen4` has a measurement."""

    # Prices of tiles

    loop_instructions: float = 2.0
    """Instructions with which a tile's loop ends. Source: listings."""
    instruction_cycles: float = 0.02
    """Cycles that an instruction adds to a price. Of tiles with equal cycles the one of fewer instructions wins; the
    number is small enough to decide nothing else. Source: none, it breaks ties."""
    split_store_weight: float = 0.01
    """Fraction of a tile's price, for each store but the first into a cache line of y. Source: as above."""
    split_load_weight: float = 0.002
    """Fraction of a tile's price, for each load but the first from a cache line of x, where x and y exceed the first
    cache: the line may be gone before it is read again. Source: as above; less than a store, which weighs first."""
    partial_stream_weight: float = 1.0
    """Fraction of a tile's price where streaming stores write less than a cache line each: the write-combining buffer
    may be flushed half full. Source: the planner's assumption that such stores halve the speed."""
    ordinary_store_weight: float = 1.6
    """The time of ordinary stores to that of streaming ones where x and y exceed the caches. Source: 1.6 to 3 from
    30 MiB on, docs/transposes.md, "Large matrices"."""

    # Sizes of tiles

    widened_tiles: int = 2
    """Tiles, those of the fewest cycles, that are also tried with whole cache lines. Source: planning time."""
    most_register_bits: int = 6
    """Address bits between the registers of a tile: 6 are 64 registers, loaded in passes. Source: the size of code."""
    most_read_register_bits: int = 5
    """The same for a tile that was widened to read whole cache lines. Source: measured, 64 registers gain nothing."""
    most_passes: int = 8
    """Passes over a tile that does not fit the registers. Source: loads are repeated, and exceed what tiles save."""
    in_place_block: int = 16
    """Least rows and columns of a block of a transpose in place. Source: the tile of 16 x 16 f32."""

    # Loops. Sources: docs/transposes.md, "Large matrices"; sizes up to 2048 x 2048 on Zen 4.

    along_rows_bytes: int = 4 << 20
    """Bytes of x and y from which on every walk goes along the rows of x: no second cache holds them."""
    along_rows_caches: int = 4
    """First caches that x and y exceed where a walk goes along the rows of x because its cache lines are split."""
    along_rows_leading_lines: int = 8
    """Cache lines that a row of y exceeds, if its length is no whole number of them, for the same."""

    # Streaming stores. Sources: docs/transposes.md, "Large matrices".

    streaming_l2_caches: int = 4
    """Second caches that x and y fill where streaming stores begin to pay, at least."""
    streaming_l3_share: int = 2
    """The part of the third cache that x and y fill, as a divisor, where streaming stores begin to pay."""
    streaming_l3_bytes: int = 24 << 20
    """The most that counts of a third cache, which many cores share. Measured where two cores see 480 MiB."""
    streaming_columns: int = 1024
    """Columns of x that are walked together: as many rows of y, each with a page to be translated. 64 to 1024 matter
    little."""
    streaming_rows: int = 128
    """Rows of x that are walked together where the third cache may hold x: y is then written in longer runs. 2048 x
    2048 f32 takes 0.74 to 0.88 of the time so."""
    streaming_row_blocks: int = 3
    """The most bytes of x and y for this, as a multiple of those from which on streaming stores pay. Beyond, reads want
    long runs: 3008 x 3008 f32 would take 1.8 times as long."""
    peeled_tiles: int = 16
    """Least tiles along the rows of x where the first and last rows are peeled to align y, which costs three tiles."""
