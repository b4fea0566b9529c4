"""The request for a gather or a scatter, which moves elements from or to the positions that an index names.

    rows      y[i, j] = x[index[i], j]          scatter: y[index[i], j] = x[i, j]
    columns   y[i, j] = x[i, index[j]]                   y[i, index[j]] = x[i, j]
    offsets   y[i, j] = x[index[i, j]]                   y[index[i, j]] = x[i, j]      the larger one is one-dimensional
    stride    y[i, j] = x[i, step * j]                   y[i, step * j] = x[i, j]

Gathered rows may be converted, scaled and shifted: y[i, j] = scale * x[index[i], j] + bias, as a fused multiply-add
that is rounded to y's type.

The matrix that the index points into is called the wide one: x of a gather, y of a scatter. The other matrix has m rows
and n columns. A scatter writes in the order of i, then j: if an index repeats, the last write stays. Elements that no
index names keep their value. Source: Georganas et al., Tensor Processing Primitives, table 1 and section 2.
"""

from __future__ import annotations

from typing import Any

from ...encoder.errors import shown
from ...encoder.records import cached_property, dataclass
from ..dtypes import ELEMENT_BYTES, element_type
from ..errors import UnsupportedError
from ..expr.conversions import STORAGE, carried
from ..names import chosen
from ..operands import (
    EMPTY,
    CheckedIndex,
    Interface,
    LeadingDimension,
    Number,
    Operand,
    View,
    dense,
    extent,
    leading_dimension,
    whole,
)
from ..tensor.extent import SymbolicExtent
from .extents import AskedExtent, SomeExtents, likely

VERBS = ("gather", "scatter")
WAYS = ("rows", "columns", "offsets", "stride")
INDEX_TYPES = ("i32", "i64")
BOUNDS = ("call", "kernel")
SPREADS = ("scalar", "row", "col")
"""How a scale or bias is spread: one number for all elements, one for each column of y, or one for each row of x."""
FARTHEST = 1 << 16  # the most indices that a prefetch looks ahead
_LARGEST = 1 << 31  # the largest extent that an index may point into


@dataclass(frozen=True)
class GatherSpec(SomeExtents):
    """A checked request. `size` is the extent that the index points into; `step` is 0 if there is an index.
    Calls may give m and size."""

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
    out: str
    scale: str = ""
    bias: str = ""
    prefetch: int = 0

    @property
    def converts(self) -> bool:
        """Whether rows are converted, scaled or shifted rather than only moved."""
        return bool(self.out != self.dtype or self.scale or self.bias)

    @property
    def compute(self) -> str:
        """The type of the arithmetic, of scale and of bias."""
        return "f64" if "f64" in (self.dtype, self.out) else "f32"

    @cached_property
    def factors(self) -> tuple[Operand, ...]:
        """The operands scale and bias, if the request has them."""
        shapes = {"scalar": (1, 1), "row": (1, self.n), "col": (self.size, 1)}
        given = [(name, shapes[way]) for name, way in (("scale", self.scale), ("bias", self.bias)) if way]
        return tuple(
            Operand(name, 1, max(shape), View("C", max(shape)), self.compute, vector=True) for name, shape in given
        )

    @property
    def leading(self) -> tuple[LeadingDimension, LeadingDimension]:
        """The leading dimensions of the wide matrix and of the other one."""
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
        """The matrix that the index does not point into."""
        gathers = self.verb == "gather"
        name, leading = "y" if gathers else "x", self.leading[1]
        return Operand(name, self.m, self.n, View("C", leading), self.out, gathers)

    @cached_property
    def indices(self) -> Operand | None:
        """The index; None if there is a step instead."""
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
        """The arguments that the request has, of x, index, scale, bias, y, bad."""
        x, y = (self.wide, self.narrow) if self.verb == "gather" else (self.narrow, self.wide)
        arguments = (x, self.indices, *self.factors, y, self.bad)
        return tuple(argument for argument in arguments if argument is not None)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        what, axis = {"rows": ("rows", 0), "columns": ("columns", 1)}.get(self.by, ("elements", 0))
        checks = self.bounds == "call" and self.indices is not None
        indices = (CheckedIndex("index", self.wide.name, axis, what),) if checks else ()
        return Interface(self.arguments, self.given(), indices=indices, needed=self.verb == "scatter")

    def again(self) -> GatherSpec:
        """Return the request made again by its function, which checks it. A vector has no leading dimension."""
        strided = self.by == "stride"
        leading: dict[str, Any] = {"ldx": self.ldx, "ldy": self.ldy}
        if self.by == "offsets":
            leading["ldx" if self.verb == "gather" else "ldy"] = None
        return gather_spec(
            self.verb,
            self.by,
            m=self.m,
            n=self.n,
            size=None if strided else self.size,
            step=self.step if strided else None,
            dtype=self.dtype,
            index=self.index,
            bounds=self.bounds,
            out=self.out,
            scale=self.scale or None,
            bias=self.bias or None,
            prefetch=self.prefetch,
            **leading,
        )

    @property
    def equation(self) -> str:
        """The equation in one line."""
        position = {
            "rows": "index[i], j",
            "columns": "i, index[j]",
            "offsets": "index[i, j]",
            "stride": f"i, {self.step} * j",
        }[self.by]
        if self.verb == "scatter":
            return f"y[{position}] = x[i, j]"
        place = {"": "", "scalar": "[0]", "row": "[j]", "col": "[index[i]]"}
        scale = f"scale{place[self.scale]} * " if self.scale else ""
        return f"y[i, j] = {scale}x[{position}]" + (f" + bias{place[self.bias]}" if self.bias else "")

    @property
    def stem(self) -> str:
        """The stem of the symbol: verb, way, types and shape."""
        types = self.dtype if self.out == self.dtype else f"{self.dtype}_{self.out}"
        return self._stem(f"{self.verb}_{self.by}_{types}", "m")

    @property
    def flops(self) -> int:
        """Operations: one per element for each of scale and bias; moving elements counts as none."""
        return self.m * self.n * len(self.factors)

    def __str__(self) -> str:
        operands = [argument for argument in self.arguments if isinstance(argument, Operand)]
        shapes = ", ".join(f"{operand.name} {operand.shape}" for operand in operands)
        types = self.dtype if self.out == self.dtype else f"{self.dtype} to {self.out}"
        return self._text(f"{self.equation}   {types}; {shapes}; bounds checked by the {self.bounds}")


