"""Calls of elementwise kernels and reductions: a row, column or element may be one-dimensional. A matrix of an
elementwise kernel may have additional leading axes."""

from __future__ import annotations

from typing import Any

from ...microkernels.operands import Operand
from .arrays import address_of, as_array
from .matrices import scalar
from .operands import ArrayCall


class EltwiseCall(ArrayCall):
    """Checks and converts the arguments of one request."""

    deep = True

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        given = [self._shaped(argument, value) for argument, value in zip(self.arguments, args)]
        return super().__call__(*given, *args[len(given) :], **leading)

    def _shaped(self, argument: Any, value: Any) -> Any:
        """Return an array with fewer or more axes as the operand's matrix, if it has the same elements: (n,) for one
        row, (b, m, n) for b * m rows. A Python number stands for an operand of one element."""
        if not isinstance(argument, Operand):
            return value
        if isinstance(value, (int, float)):
            return scalar(argument, value)
        array = as_array(argument.name, value)
        rows, columns = argument.rows, argument.columns
        line = array.ndim < 2 and 1 in (rows, columns) and array.size == rows * columns
        deep = self.deep and array.ndim > 2 and array.shape[-1] == columns and array.size == rows * columns
        if not (line or deep):
            return array
        shaped = array.reshape(argument.shape)
        # a copy would not be the array that was passed
        return shaped if address_of(shaped) == address_of(array) else array


class ReductionCall(EltwiseCall):
    """Checks and converts the arguments of a reduction, whose axes are those of a matrix."""

    deep = False
