"""TransformSpec: what is asked of a transpose or of a change of layout, checked.

    y = x, element by element, where x lies in memory in one layout and y in another (transform/layouts.py)

A transpose is the change from "plain" to "plaint".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...encoder.forks import cached_property
from ..dtypes import DTYPES, ELEMENT_BYTES
from ..errors import UnsupportedError
from ..operands import LeadingDimension, Operand, View, extent, leading_dimension
from .layouts import Layout, layout

LOADS = (None, "whole", "pieces")


@dataclass(frozen=True)
class TransformSpec:
    """A transpose or a change of layout; made by `transpose_spec` and `transform_spec`, which fill in defaults."""

    source: str
    result: str
    m: int
    n: int
    dtype: str
    ldx: LeadingDimension
    ldy: LeadingDimension
    square: bool = False  # x and y may be the same array
    loads: str | None = None  # the first stages by shuffles ("whole" registers are loaded) or by loads of "pieces"

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """Of x and of y."""
        size = ELEMENT_BYTES[self.dtype]
        return layout(self.source, size), layout(self.result, size)

    @cached_property
    def arguments(self) -> tuple[Operand, ...]:
        """x and y."""
        rows, columns = self.layouts[0].shape(self.m, self.n)
        x = Operand("x", rows, columns, View("C", self.ldx), self.dtype)
        rows, columns = self.layouts[1].shape(self.m, self.n)
        return x, Operand("y", rows, columns, View("C", self.ldy), self.dtype, output=True)

    @property
    def in_place(self) -> tuple[str, ...]:
        """x of a square transpose that was asked for so."""
        return ("x",) if self.square else ()

    @property
    def equation(self) -> str:
        """What is computed."""
        return (
            "y = x.T" if self.transposes else f"y = {self.result}(x), x {self.source}, of a matrix {self.m} x {self.n}"
        )

    @property
    def transposes(self) -> bool:
        """Whether this is a plain transpose."""
        return (self.source, self.result) == ("plain", "plaint")

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        kind = "transpose" if self.transposes else f"{self.source}_to_{self.result}"
        return f"{kind}_{self.dtype}_{self.m}x{self.n}"

    @property
    def flops(self) -> int:
        """None: elements only move."""
        return 0

    def __str__(self) -> str:
        kind = "transpose" if self.transposes else f"{self.source} to {self.result}"
        text = f"{kind} {self.m} x {self.n} {self.dtype}"
        for operand in self.arguments:
            if operand.view.leading != operand.columns:
                text += f" ld{operand.name}={operand.view.leading!r}"
        return text + (" in place" if self.square else "")


def transpose_spec(m: int, n: int, *, dtype: Any = "f32", order: Any = "C", ldx: Any = None, ldy: Any = None,
                   in_place: Any = False, loads: Any = None) -> TransformSpec:  # fmt: skip
    """A checked transpose of an m x n matrix; ValueError, TypeError name the argument, the rule, and what came."""
    m, n = extent("m", m), extent("n", n)
    if order != "C":
        raise UnsupportedError(f'order {order!r}: "C"; the transpose of a column-major x is that of its rows: '
                               "ask for transpose(n, m) and pass x.T and y.T")  # fmt: skip
    if not isinstance(in_place, bool):
        raise TypeError(f"in_place: True or False, not {in_place!r}")
    if in_place and m != n:
        raise UnsupportedError(f"in place: a square matrix, not {m} x {n}; give the result an array of its own")
    return _spec("plain", "plaint", m, n, dtype, ldx, ldy, in_place, loads)


def transform_spec(name: str, m: int, n: int, *, dtype: Any, ldx: Any = None, ldy: Any = None,
                   loads: Any = None) -> TransformSpec:  # fmt: skip
    """A checked change of layout: "vnni2" or "plain_to_vnni2", "vnni2_to_vnni2t", "vnni4_to_plain"... (transform/layouts.py)."""
    if not isinstance(name, str):
        raise TypeError(f"name: a string as 'vnni2_to_vnni2t', not {name!r}")
    m, n = extent("m", m), extent("n", n)
    source, _, result = name.rpartition("_to_")
    return _spec(source or "plain", result, m, n, dtype, ldx, ldy, False, loads)


def _spec(
    source: str, result: str, m: int, n: int, dtype: Any, ldx: Any, ldy: Any, square: bool, loads: Any
) -> TransformSpec:
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise UnsupportedError(f"dtype {dtype!r}: one of {', '.join(DTYPES)}")
    if loads not in LOADS:
        raise ValueError(f'loads: None, "whole" or "pieces", not {loads!r}')
    size = ELEMENT_BYTES[dtype]
    if source == result:
        raise UnsupportedError(f"{source} to {result}: nothing to do; copy the array")
    columns = [layout(name, size).shape(m, n)[1] for name in (source, result)]
    leading = [leading_dimension(f"ld{name}", given, least) for name, given, least in zip("xy", (ldx, ldy), columns)]
    return TransformSpec(source, result, m, n, dtype, leading[0], leading[1], square, loads)
