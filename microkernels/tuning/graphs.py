"""Constants of reductions over graphs: their pieces, panels and prefetches."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class GraphTuning(NamedTuple):
    """most, least   the most and the least rows and entries of a piece, of which a worker claims one at a time
    pieces      how many pieces a small graph has
    panel_lines the least lines of a row of a panel of columns, since every panel reads all indices
    reuse       the least entries for each row of a table that is packed in panels of columns. A CSR matrix with 10 %
                of 2048 x 2048: 22 GFLOP/s of f32, 8.7 in panels that were not packed, whose rows lie 8 KiB apart
    ahead       the least rows ahead that the rows of large tables are prefetched, and
    lines       the lines that are prefetched ahead if rows are short. On a Sapphire Rapids, 3,000,000 rows of 64, 256
                and 400 bytes took 22, 55 and 87 ms at 8 rows, 16, 64 and 106 ms at 64
    far         the bytes of rows that are prefetched ahead if they have
    far_row     bytes at least. They go to L2: 400 bytes took 63 ms at 64 to 256 rows there, 70 at 12 or 16 in L1,
                but 64 bytes 34 ms at 640
    """

    most: int = 4096
    least: int = 256
    pieces: int = 64
    panel_lines: int = 4
    reuse: int = 8
    ahead: int = 12
    lines: int = 64
    far: int = 40 << 10
    far_row: int = 384


GRAPHS = GraphTuning()
