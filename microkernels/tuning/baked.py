"""Constants for planning products with fixed sparse matrices."""

from __future__ import annotations

from ...encoder.records import dataclass

GROUPS = 2
"""Registers that hold groups of entries: the next group is loaded while the last one is multiplied."""
MOST_ENTRIES = 1 << 15
"""The most entries of a matrix: their values and places are constants of the kernel, which instructions reach within
1 MiB."""


@dataclass(frozen=True)
class BakedTuning:
    """Default values; those without a measurement are estimates.

    most_instructions    instructions of the entries of all blocks: 24 KiB of code, if one has 9 bytes. A dense matrix
                         of 35 by 35 took 83 KB so, and twice the time of its dense product (Zen 3)
    most_together        vectors of columns of a block
    window               instructions that wait for their operands beside each other: rows of which a block has fewer
                         overlap with those of the next block
    converted_load       instructions of a load that converts
    loop_instructions    instructions of a loop over blocks: pointers, counter, branch
    entry_instructions   instructions of an entry in a loop over entries, beside those of its vectors
    row_cycles           cycles of a row in such a loop, whose number of entries is no constant
    """

    most_instructions: int = 2730
    most_together: int = 6
    window: int = 100
    converted_load: int = 3
    loop_instructions: int = 4
    entry_instructions: int = 6
    row_cycles: float = 20.0
