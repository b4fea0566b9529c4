"""Compare code with a kernel on many numbers at once: numpy evaluates the nodes of both on thousands of draws.

    sampled = Sampled(nodes, draws)     from `Nodes` and the draws for each of its calls
    sampled.differing(code)             the draws on which results differ, to be confirmed by execution

The last bit of a rounding may show in one of thousands of draws, and the emulator executes only fifty per second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tests.side_by_side.executed import Draw, far
from tests.side_by_side.nodes import Nodes
from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.machine import Undecidable
from tilesmith.emulation.symbolic.values import UNDEFINED, Table
from tilesmith.runtime.verify.operands import Call

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
_AT_ONCE = 2000
_JUNK = (None, 0x7F800000, 0xFF800000, 0xFFFFFFFF, 0x3F800000, None)
"""The contents of undefined registers and memory, in turn, for each group of draws that is evaluated at once: 32 bits
that repeat; None: random bytes."""


class Sampled:
    """The draws of a kernel, and the bytes of its operands on each."""

    def __init__(self, nodes: Nodes, draws: Sequence[Sequence[Draw]]) -> None:
        """`draws` holds the draws for each call of the nodes."""
        self.nodes, self.draws = nodes, draws
        self._inputs: dict[tuple[int, int], Inputs] = {}

    def differing(self, code: bytes) -> Iterator[Draw]:
        """Yield the draws on which an element that consists of other nodes has another value. Yields none for code that
        symbolic execution cannot follow."""
        for number, draws in enumerate(self.draws):
            try:
                apart = list(self._apart(code, number))
            except (Fault, Undecidable):
                continue
            for first in range(0, len(draws) if apart else 0, _AT_ONCE):
                at = self._differing(apart, number, first)
                if at is not None:
                    yield draws[at]._replace(junk=_junk(first) or draws[at].junk)

    def undefined(self, code: bytes) -> str | None:
        """Return the name of an undefined register or memory on which differing results depend, or None."""
        for number in range(len(self.draws)):
            with suppress(Fault, Undecidable):
                for _, table, one, _ in self._apart(code, number):
                    leaves = [table.leaf(each) for each in table.below(one.tolist())]
                    for kind, name, _ in filter(None, leaves):
                        if kind == UNDEFINED:
                            return name
        return None

    def _apart(self, code: bytes, number: int) -> Iterator[tuple[Any, Table, Array, Array]]:
        """Yield (type, table, nodes of the code, nodes of the kernel) for results that consist of different nodes."""
        left, done = self.nodes.of(number), self.nodes.beside(code, number)[0]
        for region in self.nodes.calls[number][1].regions:
            if region.writable and region.array.size:
                one, other = (each.memory.held(region) for each in (done, left))
                rows = (one != other).any(axis=-1)
                if rows.any():
                    table = left.table
                    yield region.array.dtype, table, table.nodes_of(one[rows]), table.nodes_of(other[rows])

    def _differing(self, apart: Sequence[tuple[Any, Table, Array, Array]], number: int, first: int) -> int | None:
        """Return the first draw, among the group that starts at `first`, on which a result differs, or None."""
        draws, inputs = self.draws[number][first : first + _AT_ONCE], self._given(number, first)
        near = np.array([draw.near for draw in draws])
        for dtype, table, one, other in apart:
            leaves = _Leaves(table, inputs, len(draws), first, self.nodes.calls[number][1].numbers)
            found = evaluated(table, [*one.tolist(), *other.tolist()], leaves.bytes_of, len(draws))
            held, wanted = (np.stack([found[each] for each in nodes.tolist()], 1) for nodes in (one, other))
            for at in np.flatnonzero((held != wanted).any(axis=(1, 2))):
                pair = (np.ascontiguousarray(each[at]).view(dtype) for each in (held, wanted))
                if far(*pair, bool(near[at]), False).any():
                    return first + int(at)
        return None

    def _given(self, number: int, first: int) -> Inputs:
        if (number, first) not in self._inputs:
            call = self.nodes.calls[number][1]
            self._inputs[number, first] = _bytes_of(call, self.draws[number][first : first + _AT_ONCE])
        return self._inputs[number, first]


def _bytes_of(call: Call, draws: Sequence[Draw]) -> Inputs:
    """Return arrays of shape (draws, elements, bytes), keyed by the operand's name."""
    sizes = call.symbolic()
    regions = {each.name: each.array for each in call.regions if each.name in sizes}
    made = {name: np.empty((len(draws), array.size * array.itemsize), np.uint8) for name, array in regions.items()}
    for at, draw in enumerate(draws):
        draw.fill(call)
        for name, array in regions.items():
            made[name][at] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return {name: each.reshape(len(draws), -1, sizes[name]) for name, each in made.items()}


def _junk(first: int) -> bytes | None:
    word = _JUNK[first // _AT_ONCE % len(_JUNK)]
    return None if word is None else word.to_bytes(4, "little")


class _Leaves:
    """The values of leaves: elements of operands, the numbers of the call, and junk for what was never written."""

    def __init__(self, table: Table, inputs: Inputs, count: int, first: int, numbers: Mapping[str, int]) -> None:
        self.table, self.inputs, self.count, self.numbers = table, inputs, count, numbers
        self.rng, self.junk = np.random.default_rng(first), _junk(first)

    def bytes_of(self, node: int) -> Array:
        """Return the bytes of a leaf on each draw."""
        kind, name, number = self.table.leaf(node) or ("", "", 0)
        if kind == "input" and name in self.inputs:
            return self.inputs[name][:, number]
        if kind == "input" and name in self.numbers:
            half = self.numbers[name] >> 32 * number & 0xFFFF_FFFF
            return np.resize(np.frombuffer(half.to_bytes(4, "little"), np.uint8), (self.count, 4))
        size = self.table.size(node)
        if self.junk is not None:
            return np.resize(np.frombuffer(self.junk, np.uint8), (self.count, size))
        return self.rng.integers(0, 256, (self.count, size), np.uint8)
