"""Constants for planning gathers, scatters and embedding bags."""

from __future__ import annotations

from ...encoder.records import dataclass


@dataclass(frozen=True)
class GatherTuning:
    """Default values, estimated from latencies of a Zen 4 (loads 4 to 5 cycles, additions 3), not measured one by one.

    row_vectors         vectors of a row that are loaded before the first of them is stored, to hide the latency of
                        loads
    unrolled_elements   single elements per loop body, so that loop control is a small part of it
    checked_elements    the same if the kernel checks each index, which takes about four times the code
    bag_vectors         accumulators of an embedding bag, in vectors, so that additions do not wait for each other
    line_bytes          bytes of a cache line: one prefetch for each line of the next row
    ahead               how many rows ahead the rows of large tables are prefetched in traced functions
    near_table_bytes    the most bytes of a table whose rows need no prefetch (half of an L2 cache of 1 MiB)
    row_cycles          cycles of a row beside its vectors: index, address and loop control
    element_cycles      cycles of a single element: index, load, store
    checked_cycles      the same with a check of the index
    """

    row_vectors: int = 4
    unrolled_elements: int = 8
    checked_elements: int = 2
    bag_vectors: int = 8
    line_bytes: int = 64
    ahead: int = 8
    near_table_bytes: int = 512 << 10
    row_cycles: float = 4.0
    element_cycles: float = 1.0
    checked_cycles: float = 4.0
