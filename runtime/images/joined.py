"""`pad` and `concatenate`: arrays of any number of axes with elements around them, or one behind another, on all cores.

Both are copies, as `permute` makes them. Along each axis of a padded array, `numpy.pad` itself says which element of x
each element is, of a vector of numbers; runs of such numbers are pieces that kernels copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.errors import shown
from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import whole
from ...microkernels.tuning.images import IMAGES
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, as_array
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import shared
from ..loops.code import Barrier, Node, affine
from ..threads.policy import workers_of
from ..walks.job import ArraysJob
from ..walks.outputs import output_of
from ..walks.permute import copy, dealt, moved
from ..walks.walk import Side

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike

CONSTANT, EMPTY = "constant", "empty"
MODES = (CONSTANT, "edge", "reflect", "symmetric", "wrap", EMPTY)
"""The modes of numpy.pad whose elements are elements of x, a constant, or undefined."""


X, Y, VALUES, BARRIER, STATE = range(5)
"""Positions of the operands in the job's table: arrays, and the barrier with its argument."""


class PaddedPiece(NamedTuple):
    """Elements side by side in the padding of an axis: where they begin in the padded array, their number, the element
    of x that the first one is, and the step to the next in x: 1, 0 or -1."""

    start: int
    number: int
    source: int
    step: int


class ConstantPart(NamedTuple):
    """A part of a padded array that has one value: the element where it begins, its extents and steps, and the first
    element of a row of such values, with steps along that row: 0 along axes where the row repeats."""

    place: int
    extents: tuple[int, ...]
    written: tuple[int, ...]
    row: int
    steps: tuple[int, ...]


class Padded(NamedTuple):
    """A padded copy: the extents of x, the elements before it along each axis and after it, the steps of both arrays in
    elements, the pieces of the padding of each axis, the parts of one value, and the rows of those values."""

    extents: tuple[int, ...]
    widths: tuple[tuple[int, int], ...]
    read: tuple[int, ...]
    written: tuple[int, ...]
    dtype: str
    pieces: tuple[tuple[PaddedPiece, ...], ...]
    constants: tuple[ConstantPart, ...]
    rows: bytes
    target: Target


class Padding(ArraysJob[Padded]):
    """An array with elements around it, as one job."""

    _stem = "pad"

    @property
    def _asked(self) -> tuple[object, ...]:
        return (*self.request[:-2], len(self.request.rows))

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        dtype = self.request.dtype
        return [("x", dtype, False), ("y", dtype, True), ("values", dtype, False)]

    @property
    def _waits(self) -> bool:
        return any(self.request.pieces)

    @property
    def _constants(self) -> tuple[Array, ...]:
        return (self.values,)

    @cached_property
    def values(self) -> Array:
        """The rows of values."""
        made = bytes_at_a_line(len(self.request.rows))
        made[:] = np.frombuffer(self.request.rows, np.uint8)
        return made

    def nodes(self) -> tuple[Node, ...]:
        """Return the copy of x, of rows of values, and of the padding of one axis after the other, as numpy makes it:
        from the elements of x along this axis, with the padding of the axes before, which must be there by then."""
        asked, size = self.request, ELEMENT_BYTES[self.request.dtype]
        before = [
            sum(width[0] * step for width, step in zip(asked.widths[axis:], asked.written[axis:]))
            for axis in range(len(asked.widths) + 1)
        ]
        whole_y = Side(Y, asked.dtype, affine(before[0] * size), asked.written)
        made = [*dealt(asked.extents, Side(X, asked.dtype, affine(0), asked.read), whole_y, self.target)]
        for part in asked.constants:
            row = Side(VALUES, asked.dtype, affine(part.row * size), part.steps)
            made += dealt(part.extents, row, Side(Y, asked.dtype, affine(part.place * size), part.written), self.target)
        for axis, pieces in enumerate(asked.pieces):
            step, outer = (
                asked.written[axis],
                [sum(pair) + extent for pair, extent in zip(asked.widths[:axis], asked.extents)],
            )
            made += [Barrier(BARRIER)] if pieces else []
            for piece in pieces:
                extents = (*outer, piece.number, *asked.extents[axis + 1 :])
                steps = (*asked.written[:axis], piece.step * step, *asked.written[axis + 1 :])
                source = Side(Y, asked.dtype, affine((before[axis] + piece.source * step) * size), steps)
                to = Side(Y, asked.dtype, affine((before[axis + 1] + piece.start * step) * size), asked.written)
                made += dealt(extents, source, to, self.target)
        return tuple(made)

    @cached_property
    def cycles(self) -> int:
        """Estimated cycles of one core: about an element each."""
        asked = self.request
        return math.prod(sum(pair) + extent for pair, extent in zip(asked.widths, asked.extents))

    def __repr__(self) -> str:
        asked = self.request
        pieces = sum(map(len, asked.pieces)) + len(asked.constants)
        return f"<{asked.extents} padded by {asked.widths} in {pieces} pieces, for {self.target.name}>"


