"""Functions of arrays as steps that Python calls.

Where another process can make the function again, it is made here, of its origin: the name of a function of this
module, or the number of a node of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, array_at
from ..executor.kept import NotKept, type_text
from ..executor.steps import Origin, PythonEntry
from .values import GraphNode, TensorType


class ArrayPlace(NamedTuple):
    """An array that a function takes: what it is, and its strides in bytes."""

    kind: TensorType
    strides: tuple[int, ...]

    def at(self, address: int) -> Array:
        """Return the array at an address."""
        return array_at(address, self.kind.shape, self.strides, self.kind.dtype, writable=True)

    def of_rows(self, before: int, rows: int) -> ArrayPlace:
        """Return the array of so many rows, in place of a number that stood for them."""
        shape, strides = (
            tuple(each // before * rows if each % before == 0 else each for each in numbers)
            for numbers in (self.kind.shape, self.strides)
        )
        return ArrayPlace(TensorType(shape, self.kind.dtype), strides)


class OnArrays(PythonEntry):
    """A Python function of arrays as an entry: `function(*inputs, out=outputs)`. None in place of an array that is
    left out, or of a result that nothing reads.

    what   the name of the function in `FUNCTIONS`, or its node; None: no other process can make it
    rows   the number that stands for the rows of calls in shapes and strides; 0: they are known
    """

    def __init__(
        self,
        function: Callable[..., object],
        inputs: Sequence[ArrayPlace | None],
        outputs: Sequence[ArrayPlace | None],
        name: str,
        what: str | GraphNode | None,
        rows: int = 0,
    ) -> None:
        self.function, self.inputs, self.outputs, self.name = function, tuple(inputs), tuple(outputs), name
        self.what, self.rows = what, rows

    def of_rows(self, rows: int) -> OnArrays:
        """Return the entry for calls of so many rows."""
        if not self.rows:
            return self
        inputs, outputs = (
            [None if each is None else each.of_rows(self.rows, rows) for each in places]
            for places in (self.inputs, self.outputs)
        )
        return OnArrays(self.function, inputs, outputs, self.name, self.what)

    def __call__(self, *addresses: int) -> None:
        """Compute on arrays at these addresses: those of the inputs that are given, and of the results."""
        left = iter(addresses)
        inputs = [None if each is None else each.at(next(left)) for each in self.inputs]
        outputs = [None if each is None else each.at(next(left)) for each in self.outputs]
        self.function(*inputs, out=outputs)

    def __repr__(self) -> str:
        return f"<{self.name} on arrays>"


# Functions


def copied(x: Array, *, out: Sequence[Array]) -> None:
    """Copy an array."""
    np.copyto(out[0], x)


FUNCTIONS: dict[str, Callable[..., None]] = {"copied": copied}
EMPTY = {"sum": 0, "prod": 1, "mean": np.nan}
"""The results of reductions of no elements."""


def function_of(node: GraphNode) -> Callable[..., object]:
    """Return what computes a node on arrays: the caller's function, that of its operator, or what writes the result of
    a reduction of no elements."""
    if node.operator.kind == "foreign":
        function = node.attributes["function"]
        assert callable(function)
        return partial(_call, function)
    if node.operator.evaluate is not None:
        return partial(node.operator.evaluate, **node.attributes)
    return partial(_filled, EMPTY[node.operator.name])


def _call(function: Callable[..., object], *arrays: Array, out: Sequence[Array]) -> None:
    made = function(*arrays)
    for array, to in zip(made if isinstance(made, (tuple, list)) else (made,), out):
        to[...] = np.asarray(array)


def _filled(value: float, *, out: Sequence[Array]) -> None:
    out[0].fill(value)


# Their origins


def origin_of(entry: OnArrays, nodes: Sequence[GraphNode]) -> Origin | None:
    """Return the origin of an entry in a program of these nodes; None if there is none."""
    what = entry.what if isinstance(entry.what, str) or entry.what is None else nodes.index(entry.what)
    try:
        places = tuple(tuple(map(_data, each)) for each in (entry.inputs, entry.outputs))
    except NotKept:
        return None
    return None if what is None else (what, *places, entry.name)


def _data(place: ArrayPlace | None) -> Origin | None:
    return None if place is None else (place.kind.shape, type_text(place.kind.dtype), place.strides)


def entry_of(origin: Origin, nodes: Sequence[GraphNode]) -> OnArrays:
    """Return the entry of an origin in a program of these nodes."""
    what, inputs, outputs, name = origin
    of = nodes[what] if isinstance(what, int) else str(what)
    function = FUNCTIONS[of] if isinstance(of, str) else function_of(of)
    return OnArrays(function, _places(inputs), _places(outputs), str(name), of)


def _places(data: object) -> list[ArrayPlace | None]:
    assert isinstance(data, tuple)
    return [None if each is None else ArrayPlace(TensorType(each[0], np.dtype(each[1])), each[2]) for each in data]
