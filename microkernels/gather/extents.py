"""Extents of gathers, scatters and reductions over compressed rows: numbers, or given at the call.

The code of such a request is that of one with likely extents, but its loops and limits use the numbers of the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from ..operands import RUNTIME, GivenExtent, Leading, Number, Operand, given_extents
from ..tensor.extent import SymbolicExtent

LIKELY = {"m": 64, "bags": 64, "size": 1 << 10, "count": 1 << 10, "second_size": 1 << 10}
"""The extents for which a kernel is planned if they are given at the call."""

AskedExtent = int | Leading

S = TypeVar("S", bound="SomeExtents")
T = TypeVar("T")


class SomeExtents:
    """A request of which each call may give some extents: fields that are a SymbolicExtent."""

    n: int

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """Matrices and numbers, in the order of the call."""
        raise NotImplementedError

    @property
    def at_call(self) -> tuple[str, ...]:
        """The names of the extents that a call gives."""
        return tuple(name for name, value in vars(self).items() if isinstance(value, SymbolicExtent))

    @property
    def in_place(self) -> tuple[str, ...]:
        """No input may be the output array, since elements move."""
        return ()

    def of(self: S, numbers: Mapping[str, int]) -> S:
        """Return the request with these extents."""
        made: S = replace(self, **numbers)  # type: ignore[type-var]
        return made

    def given(self) -> tuple[GivenExtent, ...]:
        """Return the extents that a call gives."""
        operands = [each for each in self.arguments if isinstance(each, Operand)]
        return given_extents(operands, {name: name for name in self.at_call})

    def _stem(self, kind: str, rows: str) -> str:
        """Return the stem of the symbol. It names the extents that are given at the call instead of their numbers."""
        others = f"_of_any_{'_'.join(self.at_call)}" if self.at_call and rows not in self.at_call else ""
        return f"{kind}_{getattr(self, rows)}x{self.n}{others}"

    def _text(self, text: str) -> str:
        return f"{text}; {', '.join(self.at_call)} given at the call" if self.at_call else text


def likely(name: str, value: T) -> T | SymbolicExtent:
    """Return an extent as it was asked for, or what stands for RUNTIME."""
    return SymbolicExtent(name, LIKELY[name]) if value is RUNTIME else value
