"""A kind of kernels: the functions that generate, call and describe the kernel of a request.

A request is a frozen spec, and its class determines its kind (`kinds`). Kinds whose calls only take matrices and
numbers are described by the spec's `arguments` (see `array_kind`). The batch modes of GEMM have their own binding.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.operands import parameters
from ..fastcall import guards
from ..fastcall.guards_array import array_entry

if TYPE_CHECKING:
    from ...microkernels.choice import Pipeline
    from ..arguments import operands
    from ..arguments import regions as regions
    from ..arguments import signature as signature
    from ..arguments.arrays import Made
    from ..arguments.regions import Region
    from . import revalidation as revalidation

operands = lazy(__package__, "..arguments.operands")
regions = lazy(__package__, "..arguments.regions")
signature = lazy(__package__, "..arguments.signature")
revalidation = lazy(__package__, ".revalidation")


T = TypeVar("T")


_OF_PYTHON = ("Without c", "With None for c", "What a call leaves out")


def for_c(description: str) -> str:
    """Return the part of a kernel's documentation that applies to C: without the Python call and its new arrays."""
    return "\n\n".join(each for each in description.split("\n\n")[1:] if not each.startswith(_OF_PYTHON))


class Spec(Protocol):
    """The attributes of every request."""

    @property
    def stem(self) -> str:
        """The kind, types and shape, as part of a C identifier."""

    @property
    def flops(self) -> int:
        """The number of arithmetic operations of one call."""


class Call(Protocol):
    """Checks and converts the arguments of a request's calls."""

    dtype: np.dtype[Any]
    """The element type of the output that a call may leave out."""

    def __call__(self, *args: Any, **keywords: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new outputs or None, and the arguments including them."""


class PerKernel(Generic[T]):
    """An attribute that is computed for objects, while the class has a value of its own."""

    def __init__(self, of_class: Any, of_object: Callable[[Any], T]) -> None:
        self.of_class, self.of_object = of_class, of_object

    def __get__(self, instance: Any, owner: type) -> Any:
        return self.of_class if instance is None else self.of_object(instance)


class Kind(NamedTuple):
    """The functions for the requests of one class."""

    pipeline: Callable[[], Pipeline]
    parameters: Callable[[Any], list[tuple[str, str]]]
    call: Callable[[Any], Call]
    entry: Callable[[Any, str, int], tuple[guards.Entry, list[int]] | None]
    signature: Callable[[Any], inspect.Signature]
    description: Callable[[Any], str]
    regions: Callable[[Any, Sequence[int]], list[Region]]
    """Returns the memory that a call with these integers may touch."""
    pairs: Callable[[Any], int | None] | None
    """Returns how often a call spends the plan's cycles, or None if a count among its arguments says it. Without a
    function it is once."""
    again: Callable[[Any], Spec]
    """Returns the request made again from a spec, with the checks of a new request."""


def pipeline_of(module: Any, name: str) -> Callable[[], Pipeline]:
    """Return the function that gives the pipeline of a kind. Its module is imported with the first kernel."""
    return cache(lambda: getattr(module, name))


def array_kind(pipeline: Callable[[], Pipeline], again: Callable[[Any], Spec]) -> Kind:
    """Return the kind of requests that are `ArraySpec`."""
    return Kind(
        pipeline, lambda spec: parameters(spec.arguments), lambda spec: operands.ArrayCall(spec), array_entry,
        lambda spec: signature.array_signature(spec), lambda spec: signature.array_description(spec),
        lambda spec, integers: regions.array_regions(spec, integers), None, again,
    )  # fmt: skip
