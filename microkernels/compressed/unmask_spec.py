"""The request for a block of weights that are bit masks and non-zeros (bitmask.py), expanded.

    y = the weights of `rows` rows and `columns` columns of a strip

Packed blocks have the order of the masks: group after group. Others are row-major, in the type of the weights or, for
bf16, in f32.
"""

from __future__ import annotations

from dataclasses import fields

from ...encoder.records import cached_property, dataclass
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..operands import Interface, Number, Operand, View, extent
from .bitmask import STORED, group_of
from .form import STRIP


@dataclass(frozen=True)
class UnmaskSpec:
    """A checked request.

    dtype, out  types of the weights and of the result
    packed      whether the rows of a group lie side by side
    ldy         elements from one row of the result to the next, or from one group of rows to the next
    """

    dtype: str
    out: str
    rows: int
    columns: int
    packed: bool
    ldy: int

    @property
    def group(self) -> int:
        """The rows whose masks are in one order."""
        return group_of(self.dtype)

    @property
    def groups(self) -> int:
        """Groups of rows, the last of which may have fewer."""
        return -(-self.rows // self.group)

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments in the order of the call: the masks of the first row, its non-zeros, of which there are at most
        so many, and y."""
        lines = self.groups if self.packed else self.rows
        width = self.columns * (self.group if self.packed else 1)
        masks = self.groups * self.group
        return (
            Operand("masks", masks, STRIP // 8, View("C", STRIP // 8), "u8"),
            Operand("nonzeros", 1, masks * self.columns, View("C", masks * self.columns), self.dtype),
            Operand("y", lines, width, View("C", self.ldy), self.out, output=True),
        )

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        return Interface(self.arguments)

    converts = False
    """Its results are moved."""

    def again(self) -> UnmaskSpec:
        """Return the request made again by its function, which checks it."""
        return unmask_spec(**{each.name: getattr(self, each.name) for each in fields(self)})

    @property
    def equation(self) -> str:
        """The equation in one line."""
        return "y[i, j] = the next of nonzeros if the bit of (i, j) is set, else 0"

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, types and shape."""
        return f"unmask_{self.dtype}_{self.out}_{self.rows}x{self.columns}"

    @property
    def flops(self) -> int:
        """None."""
        return 0

    def __str__(self) -> str:
        order = f", {self.group} rows side by side" if self.packed else ""
        return f"{self.rows} by {self.columns} weights of {self.dtype} from bit masks, as {self.out}{order}"


def unmask_spec(dtype: str, out: str, rows: int, columns: int, packed: bool, ldy: int) -> UnmaskSpec:
    """Check the arguments and return the request."""
    if dtype not in STORED or out != dtype and ((dtype, out) != ("bf16", "f32") or packed):
        raise UnsupportedError(
            f"bit masks: weights of {', '.join(STORED)} in their own type, or bf16 in rows of f32, not {dtype} as {out}"
        )
    rows, columns = extent("rows", rows), extent("columns", columns)
    width = columns * (group_of(dtype) if packed else 1)
    if columns > STRIP or ldy < width or ldy * ELEMENT_BYTES[out] * 4 >= 1 << 30:
        raise UnsupportedError(f"columns, ldy: up to {STRIP} columns, and rows of at least {width} elements, not {ldy}")
    return UnmaskSpec(dtype, out, rows, columns, packed, ldy)
