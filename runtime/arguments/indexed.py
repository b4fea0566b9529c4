"""Calls of traced functions with indexed rows. Each index is checked before the call, unless the kernel checks it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from .arrays import Made
from .eltwise import EltwiseCall
from .gather import below, copied
from .signature import array_signature

if TYPE_CHECKING:
    from ...microkernels.indexed.spec import IndexedSpec


class IndexedCall(EltwiseCall):
    """Raises IndexError for an index out of range. A scattered output must be passed: only a part of it is written."""

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self.spec = spec

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Convert the arguments as for other kernels; then copy every index and check its elements."""
        integers, arrays = super().__call__(*args, **leading)
        if self.spec.bounds == "call":
            names = [each.name for each in self.matrices]
            places = [each.name for each in self.arguments]
            for index, (table, rows) in self.spec.limits.items():
                number = names.index(index)
                copy = copied(integers, arrays, number, places.index(index))
                below(index, copy, rows, f"{table} has {rows} rows, counted from 0")
        return integers, arrays

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Make new outputs if none is scattered."""
        return (None, args) if self.spec.scattered else super().with_output(args)


def indexed_signature(spec: IndexedSpec) -> inspect.Signature:
    """Return the arguments of a call. Scattered outputs have no default."""
    found = array_signature(spec)
    if not spec.scattered:
        return found
    return found.replace(
        parameters=[parameter.replace(default=parameter.empty) for parameter in found.parameters.values()]
    )
