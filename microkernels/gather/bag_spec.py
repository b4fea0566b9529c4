"""The request for an embedding bag: the sum, mean, maximum or minimum of the rows that an index names (see bag.py)."""

from __future__ import annotations

from typing import Any

from ...encoder.records import cached_property, dataclass
from ..dtypes import FLOAT8, element_type
from ..errors import UnsupportedError
from ..names import chosen
from ..operands import BagEnds, CheckedIndex, Interface, Number, Operand, View, dense, extent, leading_dimension
from .spec import BOUNDS, index_extent, index_type, look_ahead

SUMS = {"f64": "f64", "i32": "i32", **dict.fromkeys(("f32", "bf16", "f16", *FLOAT8, "i8", "u8", "i16", "u16"), "f32")}
"""Element type of x -> type of the sums and of y. With weights, and for means, sums of i32 are f32."""
NAMES = ("sum", "mean", "max", "min")


@dataclass(frozen=True)
class BagSpec:
    """A checked request. `count` is the length of the index, `size` the number of rows of x. `include_last_offset` says
    whether calls give the end of the last bag: True, False (torch's default) or None for either. The code always reads
    it."""

    bags: int
    n: int
    size: int
    count: int
    dtype: str
    index: str
    weighted: bool
    prefetch: int
    bounds: str
    ldx: int
    ldy: int
    name: str = "sum"
    include_last_offset: bool | None = None

    @property
    def acc_dtype(self) -> str:
        """The type of the sums."""
        dtype = SUMS[self.dtype]
        return "f32" if (self.weighted or self.name == "mean") and dtype == "i32" else dtype

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments that the request has, of x, index, weights, offsets, y, bad."""
        vector = View("C", self.count)
        x = Operand("x", self.size, self.n, View("C", self.ldx), self.dtype)
        index = Operand("index", 1, self.count, vector, self.index, vector=True)
        weights = [Operand("weights", 1, self.count, vector, self.acc_dtype, vector=True)] if self.weighted else []
        offsets = Operand("offsets", 1, self.bags + 1, View("C", self.bags + 1), "i64", vector=True)
        y = Operand("y", self.bags, self.n, View("C", self.ldy), self.acc_dtype, True)
        bad = [Operand("bad", 1, 1, View("C", 1), "i64", True, True)] if self.bounds == "kernel" else []
        return (x, index, *weights, offsets, y, *bad)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        checked = CheckedIndex("index", "x"), CheckedIndex("offsets", "index", ends=True)
        ends = BagEnds("offsets", "index", "y", self.include_last_offset)
        return Interface(self.arguments, indices=checked if self.bounds == "call" else (), ends=ends)

    def again(self) -> BagSpec:
        """Return the request made again by its function, which checks it."""
        return bag_spec(
            self.bags,
            self.n,
            size=self.size,
            count=self.count,
            dtype=self.dtype,
            index=self.index,
            weights=self.weighted,
            prefetch=self.prefetch,
            bounds=self.bounds,
            ldx=self.ldx,
            ldy=self.ldy,
            name=self.name,
            include_last_offset=self.include_last_offset,
        )

    @property
    def in_place(self) -> tuple[str, ...]:
        """No input may be the output array."""
        return ()

    @property
    def equation(self) -> str:
        """The equation in one line."""
        term = "weights[p] * x[index[p], j]" if self.weighted else "x[index[p], j]"
        return f"y[b, j] = {self.name} of {term} for p from offsets[b] to offsets[b + 1] - 1"

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, type and shape."""
        return f"embedding_bag_{self.name}_{self.dtype}_{self.bags}x{self.n}"

    @property
    def flops(self) -> int:
        """Operations on all rows that the index names."""
        return self.count * self.n * (2 if self.weighted else 1)

    def __str__(self) -> str:
        return (
            f"{self.equation}   x {self.dtype} {self.size}x{self.n}, {self.count} indices in {self.bags} bags, "
            f"prefetch {self.prefetch}; bounds checked by the {self.bounds}"
        )


def bag_spec(
    bags: int,
    n: int,
    *,
    size: Any,
    count: Any,
    dtype: Any = "f32",
    index: Any = "i64",
    weights: bool = False,
    prefetch: int = 8,
    bounds: str = "call",
    ldx: Any = None,
    ldy: Any = None,
    name: str = "sum",
    include_last_offset: Any = None,
) -> BagSpec:
    """Check the arguments and return the request. TypeError and ValueError name the wrong argument."""
    dtype, index = element_type("dtype", dtype), index_type(index)
    if dtype not in SUMS:
        raise UnsupportedError(f"dtype: {', '.join(SUMS)}, not {dtype}")
    bounds, name = chosen("bounds", bounds, BOUNDS), chosen("name", name, NAMES)
    if not isinstance(weights, bool):
        raise TypeError(f"weights: True or False, not {weights!r}")
    if not (include_last_offset is None or isinstance(include_last_offset, bool)):
        raise TypeError(f"include_last_offset: True, False or None, not {include_last_offset!r}")
    ahead = look_ahead(prefetch)
    bags, n = extent("bags", bags), extent("n", n)
    leading: list[int] = []
    for which, requested in (("ldx", ldx), ("ldy", ldy)):
        stride = leading_dimension(which, requested, dense("C", bags, n))
        if not isinstance(stride, int):
            raise UnsupportedError(
                f"{which}: must be a number of elements; this kernel takes no leading dimensions at the call"
            )
        leading.append(stride)
    for which, number, counted in (("size", size, "rows of x"), ("count", count, "indices of all bags")):
        if number is None:
            raise TypeError(f"{which}: required, the number of {counted}, or ts.RUNTIME")
    extents = index_extent("size", size), index_extent("count", count)
    return BagSpec(
        bags, n, *extents, dtype, index, weights, ahead, bounds, leading[0], leading[1], name, include_last_offset
    )
