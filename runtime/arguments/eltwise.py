"""Calls of elementwise kernels: a row, column or element may be one-dimensional, a matrix have more axes in front."""

from __future__ import annotations

from typing import Any

from ...microkernels.operands import Operand
from .arrays import address_of, as_array
from .matrices import scalar
from .operands import ArrayCall


class EltwiseCall(ArrayCall):
    """Checks and converts the arguments of one request."""

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """(integers for the C function, objects to keep alive during the call)."""
        given = [self._shaped(argument, value) for argument, value in zip(self.arguments, args)]
        return super().__call__(*given, *args[len(given) :], **leading)

    def _shaped(self, argument: Any, value: Any) -> Any:
        """The matrix that an operand is, where an array with fewer or more axes is the same elements: (n,) for one row,
        (b, m, n) for b * m rows. A number of Python is an operand of one element."""
        if not isinstance(argument, Operand):
            return value
        if isinstance(value, (int, float)):
            return scalar(argument, value)
        array = as_array(argument.name, value)
        rows, columns = argument.rows, argument.columns
        line = array.ndim < 2 and 1 in (rows, columns) and array.size == rows * columns
        deep = array.ndim > 2 and array.shape[-1] == columns and array.size == rows * columns
        if not (line or deep):
            return array
        shaped = array.reshape(argument.shape)
        return shaped if address_of(shaped) == address_of(array) else array  # a copy is not what was passed