padding_of = shared(Padding)
"""Return the job of a padded copy; equal copies share one."""


@shortening
def pad(
    x: ArrayLike,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: str = CONSTANT,
    constant_values: ArrayLike = 0,
    *,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return x with elements around it, numpy.pad(x, pad_width, mode), on all cores.

    pad_width        elements before and after each axis: a number, a pair for all axes, or a pair for each axis
    mode             what they are: "constant", "edge", "reflect", "symmetric" or "wrap", as numpy defines them, or
                     "empty", undefined
    constant_values  the values of "constant", in the forms of pad_width. Where two axes meet, that of the later one
    out              an array of the result's shape and of x's type, with any strides, such as a part of a larger array

    The result lies as x does: channels last if they are last in x. Elements are moved as bits, of any type of 1, 2, 4,
    8 or 16 bytes. Raises UnsupportedError for modes that compute elements, such as "mean".
    """
    seen = as_array("x", of_tensor("x", x))
    widths = _widths(pad_width, seen.ndim)
    if mode not in MODES:
        raise UnsupportedError(
            f"mode: {', '.join(MODES)}, not {shown(mode)}; numpy.pad has modes that compute elements"
        )
    shape = tuple(before + extent + after for extent, (before, after) in zip(seen.shape, widths))
    for axis, (extent, width) in enumerate(zip(seen.shape, widths)):
        if not extent and any(width) and mode not in (CONSTANT, EMPTY):
            raise ValueError(f"x: axis {axis} has no element that mode={mode!r} could repeat")
    to = _new(shape, [seen]) if out is None else output_of(out, shape, like=seen, apart={"x": seen})
    if to.size:
        job = padding_of(request_of(seen, to, widths, mode, constant_values, host.resolve(target)))
        job.on([seen, to], workers_of(threads, None))
    return out if out is not None else returned(to, (x,))


def request_of(
    x: Array, to: Array, widths: Sequence[tuple[int, int]], mode: str, values: ArrayLike, target: Target
) -> Padded:
    """Return the request of a padded copy."""
    form = moved("x", x, to.strides)
    if backwards := [axis for axis, step in enumerate(form.written) if step < 0 and to.shape[axis] > 1]:
        raise UnsupportedError(f"out: axis {backwards[0]} runs backwards; pad to an array that runs forwards")
    copied = mode not in (CONSTANT, EMPTY)
    pieces = tuple(tuple(_pieces(*each, mode)) if copied else () for each in zip(x.shape, widths))
    if (count := sum(map(len, pieces))) > IMAGES.pieces:
        raise UnsupportedError(
            f"pad_width: {shown(list(widths))} repeats so few elements that the padding has {count} pieces, of "
            f"{IMAGES.pieces} at most; numpy.pad has no such limit"
        )
    found, rows = list[ConstantPart](), b""
    size = min(x.itemsize, 8)
    for start, extents, element in _constants(x, widths, values) if mode == CONSTANT else ():
        extents = (*extents, 2) if x.itemsize == 16 else extents
        place = sum(first * step for first, step in zip(start, form.written))
        for offset, some, written in _cut(extents, form.written, IMAGES.tile // size):
            steps, length = _row(some, written, IMAGES.tile // size)
            found.append(ConstantPart(place + offset, some, written, len(rows) // size, steps))
            rows += element * (length * size // x.itemsize)
    both = (*widths, *[(0, 0)] * (len(form.extents) - x.ndim))
    return Padded(form.extents, both, form.read, form.written, form.dtype, pieces, tuple(found), rows, target)


def _pieces(extent: int, width: tuple[int, int], mode: str) -> Iterator[PaddedPiece]:
    """Yield the pieces of the padding of an axis."""
    if not any(width):
        return
    numbers: list[int] = np.pad(np.arange(extent), width, mode=mode).tolist()  # type: ignore[call-overload]
    for start, end in ((0, width[0]), (width[0] + extent, len(numbers))):
        while start < end:
            stop = start + 1
            step = numbers[stop] - numbers[start] if stop < end else 1
            step = step if abs(step) <= 1 else 1
            while stop < end and numbers[stop] - numbers[stop - 1] == step:
                stop += 1
            yield PaddedPiece(start, stop - start, numbers[start], step)
            start = stop


def _constants(
    x: Array, widths: Sequence[tuple[int, int]], values: ArrayLike
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], bytes]]:
    """Yield where the parts with constants begin, their extents, and the element as bytes. Those beside an axis reach
    over the padding of the axes before it."""
    pairs = _pairs("constant_values", np.asarray(values), x.ndim).tolist()
    starts = [before for before, _ in widths]
    element = np.empty(1, x.dtype)
    for axis, (width, pair) in enumerate(zip(widths, pairs)):
        outer = [before + extent + after for extent, (before, after) in zip(x.shape[:axis], widths)]
        for number, start, value in zip(width, (0, width[0] + x.shape[axis]), pair):
            extents = (*outer, number, *x.shape[axis + 1 :])
            if 0 not in extents:
                element[0] = value
                yield (*[0] * axis, start, *starts[axis + 1 :]), extents, element.tobytes()


Extents = tuple[int, ...]


def _cut(extents: Extents, written: Extents, most: int) -> Iterator[tuple[int, Extents, Extents]]:
    """Yield parts whose axes have no more elements than a row of values, by their first element, extents and steps."""
    axis = max(range(len(extents)), key=extents.__getitem__, default=None)
    if axis is None or extents[axis] <= most:
        yield 0, extents, written
        return
    step, (rows, rest) = written[axis], divmod(extents[axis], most)
    yield from _cut((*_replaced(extents, axis, most), rows), (*written, step * most), most)
    if rest:
        for offset, some, apart in _cut(_replaced(extents, axis, rest), written, most):
            yield rows * most * step + offset, some, apart


def _replaced(extents: Extents, axis: int, extent: int) -> Extents:
    return (*extents[:axis], extent, *extents[axis + 1 :])


def _row(extents: Extents, written: Extents, most: int) -> tuple[Extents, int]:
    """Return the steps in a row of equal values for a part of the result, and the elements of that row: as many as are
    neighbours in the part, so that kernels copy whole rows, or as an axis without neighbours has."""
    steps, length = [0] * len(extents), 1
    for axis in sorted(range(len(extents)), key=written.__getitem__):
        if extents[axis] == 1:
            continue
        if length > 1 and (written[axis] != length or length * extents[axis] > most):
            break
        steps[axis] = length
        length *= extents[axis]
        if written[axis] != steps[axis]:
            break
    return tuple(steps), length


def _widths(pad_width: object, ndim: int) -> list[tuple[int, int]]:
    """Return the elements before and after each axis."""
    given = np.asarray(pad_width)
    if given.dtype.kind not in "iu":
        raise TypeError(f"pad_width: whole numbers, not {shown(pad_width)}")
    if given.size and given.min() < 0:
        raise ValueError(f"pad_width: no negative numbers, as in {shown(pad_width)}")
    before_after: list[tuple[int, int]] = list(map(tuple, _pairs("pad_width", given, ndim).tolist()))
    return before_after


def _pairs(name: str, given: Array, ndim: int) -> Array:
    try:
        return np.broadcast_to(given, (ndim, 2))
    except ValueError:
        raise ValueError(
            f"{name}: a number, a pair (before, after), or such a pair for each of {ndim} axes, not shape {given.shape}"
        ) from None


@shortening
def concatenate(
    arrays: Sequence[ArrayLike],
    axis: int | None = 0,
    *,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return arrays one behind another along an axis, numpy.concatenate(arrays, axis), on all cores.

    arrays   of one type, and of equal extents along the other axes
    axis     None: arrays are flattened first. Negative numbers count from the last axis
    out      an array of the result's shape and of their type, with any strides, such as a part of a larger array

    The result lies as the first array does: channels last if they are last in it.
    """
    if isinstance(arrays, (str, bytes)) or not isinstance(arrays, Sequence) or not len(arrays):
        raise TypeError(f"arrays: a list of one array or more, not {shown(arrays)}")
    seen = [as_array(f"arrays[{number}]", of_tensor("arrays", each)) for number, each in enumerate(arrays)]
    if axis is None:
        seen = [each.reshape(-1) for each in seen]
    first, place = seen[0], 0 if axis is None else whole(axis)
    if place is None or not -first.ndim <= place < first.ndim:
        raise ValueError(f"axis: an axis of arrays of {first.ndim} axes, not {shown(axis)}")
    place %= first.ndim
    for number, each in enumerate(seen):
        if each.dtype != first.dtype:
            raise TypeError(f"arrays[{number}]: {first.dtype} as the first one, not {each.dtype}; convert it first")
        same = each.ndim == first.ndim and all(
            extent == other for at, (extent, other) in enumerate(zip(each.shape, first.shape)) if at != place
        )
        if not same:
            raise ValueError(f"arrays[{number}]: shape {first.shape} but along axis {place}, not {each.shape}")
    shape = (*first.shape[:place], sum(each.shape[place] for each in seen), *first.shape[place + 1 :])
    if out is None:
        to = _new(shape, seen)
    else:
        apart = {f"arrays[{number}]": each for number, each in enumerate(seen)}
        to = output_of(out, shape, like=first, apart=apart)
    start, workers, machine = 0, workers_of(threads, None), host.resolve(target)
    for each in seen:
        stop = start + each.shape[place]
        if each.size:
            part = (slice(None),) * place + (slice(start, stop),)
            copy(each, to[part], workers, machine)
        start = stop
    return out if out is not None else returned(to, tuple(arrays))


def _new(shape: tuple[int, ...], arrays: Sequence[Array]) -> Array:
    """Return a new array whose axes have the order of the first array's in memory."""
    order = sorted(range(len(shape)), key=lambda axis: -abs(arrays[0].strides[axis]))
    base = np.empty([shape[axis] for axis in order], arrays[0].dtype)
    made: Array = base.transpose([order.index(axis) for axis in range(len(shape))])
    return made
