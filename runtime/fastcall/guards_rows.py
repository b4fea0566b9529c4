"""The entries of kernels with extents given at the call, which are read from the first axes of their arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...encoder.records import NamedTuple
from ...microkernels.gather.counted_spec import CountedSpec
from ...microkernels.gather.counted_spec import parameters_of as parameters_of_counted
from ...microkernels.indexed.spec import IndexedSpec
from ...microkernels.operands import RUNTIME, Number, Operand, last_outputs
from ...microkernels.reduce.spec import ReduceSpec
from ...microkernels.rows.spec import RowsSpec
from ...microkernels.rows.spec import parameters as product_parameters
from ...microkernels.rowwise.spec import RowwiseSpec, parameters_of
from ..arguments.arrays import numpy_dtype
from ..system import cpython
from .guards import Apart, Array, Entry, Extent, Rows
from .guards_array import Builder, size_of


class Counted(NamedTuple):
    """The extent of this name, read from the first axis of an array, which has `more` elements more."""

    extent: str
    more: int = 0


def rowwise_entry(spec: RowwiseSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if no call can pass."""
    request = spec.request
    if isinstance(request, IndexedSpec) and (request.bounds == "call" or request.scattered):
        return None
    counted = dict.fromkeys(spec.banded, Counted(spec.extent))
    collected = _Collected(spec.arguments, counted, Builder(release_above, not isinstance(spec.request, ReduceSpec)))
    return collected.entry(spec.in_place, [name for _, name in parameters_of(spec)], release)


def rows_entry(spec: RowsSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Return the same for a product. A product with any number of columns has no entry."""
    if spec.outer != "m" or spec.groups[0] > 1:
        return None
    counted = dict.fromkeys(("a", "c"), Counted(spec.outer))
    names = [name for _, name in product_parameters(spec)]
    return _Collected(spec.operands, counted, Builder(release_above)).entry((), names, release, spec.beta == 0)


def counted_entry(spec: CountedSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """Return the same for gathers and bags that check indices themselves and whose extents are first axes."""
    places = [(each, name) for name, all_of_it in spec.places.items() for each in all_of_it]
    counted = {each.operand: Counted(name, each.more) for each, name in places}
    looks = spec.request.bounds == "call" and any(each.name == "index" for each in spec.arguments)
    looks = looks or getattr(spec.request, "include_last_offset", None) is False
    if looks or any(each.axis for each, _ in places) or len(counted) < len(places):
        return None
    names = [name for _, name in parameters_of_counted(spec)]
    return _Collected(spec.arguments, counted, Builder(release_above)).entry((), names, release, False)


class _Collected:
    """Guards of arguments, some of which are counted."""

    def __init__(self, arguments: Sequence[Operand | Number], counted: Mapping[str, Counted], builder: Builder) -> None:
        self.arguments, self.counted, self.builder = arguments, counted, builder
        self.matrices = [each for each in arguments if isinstance(each, Operand)]
        self.known: set[str] = set()

    def entry(self, in_place: Sequence[str], names: list[str], release: str,
              writes_only: bool = True) -> tuple[Entry, list[int]] | None:  # fmt: skip
        """Return the collected entry, or None if leading dimensions are given at the call, too: these, together with
        extents, are checked in Python."""
        if any(each.view.leading is RUNTIME for each in self.matrices):
            return None
        for position, argument in enumerate(self.arguments):
            if isinstance(argument, Number):
                self.builder.number(position, argument)
            elif argument.name in self.counted:
                self._rows(position, argument)
            else:
                self.builder.array(position, argument)
        outputs = [each for each in self.matrices if each.output]
        for i, output in enumerate(outputs):
            for other in [each for each in self.matrices if not each.output] + outputs[i + 1 :]:
                alike = other._replace(name="", output=False) == output._replace(name="", output=False)
                self.builder.add(Apart(self._extent(output), self._extent(other), other.name in in_place and alike))
        told = any(each.name in self.counted and not each.output for each in self.matrices)
        made = outputs[0] if len(outputs) == 1 and last_outputs(self.arguments) and told and writes_only else None
        return self.builder.entry(names, release, made, next(iter(self.counted.values())).extent)

    def _rows(self, position: int, operand: Operand) -> None:
        """Add the guards of a matrix whose rows are counted, or of a vector whose elements are."""
        builder, dtype, size = self.builder, numpy_dtype(operand.dtype), size_of(operand)
        leading, counted = operand.view.leading, self.counted[operand.name]
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
        known = counted.extent in self.known
        builder.add(Rows(position, operand.name, counted.extent, known, step, counted.more))
        self.known.add(counted.extent)

    def _extent(self, operand: Operand) -> Extent:
        """Return the bytes of an operand. A counted one has rows * leading + columns - leading elements."""
        if operand.name not in self.counted:
            return self.builder.extent(operand)
        size, leading, counted = size_of(operand), operand.view.leading, self.counted[operand.name]
        assert isinstance(leading, int)
        step, beyond = (1, 0) if operand.vector else (leading, operand.columns - leading)
        fixed = self.builder.constant((counted.more * step + beyond) * size)
        return Extent(operand.name, fixed, counted.extent, self.builder.amount(step * size))
