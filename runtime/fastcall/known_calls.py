"""Skip the checks of a call whose arrays have the same shapes, strides and types as those of an earlier call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, address_of, byte_bounds, plain
from .foreign import tensor_or_refusal

_KEPT = 64


class _KnownCall(NamedTuple):
    """A call that was checked.

    integers   the integers of the call; the first ones are the addresses of the arguments
    bounds     for each array, the bytes from its first element to its lowest byte and to the byte past its highest one
    same       pairs of an output and another array that were the same elements
    """

    integers: tuple[int, ...]
    bounds: tuple[tuple[int, int], ...]
    same: frozenset[tuple[int, int]]


class KnownCalls:
    """The calls of one kernel that passed the checks, each with the integers that its machine code received.

    `outputs` are the positions of the arguments that are written. Threads may share the object: each finds what the
    others keep.
    """

    def __init__(self, outputs: Sequence[int]) -> None:
        self.outputs = tuple(outputs)
        self._known: dict[Any, _KnownCall] = {}

    def find(self, args: tuple[Any, ...]) -> tuple[list[int], list[Array]] | None:
        """Return (integers for machine code, objects to keep alive during the call), or None if the call must be
        checked."""
        arrays = _plain(args)
        known = None if arrays is None else self._known.get(_key(arrays))
        if arrays is None or known is None or not all(each.flags.aligned for each in arrays):
            return None
        addresses = [address_of(each) for each in arrays]
        reach = [(at + low, at + high) for at, (low, high) in zip(addresses, known.bounds)]
        if not all(arrays[output].flags.writeable for output in self.outputs):
            return None
        if any(
            reach[output][0] < behind
            and first < reach[output][1]
            and output != number
            and not ((output, number) in known.same and addresses[output] == addresses[number])
            for output in self.outputs
            for number, (first, behind) in enumerate(reach)
        ):
            return None
        return [*addresses, *known.integers[len(addresses) :]], arrays

    def keep(self, args: tuple[Any, ...], integers: Sequence[int]) -> None:
        """Remember a call that was checked. Calls with arguments that are neither numpy's arrays nor tensors of torch,
        or that were copied, are not kept."""
        arrays = _plain(args)
        if arrays is None:
            return
        addresses = [address_of(each) for each in arrays]
        if addresses != list(integers[: len(addresses)]) or not all(each.size for each in arrays):
            return
        same = frozenset(
            (output, number)
            for output in self.outputs
            for number, at in enumerate(addresses)
            if number != output and at == addresses[output]
        )
        relative = ((low - at, high - at) for at, (low, high) in zip(addresses, map(byte_bounds, arrays)))
        if len(self._known) >= _KEPT:
            self._known = {}
        self._known[_key(arrays)] = _KnownCall(tuple(integers), tuple(relative), same)


def _plain(args: tuple[Any, ...]) -> list[Array] | None:
    """Return arrays of numpy's of the same memory, whose shapes no other thread can change, or None if an argument is
    neither an array of numpy's nor a tensor of torch that kernels can read; the checks say why."""
    arrays = [tensor_or_refusal("", each) for each in args]
    return [plain(each) for each in arrays] if all(type(each) is np.ndarray for each in arrays) else None


def _key(arrays: Sequence[Array]) -> tuple[Any, ...]:
    return tuple((each.shape, each.strides, each.dtype) for each in arrays)
