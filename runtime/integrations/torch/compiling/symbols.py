"""Sizes that are symbols of torch.compile(dynamic=True), as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import torch

Size: TypeAlias = "int | torch.SymInt"
Symbolic: TypeAlias = "torch.SymInt | torch.SymFloat | torch.SymBool"


class SizeSource(NamedTuple):
    """Where a call says what number a symbol is: an argument, or the size of one along an axis."""

    argument: int
    axis: int | None

    def of(self, arguments: Sequence[torch.Tensor | int]) -> int:
        """Return the number in a call."""
        given = arguments[self.argument]
        return given.shape[self.axis] if isinstance(given, torch.Tensor) and self.axis is not None else int(given)


class Sizes:
    """The numbers that symbols stand for in one call, empty if there are no symbols."""

    def __init__(self, numbers: dict[object, int]) -> None:
        self._numbers = numbers

    def number(self, size: object) -> float | int | bool | None:
        """Return a size, or another number of torch's, without symbols."""
        if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            found = size.node.expr.xreplace(self._numbers)
            kind = int if isinstance(size, torch.SymInt) else float if isinstance(size, torch.SymFloat) else bool
            return kind(found)
        return size  # type: ignore[return-value]

    def shape(self, tensor: torch.Tensor) -> tuple[int, ...]:
        """Return the extents of a tensor."""
        return tuple(int(self.number(each) or 0) for each in tensor.shape)

    def strides(self, tensor: torch.Tensor) -> tuple[int, ...]:
        """Return the strides of a tensor, in elements."""
        return tuple(int(self.number(each) or 0) for each in tensor.stride())

    def count(self, tensor: torch.Tensor) -> int:
        """Return the number of elements of a tensor."""
        return math.prod(self.shape(tensor))

    def offset(self, tensor: torch.Tensor) -> int:
        """Return where a tensor begins in its memory, in elements."""
        return int(self.number(tensor.storage_offset()) or 0)


def symbols_of(module: torch.fx.GraphModule) -> tuple[dict[object, SizeSource], bool]:
    """Return where calls of a graph tell the numbers of its symbols, and whether these are all that it has."""
    found: dict[object, SizeSource] = {}
    places = [node for node in module.graph.nodes if node.op == "placeholder"]
    for number, node in enumerate(places):
        value = node.meta.get("val")
        given: Sequence[tuple[Size, int | None]] = [(value, None)] if isinstance(value, torch.SymInt) else []
        if isinstance(value, torch.Tensor):
            given = [(size, axis) for axis, size in enumerate(value.shape)]
        for size, axis in given:
            if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                found.setdefault(size.node.expr, SizeSource(number, axis))
    free: set[object] = set()
    for each in _sizes(module):
        free |= each.node.expr.free_symbols
    return found, free <= set(found)


def not_multiple(module: torch.fx.GraphModule, symbol: object) -> str:
    """Return a size of a graph that depends on a symbol and is no multiple of it; "" if there is none."""
    for size in _sizes(module):
        expression = size.node.expr
        for own in expression.free_symbols:
            if own == symbol and expression.xreplace({own: 2 * own}) != 2 * expression:
                return str(expression)
    return ""


def _sizes(module: torch.fx.GraphModule) -> Iterator[Symbolic]:
    """Yield the sizes, strides and numbers of a graph that calls give."""
    for node in module.graph.nodes:
        value = node.meta.get("val")
        for each in value if isinstance(value, (tuple, list)) else (value,):
            sizes = [*each.shape, *each.stride()] if _strided(each) else [each]
            yield from (size for size in sizes if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)))


def _strided(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided
