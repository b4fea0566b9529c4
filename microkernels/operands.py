"""The arguments of a kernel: matrices in memory, by shape, type, order and leading dimension; and whole numbers.

A leading dimension is the distance in elements between neighbouring rows (order "C") or columns (order "F").

An `Interface` says what the calls of a kernel take. Everything about a call is derived from it: the parameters of the C
function, the checks in Python and in machine code, the signature, the documentation, and the memory that the call may
touch. Each request has one as its property `interface`; those of products with batches have their own rules beside it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from numbers import Real
from operator import index
from typing import Any, Final, TypeVar

from ..encoder.errors import shown
from ..encoder.records import NamedTuple, cached_property
from .dtypes import DTYPES
from .errors import UnsupportedError
from .tensor.extent import SymbolicExtent


class Leading(Enum):
    """A leading dimension that is not a number.

    RUNTIME     given at the call: from Python by the array's strides, or by a keyword (lda=) if there is no array; from
                C as an argument, in elements
    """

    RUNTIME = "runtime"

    def __repr__(self) -> str:
        return self.name


T = TypeVar("T")
RUNTIME: Final = Leading.RUNTIME
LeadingDimension = int | Leading
CACHE_LINE = 64
"""The bytes of a cache line. Where lines are longer, some are prefetched twice."""
NOMINAL_ROWS = 64
"""The number of rows that is assumed in planning a kernel for any number of rows (RUNTIME)."""
BYTE = 8  # elements that share a byte of a mask of bits
ROWS = SymbolicExtent("m", NOMINAL_ROWS)
"""The number of rows that each call gives."""
LARGEST = (1 << 31) - 1  # most of an extent or leading dimension; sizes in bytes need 64 bits
REACH = 1 << 31  # bytes from an address that the displacement of an instruction reaches on every target


class View(NamedTuple):
    """A matrix in memory: which dimension is contiguous, and the distance along the other."""

    order: str
    leading: LeadingDimension


class Operand(NamedTuple):
    """A matrix argument or, with `vector`, a one-dimensional argument of `columns` elements.

    If `group` is more than 1, each place of the matrix holds that many neighbouring elements: the array has one more
    dimension, and leading dimensions count places. `overlaps` says that lines may overlap, because they are only read:
    their leading dimension may be less than their length, down to 0.

    `axes` are the lengths of the array's axes, if these are not the rows and columns. They lie without gaps, outermost
    first.
    """

    name: str
    rows: int
    columns: int
    view: View
    dtype: str
    output: bool = False
    vector: bool = False
    group: int = 1
    overlaps: bool = False
    axes: tuple[int, ...] = ()

    @property
    def lines(self) -> int:
        """The number of rows if these are contiguous, else of columns."""
        return self.rows if self.view.order == "C" else self.columns

    @property
    def length(self) -> int:
        """The places of a line."""
        return dense(self.view.order, self.rows, self.columns)

    @property
    def span(self) -> int:
        """The elements from the first to the last one, if the leading dimension is a number."""
        assert isinstance(self.view.leading, int)
        return ((self.lines - 1) * self.view.leading + self.length) * self.group

    @property
    def least(self) -> int:
        """The least leading dimension that an array of the operand may have, in places."""
        return 0 if self.overlaps else self.length

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the numpy array."""
        if self.axes:
            return self.axes
        inner = (self.group,) if self.group > 1 else ()
        return (self.columns,) if self.vector else (self.rows, self.columns, *inner)

    @property
    def matrix(self) -> Operand:
        """The operand as a matrix, whatever the axes of its array."""
        return self._replace(axes=())


class Axes(NamedTuple):
    """The axes of a batch in front of those of a matrix: their lengths, and the places from each matrix to the next.
    None: the matrices of a single axis lie one after the other."""

    shape: tuple[int, ...] = ()
    distances: tuple[int, ...] | None = None


class Number(NamedTuple):
    """A 64-bit integer argument that is given at the call, from `least` to `most`."""

    name: str
    least: int = 0
    most: int | None = None


SEED = "seed"
ORIGIN = ("row", "column")
"""Names of numbers: the seed of random numbers, and the row and column of a larger matrix at which a kernel's first
element lies."""


def parameters(arguments: Sequence[Operand | Number]) -> list[tuple[str, str]]:
    """Return (C type, name) of each parameter of the C function: the arguments, then the runtime leading dimensions."""
    declared = []
    for argument in arguments:
        if isinstance(argument, Number):
            declared.append(("int64_t ", argument.name))
        else:
            declared.append((f"{'' if argument.output else 'const '}{DTYPES[argument.dtype].c} *", argument.name))
    return declared + [("int64_t ", f"ld{name}") for name in runtime_leading(arguments)]


def runtime_leading(arguments: Sequence[Operand | Number]) -> list[str]:
    """The names of the matrices whose leading dimension is given at the call."""
    return [
        argument.name for argument in arguments if isinstance(argument, Operand) and argument.view.leading is RUNTIME
    ]


def last_outputs(arguments: Sequence[Operand | Number]) -> tuple[Operand, ...]:
    """The outputs, if they are the last arguments, so that a call may omit them; else none."""
    outputs = tuple(argument for argument in arguments if isinstance(argument, Operand) and argument.output)
    return outputs if tuple(arguments[len(arguments) - len(outputs) :]) == outputs else ()


def views(view: View, rows: int, columns: int) -> Iterator[View]:
    """Yield the view and, if a dimension of one element makes it valid too, the equivalent view of the other order."""
    yield view
    if rows == 1 and view.order == "C":
        yield View("F", 1)
    elif columns == 1 and view.order == "F":
        yield View("C", 1)
    elif view.leading == 1 and (rows == 1 if view.order == "F" else columns == 1):
        yield View("C", columns) if view.order == "F" else View("F", rows)


def dense(order: str, rows: int, columns: int) -> int:
    """The leading dimension of a matrix without gaps."""
    return columns if order == "C" else rows


# What the calls of a kernel take

EXACT, LINES, DEEP = "exact", "lines", "deep"
"""Which arrays stand for a matrix: arrays of two axes; also those of one axis for one row or column; also those of more
axes, all but the last of which are rows."""


class AxisOf(NamedTuple):
    """An array that says an extent: axis `axis` of `operand` has its groups of `group` elements, and `more` beyond."""

    operand: str
    axis: int
    more: int = 0
    group: int = 1


class GivenExtent(NamedTuple):
    """An extent that each call gives, and the arrays from whose shapes it is read. The operands of the interface have a
    likely number in its place."""

    name: str
    places: tuple[AxisOf, ...]


class CheckedIndex(NamedTuple):
    """An array whose elements a call checks before the kernel runs: each is from 0 to the length of an axis of another
    array, minus 1. `what` such an axis counts. `ends` of bags may be that length, too, and must not decrease."""

    name: str
    table: str
    axis: int = 0
    what: str = "rows"
    ends: bool = False


class BagEnds(NamedTuple):
    """The ends of bags, the last of which is the end of the index. Calls may leave that one out: always (`complete` is
    False), never (True), or as the lengths of the arrays say (None)."""

    name: str
    entries: str
    result: str
    complete: bool | None


class Interface(NamedTuple):
    """The arguments of a call and the rules that they follow.

    arguments    matrices and whole numbers, in the order of the call and of the C function
    extents      those that the call gives; the C function gets them after the arguments
    aliasing     pairs of an input and an output that may be the same array
    axes         which arrays stand for a matrix: EXACT, LINES or DEEP
    contiguous   the matrices whose leading dimension no request can specify
    indices      the arrays whose elements are checked before the kernel runs
    ends         the array that may lack its last element
    needed       whether a call must give all outputs, because it reads them or writes only parts of them
    """

    arguments: tuple[Operand | Number, ...]
    extents: tuple[GivenExtent, ...] = ()
    aliasing: frozenset[tuple[str, str]] = frozenset()
    axes: str = EXACT
    contiguous: tuple[str, ...] = ()
    indices: tuple[CheckedIndex, ...] = ()
    ends: BagEnds | None = None
    needed: bool = False

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The matrices among the arguments."""
        return tuple(each for each in self.arguments if isinstance(each, Operand))

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """The matrices that are not outputs."""
        return tuple(each for each in self.operands if not each.output)

    @property
    def new(self) -> tuple[Operand, ...]:
        """The outputs that a call may leave out, which are its last arguments. They are new arrays then."""
        return () if self.needed else last_outputs(self.arguments)

    @property
    def in_place(self) -> tuple[str, ...]:
        """The names of the inputs that may be the array of an output."""
        names = {name for name, _ in self.aliasing}
        return tuple(each.name for each in self.operands if each.name in names)

    def parameters(self) -> list[tuple[str, str]]:
        """Return (C type, name) of each parameter of the C function: arguments, extents, leading dimensions."""
        made, count = parameters(self.arguments), len(self.arguments)
        return [*made[:count], *(("int64_t ", each.name) for each in self.extents), *made[count:]]

    def of(self, numbers: Sequence[int]) -> Interface:
        """Return the interface with these extents, as a call with them has it."""
        if not self.extents:
            return self
        found = {p[:2]: number // p.group + p.more for each, number in zip(self.extents, numbers) for p in each.places}
        changed = tuple(_sized(each, found) if isinstance(each, Operand) else each for each in self.arguments)
        return self._replace(arguments=changed, extents=())


def _sized(operand: Operand, lengths: dict[tuple[str, int], int]) -> Operand:
    """Return the operand with the lengths of its axes that the call gives, keyed by name and axis."""
    rows, columns = (lengths.get((operand.name, axis)) for axis in (0, 1))
    if operand.vector:
        return operand if rows is None else operand._replace(columns=rows, view=View("C", rows))
    axes = (rows, *operand.axes[1:]) if operand.axes and rows is not None else operand.axes
    return operand._replace(
        rows=operand.rows if rows is None else rows,
        columns=operand.columns if columns is None else columns,
        axes=axes,
    )


def aliasing_of(arguments: Sequence[Operand | Number], in_place: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Return the pairs of an input and an output that may be the same array: the input is one of `in_place`, and both
    have equal shapes and types in the request. Shapes of a call may be equal by chance, as those of a single row are if
    the call has one row."""
    if not in_place:
        return frozenset()
    matrices = {each.name: each for each in arguments if isinstance(each, Operand)}
    inputs = [matrices[name] for name in in_place if name in matrices]
    outputs = [each for each in matrices.values() if each.output]
    return frozenset(
        (x.name, y.name)
        for x in inputs
        for y in outputs
        if (x.rows, x.columns, x.dtype) == (y.rows, y.columns, y.dtype)
    )


def given_extents(operands: Sequence[Operand], names: Mapping[str, str]) -> tuple[GivenExtent, ...]:
    """Return the extents of these operands that a call gives. `names` maps those of extents, in the order of the C
    function's parameters, to the parameters' own."""
    places: dict[str, list[AxisOf]] = {name: [] for name in names}
    for each in operands:
        for axis, size in enumerate(each.shape):
            if isinstance(size, SymbolicExtent):
                places[size.name].append(AxisOf(each.name, axis, size.more, size.group))
    return tuple(GivenExtent(names[name], tuple(several)) for name, several in places.items())


# Requests of any number of rows


S = TypeVar("S", bound="AnyRows")


class AnyRows:
    """A request of m rows, which do not depend on each other but for reductions down the columns. If each call gives
    their number, m and the rows of operands are a SymbolicExtent, and `of` returns the request of a call."""

    m: int
    layouts: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """Matrices and numbers, in the order of the call."""
        raise NotImplementedError

    @property
    def dynamic(self) -> bool:
        """Whether each call gives the number of rows."""
        return isinstance(self.m, SymbolicExtent)

    @cached_property
    def banded(self) -> Collection[str]:
        """The names of the operands that have m rows."""
        return tuple(each.name for each in self.operands if each.rows > 1)

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """The matrices among the arguments."""
        return tuple(each for each in self.arguments if isinstance(each, Operand))

    @property
    def located(self) -> AnyRows:
        """The request of the rows where they are: where an index locates them, or at their own places."""
        return self

    @property
    def by_columns(self) -> bool:
        """Whether the elements of a column are contiguous, as in all other layouts than row-major ones that requests of
        any number of rows have. Then each block reduces along its own rows, and no reduction goes over all blocks."""
        return bool(self.layouts)

    @property
    def counts_rows(self) -> bool:
        """Whether results depend on the number of a row, which the walks then count."""
        return False

    def of(self: S, rows: int) -> S:
        """Return the request of this number of rows."""
        raise NotImplementedError

    def block(self: S, rows: int) -> S:
        """Return the request for a block of this many rows. If results depend on the number of a row, the block takes
        the number of its first row as an argument."""
        return self.of(rows)

    @cached_property
    def likely(self: S) -> S:
        """The request of the likely number of rows, for which one of any number is planned."""
        return self.of(int(self.m))

    @property
    def extent(self) -> str:
        """The name of the C function's parameter for the number of rows."""
        taken = {each.name for each in self.arguments}
        return next(name for name in ("m", "rows", "row_count", "number_of_rows", "m_") if name not in taken)

    @property
    def given(self) -> tuple[GivenExtent, ...]:
        """The number of rows, if a call gives it, with the arrays that have it."""
        if not self.dynamic:
            return ()
        return given_extents(self.operands, {str(self.m): self.extent})

    def per_row(self, total: int) -> int:
        """Return a total, such as the operations of a call; or its share for each row if a call gives their number."""
        return total // self.m if self.dynamic else total

    @property
    def late(self) -> str:
        """What a request of any number of rows says behind its text."""
        return ", rows m given at the call" if self.dynamic else ""


# Checks of user input. A TypeError or ValueError names the argument, the rule, and the given value.


def whole(value: Any) -> int | None:
    """Return the integer that a value stands for, as for an index; None for a bool, a float or anything else."""
    try:
        return None if isinstance(value, bool) else int(index(value))
    except TypeError:
        return None


def real(value: Any) -> float | None:
    """Return the float that a number stands for, including numpy scalars; None for a bool or anything else.

    An integer beyond the largest float is infinite, as 1e400 is.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def finite(name: str, value: Any) -> float:
    """Return the float that a finite number stands for. Raises TypeError or ValueError naming the argument."""
    number = real(value)
    if number is None or not math.isfinite(number):
        raise (TypeError if number is None else ValueError)(f"{name}: a finite number, not {shown(value)}")
    return number


EMPTY = "nothing is to be computed of an empty array, so leave the call out"


def extent(name: str, value: Any, empty: str = EMPTY, beyond: str = "", least: int = 1) -> int:
    """Check a number of rows, columns or elements. `empty` is the advice if it is 0, `beyond` if it is more than one
    kernel takes."""
    if isinstance(value, SymbolicExtent):
        return value
    if value is RUNTIME:
        raise UnsupportedError(f"{name}: must be a number, not ts.RUNTIME, because kernels are planned for it")
    number = whole(value)
    if number is None:
        raise TypeError(f"{name}: a positive integer, not {shown(value)}")
    if not least <= number <= LARGEST:
        hint = f"; {empty}" if not number else beyond if number > 0 else ""
        raise ValueError(f"{name}: from {least} to {LARGEST}, not {shown(number)}{hint}")
    return number


def again(request: T, *kinds: type[T]) -> T:
    """Return a request inside another one made again. Raises TypeError if it is of none of these classes."""
    if not isinstance(request, kinds):
        raise TypeError(f"request: {' or '.join(each.__name__ for each in kinds)}, not {shown(request)}")
    made: T = request.again()  # type: ignore[attr-defined]
    return made


def no_argument(name: str, operands: Sequence[Operand]) -> TypeError:
    """Return the error for a keyword of a request that is neither an option nor a leading dimension of an operand."""
    names = [operand.name for operand in operands]
    return TypeError(
        f"{name}: no argument of this kernel; its operands are {', '.join(names)}, its leading dimensions "
        f"are {', '.join(f'ld{each}' for each in names)}"
    )


def leading_dimension(name: str, value: Any, length: int, overlaps: bool = False) -> LeadingDimension:
    """Check a leading dimension: None means dense; else it is a number of elements or RUNTIME.

    length     of a line, which is the dense leading dimension. If each call gives it, the array of the call gives the
               leading dimension, too
    overlaps   whether lines may overlap: the number is 0 or more then
    """
    if isinstance(value, Leading):
        return value
    if isinstance(length, SymbolicExtent):
        if value is not None:
            raise UnsupportedError(
                f"{name}: cannot be a number, for lines lie along {length.name}, which each call gives (ts.RUNTIME); "
                "leave it out, the array of the call gives the distance of its lines"
            )
        return RUNTIME
    if value is None:
        return length
    number = extent(name, value, "None is dense", "; ts.RUNTIME takes that of each array", 0 if overlaps else 1)
    if number < length and not overlaps:
        raise ValueError(f"{name}: at least {length} elements (the contiguous dimension), not {shown(number)}")
    return number
