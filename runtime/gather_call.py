"""Calls of gathers and scatters: the index is checked before anything is called, unless the kernel does it."""

from __future__ import annotations

import inspect
from typing import Any

from ..microkernels.gather_spec import GatherSpec
from .array_call import ArrayCall
from .arrays import Array
from .signature import array_signature


class GatherCall(ArrayCall):
    """IndexError for an index outside; a scatter needs its output, of which it writes a part."""

    def __init__(self, spec: GatherSpec) -> None:
        super().__init__(spec)
        self.spec = spec

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """As every call; then every index is looked at."""
        integers, arrays = super().__call__(*args, **leading)
        if self.spec.indices is not None and self.spec.bounds == "call":
            _inside(self.spec, arrays[1])
        return integers, arrays

    def with_output(self, args: tuple[Any, ...]) -> tuple[Array | None, tuple[Any, ...]]:
        """A new output for gathers only."""
        return super().with_output(args) if self.spec.verb == "gather" else (None, args)


def _inside(spec: GatherSpec, index: Array) -> None:
    """Every index from 0 to size - 1."""
    if index.min() >= 0 and index.max() < spec.size:
        return
    place = ((index < 0) | (index >= spec.size)).ravel().argmax()
    what = {"rows": "rows", "columns": "columns", "offsets": "elements"}[spec.by]
    raise IndexError(f"index: number {place} is {index.ravel()[place]}; {spec.wide.name} has {spec.size} {what}, "
                     f"counted from 0")  # fmt: skip


def gather_signature(spec: GatherSpec) -> inspect.Signature:
    """The output of a scatter has no default."""
    found = array_signature(spec)
    if spec.verb == "gather":
        return found
    return found.replace(parameters=[each.replace(default=each.empty) for each in found.parameters.values()])
