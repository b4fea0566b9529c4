"""A kind of kernels: what the runtime must know to generate, call and describe the kernel of a request.

A request is a frozen spec; its class says its kind (`kinds`). Kinds whose calls take matrices and numbers only are
described by the spec's `arguments` (see `array_kind`); a GEMM's batch modes have their own binding.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ...encoder.deferred import deferred
from ...encoder.records import NamedTuple
from ...microkernels.operands import parameters
from ..fastcall import guards
from ..fastcall.guards_array import array_entry

if TYPE_CHECKING:
    from ...microkernels.choice import Pipeline
    from ..arguments.arrays import Made
    from ..arguments.regions import Region


T = TypeVar("T")


@deferred
def signatures() -> ModuleType:
    """What `inspect.signature` and `help` say."""
    from ..arguments import signature

    return signature


@deferred
def regions() -> ModuleType:
    """The memory that calls may touch."""
    from ..arguments import regions

    return regions


@deferred
def _array_call() -> Callable[[Any], Call]:
    from ..arguments.operands import ArrayCall

    return ArrayCall


@deferred
def revalidation() -> ModuleType:
    """Requests made anew of specs."""
    from . import revalidation

    return revalidation


_OF_PYTHON = ("Without c", "With None for c", "What a call leaves out")


def for_c(description: str) -> str:
    """What of a kernel's documentation holds in C: without the call in Python and the arrays that it makes."""
    return "\n\n".join(each for each in description.split("\n\n")[1:] if not each.startswith(_OF_PYTHON))


class Spec(Protocol):
    """What every request has."""

    @property
    def stem(self) -> str:
        """Kind, types and shape, as part of a C identifier."""

    @property
    def flops(self) -> int:
        """Arithmetic of one call."""


class Call(Protocol):
    """Checks and converts the arguments of a request's calls."""

    dtype: np.dtype[Any]
    """Of the output that a call may leave out."""

    def __call__(self, *args: Any, **keywords: Any) -> tuple[list[int], list[Any]]:
        """(integers for the C function, objects to keep alive during the call)."""

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """(new outputs or None, arguments with them)."""


class PerKernel(Generic[T]):
    """An attribute that objects compute and the class has a value of its own for."""

    def __init__(self, of_class: Any, of_object: Callable[[Any], T]) -> None:
        self.of_class, self.of_object = of_class, of_object

    def __get__(self, instance: Any, owner: type) -> Any:
        return self.of_class if instance is None else self.of_object(instance)


class Kind(NamedTuple):
    """What is known of the requests of one class."""

    pipeline: Callable[[], Pipeline]
    parameters: Callable[[Any], list[tuple[str, str]]]
    call: Callable[[Any], Call]
    entry: Callable[[Any, str, int], tuple[guards.Entry, list[int]] | None]
    signature: Callable[[Any], inspect.Signature]
    description: Callable[[Any], str]
    regions: Callable[[Any, Sequence[int]], list[Region]]
    """The memory that a call with these integers may touch."""
    pairs: Callable[[Any], int | None] | None
    """How often the plan's cycles are spent in a call: once where there is no function; None: as often as a count among
    its arguments says."""
    again: Callable[[Any], Spec]
    """The request made anew of what a spec says, checked as it was at first."""


def array_kind(pipeline: Callable[[], Pipeline], again: Callable[[Any], Spec]) -> Kind:
    """The kind of requests that are `ArraySpec`."""
    return Kind(
        pipeline, lambda spec: parameters(spec.arguments), lambda spec: _array_call()(spec), array_entry,
        lambda spec: signatures().array_signature(spec), lambda spec: signatures().array_description(spec),
        lambda spec, integers: regions().array_regions(spec, integers), None, again,
    )  # fmt: skip
