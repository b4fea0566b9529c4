"""The steps of a compiled program: kernels, and where their operands lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, array_at
from ..kernel.callable import Kernel
from .values import TensorType

ARENA = 0
"""The slot of intermediate results; inputs, results and constants follow."""


class SlotAddress(NamedTuple):
    """A place in memory: a slot, and bytes from its address."""

    slot: int
    offset: int = 0


Operand: TypeAlias = "SlotAddress | int"
"""A place, or a number such as a leading dimension or an address that never changes."""


class RunsAt(Protocol):
    """Kernels whose loops are theirs: spread ones, nests of products, jobs of arrays."""

    def at(self, integers: Sequence[int], threads: int) -> None:
        """Compute on operands at these addresses, without checks."""


class ArrayPlace(NamedTuple):
    """An array that a function takes: what it is, and its strides in bytes."""

    kind: TensorType
    strides: tuple[int, ...]

    def at(self, address: int) -> Array:
        """Return the array at an address."""
        return array_at(address, self.kind.shape, self.strides, self.kind.dtype, writable=True)


class OnArrays:
    """A Python function of arrays as an entry: `function(*inputs, out=outputs)`. None in place of an array that is
    left out, or of a result that nothing reads."""

    def __init__(
        self,
        function: Callable[..., object],
        inputs: Sequence[ArrayPlace | None],
        outputs: Sequence[ArrayPlace | None],
        name: str,
    ) -> None:
        self.function, self.inputs, self.outputs, self.name = function, tuple(inputs), tuple(outputs), name

    def __call__(self, *addresses: int) -> None:
        """Compute on arrays at these addresses: those of the inputs that are given, and of the results."""
        left = iter(addresses)
        inputs = [None if each is None else each.at(next(left)) for each in self.inputs]
        outputs = [None if each is None else each.at(next(left)) for each in self.outputs]
        self.function(*inputs, out=outputs)

    def __repr__(self) -> str:
        return f"<{self.name} on arrays>"


Entry: TypeAlias = "Kernel | RunsAt | OnArrays"


class GraphStep(NamedTuple):
    """A call: a kernel (by its address), something with loops of its own (`at`), or a function of arrays; and its
    operands in the order of the entry's parameters."""

    entry: Entry
    operands: tuple[Operand, ...]
    name: str = ""