def _wide_shape(by: str, m: int, n: int, size: int, step: int) -> tuple[int, int]:
    return {"rows": (size, n), "columns": (m, size), "offsets": (1, size), "stride": (m, step * (n - 1) + 1)}[by]


def gather_spec(
    verb: str,
    by: str,
    m: AskedExtent,
    n: int,
    *,
    size: Any = None,
    step: Any = None,
    dtype: Any = "f32",
    index: Any = "i64",
    bounds: str = "call",
    ldx: Any = None,
    ldy: Any = None,
    out: Any = None,
    scale: Any = None,
    bias: Any = None,
    prefetch: Any = 0,
) -> GatherSpec:
    """Check the arguments and return the request. m and size may be RUNTIME, if each call gives them.

    TypeError and ValueError name the wrong argument, UnsupportedError says what works.
    """
    size = likely("size", size)
    verb, by, bounds = chosen("verb", verb, VERBS), chosen("by", by, WAYS), chosen("bounds", bounds, BOUNDS)
    dtype, index = element_type("dtype", dtype), index_type(index)
    if ELEMENT_BYTES[dtype] > 8:
        raise UnsupportedError(f"dtype: elements of at most 8 bytes, not {dtype}; f64 with twice the columns works")
    m, n = extent("m", likely("m", m)), extent("n", n)
    if by == "stride":
        if size is not None:
            raise TypeError('size: by="stride" has no index, so no size; give step=')
        step, size = extent("step", step), 0
    else:
        if step is not None:
            raise TypeError(f'step: only by="stride" takes a step, not {by!r}')
        if size is None:
            raise TypeError(
                "size: required, a number or ts.RUNTIME: how many rows, columns or elements the index points into"
            )
        step, size = 0, index_extent("size", size)
    rows, columns = _wide_shape(by, m, n, size, step)
    wide, narrow = ("ldx", "ldy") if verb == "gather" else ("ldy", "ldx")
    least = {wide: dense("C", rows, columns), narrow: n}
    if by == "offsets" and (ldx if wide == "ldx" else ldy) is not None:
        raise ValueError(f"{wide}: the matrix that offsets point into is one-dimensional; leave {wide} out")
    leading = {name: leading_dimension(name, value, least[name]) for name, value in (("ldx", ldx), ("ldy", ldy))}
    leading |= {wide: int(size)} if by == "offsets" else {}
    out = dtype if out is None else element_type("out", out)
    factors = [_factor(name, value) for name, value in (("scale", scale), ("bias", bias))]
    ahead = look_ahead(prefetch)
    spec = GatherSpec(
        verb,
        by,
        m,
        n,
        size,
        step,
        dtype,
        index,
        bounds,
        **leading,
        out=out,
        scale=factors[0],
        bias=factors[1],
        prefetch=ahead,
    )
    _check(spec)
    return spec


def _check(spec: GatherSpec) -> None:
    """Raise UnsupportedError for what is only possible with gathered rows."""
    if (spec.converts or spec.prefetch) and (spec.verb, spec.by) != ("gather", "rows"):
        raise UnsupportedError(
            f"out, scale, bias, prefetch: only gathered rows take them, not {spec.verb} "
            f'by="{spec.by}"; use a second kernel to convert: ts.unary, ts.equation'
        )
    if spec.converts:
        for name, storage in (("dtype", spec.dtype), ("out", spec.out)):
            if storage not in STORAGE:
                raise UnsupportedError(f"{name}: converted elements are {', '.join(STORAGE[:-1])}, not {storage}")
            carried(storage, spec.compute)


def _factor(name: str, value: Any) -> str:
    """Return how a factor is spread over the rows; an empty string if there is none."""
    return "" if value is None else chosen(name, value, SPREADS)


def look_ahead(value: Any) -> int:
    """Check and return the prefetch distance: how many indices ahead of its use a row is prefetched."""
    ahead = whole(value)
    if ahead is None or not 0 <= ahead <= FARTHEST:
        raise ValueError(f"prefetch: number of indices to look ahead, from 0 (none) to {FARTHEST}, not {shown(value)}")
    return ahead


def index_type(value: Any) -> str:
    """Check and return the element type of an index."""
    name = element_type("index", value)
    if name not in INDEX_TYPES:
        raise UnsupportedError(f"index: {' or '.join(INDEX_TYPES)}, not {name}")
    return name


def index_extent(name: str, value: Any) -> int:
    """Check and return the extent that an index points into, or its length. It may be larger than other extents."""
    if isinstance(value, SymbolicExtent):
        return value
    number = whole(value)
    if number is None:
        raise TypeError(f"{name}: a positive integer, not {shown(value)}")
    if not 1 <= number <= _LARGEST:
        hint = "" if number else f"; {EMPTY}"
        raise ValueError(f"{name}: from 1 to {_LARGEST}, not {shown(number)}{hint}")
    return number
