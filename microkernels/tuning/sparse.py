"""The numbers by which products with sparse matrices are planned.

block       the most rows and columns of a block
entries     the most entries of a piece of rows, and of a part of a long row. Bits depend on it
pieces      how many pieces a matrix is cut into, unless they would have too many entries. Bits do not depend on it
call        cycles of a call of a kernel from a nest, and of the loads and conditions around it
move        bytes a cycle that one core copies from outside of L2 into a panel
outside     bytes a cycle that one core reads in short rows from outside of L2
run         cycles of a row of a panel, of B where it is read outside of L2 and of C, beside its bytes: rows are pages
            apart. An Emerald Rapids with other load, 2048 cubed, f32, blocks of 32, 99 % sparse: panels of 128, 256 and
            512 columns in place take 5.3, 4.2 and 3.4 ms
slab        rows of B that one call copies into a panel
share       of L2 that a panel may fill
vectors     of a panel: the widths that are tried
sampled     neighbouring blocks of a sampled product that one worker computes one after the other
across      columns of a block of a sampled product from which on its vectors lie along them, and not along k
turn        rows of blocks that a worker takes in turn, of a softmax
power       cycles of an element of a softmax
dealt       panels for each worker from which on each worker copies those that it computes with
"""

from __future__ import annotations

from ...encoder.records import NamedTuple


class SparseNumbers(NamedTuple):
    """See the module."""

    block: int = 32
    entries: int = 4096
    pieces: int = 64
    call: int = 60
    move: float = 6.0
    outside: float = 10.0
    run: float = 80.0
    slab: int = 128
    share: float = 0.5
    vectors: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
    dealt: int = 3
    sampled: int = 16
    across: int = 4
    turn: int = 4
    power: int = 3


SPARSE = SparseNumbers()
