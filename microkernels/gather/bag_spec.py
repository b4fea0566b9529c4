"""The request for a reduction over compressed rows, as of an embedding bag, a CSR matrix or a graph (see bag.py).

Row b of the result is a sum, mean, maximum or minimum over the entries p from offsets[b] to offsets[b + 1] - 1. The
term of an entry is the row x[index[p]], alone or combined with a second operand:

    weights              weights[p], a number for each entry
    second "entries"     t[p], a row for each entry
    second "rows"        t[b], a row for each row of the result
    second "table"       t[index_t[p]], a row of another table that a second index names

With name="each" nothing is reduced: the result has a row for each entry, and with combine="dot" a single number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...encoder.records import cached_property, dataclass
from ..codegen.long_sums import MOST_TERMS
from ..dtypes import DTYPES, FLOAT8, element_type
from ..errors import UnsupportedError
from ..names import chosen
from ..operands import (
    BagEnds,
    CheckedIndex,
    Interface,
    Number,
    Operand,
    View,
    dense,
    extent,
    leading_dimension,
)
from .extents import AskedExtent, SomeExtents, likely
from .spec import BOUNDS, index_extent, index_type, look_ahead

SUMS = {"f64": "f64", "i32": "i32", **dict.fromkeys(("f32", "bf16", "f16", *FLOAT8, "i8", "u8", "i16", "u16"), "f32")}
"""Element type of x -> type of the sums and of y. With weights, and for means, sums of i32 are f32."""
NAMES = ("sum", "mean", "max", "min")
EACH, DOT = "each", "dot"
COMBINED = ("mul", "add", "sub", "div", DOT)
"""How the row of the table is combined with its second operand."""
SECONDS = ("", "entries", "rows", "table")
FLOATS_OF_SECOND = ("f64", "f32", "bf16", "f16")
DOT_COLUMNS = 4 * MOST_TERMS
"""The most columns of a dot product: a lane of its sums passes at most 4,096 additions on any machine."""


@dataclass(frozen=True)
class BagSpec(SomeExtents):
    """A checked request. `count` is the length of the index, `size` the number of rows of x. `include_last_offset` says
    whether calls give the end of the last bag: True, False (torch's default) or None for either. The code always reads
    it.

    combine, second   see above; second_size are the rows of t if an index names them
    arg               whether a maximum or minimum also gives the position p of its first entry
    ranged            whether a call gives the first row and the end of the rows that it computes
    """

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
    combine: str = "mul"
    second: str = ""
    second_size: int = 1
    ldt: int = 0
    arg: bool = False
    ranged: bool = False

    @property
    def each(self) -> bool:
        """Whether every entry has a result of its own."""
        return self.name == EACH

    @property
    def dot(self) -> bool:
        """Whether the result of an entry is a single number."""
        return self.each and self.combine == DOT

    @property
    def columns(self) -> int:
        """The columns of y."""
        return 1 if self.dot else self.n

    @property
    def acc_dtype(self) -> str:
        """The type of the sums."""
        dtype = SUMS[self.dtype]
        return "f32" if (self.weighted or self.name == "mean") and dtype == "i32" else dtype

    @cached_property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments that the request has, of x, index, weights, t, index_t, offsets, ranges, y, arg, bad."""
        vector = View("C", self.count)
        x = Operand("x", self.size, self.n, View("C", self.ldx), self.dtype)
        index = Operand("index", 1, self.count, vector, self.index, vector=True)
        weights = [Operand("weights", 1, self.count, vector, self.acc_dtype, vector=True)] if self.weighted else []
        rows = {"entries": self.count, "rows": self.bags, "table": self.second_size}.get(self.second, 0)
        second = [Operand("t", rows, self.n, View("C", self.ldt), self.dtype)] if self.second else []
        if self.second == "table":
            second.append(index._replace(name="index_t"))
        offsets = Operand("offsets", 1, self.bags + 1, View("C", self.bags + 1), "i64", vector=True)
        ranges = [Operand("ranges", 1, 2, View("C", 2), "i64", vector=True)] if self.ranged else []
        y = Operand(
            "y", self.count if self.each else self.bags, self.columns, View("C", self.ldy), self.acc_dtype, True
        )
        arg = [y._replace(name="arg", dtype="i64" if self.acc_dtype == "f64" else "i32")] if self.arg else []
        bad = [Operand("bad", 1, 1, View("C", 1), "i64", True, True)] if self.bounds == "kernel" else []
        return (x, index, *weights, *second, offsets, *ranges, y, *arg, *bad)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        checked = [CheckedIndex("index", "x"), CheckedIndex("offsets", "index", ends=True)]
        if self.second == "table":
            checked.append(CheckedIndex("index_t", "t"))
        ends = BagEnds("offsets", "index", "y", self.include_last_offset) if not self.each else None
        indices = tuple(checked) if self.bounds == "call" else ()
        return Interface(self.arguments, self.given(), indices=indices, ends=ends)

    def again(self) -> BagSpec:
        """Return the request made again by its function, which checks it."""
        return bag_spec(
            n=self.n,
            **{name: getattr(self, name) for name in ("bags", "size", "count", "second_size")},
            dtype=self.dtype,
            index=self.index,
            weights=self.weighted,
            prefetch=self.prefetch,
            bounds=self.bounds,
            ldx=self.ldx,
            ldy=self.ldy,
            name=self.name,
            include_last_offset=self.include_last_offset,
            combine=self.combine,
            second=self.second,
            ldt=self.ldt if self.second else None,
            arg=self.arg,
            ranged=self.ranged,
        )

    @property
    def equation(self) -> str:
        """The equation in one line."""
        term = "weights[p] * x[index[p], j]" if self.weighted else "x[index[p], j]"
        if self.second or (self.weighted and self.combine != "mul"):
            places = {"entries": "t[p, j]", "rows": "t[b, j]", "table": "t[index_t[p], j]"}
            sign = {"mul": "*", "add": "+", "sub": "-", "div": "/", DOT: "*"}[self.combine]
            term = f"x[index[p], j] {sign} {places.get(self.second, 'weights[p]')}"
        entries = "p from offsets[b] to offsets[b + 1] - 1"
        if self.each:
            return f"y[p] = sum over j of {term} for {entries}" if self.dot else f"y[p, j] = {term} for {entries}"
        also = ", and arg[b, j] its first p" if self.arg else ""
        return f"y[b, j] = {self.name} of {term} for {entries}{also}"

    @property
    def stem(self) -> str:
        """The stem of the symbol: kind, type and shape."""
        names = [self.name, "arg"] if self.arg else [self.name]
        if self.second or (self.weighted and self.combine != "mul"):
            names += [self.combine, self.second or "weights"]
        return self._stem(f"embedding_bag_{'_'.join(names)}_{self.dtype}", "bags")

    @property
    def flops(self) -> int:
        """Operations on all rows that the index names."""
        return self.count * self.n * (2 if self.weighted or (self.second and not self.each) or self.dot else 1)

    def __str__(self) -> str:
        return self._text(
            f"{self.equation}   x {self.dtype} {self.size!r}x{self.n}, {self.count!r} indices in {self.bags!r} bags, "
            f"prefetch {self.prefetch}; bounds checked by the {self.bounds}"
        )


def bag_spec(
    bags: AskedExtent,
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
    combine: str = "mul",
    second: str = "",
    second_size: AskedExtent = 1,
    ldt: AskedExtent | None = None,
    arg: bool = False,
    ranged: bool = False,
) -> BagSpec:
    """Check the arguments and return the request. bags, size, count and second_size may be RUNTIME, if each call gives
    them. TypeError and ValueError name the wrong argument."""
    size, count = likely("size", size), likely("count", count)
    dtype, index = element_type("dtype", dtype), index_type(index)
    if dtype not in SUMS:
        raise UnsupportedError(f"dtype: {', '.join(SUMS)}, not {dtype}")
    bounds, name = chosen("bounds", bounds, BOUNDS), chosen("name", name, (*NAMES, EACH))
    for which, truth in (("weights", weights), ("arg", arg), ("ranged", ranged)):
        if not isinstance(truth, bool):
            raise TypeError(f"{which}: True or False, not {truth!r}")
    combine, second = chosen("combine", combine, COMBINED), chosen("second", second, SECONDS)
    if not (include_last_offset is None or isinstance(include_last_offset, bool)):
        raise TypeError(f"include_last_offset: True, False or None, not {include_last_offset!r}")
    ahead = look_ahead(prefetch)
    bags, n = extent("bags", likely("bags", bags)), extent("n", n)
    columns = _checked_terms(n, dtype, name, weights, combine, second, arg)
    leading: list[int] = []
    for which, requested, length in (("ldx", ldx, n), ("ldy", ldy, columns), *([("ldt", ldt, n)] if second else [])):
        stride = leading_dimension(which, requested, dense("C", bags, length))
        if not isinstance(stride, int):
            raise UnsupportedError(
                f"{which}: must be a number of elements; this kernel takes no leading dimensions at the call"
            )
        leading.append(stride)
    for which, number, counted in (("size", size, "rows of x"), ("count", count, "indices of all bags")):
        if number is None:
            raise TypeError(f"{which}: required, the number of {counted}, or ts.RUNTIME")
    extents = index_extent("size", size), index_extent("count", count)
    rows = index_extent("second_size", likely("second_size", second_size)) if second == "table" else 1
    made = BagSpec(
        bags, n, *extents, dtype, index, weights, ahead, bounds, leading[0], leading[1], name, include_last_offset
    )
    of_second = leading[2] if second else 0
    return replace(
        made,
        combine=combine,
        second=second,
        second_size=rows,
        ldt=of_second,
        arg=arg,
        ranged=ranged,
    )


def _checked_terms(n: int, dtype: str, name: str, weights: bool, combine: str, second: str, arg: bool) -> int:
    """Check how terms are made, and return the columns of y."""
    if weights and second:
        raise UnsupportedError(f"weights: not together with second={second!r}; multiply the rows of one of them first")
    if combine != "mul" and not (weights or second):
        raise ValueError(f"combine: {combine!r} needs a second operand: weights=True, or second={SECONDS[1:]}")
    if arg and name not in ("max", "min"):
        raise ValueError(f'arg: only of a "max" or "min", not of a {name!r}')
    if second and (SUMS[dtype] not in ("f32", "f64") or dtype not in FLOATS_OF_SECOND):
        raise UnsupportedError(f"dtype: {', '.join(FLOATS_OF_SECOND)} with a second operand, not {dtype}")
    if combine == "div" and weights and not DTYPES[dtype].real:
        raise UnsupportedError(f"combine: a table of {dtype} is multiplied by weights, not divided; convert it to f32")
    if combine != DOT:
        return n
    if name != EACH or not second:
        raise UnsupportedError(
            f'combine: "{DOT}" gives a number for each entry, so it needs name="{EACH}" and a second operand of rows; '
            "reduce the numbers in a second call"
        )
    if n > DOT_COLUMNS:
        raise UnsupportedError(f"n: at most {DOT_COLUMNS} columns of a dot product; add those of parts of the columns")
    return 1
