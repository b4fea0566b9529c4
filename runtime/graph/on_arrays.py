"""Functions of arrays as steps that Python calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, array_at
from ..executor.steps import PythonEntry
from .values import TensorType


class ArrayPlace(NamedTuple):
    """An array that a function takes: what it is, and its strides in bytes."""

    kind: TensorType
    strides: tuple[int, ...]

    def at(self, address: int) -> Array:
        """Return the array at an address."""
        return array_at(address, self.kind.shape, self.strides, self.kind.dtype, writable=True)


class OnArrays(PythonEntry):
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
