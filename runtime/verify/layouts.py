"""Matrices in their layouts: which element of the array of an operand an element of its matrix is.

    nodes = matrix_of(array, "vnni2", size, m, n)     the matrix that an array is
    data = array_of(elements, "vnni2", size)          the array of a matrix, whose padding is zero

The rows and columns of a layout are those of microkernels/transform/layouts.py. An array of order "F" is the matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...microkernels.eltwise.orders import COLUMNS, PLAIN, memory

Array = np.ndarray[Any, Any]
_ITSELF = ("", PLAIN, COLUMNS)


def matrix_of(array: Array, name: str, size: int, m: int, n: int) -> Array:
    """The elements of an m x n matrix, of which an array has the nodes."""
    if name in _ITSELF:
        return array
    layout = memory(name, size)
    found: Array = array.reshape(layout.shape(m, n))[places(layout, m, n)]
    return found


def array_of(elements: Array, name: str, size: int) -> Array:
    """The bytes of the array of a matrix, given as the bytes of its elements."""
    if name in _ITSELF:
        return elements
    (m, n), layout = elements.shape[:2], memory(name, size)
    made: Array = np.full((*layout.shape(m, n), size), -1, np.int64)
    made[places(layout, m, n)] = elements
    return made


def places(layout: Any, m: int, n: int) -> tuple[Array, Array]:
    """Row and column in the array of a layout, of each element of an m x n matrix."""
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
