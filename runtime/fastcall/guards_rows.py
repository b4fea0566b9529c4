"""The entries of kernels whose rows the call counts: the first axis of their arrays says how many."""

from __future__ import annotations

from collections.abc import Sequence

from ...microkernels.operands import RUNTIME, Number, Operand, last_outputs
from ...microkernels.reduce.spec import ReduceSpec
from ...microkernels.rows.spec import RowsSpec
from ...microkernels.rows.spec import parameters as product_parameters
from ...microkernels.rowwise.spec import RowwiseSpec, parameters_of
from ..arguments.arrays import numpy_dtype
from ..system import cpython
from .guards import Apart, Array, Entry, Extent, Int, Rows
from .guards_array import Builder, size_of


def rowwise_entry(spec: RowwiseSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: no call can pass."""
    return _entry(spec.arguments, spec.banded, spec.in_place, [name for _, name in parameters_of(spec)], spec.extent,
                  release, release_above, lines=not isinstance(spec.request, ReduceSpec))  # fmt: skip


def rows_entry(spec: RowsSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """The same of a product; of one whose columns the call counts there is none."""
    if spec.outer != "m":
        return None
    return _entry(spec.operands, ("a", "c"), (), [name for _, name in product_parameters(spec)], spec.outer, release,
                  release_above, writes_only=spec.beta == 0)  # fmt: skip


def _entry(arguments: Sequence[Operand | Number], banded: Sequence[str], in_place: Sequence[str], names: list[str],
           count: str, release: str, release_above: int, lines: bool = False,
           writes_only: bool = True) -> tuple[Entry, list[int]] | None:  # fmt: skip
    """Leading dimensions that the call gives, beside rows that it counts, are looked at in Python."""
    matrices = [each for each in arguments if isinstance(each, Operand)]
    if any(each.view.leading is RUNTIME for each in matrices):
        return None
    builder, known = Builder(release_above, lines), False
    for position, argument in enumerate(arguments):
        if isinstance(argument, Number):
            builder.add(Int(position, argument.name, argument.least, 1))
        elif argument.name in banded:
            _rows(builder, position, argument, count, known)
            known = True
        else:
            builder.array(position, argument)
    outputs = [each for each in matrices if each.output]
    for i, output in enumerate(outputs):
        for other in [each for each in matrices if not each.output] + outputs[i + 1 :]:
            alike = other._replace(name="", output=False) == output._replace(name="", output=False)
            same = other.name in in_place and alike
            builder.add(Apart(_extent(builder, output, banded, count), _extent(builder, other, banded, count), same))
    told = any(each.name in banded and not each.output for each in matrices)
    made = outputs[0] if len(outputs) == 1 and last_outputs(arguments) and told and writes_only else None
    return builder.entry(names, release, made, count)


def _rows(builder: Builder, position: int, operand: Operand, count: str, known: bool) -> None:
    """The array of a matrix whose rows are counted."""
    dtype, size = numpy_dtype(operand.dtype), size_of(operand)
    leading = operand.view.leading
    assert isinstance(leading, int)
    gapless = operand.vector or leading == operand.columns
    flags = cpython.ALIGNED | cpython.WRITEABLE * operand.output | cpython.C_CONTIGUOUS * gapless
    strides = None if gapless or operand.columns == 1 else builder.amount(size)
    columns = () if operand.vector else (builder.amount(operand.columns),)
    array = Array(
        position, operand.name, builder.constant(id(dtype)), dtype.num, ord(dtype.byteorder), 1 + len(columns),
        columns, (strides,) * len(columns), flags, dtype.itemsize,
    )  # fmt: skip
    builder.arrays[operand.name] = array
    builder.add(array)
    step = None if gapless else builder.amount(leading * size)
    builder.add(Rows(position, operand.name, count, known, step))


def _extent(builder: Builder, operand: Operand, banded: Sequence[str], count: str) -> Extent:
    """The bytes of an operand: of one that is counted, rows * leading + columns - leading elements."""
    if operand.name not in banded:
        return builder.extent(operand)
    size, leading = size_of(operand), operand.view.leading
    assert isinstance(leading, int)
    if operand.vector:
        return Extent(operand.name, builder.constant(0), count, builder.amount(size))
    step = builder.amount(leading * size)
    return Extent(operand.name, builder.constant((operand.columns - leading) * size), count, step)
