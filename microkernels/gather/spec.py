"""The request for a gather or a scatter: elements moved from or to the positions that an index names.

    rows      y[i, j] = x[index[i], j]          scatter: y[index[i], j] = x[i, j]
    columns   y[i, j] = x[i, index[j]]                   y[i, index[j]] = x[i, j]
    offsets   y[i, j] = x[index[i, j]]                   y[index[i, j]] = x[i, j]      the larger one is one-dimensional
    stride    y[i, j] = x[i, step * j]                   y[i, step * j] = x[i, j]

The matrix that the index points into is the wide one: x of a gather, y of a scatter; the other one has m rows and n
columns. A scatter writes in the order of i, then j: where an index repeats, the last write stays; elements that no
index names keep their value. Source: Georganas et al., Tensor Processing Primitives, table 1 and section 2.
"""

from __future__ import annotations

from typing import Any

from ...encoder.forks import cached_property
from ...encoder.records import dataclass
from ..dtypes import ELEMENT_BYTES, element_type
from ..errors import UnsupportedError
from ..names import chosen
from ..operands import EMPTY, LeadingDimension, Number, Operand, View, dense, extent, leading_dimension, whole

VERBS = ("gather", "scatter")
WAYS = ("rows", "columns", "offsets", "stride")
INDEX_TYPES = ("i32", "i64")
BOUNDS = ("call", "kernel")
_LARGEST = 1 << 31  # extent that an index points into


@dataclass(frozen=True)
class GatherSpec:
    """A checked request. `size` is the extent that the index points into; `step` is 0 where there is an index."""

    verb: str
    by: str
    m: int
    n: int
    size: int
    step: int
    dtype: str
    index: str
    bounds: str
    ldx: LeadingDimension
    ldy: LeadingDimension

    @property
    def leading(self) -> tuple[LeadingDimension, LeadingDimension]:
        """Elements between neighbouring rows of the wide matrix and of the other one."""
        return (self.ldx, self.ldy) if self.verb == "gather" else (self.ldy, self.ldx)

    @cached_property
    def wide(self) -> Operand:
        """The matrix that the index points into."""
        gathers = self.verb == "gather"
        name, leading = "x" if gathers else "y", self.leading[0]
        rows, columns = _wide_shape(self.by, self.m, self.n, self.size, self.step)
        return Operand(name, rows, columns, View("C", leading), self.dtype, not gathers, self.by == "offsets")

    @cached_property
    def narrow(self) -> Operand:
        """The other one."""
        gathers = self.verb == "gather"
        name, leading = "y" if gathers else "x", self.leading[1]
        return Operand(name, self.m, self.n, View("C", leading), self.dtype, gathers)

    @cached_property
    def indices(self) -> Operand | None:
        """The index; None where there is a step instead."""
        if self.by == "stride":
            return None
        count = {"rows": self.m, "columns": self.n, "offsets": self.n}[self.by]
        rows = self.m if self.by == "offsets" else 1
        return Operand("index", rows, count, View("C", count), self.index, vector=self.by != "offsets")

    @cached_property
    def bad(self) -> Operand | None:
        """The output of a kernel that checks its indices: the number of the first one that is outside, or -1."""
        checks = self.bounds == "kernel" and self.indices is not None
        return Operand("bad", 1, 1, View("C", 1), "i64", True, True) if checks else None

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """x, index, y, bad; without those that the request does not have."""
        x, y = (self.wide, self.narrow) if self.verb == "gather" else (self.narrow, self.wide)
        return tuple(argument for argument in (x, self.indices, y, self.bad) if argument is not None)

    @property
    def in_place(self) -> tuple[str, ...]:
        """None: elements move."""
        return ()

    @property
    def equation(self) -> str:
        """One line."""
        position = {"rows": "index[i], j", "columns": "i, index[j]", "offsets": "index[i, j]",
                    "stride": f"i, {self.step} * j"}[self.by]  # fmt: skip
        return f"y[i, j] = x[{position}]" if self.verb == "gather" else f"y[{position}] = x[i, j]"

    @property
    def stem(self) -> str:
        """Verb, way, type and shape."""
        return f"{self.verb}_{self.by}_{self.dtype}_{self.m}x{self.n}"

    @property
    def flops(self) -> int:
        """Elements only move."""
        return 0

    def __str__(self) -> str:
        operands = [argument for argument in self.arguments if isinstance(argument, Operand)]
        shapes = ", ".join(f"{operand.name} {operand.shape}" for operand in operands)
        return f"{self.equation}   {self.dtype}; {shapes}; bounds checked by the {self.bounds}"


def _wide_shape(by: str, m: int, n: int, size: int, step: int) -> tuple[int, int]:
    return {"rows": (size, n), "columns": (m, size), "offsets": (1, size), "stride": (m, step * (n - 1) + 1)}[by]


def gather_spec(verb: str, by: str, m: int, n: int, *, size: Any = None, step: Any = None, dtype: Any = "f32",
                index: Any = "i64", bounds: str = "call", ldx: Any = None, ldy: Any = None) -> GatherSpec:  # fmt: skip
    """A request; TypeError or ValueError name the argument that is wrong."""
    for name, value, choices in (("verb", verb, VERBS), ("by", by, WAYS), ("bounds", bounds, BOUNDS)):
        chosen(name, value, choices)
    dtype, index = element_type("dtype", dtype), index_type(index)
    if ELEMENT_BYTES[dtype] > 8:
        raise UnsupportedError(f"dtype: elements of at most 8 bytes, not {dtype}; f64 with twice the columns works")
    m, n = extent("m", m), extent("n", n)
    if by == "stride":
        if size is not None:
            raise TypeError("size: what an index points into; a stride has a step")
        step, size = extent("step", step), 0
    else:
        if step is not None:
            raise TypeError(f'step: of by="stride", not of {by!r}')
        step, size = 0, index_extent("size", size)
    rows, columns = _wide_shape(by, m, n, size, step)
    wide, narrow = ("ldx", "ldy") if verb == "gather" else ("ldy", "ldx")
    least = {wide: dense("C", rows, columns), narrow: n}
    if by == "offsets" and (ldx if wide == "ldx" else ldy) is not None:
        raise ValueError(f"{wide}: the matrix that offsets point into is one-dimensional")
    leading = {name: leading_dimension(name, value, least[name]) for name, value in (("ldx", ldx), ("ldy", ldy))}
    return GatherSpec(verb, by, m, n, size, step, dtype, index, bounds, **leading)


def index_type(value: Any) -> str:
    """The element type of an index."""
    name = element_type("index", value)
    if name not in INDEX_TYPES:
        raise UnsupportedError(f"index: {' or '.join(INDEX_TYPES)}, not {name}")
    return name


def index_extent(name: str, value: Any) -> int:
    """The extent that an index points into, or has: it may be larger than a kernel's own extents."""
    number = whole(value)
    if number is None:
        raise TypeError(f"{name}: a positive integer, not {value!r}")
    if not 1 <= number <= _LARGEST:
        hint = "" if number else f"; {EMPTY}"
        raise ValueError(f"{name}: from 1 to {_LARGEST}, not {number}{hint}")
    return number
