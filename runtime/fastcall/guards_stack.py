"""The entries of stacks of products: three arrays of matrices, the distance between them from the arrays' strides."""

from __future__ import annotations

from ...microkernels.operands import RUNTIME, Operand
from ...microkernels.stack.spec import StackSpec, parameters
from ..arguments.arrays import numpy_dtype
from ..system import cpython
from .guards import Array, Entry, Number, Stack, StackApart
from .guards_array import Builder, least


def stack_entry(spec: StackSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: no call can pass."""
    if spec.stack == 0:
        return None  # nothing to read, and no strides that say anything
    builder = Builder(release_above)
    made: list[Stack] = []
    count = builder.amount(spec.stack) if isinstance(spec.stack, int) else None
    for position, operand in enumerate(spec.operands):
        _matrices(builder, position, operand)
    for operand in spec.operands:
        known = count is not None or bool(made)
        made.append(
            Stack(builder.arrays[operand.name], f"{operand.name}_stride", builder.extent(operand), count, known)
        )
        builder.add(made[-1])
    for other in made[:2]:
        builder.add(StackApart(made[2], other))
    return builder.entry([name for _, name in parameters(spec)], release)


def _matrices(builder: Builder, position: int, operand: Operand) -> None:
    """An array of matrices: the last axes as one matrix has them."""
    dtype = numpy_dtype(operand.dtype)
    strides, leading = builder.strides(operand, 0)
    array = Array(
        position, operand.name, builder.constant(id(dtype)), dtype.num, ord(dtype.byteorder), len(operand.shape) + 1,
        tuple(map(builder.amount, operand.shape)), strides,
        cpython.ALIGNED | (cpython.WRITEABLE if operand.output else 0), dtype.itemsize, leading,
    )  # fmt: skip
    builder.arrays[operand.name] = array
    builder.add(array)
    if operand.view.leading is RUNTIME and leading is None:
        builder.add(Number(f"ld{operand.name}", builder.amount(least(operand))))
