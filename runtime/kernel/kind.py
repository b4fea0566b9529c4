"""A kind of kernels: the functions that generate, call and describe the kernel of a request.

A request is a frozen spec, and its class determines its kind (`kinds`). Calls that only take matrices and numbers are
derived from the `interface` of the spec (ARRAYS). Products have calls of their own, for their batches and epilogues.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.gemm import spec as gemm_spec
from ..fastcall import guards
from ..fastcall.guards_array import array_entry, gemm_entry

if TYPE_CHECKING:
    import numpy as np

    from ...microkernels.choice import Pipeline
    from ...microkernels.epilogue import spec as epilogue_spec
    from ...microkernels.stack import spec as stack_spec
    from ..arguments import counted, epilogue, gemm, operands, regions, signature, stack
    from ..arguments.arrays import Made
    from ..arguments.regions import TouchedMemory
    from ..fastcall import guards_epilogue, guards_stack

epilogue_spec = lazy(__package__, "...microkernels.epilogue.spec")
stack_spec = lazy(__package__, "...microkernels.stack.spec")
counted = lazy(__package__, "..arguments.counted")
epilogue = lazy(__package__, "..arguments.epilogue")
gemm = lazy(__package__, "..arguments.gemm")
operands = lazy(__package__, "..arguments.operands")
regions = lazy(__package__, "..arguments.regions")
signature = lazy(__package__, "..arguments.signature")
stack = lazy(__package__, "..arguments.stack")
guards_epilogue = lazy(__package__, "..fastcall.guards_epilogue")
guards_stack = lazy(__package__, "..fastcall.guards_stack")


T = TypeVar("T")


_OF_PYTHON = ("Without c", "With None for c", "What a call leaves out")


def for_c(description: str) -> str:
    """Return the part of a kernel's documentation that applies to C: without the Python call and its new arrays."""
    return "\n\n".join(each for each in description.split("\n\n")[1:] if not each.startswith(_OF_PYTHON))


class AnyRequest(Protocol):
    """The attributes of every request."""

    @property
    def stem(self) -> str:
        """The kind, types and shape, as part of a C identifier."""

    @property
    def flops(self) -> int:
        """The number of arithmetic operations of one call."""

    def again(self) -> Any:
        """Return the request made again by its function from the arguments that it was made of, with all checks."""


class CallCheck(Protocol):
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


def _of_each(*_: Any) -> Any:
    raise NotImplementedError("kinds.py says what differs from kind to kind")


class Kind(NamedTuple):
    """The functions for the requests of one class."""

    parameters: Callable[[Any], list[tuple[str, str]]]
    call: Callable[[Any], CallCheck]
    entry: Callable[[Any, str, int], tuple[guards.CallEntry, list[int]] | None]
    signature: Callable[[Any], inspect.Signature]
    description: Callable[[Any], str]
    regions: Callable[[Any, Sequence[int]], list[TouchedMemory]]
    """Returns the memory that a call with these integers may touch."""
    pairs: Callable[[Any], int | None] | None
    """Returns how often a call spends the plan's cycles, or None if a count among its arguments says it. Without a
    function it is once."""
    pipeline: Callable[[], Pipeline] = _of_each


ARRAYS = Kind(
    lambda spec: spec.interface.parameters(),
    lambda spec: operands.ArrayCall(spec.interface),
    array_entry,
    lambda spec: signature.array_signature(spec),
    lambda spec: signature.array_description(spec),
    lambda spec, integers: regions.array_regions(spec.interface, integers),
    None,
)
"""Kinds whose calls take matrices and numbers: everything follows from the `interface` of the request."""
ANY_ROWS = ARRAYS._replace(pairs=lambda spec: None)
"""The same, with cycles for each row that the call gives."""
PRODUCTS = Kind(
    gemm_spec.parameters,
    lambda spec: counted.call_of(spec, gemm.GemmCall),
    gemm_entry,
    lambda spec: signature.signature(spec),
    lambda spec: signature.description(spec),
    lambda spec, integers: counted.regions(spec, integers, regions.gemm_regions),
    attrgetter("pairs"),
)
"""Batches of products, of which each call may give an extent."""
NARROWER = PRODUCTS._replace(pairs=None)
"""Products that are made of products of a narrower type."""
EPILOGUES = PRODUCTS._replace(
    parameters=lambda spec: epilogue_spec.parameters(spec),
    call=lambda spec: counted.call_of(spec, epilogue.EpilogueCall),
    entry=lambda spec, *release: guards_epilogue.epilogue_entry(spec, *release),
    signature=lambda spec: epilogue.signature(spec),
    description=lambda spec: epilogue.description(spec),
    regions=lambda spec, integers: counted.regions(spec, integers, epilogue.regions),
)
"""Products with an epilogue."""
STACKS = PRODUCTS._replace(
    parameters=lambda spec: stack_spec.parameters(spec),
    call=lambda spec: stack.StackArguments(spec),
    entry=lambda spec, *release: guards_stack.stack_entry(spec, *release),
    description=lambda spec: stack.description(spec),
    regions=lambda spec, integers: stack.regions(spec, integers),
    pairs=lambda spec: spec.stack if isinstance(spec.stack, int) else None,
)
"""Stacks of independent products."""
