"""Calls of gathers and scatters. The index is checked before the kernel is called, unless the kernel checks it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Array, Made, address_of, as_array
from .operands import ArrayCall
from .signature import array_signature

if TYPE_CHECKING:
    from ...microkernels.gather.bag_spec import BagSpec
    from ...microkernels.gather.spec import GatherSpec


class GatherCall(ArrayCall):
    """Raises IndexError for an index out of range. A scatter needs its output, because it writes only a part of it."""

    def __init__(self, spec: GatherSpec) -> None:
        super().__init__(spec)
        self.spec = spec

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Convert the arguments as for other kernels; then copy the index and check every element."""
        integers, arrays = super().__call__(*args, **leading)
        if self.spec.indices is not None and self.spec.bounds == "call":
            _inside(self.spec, copied(integers, arrays, 1))
        return integers, arrays

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Make new outputs for gathers only."""
        return super().with_output(args) if self.spec.verb == "gather" else (None, args)


def _inside(spec: GatherSpec, index: Array) -> None:
    what = {"rows": "rows", "columns": "columns", "offsets": "elements"}[spec.by]
    below("index", index, spec.size, f"{spec.wide.name} has {spec.size} {what}, counted from 0")


def copied(integers: list[int], arrays: list[Any], position: int, argument: int | None = None) -> Array:
    """Replace an argument by a copy, which nobody can change after it was checked, and return the copy. `position`
    counts the arrays; `argument` counts all arguments, if there are also numbers."""
    copy: Array = arrays[position].copy()
    arrays[position], integers[position if argument is None else argument] = copy, address_of(copy)
    return copy


def below(name: str, index: Array, size: int, limit: str) -> None:
    """Require that every element lies between 0 and size - 1. `limit` explains the range."""
    if not index.size or index.view(f"u{index.itemsize}").max() < size:  # as unsigned numbers, negative ones are large
        return
    place = ((index < 0) | (index >= size)).ravel().argmax()
    raise IndexError(f"{name}: entry {place} is {index.ravel()[place]}; {limit}")


class BagCall(ArrayCall):
    """Raises IndexError for an index or an offset out of range."""

    def __init__(self, spec: BagSpec) -> None:
        super().__init__(spec)
        self.spec = spec

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Convert the arguments as for other kernels; then copy the index and the offsets and check every element."""
        integers, arrays = super().__call__(*self._with_last(args), **leading)
        if self.spec.bounds == "call":
            index, offsets = (copied(integers, arrays, place) for place in (1, 3 if self.spec.weighted else 2))
            count, size = self.spec.count, self.spec.size
            below("index", index, size, f"x has {size} rows, counted from 0")
            below("offsets", offsets, count + 1, f"offsets are from 0 to {count}, the length of the index")
            if (offsets[1:] < offsets[:-1]).any():
                place = int((offsets[1:] < offsets[:-1]).argmax())
                raise IndexError(f"offsets: must not decrease, but entry {place + 1} is {offsets[place + 1]}, below "
                                 "the one before it")  # fmt: skip
        return integers, arrays


    def _with_last(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments with the last offset, the end of the index, if the call leaves it out."""
        spec, place = self.spec, 3 if self.spec.weighted else 2
        if len(args) <= place:
            return args  # the number of arguments is wrong
        offsets, asked = as_array("offsets", args[place]), spec.include_last_offset
        if offsets.ndim != 1 or offsets.dtype != np.int64 or (len(offsets) == spec.bags + 1 and asked is not False):
            return args  # complete, or the check of arrays refuses it
        if len(offsets) != spec.bags or asked:
            forms = {True: f"{spec.bags + 1} entries", False: f"{spec.bags} entries without the end of the last bag",
                     None: f"{spec.bags + 1} entries, or {spec.bags} without the end of the last bag"}  # fmt: skip
            raise ValueError(f"offsets: must have {forms[asked]}, for {spec.bags} bags and include_last_offset="
                             f"{asked}, not {len(offsets)}")  # fmt: skip
        return *args[:place], np.append(offsets, spec.count), *args[place + 1 :]


def lacks_last(spec: BagSpec, offsets: Array, count: int, rows: int | None) -> bool:
    """Whether offsets for any number of bags lack the last one. `count` is the length of the index, `rows` that of y if
    the call gives it. Raises ValueError if nothing tells."""
    if spec.include_last_offset is not None:
        return not spec.include_last_offset
    if rows is not None:
        return len(offsets) == rows
    if len(offsets) and offsets[-1] >= count:  # one beyond the index is refused by the check of offsets
        return False
    end = offsets[-1] if len(offsets) else "nothing"
    raise ValueError(f"offsets: end with {end}, and the index has {count} entries, so the last offset may be missing; "
                     "give y, or make the kernel with include_last_offset=False (torch's default: the last bag ends "
                     "with the index) or True (it ends with the last offset)")  # fmt: skip


def gather_signature(spec: GatherSpec) -> inspect.Signature:
    """Return the arguments of a call. The output of a scatter has no default."""
    found = array_signature(spec)
    if spec.verb == "gather":
        return found
    return found.replace(
        parameters=[parameter.replace(default=parameter.empty) for parameter in found.parameters.values()]
    )
