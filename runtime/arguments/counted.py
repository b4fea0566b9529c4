"""Calls of products of which each call gives an extent: the number of rows or columns of C, or the depth k.

    mm(a, b, c, ...)     the arguments of a product of known extents, in every batch mode and with an epilogue

The number is that of the array for c, or of the factor that shares it with C if the call leaves c out; k is that of a.
The arguments are then checked as those of the product of that number; in C the number follows c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from ...microkernels.gemm.spec import ADDRESS, GemmSpec
from ...microkernels.tensor.extent import SymbolicExtent
from .arrays import Made, as_array
from .epilogue import BEHIND
from .gemm import GemmCall, adds_to_c

if TYPE_CHECKING:
    from .regions import TouchedMemory

S = TypeVar("S", bound=GemmSpec)


def call_of(spec: S, make: Callable[[S], GemmCall]) -> GemmCall | CountedCall:
    """Return what checks the arguments of calls: as `make` does for a request of known extents."""
    return CountedCall(spec, make) if spec.counted else make(spec)


class CountedCall:
    """Checks and converts the arguments of one spec's kernel, as those of the request of the call's extent."""

    def __init__(self, spec: S, make: Callable[[S], GemmCall]) -> None:
        self.spec = spec
        self._of = lru_cache(lambda number: make(spec.of(number)))
        self.dtype = self._of(1).dtype

    def __call__(self, *args: object, **leading: object) -> tuple[list[int], list[object]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        number = self._number(args)
        if self.spec.counted == "k" and number % self.spec.whole_k:
            raise ValueError(f"k: a multiple of {self.spec.whole_k}, the group of a packed operand, not {number}")
        integers, keep = self._of(number)(*args, **leading)
        return [*integers[:BEHIND], number, *integers[BEHIND:]], keep

    def with_output(self, args: tuple[object, ...]) -> tuple[Made, tuple[object, ...]]:
        """Return the new outputs or None, and the arguments including them."""
        return self._of(self._number(args)).with_output(args)

    def _number(self, args: Sequence[object]) -> int:
        """Return the extent of a call, from the array for c or from the first factor that has it. Raises ValueError if
        both have it, and it differs."""
        name, of_c = self.spec.holders[0], "c" in self.spec.holders
        axis = {"m": 0, "n": 1, "k": 1}[self.spec.counted]
        if of_c and len(args) >= BEHIND and args[BEHIND - 1] is not None:
            shape = as_array("c", args[BEHIND - 1]).shape
            if len(shape) != 2:
                raise ValueError(f"c: shape {self.spec.operands[2].shape}, not {shape}")
            of_factor = None if self.spec.batch is ADDRESS else self._of_factor(name, args, axis)
            if of_factor not in (None, shape[axis]):
                factor = as_array(name, args["ab".index(name)]).shape
                raise ValueError(
                    f"{self.spec.counted}: a call gives one number, but {name} {factor} has {of_factor} and c {shape} "
                    f"has {shape[axis]}"
                )
            return int(shape[axis])
        if self.spec.batch is ADDRESS:
            raise TypeError(f"c: must be given, since its shape says {self.spec.counted}; addresses have no shape")
        if len(args) < BEHIND - 1:
            raise TypeError(f"this kernel takes a, b and c first, not {len(args)} arguments")
        if of_c and self.spec.beta != 0:
            raise TypeError(f"c: {adds_to_c(self.spec)}")
        number = self._of_factor(name, args, axis)
        if number is None:
            axes, shape = len(self.spec.operands["ab".index(name)].shape), as_array(name, args["ab".index(name)]).shape
            raise ValueError(f"{name}: {axes} axes or more, not of shape {shape}")
        return number

    def _of_factor(self, name: str, args: Sequence[object], axis: int) -> int | None:
        """Return the extent of the array for a factor along an axis of its matrices; None if it has fewer axes."""
        place = "ab".index(name)
        axes, shape = len(self.spec.operands[place].shape), as_array(name, args[place]).shape
        if len(shape) < axes:
            return None
        extent = self.spec.operands[place].shape[axis]
        return int(shape[len(shape) - axes + axis]) * (extent.group if isinstance(extent, SymbolicExtent) else 1)


def regions(
    spec: S, integers: Sequence[int], of_known: Callable[[S, Sequence[int]], list[TouchedMemory]]
) -> list[TouchedMemory]:
    """Return the memory that a call with these integers may touch. of_known: that of a request of known extents."""
    if not spec.counted:
        return of_known(spec, integers)
    return of_known(spec.of(integers[BEHIND]), [*integers[:BEHIND], *integers[BEHIND + 1 :]])
