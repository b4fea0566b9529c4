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
    graph_ahead         the least rows ahead that the rows of large tables are prefetched in reductions over graphs, and
    graph_lines         the lines that are prefetched ahead if rows are short: on a Sapphire Rapids, 3,000,000 rows of
                        64, 256, 400 and 1,200 bytes took 22, 55, 87 and 319 ms at 8 rows, 16, 64, 106 and 312 ms at 64
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
    graph_ahead: int = 12
    graph_lines: int = 64
    near_table_bytes: int = 512 << 10
    row_cycles: float = 4.0
    element_cycles: float = 1.0
    checked_cycles: float = 4.0
