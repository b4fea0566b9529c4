"""Extents of gathers, scatters and reductions over compressed rows: numbers, or given at the call.

The code of such a request is that of one with likely extents, but its loops and limits use the numbers of the call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..operands import RUNTIME, AxisOf, GivenExtent, Leading, Number, Operand

LIKELY = {"m": 64, "bags": 64, "size": 1 << 10, "count": 1 << 10, "second_size": 1 << 10}
"""The extents for which a kernel is planned if they are given at the call."""

AskedExtent = int | Leading

S = TypeVar("S", bound="SomeExtents")


class SomeExtents(ABC):
    """A request of which each call may give the extents `at_call`. Its fields hold likely numbers in their place."""

    at_call: tuple[str, ...]
    n: int

    @property
    @abstractmethod
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments for likely extents; `of(numbers).arguments` are those of a call."""

    @property
    def in_place(self) -> tuple[str, ...]:
        """No input may be the output array, since elements move."""
        return ()

    def of(self: S, numbers: Mapping[str, int]) -> S:
        """Return the request with these extents."""
        made: S = replace(self, at_call=(), **numbers)  # type: ignore[type-var]
        return made

    def asked(self, *names: str) -> dict[str, Any]:
        """Return the extents as they were asked for: numbers, or RUNTIME."""
        return {name: RUNTIME if name in self.at_call else getattr(self, name) for name in names}

    def given(self) -> tuple[GivenExtent, ...]:
        """Return the extents that a call gives. The shapes for two numbers tell which axes say an extent."""
        return tuple(GivenExtent(name, tuple(self._axes(name))) for name in self.at_call)

    def _axes(self, name: str) -> list[AxisOf]:
        likely = LIKELY[name]
        one, other = (_shapes(self.of({name: number})) for number in (likely, likely + 1))
        return [
            AxisOf(operand, axis, size - likely)
            for operand, shape in one.items()
            for axis, size in enumerate(shape)
            if other[operand][axis] != size
        ]

    def _stem(self, kind: str, rows: str) -> str:
        """Return the stem of the symbol. It names the extents that are given at the call instead of their numbers."""
        others = f"_of_any_{'_'.join(self.at_call)}" if self.at_call and rows not in self.at_call else ""
        return f"{kind}_{rows if rows in self.at_call else getattr(self, rows)}x{self.n}{others}"

    def _text(self, text: str) -> str:
        return f"{', '.join(self.at_call)} given at the call; else as {text}" if self.at_call else text


def _shapes(request: SomeExtents) -> dict[str, tuple[int, ...]]:
    return {each.name: each.shape for each in request.arguments if isinstance(each, Operand)}


def likely(**extents: AskedExtent | None) -> tuple[dict[str, AskedExtent | None], tuple[str, ...]]:
    """Return the extents, with a likely number for each that is RUNTIME, and the names of these."""
    at_call = tuple(name for name, value in extents.items() if value is RUNTIME)
    return extents | {name: LIKELY[name] for name in at_call}, at_call
