"""`TransformSpec`: the checked request of a transpose or a layout transform.

    y = x, element by element, where x is stored in one layout and y in another (transform/layouts.py)

A transpose is the transform from "plain" to "plaint".
"""

from __future__ import annotations

from ...encoder.records import cached_property, dataclass
from ..dtypes import ELEMENT_BYTES, element_type
from ..errors import UnsupportedError
from ..names import chosen
from ..operands import Interface, LeadingDimension, Operand, View, aliasing_of, extent, leading_dimension
from .layouts import Layout, layout

LOADS = ("whole", "pieces")


@dataclass(frozen=True)
class TransformSpec:
    """A transpose or a layout transform. `transpose_spec` and `transform_spec` make it and fill in defaults."""

    source: str
    result: str
    m: int
    n: int
    dtype: str
    ldx: LeadingDimension
    ldy: LeadingDimension
    one_array: bool = False  # in place: m equals n, and x and y may be the same array
    loads: str | None = None  # "whole" registers or "pieces", which save stages; None: the cheaper way

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """The layouts of x and y."""
        size = ELEMENT_BYTES[self.dtype]
        return layout(self.source, size), layout(self.result, size)

    @cached_property
    def arguments(self) -> tuple[Operand, ...]:
        """The operands x and y."""
        rows, columns = self.layouts[0].shape(self.m, self.n)
        x = Operand("x", rows, columns, View("C", self.ldx), self.dtype, overlaps=not self.one_array)
        rows, columns = self.layouts[1].shape(self.m, self.n)
        return x, Operand("y", rows, columns, View("C", self.ldy), self.dtype, output=True)

    @cached_property
    def bytes_moved(self) -> int:
        """The bytes of x and y."""
        return sum(operand.rows * operand.columns for operand in self.arguments) * ELEMENT_BYTES[self.dtype]

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        return Interface(self.arguments, aliasing=aliasing_of(self.arguments, self.in_place))

    def again(self) -> TransformSpec:
        """Return the request made again by its function, which checks it."""
        if self.transposes:
            return transpose_spec(
                self.m, self.n, dtype=self.dtype, ldx=self.ldx, ldy=self.ldy, loads=self.loads, in_place=self.one_array
            )
        return transform_spec(
            f"{self.source}_to_{self.result}",
            self.m,
            self.n,
            dtype=self.dtype,
            ldx=self.ldx,
            ldy=self.ldy,
            loads=self.loads,
        )

    @property
    def in_place(self) -> tuple[str, ...]:
        """The operands that may be the same array as y."""
        return ("x",) if self.one_array else ()

    @property
    def equation(self) -> str:
        """The transform as an equation."""
        return (
            "y = x.T" if self.transposes else f"y = {self.result}(x), x {self.source}, of a matrix {self.m} x {self.n}"
        )

    @property
    def transposes(self) -> bool:
        """Whether this is a transpose of row-major matrices."""
        return (self.source, self.result) == ("plain", "plaint")

    @property
    def stem(self) -> str:
        """The kind, type and shape, as part of a C identifier."""
        kind = "transpose" if self.transposes else f"{self.source}_to_{self.result}"
        return f"{kind}_{self.dtype}_{self.m}x{self.n}"

    @property
    def flops(self) -> int:
        """Zero: elements only move."""
        return 0

    def __str__(self) -> str:
        kind = "transpose" if self.transposes else f"{self.source} to {self.result}"
        text = f"{kind} {self.m} x {self.n} {self.dtype}"
        for operand in self.arguments:
            if operand.view.leading != operand.columns:
                text += f" ld{operand.name}={operand.view.leading!r}"
        return text + (" in place" if self.one_array else "")


def transpose_spec(
    m: int,
    n: int,
    *,
    dtype: object = "f32",
    order: object = "C",
    ldx: object = None,
    ldy: object = None,
    in_place: object = False,
    loads: object = None,
) -> TransformSpec:
    """Return the request of a transpose of an m x n matrix. Raises ValueError or TypeError naming the argument, the
    rule, and the value that violates it."""
    m, n = extent("m", m), extent("n", n)
    if order != "C":
        raise UnsupportedError(
            f'order {order!r}: only "C" is supported; to transpose a column-major x '
            "make transpose(n, m), and pass x.T and y.T"
        )
    if not isinstance(in_place, bool):
        raise TypeError(f"in_place: True or False, not {in_place!r}")
    if in_place and m != n:
        raise UnsupportedError(
            f"in_place: needs a square matrix, not {m} x {n}; store the result in an array of its own"
        )
    return _spec(("plain", "plaint"), (m, n), dtype, (ldx, ldy), in_place, loads)


def transform_spec(
    name: str, m: int, n: int, *, dtype: object, ldx: object = None, ldy: object = None, loads: object = None
) -> TransformSpec:
    """Return the request of a layout transform: "vnni2" or "plain_to_vnni2", "vnni2_to_vnni2t", "vnni4_to_plain"..."""
    if not isinstance(name, str):
        raise TypeError(f"name: a string as 'vnni2_to_vnni2t', not {name!r}")
    m, n = extent("m", m), extent("n", n)
    source, _, result = str.__str__(name).rpartition("_to_")
    return _spec((source or "plain", result), (m, n), dtype, (ldx, ldy), False, loads)


def _spec(
    layouts: tuple[str, str],
    shape: tuple[int, int],
    dtype: object,
    leading: tuple[object, object],
    one_array: bool,
    loads: object,
) -> TransformSpec:
    """Return the request from one layout to another; `leading` are the leading dimensions of x and y as given."""
    dtype = element_type("dtype", dtype)
    loads = None if loads is None else chosen("loads", loads, LOADS, " or None")
    size = ELEMENT_BYTES[dtype]
    if layouts[0] == layouts[1]:
        raise UnsupportedError(f"{layouts[0]} to {layouts[1]}: nothing to do; copy the array")
    columns = [layout(name, size).shape(*shape)[1] for name in layouts]
    ldx = leading_dimension("ldx", leading[0], columns[0], overlaps=not one_array)  # x is only read
    ldy = leading_dimension("ldy", leading[1], columns[1])
    return TransformSpec(*layouts, *shape, dtype, ldx, ldy, one_array, loads)
