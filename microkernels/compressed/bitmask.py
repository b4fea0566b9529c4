"""How weights as bit masks and non-zeros lie in memory: strips of 64 columns, as those of codes (form.py).

    table     a word of 8 bytes for each 8 rows of a strip: where their non-zeros begin, in bytes from the table's begin
    masks     8 bytes for each row of a strip, a bit for each of its 64 weights
    non-zeros one behind the other, without padding

Rows are in groups of 4 bytes, as dot products read them: two rows of 16 bits, four of 8 bits, one of 32. The masks and
non-zeros of a group are in the order of its columns, and for each column in that of its rows. So a packed block of B is
a group's elements in their order. All three are strip after strip; a strip has so many rows that its place in the table
is linear in the column.
"""

from __future__ import annotations

from ...encoder.records import NamedTuple
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE
from .form import STRIP

BITMASK = "bitmask"
"""The name of the format."""
STORED = ("f32", "bf16", "i8")
"""Types of weights."""


class BitmaskForm(NamedTuple):
    """Everything about weights as bit masks but which are not 0, and these. Two weights of one form are read by the
    same code.

    k, n    rows and columns of the matrix
    dtype   the type of the weights and of operand b of their products
    """

    k: int
    n: int
    dtype: str

    @property
    def unit(self) -> int:
        """Rows of a word of the table: blocks begin at such rows."""
        return CACHE_LINE // 8

    @property
    def size(self) -> int:
        """Bytes of a weight."""
        return ELEMENT_BYTES[self.dtype]

    @property
    def together(self) -> int:
        """Rows of a group."""
        return group_of(self.dtype)

    @property
    def strips(self) -> int:
        """Strips of columns."""
        return -(-self.n // STRIP)

    @property
    def depth(self) -> int:
        """Rows of a strip, those beyond k included, which have no non-zeros."""
        return -(-self.k // STRIP) * STRIP

    @property
    def strides(self) -> tuple[int, int]:
        """Bytes of the table from row to row and from column to column, for rows and columns where it has a word."""
        return 1, self.depth // STRIP

    @property
    def masks(self) -> int:
        """Where the masks begin."""
        return self.strips * self.depth

    @property
    def nbytes(self) -> int:
        """Bytes of the table and the masks. The non-zeros begin there."""
        return self.masks * 9

    @property
    def memory(self) -> str:
        """What is in memory, for a C program."""
        return "table and bit masks of {} bytes with the non-zeros behind them, aligned to 64 bytes"

    def __str__(self) -> str:
        return f"{BITMASK}, {self.k} x {self.n} of {self.dtype}"


def group_of(dtype: str) -> int:
    """Return the rows of a group of 4 bytes."""
    return 4 // ELEMENT_BYTES[dtype]
