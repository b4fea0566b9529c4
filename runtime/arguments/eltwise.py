"""Calls of elementwise kernels: an input of one row, column or element may be one-dimensional as well."""

from __future__ import annotations

from typing import Any

from ...microkernels.operands import Operand
from .arrays import as_array
from .operands import ArrayCall


class EltwiseCall(ArrayCall):
    """Checks and converts the arguments of one request."""

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """(integers for the C function, objects to keep alive during the call)."""
        given = [self._shaped(argument, value) for argument, value in zip(self.arguments, args)]
        return super().__call__(*given, *args[len(given) :], **leading)

    def _shaped(self, argument: Any, value: Any) -> Any:
        """A vector as the matrix of one row or column that the operand is."""
        if not isinstance(argument, Operand) or argument.output or 1 not in (argument.rows, argument.columns):
            return value
        array = as_array(argument.name, value)
        fits = array.ndim < 2 and array.size == argument.rows * argument.columns
        return array.reshape(argument.shape) if fits else array
