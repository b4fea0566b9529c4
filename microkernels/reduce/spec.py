"""The request for a reduction: y is the sum, product, minimum, maximum, ... of each column or row of x, or of all of x.

    axis 0      y[j] = x[0, j] + x[1, j] + ...          n results
    axis 1      y[i] = x[i, 0] + x[i, 1] + ...          m results
    None        y[0] = the sum of all

"argmax" and "argmin" return the index of the first largest or smallest element, or of the first NaN: its row (axis 0),
its column (axis 1), or its number in row-major order (axis None). With `init` there is one more input of y's shape,
which counts as one more element; it may be y itself. The order in which elements are added (multiplied, compared)
depends on the machine. Source: Georganas et al., Tensor Processing Primitives, table 1.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ...encoder.records import cached_property, dataclass
from ..dtypes import FLOAT8, element_type
from ..eltwise.traced import COMPUTE
from ..errors import UnsupportedError
from ..expr.conversions import STORAGE, carried
from ..expr.foreign import INSTEAD
from ..expr.graph import INTEGERS
from ..names import chosen
from ..operands import LINES, AnyRows, Interface, Operand, View, aliasing_of, dense, extent, leading_dimension, whole
from ..tensor.extent import SymbolicExtent
from .ops import REDUCTIONS, SEARCHES, of_squares

NARROW = ("i8", "u8", "i16", "u16")
SQUARED = (False, True, "both")


MEAN = "mean"
_NO_ELEMENTS = "a sum of nothing is 0, a mean or maximum of nothing does not exist, and neither needs a kernel"
NAMES = ("sum", MEAN, *(name for name in (*REDUCTIONS, *SEARCHES) if name not in ("sum", "squares")))
"""The names of requests; squares are requested with `squared`."""


@dataclass(frozen=True)
class ReduceSpec(AnyRows):
    """A checked request. `terms` is the number that a mean divides by, if rows of x are sums of parts of a matrix; 0:
    the number of elements."""

    name: str
    m: int
    n: int
    axis: int | None
    dtype: str
    out: str
    compute: str
    squared: bool | str
    init: bool
    ldx: Any
    keepdims: bool = False
    terms: int = 0

    @cached_property
    def x(self) -> Operand:
        """The matrix."""
        return Operand("x", self.m, self.n, View("C", self.ldx), self.dtype)

    @property
    def count(self) -> int:
        """The number of results."""
        return {0: self.n, 1: self.m, None: 1}[self.axis]

    def _vector(self, name: str, output: bool) -> Operand:
        return Operand(name, 1, self.count, View("C", self.count), self.out, output, vector=True)

    @cached_property
    def outputs(self) -> tuple[Operand, ...]:
        """The output y; with squared="both" also y2, the reduction of the squares."""
        return tuple(self._vector(name, True) for name in (("y", "y2") if self.squared == "both" else ("y",)))

    @cached_property
    def inits(self) -> tuple[Operand, ...]:
        """The inputs that count as one more element of each output."""
        return tuple(self._vector(f"init{y.name[1:]}", False) for y in self.outputs) if self.init else ()

    def again(self) -> ReduceSpec:
        """Return the request made again by its function, which checks it."""
        return reduce_spec(**{each.name: getattr(self, each.name) for each in fields(self)})

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        aliasing = aliasing_of(self.arguments, self.in_place)
        return Interface(self.arguments, self.given, aliasing, LINES, tuple(each.name for each in self.arguments[1:]))

    @property
    def banded(self) -> tuple[str, ...]:
        """The operands that have a number of rows, or a result for each."""
        return tuple(each.name for each in self.arguments if each.rows > 1 or each.vector)

    def of(self, rows: int) -> ReduceSpec:
        """Return the request of this number of rows."""
        return replace(self, m=rows)

    @property
    def arguments(self) -> tuple[Operand, ...]:
        """The arguments in the order of the call."""
        return (self.x, *map(self._shaped, (*self.inits, *self.outputs)))

    def _shaped(self, vector: Operand) -> Operand:
        """With keepdims, return the operand with one row, one column or one element instead of a vector."""
        if not self.keepdims:
            return vector
        rows, columns = {0: (1, self.n), 1: (self.m, 1), None: (1, 1)}[self.axis]
        return vector._replace(rows=rows, columns=columns, view=View("C", columns), vector=False)

    @property
    def in_place(self) -> tuple[str, ...]:
        """The inputs that may be the output array too: an init is read before its result is written."""
        return ("init",) if self.init and self.squared != "both" else ()

    @property
    def arg_reduction(self) -> bool:
        """Whether the result is the index of an element."""
        return self.name in SEARCHES

    @property
    def reductions(self) -> tuple[str, ...]:
        """The name of the reduction of each output."""
        total = "sum" if self.name == MEAN else self.name
        return {False: (total,), True: (of_squares(total),), "both": (total, of_squares(total))}[self.squared]

    @property
    def divisor(self) -> int:
        """The number that totals are divided by: the elements of a result for means, else 1, as without results."""
        if self.name != MEAN or not self.count:
            return 1
        return self.terms or self.m * self.n // self.count

    @property
    def equation(self) -> str:
        """The equation in one line."""
        over = {0: f"x[:, j], j < {self.n}", 1: f"x[i, :], i < {self.m}", None: "all of x"}[self.axis]
        what = {False: self.name, True: f"{self.name} of squares", "both": f"{self.name}, {self.name} of squares"}[
            self.squared
        ]
        inits = ", ".join(init.name for init in self.inits)
        return f"{', '.join(y.name for y in self.outputs)} = {f'{inits} with ' if inits else ''}{what} of {over}"

    @property
    def stem(self) -> str:
        """The stem of the symbol: name, axis, type and shape."""
        what = {False: self.name, True: f"{self.name}sq", "both": f"{self.name}_{self.name}sq"}[self.squared]
        axis = "all" if self.axis is None else f"axis{self.axis}"
        return f"{what}_{axis}_{self.dtype}_{self.m}x{self.n}"

    @property
    def flops(self) -> int:
        """Operations: one per element, two if it is squared, three for both."""
        return self.per_row(self.m * self.n * {False: 1, True: 2, "both": 3}[self.squared])

    def __str__(self) -> str:
        types = f"computed in {self.compute}, y {self.out}{self.late}"
        return f"{self.equation}   x {self.dtype} {self.m}x{self.n}; {types}"


def _of_several(name: Any) -> str:
    """Return how a traced function computes what several reductions make, such as "std", or ""."""
    if not isinstance(name, str) or name not in ("std", "var", "norm"):
        return ""
    return f" ({name} is a traced function, ts.equation(lambda x: ..., x=(m, n)): {INSTEAD[name]})"


def reduce_spec(
    name: Any,
    m: Any,
    n: Any,
    *,
    axis: Any = None,
    dtype: Any = "f32",
    out: Any = None,
    compute: Any = None,
    squared: Any = False,
    init: Any = False,
    ldx: Any = None,
    keepdims: Any = False,
    terms: Any = 0,
) -> ReduceSpec:
    """Check the arguments and return the request. TypeError and ValueError name the wrong argument, UnsupportedError
    names what is not supported."""
    name = chosen("name", name, NAMES, _of_several(name))
    along = _axis(axis)
    if not isinstance(squared, (bool, str)) or squared not in SQUARED:
        raise ValueError(f'squared: False, True or "both", not {squared!r}')
    if squared == "both" and name in SEARCHES:
        raise UnsupportedError(f'squared: {name} takes no "both"; make two kernels, squared=False and squared=True')
    for what, flag in (("init", init), ("keepdims", keepdims)):
        if not isinstance(flag, bool):
            raise TypeError(f"{what}: True or False, not {flag!r}")
    if name == MEAN and init:
        raise UnsupportedError('init: not supported for a mean; use "sum", and divide by the count in a second kernel')
    dtype, out = _dtype("dtype", dtype), None if out is None else _dtype("out", out)
    compute = _compute(name, dtype, out, compute, squared)
    if name in SEARCHES:
        out = _index_type(name, init, out, compute)
    elif out is None:  # a sum of narrow elements needs a wider type
        grows = dtype in (*NARROW, *FLOAT8) and name in ("sum", "product", MEAN)
        out = compute if grows or COMPUTE[dtype] != compute else dtype
    if out == "f64" and compute == "f32":  # the caller asked for f32
        raise UnsupportedError('out: f64 results are computed in f64; use compute="f64"')
    for storage in (dtype, *(() if name in SEARCHES else (out,))):
        carried(storage, compute)  # raises if there is no conversion
    m, n = extent("m", m, _NO_ELEMENTS), extent("n", n, _NO_ELEMENTS)
    if isinstance(m, SymbolicExtent) and along != 1:
        same = f"ts.equation(lambda x: ts.{name}(x, axis={along}), x=(ts.RUNTIME, {n}))"
        raise UnsupportedError(f"m=ts.RUNTIME: axis=1, not {along}; {same} takes any number of rows")
    ldx = leading_dimension("ldx", ldx, dense("C", m, n))
    if name in SEARCHES and along is None and m > 1 and ldx != n:
        raise UnsupportedError(f"ldx: {name} of all elements needs a matrix without gaps between rows; leave ldx out")
    if name in SEARCHES and along is None and out == "i32" and m * n > 1 << 31:
        raise UnsupportedError(f"{name} of {m} x {n}: indices are i32, up to 2^31 elements; search rows with axis=1")
    squared = squared if isinstance(squared, bool) else "both"
    if terms and (name != MEAN or whole(terms) is None or terms < m * n // {0: n, 1: m, None: 1}[along]):
        raise ValueError(f"terms: of a mean, at least the elements of a result, not {terms!r}")
    return ReduceSpec(name, m, n, along, dtype, out, compute, squared, init, ldx, keepdims, terms)


def _axis(axis: Any) -> int | None:
    """Return 0, 1 or None for all elements."""
    if axis is None:
        return None
    along = whole(axis)
    if along not in (0, 1, -1, -2):
        rule = f"axis: 0 (down columns), 1 or -1 (along rows) or None (all), not {axis!r}"
        raise (TypeError if along is None else ValueError)(rule)
    return along % 2


def _compute(name: str, dtype: str, out: str | None, asked: Any, squared: Any) -> str:
    """Return the type of the arithmetic."""
    if asked is None:
        longer = out == "f64" or (out == "i64" and COMPUTE[dtype] in INTEGERS)
        asked = out if longer else COMPUTE[dtype]
    compute = element_type("compute", asked)
    if name == MEAN and compute == "i32":  # sums of i32 wrap; 53 bits hold the sum of 2^21 of them
        compute = "f64" if dtype == "i32" else "f32"
    if name == MEAN and compute == "i64":
        raise UnsupportedError('name: a mean of i64 is not supported; use "sum" and divide in a second kernel')
    if compute not in ("f32", "f64", "i32", "i64"):
        raise UnsupportedError(f"compute: f32, f64, i32 or i64, not {compute}")
    if compute == "i64" and (name == "product" or squared):
        raise UnsupportedError('compute: machines do not multiply i64; compute="f64" takes i64 up to 2^51 in size')
    return compute


def _dtype(what: str, value: Any) -> str:
    name = element_type(what, value)
    if name not in STORAGE or name not in COMPUTE:
        raise UnsupportedError(f"{what}: reductions take {', '.join(COMPUTE)}, not {name}")
    return name


def _index_type(name: str, init: bool, out: Any, compute: str) -> str:
    """Return the element type of the indices of an index search."""
    if init:
        raise UnsupportedError(f"init: not supported for {name}, because an init value has no index in x")
    index = "i64" if compute in ("f64", "i64") else "i32"
    if out not in (None, index):
        raise UnsupportedError(f"out: indices of {compute} elements are {index}, not {out}")
    return index
