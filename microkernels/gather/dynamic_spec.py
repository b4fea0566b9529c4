"""Gathers, scatters and embedding bags with extents that are given at the call: the number of rows m or of bags, the
size of the array that an index points into, that of a second one, and the count of the indices.

The code is that of a request with likely extents, but its loops and limits use the numbers of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...encoder.records import cached_property, dataclass
from ..errors import UnsupportedError
from ..operands import RUNTIME, AxisOf, GivenExtent, Interface, Number, Operand, again
from .bag_spec import BagSpec
from .spec import GatherSpec

LIKELY = {"m": 64, "bags": 64, "size": 1 << 10, "count": 1 << 10, "second_size": 1 << 10}
"""The extents for which a kernel is planned if they are given at the call."""

Request = GatherSpec | BagSpec


@dataclass(frozen=True)
class DynamicGatherSpec:
    """A request whose extents `at_call` are given at the call. It is made by `with_dynamic_extents`, which checks
    it."""

    request: Request
    at_call: tuple[str, ...]

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """The arguments for likely extents; `of(numbers).arguments` are those of a call."""
        return self.request.arguments

    @property
    def in_place(self) -> tuple[str, ...]:
        """No input may be the output array, since elements move."""
        return ()

    def again(self) -> DynamicGatherSpec:
        """Return the request made again by its function, which checks it."""
        request = again(self.request, GatherSpec, BagSpec)
        extents = {
            name: RUNTIME if name in self.at_call else getattr(request, name)
            for name in LIKELY
            if hasattr(request, name)
        }
        made = with_dynamic_extents(lambda **numbers: replace(request, **numbers), extents)
        if not isinstance(made, DynamicGatherSpec):
            raise ValueError("at_call: must name at least one extent")
        return made

    def of(self, numbers: Mapping[str, int]) -> Request:
        """Return the request with these extents."""
        made: Request = replace(self.request, **dict[str, Any](numbers))
        return made

    @cached_property
    def interface(self) -> Interface:
        """What a call takes. The shapes for two numbers tell which axes say an extent."""
        extents = tuple(GivenExtent(name, tuple(self._axes(name))) for name in self.at_call)
        return self.request.interface._replace(extents=extents, aliasing=frozenset())

    def _axes(self, name: str) -> list[AxisOf]:
        likely = LIKELY[name]
        one, other = (_shapes(self.of({name: number})) for number in (likely, likely + 1))
        return [
            AxisOf(operand, axis, size - likely)
            for operand, shape in one.items()
            for axis, size in enumerate(shape)
            if other[operand][axis] != size
        ]

    @property
    def equation(self) -> str:
        """The equation in one line."""
        return self.request.equation

    @property
    def flops(self) -> int:
        """Operations for likely extents."""
        return self.request.flops

    @property
    def stem(self) -> str:
        """The stem of the symbol. It names the extents that are given at the call instead of their numbers."""
        first = self.at_call[0]
        return (
            self.request.stem.replace(f"_{LIKELY[first]}x", f"_{first}x")
            if first in ("m", "bags")
            else (f"{self.request.stem}_of_any_{'_'.join(self.at_call)}")
        )

    def __str__(self) -> str:
        return f"{', '.join(self.at_call)} given at the call; else as {self.request}"


def _shapes(request: Request) -> dict[str, tuple[int, ...]]:
    return {each.name: each.shape for each in request.arguments if isinstance(each, Operand)}


def with_dynamic_extents(make: Callable[..., Request], extents: Mapping[str, Any]) -> Request | DynamicGatherSpec:
    """Return the request that `make` makes for these extents; extents that are RUNTIME are given at the call.

    Raises UnsupportedError with the reason and an alternative that works.
    """
    at_call = tuple(name for name, value in extents.items() if value is RUNTIME)
    request = make(**{name: LIKELY[name] if name in at_call else value for name, value in extents.items()})
    if not at_call:
        return request
    if isinstance(request, GatherSpec) and "size" in at_call and request.by == "columns":
        wide = request.wide
        if wide.view.leading is not RUNTIME:
            raise UnsupportedError(
                f"size=ts.RUNTIME: needs ld{wide.name}=ts.RUNTIME too, because the "
                f"stride of the rows of {wide.name} is their length"
            )
    return DynamicGatherSpec(request, at_call)
