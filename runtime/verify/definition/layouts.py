"""Map the elements of a matrix to the elements of the array that stores it in a given layout.

    elements = matrix_of(data, "vnni2", m, n)      the matrix that an array stores
    data = array_of(elements, "vnni2", size)       the array that stores a matrix; its padding is zero

The bytes of each element lie along a last axis.

The layouts are those of microkernels/transform/layouts.py. An array of order "F" is used as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....microkernels.eltwise.orders import COLUMNS, PLAIN, memory

Array = np.ndarray[Any, Any]
_ITSELF = ("", PLAIN, COLUMNS)


def matrix_of(data: Array, name: str, m: int, n: int) -> Array:
    """Return the elements of the m x n matrix that an array stores in the layout `name`."""
    if name in _ITSELF:
        return data
    layout = memory(name, data.shape[-1])
    found: Array = data.reshape(*layout.shape(m, n), -1)[places(layout, m, n)]
    return found


def array_of(elements: Array, name: str, size: int) -> Array:
    """Return the bytes of the array that stores a matrix, given the bytes of its elements. The padding is zero."""
    if name in _ITSELF:
        return elements
    (m, n), layout = elements.shape[:2], memory(name, size)
    made: Array = np.full((*layout.shape(m, n), size), -1, np.int64)
    made[places(layout, m, n)] = elements
    return made


def places(layout: Any, m: int, n: int) -> tuple[Array, Array]:
    """Return the row and the column, in the array of a layout, of each element of an m x n matrix."""
    i, j = np.indices((m, n))
    row, column = np.zeros_like(i), np.zeros_like(i)
    for digit, stride in layout.strides(m, n):
        number = (i if digit.dim == "i" else j) // digit.step
        if digit.radix:
            number = number % digit.radix
        if stride:
            column = column + number * stride
        else:
            row = number
    return row, column
