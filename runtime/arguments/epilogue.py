"""Calls of BRGEMM kernels with an epilogue: the arguments of the plain kernel, the epilogue's operands behind c.

    mm(a, b, c, bias)                        and so on in the other batch modes: what follows c there follows bias

An operand of one row, one column or one element is one-dimensional, or a matrix of one row or column.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.operands import Operand
from . import signature as signatures
from .arrays import Array, address_of, array_at, as_array, numpy_dtype
from .gemm import GemmCall, adds_to_c
from .matrices import apart, matrix, scalar
from .regions import Region, gemm_regions

BEHIND = 3
"""The position of the first operand of the epilogue: a, b and c come first."""


class EpilogueCall(GemmCall):
    """Checks and converts the arguments of one spec's kernel."""

    def __init__(self, spec: EpilogueSpec) -> None:
        super().__init__(spec)
        self.extras = [as_vector(extra) for extra in spec.extras]

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """(integers for the C function, objects to keep alive during the call)."""
        count = len(self.extras)
        if len(args) < BEHIND + count:
            names = ", ".join(signature(self.spec).parameters)  # type: ignore[arg-type]
            hint = f"; {adds_to_c(self.spec)}" if len(args) == BEHIND - 1 + count and self.spec.beta != 0 else ""
            raise TypeError(f"this kernel takes {names}, not {len(args)} arguments{hint}")
        given = args[BEHIND : BEHIND + count]
        a, b, c = args[:BEHIND]
        c = as_array("c", c)  # once: an object might give other memory the next time
        integers, keep = super().__call__(a, b, c, *args[BEHIND + count :], **leading)
        arrays = {extra.name: _array(extra, value) for extra, value in zip(self.extras, given)}
        apart("c", c, **arrays)
        return [*integers, *map(address_of, arrays.values())], [*keep, *arrays.values()]


def as_vector(operand: Operand) -> Operand:
    """One row, column or element as a one-dimensional operand."""
    if 1 not in (operand.rows, operand.columns):
        return operand
    return operand._replace(rows=1, columns=operand.rows * operand.columns, vector=True)


def _array(operand: Operand, value: Any) -> Array:
    array = scalar(operand, value) if isinstance(value, (int, float)) else as_array(operand.name, value)
    if operand.vector and array.ndim == 2 and 1 in array.shape:
        array = array[0] if array.shape[0] == 1 else array[:, 0]
    elif operand.vector and array.ndim == 0:
        array = array.reshape(1)
    return matrix(operand, array)[0]


def signature(spec: EpilogueSpec) -> inspect.Signature:
    """The arguments of a call."""
    plain = list(signatures.signature(spec).parameters.values())
    extras = [inspect.Parameter(extra.name, inspect.Parameter.POSITIONAL_ONLY) for extra in spec.extras]
    plain[BEHIND - 1] = plain[BEHIND - 1].replace(default=inspect.Parameter.empty)
    return inspect.Signature([*plain[:BEHIND], *extras, *plain[BEHIND:]])


def description(spec: EpilogueSpec) -> str:
    """The documentation of one kernel."""
    names = ", ".join(["c", *(extra.name for extra in spec.extras)])
    product = signatures.description(spec).partition("\n\n")[2].replace("Without c", "With None for c")
    lines = [f"mm{signature(spec)}", "", product, "", f"then C = f({names})"]
    lines += [f"{extra.name}   {extra.dtype} {extra.shape}" for extra in map(as_vector, spec.extras)]
    return "\n".join(lines)


def regions(spec: EpilogueSpec, integers: Sequence[int]) -> list[Region]:
    """The memory that a call with these integers may touch."""
    count = len(integers) - len(spec.extras)
    extras = [_region(extra, address) for extra, address in zip(map(as_vector, spec.extras), integers[count:])]
    return [*gemm_regions(spec, integers[:count]), *extras]


def _region(operand: Operand, address: int) -> Region:
    dtype = numpy_dtype(operand.dtype)
    step = operand.view.leading * dtype.itemsize  # type: ignore[operator]
    both = (step, dtype.itemsize) if operand.view.order == "C" else (dtype.itemsize, step)
    strides: tuple[int, ...] = (dtype.itemsize,) if operand.vector else both
    return Region(operand.name, array_at(address, operand.shape, strides, dtype), False)
