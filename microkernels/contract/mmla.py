"""MMLA units: matrix multiplications of two rows by two columns in every 128 bits of a register.

    C (2, 2) += X (2, depth) @ Y (2, depth).T        for each 128 bits of registers

A *row vector* of R rows, where R is the number of sums in a register, fills two registers of X with R/2 rows each, 8
bytes of a row side by side. Y is the same for all of X: two columns of 8 bytes each, repeated every 128 bits. The
accumulators of a row vector and two columns occupy two registers, the same number as two columns of sums; `load_c` and
`store_c` of the unit convert between both forms. Operands may be packed in *blocks* of 16 bytes: 8 bytes, neighbours
along k, of each of two rows (columns).
"""

from __future__ import annotations

from ..units import BLOCK_BYTES as BLOCK_BYTES
from ..units import COLUMNS as COLUMNS

ROW_BYTES = 8
"""Bytes of one row of a block."""


def halves(count: int, capacity: int) -> int:
    """The number of registers of X, or of accumulators of two columns, that `count` rows occupy."""
    return 1 if 2 * count <= capacity else 2
