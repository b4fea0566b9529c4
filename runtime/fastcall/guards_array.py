"""Make guards from operands: the entries of requests whose arguments are matrices and numbers, and those of
batch-reduce GEMMs, with one kind of guards for each batch mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ...microkernels.gemm.spec import parameters as product_parameters
from ...microkernels.operands import EXACT, RUNTIME, Axes, GivenExtent, Interface, Number, Operand, dense, given_extents
from ..arguments.dtypes import numpy_dtype
from ..system import cpython
from .guards import (
    FAR,
    RELEASE_ABOVE,
    Addresses,
    CallEntry,
    CopiedIndices,
    DynamicRows,
    ExactArray,
    Extent,
    Guard,
    IndexArray,
    Int,
    LeadingDimension,
    NoAlias,
    Offsets,
    Stack,
    StridedMatrices,
)
from .guards import ConstantValue as Fixed

if TYPE_CHECKING:
    import numpy as np

    from . import copied_indices

np = lazy(None, "numpy")
copied_indices = lazy(__package__, ".copied_indices")

_Dtype: TypeAlias = "np.dtype[Any]"


def array_entry(spec: Any, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants of a request's calls, or None if no call can pass."""
    return interface_entry(spec.interface, release, release_above)


def interface_entry(interface: Interface, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if no call can pass: if extents
    that are not first axes, or leading dimensions beside extents, are given at the call, or if ends are completed that
    nobody copies."""
    checks, ends = copied_indices.checks_of(interface) if interface.indices else [], interface.ends
    if ends is not None and ends.complete is False:
        if not checks:
            return None
        interface = copied_indices.given_to(interface)
    dynamic = _dynamic(interface) if interface.extents else {}
    if dynamic is None:
        return None
    builder, matrices = Builder(release_above, interface.axes != EXACT, dynamic), interface.operands
    for position, argument in enumerate(interface.arguments):
        if isinstance(argument, Number):
            builder.number(position, argument)
        else:
            builder.array(position, argument)
    outputs = [each for each in matrices if each.output]
    for i, output in enumerate(outputs):
        for other in [each for each in matrices if not each.output] + outputs[i + 1 :]:
            builder.no_alias(output, other, (other.name, output.name) in interface.aliasing and _alike(other, output))
    new = interface.new
    rows = dynamic[new[0].name].extent if len(new) == 1 and new[0].name in dynamic else ""
    told = not rows or any(each.name in dynamic and dynamic[each.name].extent == rows for each in interface.inputs)
    made = new[0] if len(new) == 1 and told and not (rows and ends and ends.complete is None) else None
    names = [name for _, name in interface.parameters()]
    if checks:
        builder.indices(checks, interface, names)
    return builder.entry(names, release, made, rows or (interface.extents[0].name if interface.extents else "count"))


class DynamicExtent(NamedTuple):
    """The extent of this name, read from an axis of an array in groups of `group`, which has `more` elements more. The
    extent is a multiple of `multiple`."""

    extent: str
    more: int = 0
    axis: int = 0
    group: int = 1
    multiple: int = 1


def _dynamic(interface: Interface) -> dict[str, DynamicExtent] | None:
    """Return the operands whose first axes say extents, or None if entries do not check such calls."""
    dynamic = _places_of(interface.extents)
    if dynamic is None or any(each.axis for each in dynamic.values()):
        return None
    if dynamic and any(
        each.view.leading is RUNTIME or (each.name in dynamic and each.group > 1) for each in interface.operands
    ):
        return None
    return dynamic


def _places_of(extents: Sequence[GivenExtent]) -> dict[str, DynamicExtent] | None:
    """Return the operands whose axes say extents, or None if one says several."""
    places = [(extent.name, place) for extent in extents for place in extent.places]
    multiple = max((place.group for _, place in places), default=1)
    dynamic = {
        place.operand: DynamicExtent(name, place.more, place.axis, place.group, multiple) for name, place in places
    }
    return dynamic if len(dynamic) == len(places) else None


def _alike(x: Operand, y: Operand) -> bool:
    """Whether arrays of both operands that start at the same address consist of the same elements."""
    return x._replace(name="", output=False) == y._replace(name="", output=False) and x.view.leading is not RUNTIME


def least(operand: Operand) -> int:
    """Return the leading dimension without gaps."""
    return dense(operand.view.order, operand.rows, operand.columns)


def size_of(operand: Operand) -> int:
    """Return the size of an element in bytes."""
    return numpy_dtype(operand.dtype).itemsize


def _contiguous(operand: Operand) -> int:
    """Return numpy's flag of dense arrays of the operand, or 0 if they have none."""
    if operand.vector or operand.view.order == "C":
        return cpython.C_CONTIGUOUS
    return cpython.F_CONTIGUOUS if operand.group == 1 else 0


_ONE = Axes()


class Builder:
    """Collects guards and constants."""

    def __init__(
        self, release_above: int, lines: bool = False, dynamic: Mapping[str, DynamicExtent] | None = None
    ) -> None:
        self.lines, self.dynamic, self.known = lines, dynamic or {}, set[str]()
        self.constants = [0, id(np.ndarray), id(int), id(np.int64), 0]
        self.constants[RELEASE_ABOVE] = release_above
        self.guards: list[Guard] = []
        self.arrays: dict[str, ExactArray] = {}
        self.arguments = 0
        self.possible = True

    def entry(
        self, names: list[str], release: str, made: Operand | None = None, count: str = "count"
    ) -> tuple[CallEntry, list[int]] | None:
        """Return the collected entry for a C function with these parameters, or None if an amount is too large (FAR).
        `made` is an argument that a call may leave out."""
        allocates = made is not None and _contiguous(made) and made.view.leading in (RUNTIME, least(made))
        if made is not None and made.name in self.dynamic:  # new arrays have two axes, the first one given by the call
            allocates = allocates and made.view.order == "C" and not (made.axes or self.dynamic[made.name].axis)
        last = self.arrays[made.name] if made and allocates else None
        fortran = made is not None and _contiguous(made) == cpython.F_CONTIGUOUS
        dtype = numpy_dtype(made.dtype) if made and last else None
        entry = CallEntry(self.arguments, tuple(self.guards), tuple(names), release, last, fortran, count, dtype)
        return (entry, self.constants) if self.possible else None

    def constant(self, value: int) -> int:
        """Return the index of a new constant. Equal constants are not shared, because a structure must not depend on
        which ones happen to be equal."""
        self.constants.append(value)
        return len(self.constants) - 1

    def amount(self, value: int) -> int:
        """Return the index of a new constant that is a number of elements or bytes."""
        self.possible &= value < FAR
        return self.constant(value)

    def add(self, guard: Guard) -> None:
        """Add a guard. If it has a position, count the argument there."""
        self.guards.append(guard)
        self.arguments = max(self.arguments, getattr(guard, "position", -1) + 1)

    def number(self, position: int, number: Number) -> None:
        """Add the guard of a number."""
        most = None if number.most is None else self.amount(number.most)
        self.add(Int(position, number.name, number.least, 1, most))

    def indices(self, checks: Sequence[int], interface: Interface, names: Sequence[str]) -> None:
        """Add the guard that copies and checks indices."""
        copied = tuple(each.name for each in interface.indices)
        read = {names.index(each) for each in (*copied, *(extent.name for extent in interface.extents))}
        first, *_ = [self.constant(word) for word in checks]
        self.add(CopiedIndices(first, tuple(sorted(read)), copied))

    def array(self, position: int, operand: Operand, axes: Axes | None = _ONE) -> None:
        """Add the guard of an operand's array with the axes of a batch in front, or None for both forms of the first
        matrix."""
        if operand.name in self.dynamic:
            other = self.dynamic[operand.name].axis or operand.view.leading is RUNTIME or operand.group > 1
            (self._along if other else self._rows)(position, operand)
            return
        dtype = numpy_dtype(operand.dtype)
        shape = (*(axes.shape if axes else ()), *operand.shape)
        flags = cpython.ALIGNED | (cpython.WRITEABLE if operand.output else 0)
        strides: tuple[int | None, ...] = (None,) * len(shape)
        leading, contiguous = None, _contiguous(operand)
        gapless = operand.vector or operand.view.leading == least(operand)
        dense = gapless and axes is not None and axes.distances is None
        if dense and (contiguous == cpython.C_CONTIGUOUS or (contiguous and axes == _ONE)):
            flags |= contiguous
        else:
            strides, leading = self.strides(operand, axes or _ONE)
        rank = None if axes is None else len(shape)
        line = self._line(operand, axes) if not any(strides) and leading is None else None
        self.exact(position, operand.name, dtype, rank, shape, strides, flags, leading, line)
        self.fixed_leading(operand, leading)

    def exact(
        self,
        position: int,
        name: str,
        dtype: _Dtype,
        rank: int | None,
        shape: Sequence[int],
        strides: tuple[int | None, ...],
        flags: int,
        leading: LeadingDimension | None = None,
        line: int | None = None,
        free: int | None = None,
    ) -> None:
        """Add the guard of an array: see `ExactArray`."""
        self.arrays[name] = ExactArray(
            position,
            name,
            self.constant(id(dtype)),
            dtype.num,
            ord(dtype.byteorder),
            rank,
            tuple(map(self.amount, shape)),
            strides,
            flags,
            dtype.itemsize,
            leading,
            line,
            free,
        )
        self.add(self.arrays[name])

    def fixed_leading(self, operand: Operand, found: LeadingDimension | None) -> None:
        """Set the leading dimension of a call to the least one if no stride of the array says it."""
        if operand.view.leading is RUNTIME and found is None:
            self.add(Fixed(f"ld{operand.name}", self.amount(least(operand))))

    def laid(
        self, position: int, name: str, dtype: _Dtype, shape: Sequence[int], strides: Sequence[int], out: bool
    ) -> Extent:
        """Add the guard of an array of this shape whose axes have these strides in bytes. Return the bytes from its
        first to its last element."""
        flags = cpython.ALIGNED | (cpython.WRITEABLE if out else 0)
        distances = tuple(self.amount(step) if extent > 1 else None for extent, step in zip(shape, strides))
        self.exact(position, name, dtype, len(shape), shape, distances, flags)
        span = sum((extent - 1) * step for extent, step in zip(shape, strides)) + dtype.itemsize
        return Extent(name, self.amount(span))

    def _rows(self, position: int, operand: Operand) -> None:
        """Add the guards of a matrix whose rows are dynamic, or of a vector whose elements are."""
        dtype, size = numpy_dtype(operand.dtype), size_of(operand)
        leading, dynamic = operand.view.leading, self.dynamic[operand.name]
        assert isinstance(leading, int)
        gapless = operand.vector or leading == operand.columns
        flags = cpython.ALIGNED | cpython.WRITEABLE * operand.output | cpython.C_CONTIGUOUS * gapless
        strides = None if gapless or operand.columns == 1 else self.amount(size)
        columns = tuple(map(self.amount, operand.shape[1:]))
        line = 0 if self.lines and gapless and operand.columns == 1 and len(columns) == 1 else None
        self.arrays[operand.name] = ExactArray(
            position,
            operand.name,
            self.constant(id(dtype)),
            dtype.num,
            ord(dtype.byteorder),
            1 + len(columns),
            columns,
            (strides,) * len(columns),
            flags,
            dtype.itemsize,
            line=line,
        )
        self.add(self.arrays[operand.name])
        step = None if gapless else self.amount(leading * size)
        self.add(DynamicRows(position, operand.name, dynamic.extent, dynamic.extent in self.known, step, dynamic.more))
        self.known.add(dynamic.extent)

    def _along(self, position: int, operand: Operand) -> None:
        """Add the guards of a matrix one of whose axes is dynamic, and whose leading dimension the call may give."""
        dtype, flags = numpy_dtype(operand.dtype), cpython.ALIGNED | cpython.WRITEABLE * operand.output
        strides, leading = self.strides(operand, _ONE)
        extent, more, axis, group, multiple = self.dynamic[operand.name]
        at = position, operand.name, dtype, len(operand.shape), operand.shape
        self.exact(*at, strides, flags, leading, free=axis)
        dense = f"ld{operand.name}" if operand.view.leading is RUNTIME and leading is None else None
        known = extent in self.known
        self.add(DynamicRows(position, operand.name, extent, known, None, more, axis, dense, group, multiple))
        self.known.add(extent)

    def _line(self, operand: Operand, axes: Axes | None) -> int | None:
        """Return the axis that an array of one axis has in the matrix."""
        if not self.lines or axes != _ONE or len(operand.shape) != 2 or 1 not in operand.shape:
            return None
        return 1 if operand.shape[0] == 1 else 0

    def strides(self, operand: Operand, axes: Axes) -> tuple[tuple[int | None, ...], LeadingDimension | None]:
        """Return the constants of the strides. For an axis of one element, any stride is accepted."""
        size, leading, first = size_of(operand), operand.view.leading, len(axes.shape)
        place, lines, length = size * operand.group, operand.lines, operand.length
        rows_lead = operand.view.order == "C"
        dense = axes.distances is None and prod(axes.shape) > 1
        line_axis, axis = (first, first + 1) if rows_lead else (first + 1, first)
        wanted: dict[int, int] = {}
        if operand.group > 1:
            wanted[first + 2] = self.amount(size)
        if length > 1:
            wanted[axis] = self.amount(place)
        found = None
        step = (leading if isinstance(leading, int) else operand.least) * place
        if leading is RUNTIME and lines > 1:
            matrix = self.amount(lines) if dense else None
            found = LeadingDimension(f"ld{operand.name}", line_axis, self.amount(step), place, matrix)
        elif leading is RUNTIME and dense:  # matrices of one line each: the next matrix is the next line
            found = LeadingDimension(f"ld{operand.name}", 0, self.amount(step), place)
        elif lines > 1:
            wanted[line_axis] = self.amount(step)
        if dense and found is None:
            wanted[0] = self.amount(step * lines)
        for at, (count, distance) in enumerate(zip(axes.shape, axes.distances or ())):
            if count > 1:
                wanted[at] = self.amount(distance * place)
        return tuple(wanted.get(i) for i in range(first + len(operand.shape))), found

    def no_alias(self, output: Operand, other: Operand, same: bool = False, axes: Axes = _ONE) -> None:
        """Require that the output shares no element with the other operand, which has the axes of a batch in front."""
        self.add(NoAlias(self.extent(output), self.extent(other, axes), same))

    def extent(self, operand: Operand, axes: Axes = _ONE) -> Extent:
        """Return the bytes from the first to the last element of a matrix, or of those of a batch. Of a dynamic one,
        the call gives the lines, which are `leading` places apart, or the places of each line."""
        if operand.name in self.dynamic:
            place, dynamic = size_of(operand) * operand.group, self.dynamic[operand.name]
            step = 1 if operand.vector else operand.view.leading
            if not isinstance(step, int):
                lead = f"ld{operand.name}", self.amount((operand.lines - 1) * place)
                along = dynamic.extent, self.amount(place // dynamic.group)
                return Extent(operand.name, self.constant(dynamic.more * place), (lead, along))
            beyond = 0 if operand.vector else operand.length - step
            fixed = self.constant((dynamic.more * step + beyond) * place)
            return Extent(operand.name, fixed, ((dynamic.extent, self.amount(step * place // dynamic.group)),))
        place, leading, length = size_of(operand) * operand.group, operand.view.leading, operand.length
        lines = operand.lines * (max(1, prod(axes.shape)) if axes.distances is None else 1)
        length += sum((count - 1) * distance for count, distance in zip(axes.shape, axes.distances or ()))
        if isinstance(leading, int):
            return Extent(operand.name, self.amount(((lines - 1) * leading + length) * place))
        lead = f"ld{operand.name}", self.amount((lines - 1) * place)
        return Extent(operand.name, self.amount(length * place), (lead,))


def stacked(builder: Builder, position: int, operand: Operand) -> None:
    """Add the guards of an array of matrices, whose last axes are like those of one matrix."""
    dtype = numpy_dtype(operand.dtype)
    strides, leading = builder.strides(operand, _ONE)
    flags = cpython.ALIGNED | (cpython.WRITEABLE if operand.output else 0)
    builder.exact(position, operand.name, dtype, len(operand.shape) + 1, operand.shape, strides, flags, leading)
    builder.fixed_leading(operand, leading)


@cache
def _words(letters: str) -> tuple[_Dtype, ...]:
    """Return the types of words with these letters, which C has two of."""
    return tuple(map(np.dtype, letters))


def gemm_entry(spec: GemmSpec, release: str, release_above: int) -> tuple[CallEntry, list[int]] | None:
    """Return the structure and the constants, without the function's address, or None if no call can pass."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading[:2]):
        return None  # nothing to read, or leading dimensions are keywords
    dynamic = counted_in(spec, spec.operands)
    if dynamic is None:
        return None
    builder = Builder(release_above, dynamic=dynamic)
    matrices(builder, spec, len(spec.operands))
    return builder.entry(
        [name for _, name in product_parameters(spec)], release, allocated(spec), spec.counted or "count"
    )


def counted_in(spec: GemmSpec, operands: Sequence[Operand]) -> dict[str, DynamicExtent] | None:
    """Return those of a product's operands whose axes say the extent that the call gives, if it gives one, or None if
    entries do not check such calls: those of a batch of a known size, in whose arrays other axes say it, go through
    Python."""
    if not spec.counted:
        return {}
    made = _places_of(given_extents(operands, {spec.counted: spec.counted}))
    if isinstance(spec.batch, int) or made is None:
        return None
    for (
        each
    ) in operands:  # the bytes of an array are no sum of terms if the call gives both its lines and their distance
        if each.name in made and each.view.leading is RUNTIME and made[each.name].axis == "CF".index(each.view.order):
            return None
    return made


def allocated(spec: GemmSpec) -> Operand | None:
    """Return c if a call may leave it out, or None: it says the extent of a call that has addresses of a and b."""
    told = not spec.counted or spec.batch is not ADDRESS
    return spec.operands[2] if spec.beta == 0 and told else None


def matrices(builder: Builder, spec: GemmSpec, behind: int, results: tuple[Operand, ...] = ()) -> None:
    """Add the guards of a, b and c, and of the arguments from position `behind` on that say where the pairs of a batch
    are. `results` beside c are only checked to be apart from the matrices of the batch; the batch guards come last."""
    guards: Callable[..., None] = {STRIDE: _strided, OFFSET: _offsets, ADDRESS: _addresses}.get(spec.batch, _fixed)  # type: ignore[arg-type]
    if spec.strides is RUNTIME:
        _no_alias(builder, spec, results)
        return
    guards(builder, spec, behind, results)


def _fixed(builder: Builder, spec: GemmSpec, behind: int, results: tuple[Operand, ...]) -> None:
    a, b, c = spec.operands
    for position, (operand, axes) in enumerate(((a, spec.axes("a")), (b, spec.axes("b")), (c, _ONE))):
        builder.array(position, operand, axes)
    no_alias_with_pairs(builder, spec, c)


def no_alias_with_pairs(builder: Builder, spec: GemmSpec, output: Operand) -> None:
    """Require that an output, whose array was checked, is apart from a and b if these are arrays of the whole batch."""
    if spec.strides is not RUNTIME and (spec.batch is None or isinstance(spec.batch, int)):
        for operand in spec.operands[:2]:
            builder.no_alias(output, operand, axes=spec.axes(operand.name))


def _no_alias(builder: Builder, spec: GemmSpec, results: tuple[Operand, ...]) -> None:
    """Add the guards of a fixed batch: whole arrays whose first axis may have any stride."""
    a, b, c = spec.operands
    count = builder.amount(int(spec.batch))  # type: ignore[arg-type]
    for position, operand in enumerate((a, b)):
        stacked(builder, position, operand)
    builder.array(2, c)
    for operand in (a, b):
        array, stride = builder.arrays[operand.name], f"{operand.name}_stride"
        builder.add(Stack(array, stride, builder.extent(operand), count, True))
        others = tuple(map(builder.extent, results))
        builder.add(StridedMatrices(array, stride, builder.extent(operand), builder.extent(c), count, others))


def _first_and_c(builder: Builder, spec: GemmSpec) -> None:
    for position, (operand, axes) in enumerate(zip(spec.operands, (None, None, _ONE))):
        builder.array(position, operand, axes)


def _strided(builder: Builder, spec: GemmSpec, behind: int, results: tuple[Operand, ...]) -> None:
    a, b, c = spec.operands
    _first_and_c(builder, spec)
    builder.add(Int(behind, "count", 1, 1))
    for position, operand in enumerate((a, b), behind + 1):
        builder.add(Int(position, f"{operand.name}_stride", None, size_of(operand)))
    for operand in (a, b):
        extents = builder.extent(operand), builder.extent(c)
        others = tuple(map(builder.extent, results))
        builder.add(StridedMatrices(builder.arrays[operand.name], f"{operand.name}_stride", *extents, others=others))


def _offsets(builder: Builder, spec: GemmSpec, behind: int, results: tuple[Operand, ...]) -> None:
    a, b, c = spec.operands
    _first_and_c(builder, spec)
    for position, operand in enumerate((a, b), behind):
        _table(builder, position, f"{operand.name}_offsets", _words("lq"), operand is a)
    for operand in (a, b):
        extents = builder.extent(operand), builder.extent(c)
        others = tuple(map(builder.extent, results))
        builder.add(Offsets(builder.arrays[operand.name], f"{operand.name}_offsets", *extents, others))


def _addresses(builder: Builder, spec: GemmSpec, behind: int, results: tuple[Operand, ...]) -> None:
    a, b, c = spec.operands
    for position, operand in enumerate((a, b)):
        _table(builder, position, operand.name, _words("LQ"), operand is a)
    builder.array(2, c)
    for operand in (a, b):
        others = tuple(map(builder.extent, results))
        builder.add(Addresses(operand.name, builder.extent(operand), builder.extent(c), size_of(operand), others))


def _table(builder: Builder, position: int, to: str, dtypes: Sequence[_Dtype], counts: bool) -> None:
    usual, other = dtypes
    builder.add(IndexArray(position, to, builder.constant(id(usual)), (usual.num, other.num), counts))
