"""The memory that a call may touch, computed from the integers of its C function, for emulated calls.

A GEMM may touch every A_i and B_i. Their addresses follow from counts, strides and tables as the kernel's code computes
them. That is why regions are made from the integers and not from the arrays that Python passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ...microkernels.gemm.spec import parameters as gemm_parameters
from ...microkernels.operands import RUNTIME, Interface, Operand
from .arrays import Array, array_at, numpy_dtype

_POINTER = 8


class TouchedMemory(NamedTuple):
    """Memory that a call may touch, like the region of `emulation.core.memory`, which is imported only when needed."""

    name: str
    array: Array
    writable: bool = True


def array_regions(interface: Interface, integers: Sequence[int]) -> list[TouchedMemory]:
    """Return the matrices of a call whose arguments are matrices and numbers."""
    values = _values(interface.parameters(), integers)
    operands = interface.of([values[each.name] for each in interface.extents]).operands
    return [matrix_region(each, each.name, values[each.name], values) for each in operands]


def gemm_regions(spec: GemmSpec, integers: Sequence[int]) -> list[TouchedMemory]:
    """Return all matrices of the batch, and the tables that locate them."""
    values = _values(gemm_parameters(spec), integers)
    inputs = [each for each in spec.operands if each.name in "ab"]
    others = [each for each in spec.operands if each.name not in "ab"]
    regions = [matrix_region(each, each.name, values[each.name], values) for each in others]
    for operand in inputs:
        regions += _tables(spec, operand.name, values)
        places = enumerate(_matrix_addresses(spec, operand, values))
        regions += [matrix_region(operand, f"{operand.name}[{i}]", place, values) for i, place in places]
    return regions


def _values(named: list[tuple[str, str]], integers: Sequence[int]) -> dict[str, int]:
    return {name: value for (_, name), value in zip(named, integers)}


def _matrix_addresses(spec: GemmSpec, operand: Operand, values: dict[str, int]) -> Iterator[int]:
    """Yield the address of each matrix of the batch."""
    first = values[operand.name]
    if spec.batch is STRIDE:
        yield from (first + i * values[f"{operand.name}_stride"] for i in range(values["count"]))
    elif spec.strides is RUNTIME:
        yield from (first + i * values[f"{operand.name}_stride"] for i in range(int(spec.batch)))  # type: ignore[arg-type]
    elif spec.batch is OFFSET:
        yield from (first + int(offset) for offset in _table(values[f"{operand.name}_offsets"], values["count"], "i64"))
    elif spec.batch is ADDRESS:
        yield from (int(address) for address in _table(first, values["count"], "u64"))
    else:
        place = numpy_dtype(operand.dtype).itemsize * operand.group
        if isinstance(spec.strides, tuple):
            distances = spec.distances(operand.name)
        else:
            distances = (_leading(operand, values) * operand.lines,) * len(spec.counts)
        for index in np.ndindex(*spec.counts):
            yield first + place * sum(i * distance for i, distance in zip(index, distances))


def _tables(spec: GemmSpec, name: str, values: dict[str, int]) -> list[TouchedMemory]:
    if spec.batch is OFFSET:
        return [
            TouchedMemory(f"{name}_offsets", _table(values[f"{name}_offsets"], values["count"], "i64"), writable=False)
        ]
    if spec.batch is ADDRESS:
        return [TouchedMemory(f"{name}_addresses", _table(values[name], values["count"], "u64"), writable=False)]
    return []


def _table(address: int, count: int, dtype: str) -> Array:
    return array_at(address, (count,), (_POINTER,), numpy_dtype(dtype))


def matrix_region(operand: Operand, name: str, address: int, values: dict[str, Any]) -> TouchedMemory:
    """Return one matrix at an address."""
    dtype = numpy_dtype(operand.dtype)
    place = dtype.itemsize * operand.group
    step = _leading(operand, values) * place
    inner = (dtype.itemsize,) if operand.group > 1 else ()
    strides = (place,) if operand.vector else ((step, place) if operand.view.order == "C" else (place, step)) + inner
    return TouchedMemory(
        name, array_at(address, operand.matrix.shape, strides, dtype, writable=operand.output), operand.output
    )


def _leading(operand: Operand, values: dict[str, int]) -> int:
    leading = operand.view.leading
    return values[f"ld{operand.name}"] if leading is RUNTIME else leading
