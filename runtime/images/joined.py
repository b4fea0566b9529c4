"""`pad` and `concatenate`: arrays of any number of axes with elements around them, or one behind another, on all cores.

Both are copies, as `permute` makes them. Along each axis of a padded array, `numpy.pad` itself says which element of x
each element is, of a vector of numbers; runs of such numbers are pieces that kernels copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product as every
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
from ..arguments.others import returned
from ..arguments.tracebacks import shortening
from ..convolution.functions import output_of
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..loops.code import Node, affine
from ..threads.policy import workers_of
from .job import ArraysJob
from .permute import copy, dealt, moved
from .walk import Side

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike

CONSTANT, EMPTY = "constant", "empty"
MODES = (CONSTANT, "edge", "reflect", "symmetric", "wrap", EMPTY)
"""The modes of numpy.pad whose elements are elements of x, a constant, or undefined."""


class PaddedPiece(NamedTuple):
    """Elements side by side along an axis of a padded array: where they begin, their number, the element of x that the
    first one is, and the step to the next in x: 1, 0 or -1."""

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
    """A padded copy: the pieces of each axis, the steps of both arrays in elements, the parts of one value, and the
    rows of those values."""

    pieces: tuple[tuple[PaddedPiece, ...], ...]
    read: tuple[int, ...]
    written: tuple[int, ...]
    dtype: str
    fillings: tuple[ConstantPart, ...]
    rows: bytes
    target: Target


class Padding(ArraysJob[Padded]):
    """An array with elements around it, as one job."""

    _stem = "pad"

    @property
    def _asked(self) -> tuple[object, ...]:
        return (*self.request[:5], len(self.request.rows))

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        dtype = self.request.dtype
        return [("x", dtype, False), ("y", dtype, True), ("values", dtype, False)]

    @cached_property
    def values(self) -> Array:
        """The rows of values, the third array of a call."""
        made = bytes_at_a_line(len(self.request.rows))
        made[:] = np.frombuffer(self.request.rows, np.uint8)
        return made

    def _nodes(self) -> tuple[Node, ...]:
        """Return the copies of all pieces and of rows of values, of which none reads what another writes."""
        asked, made = self.request, list[Node]()
        size = ELEMENT_BYTES[asked.dtype]
        for pieces in every(*asked.pieces):
            read = affine(sum(piece.source * step for piece, step in zip(pieces, asked.read)) * size)
            written = affine(sum(piece.start * step for piece, step in zip(pieces, asked.written)) * size)
            steps = tuple(piece.step * step for piece, step in zip(pieces, asked.read))
            sides = Side(0, asked.dtype, read, steps), Side(1, asked.dtype, written, asked.written)
            made += dealt([piece.number for piece in pieces], *sides, self.target)
        for filling in asked.fillings:
            row = Side(2, asked.dtype, affine(filling.row * size), filling.steps)
            to = Side(1, asked.dtype, affine(filling.place * size), filling.written)
            made += dealt(filling.extents, row, to, self.target)
        return tuple(made)

    @cached_property
    def cycles(self) -> int:
        """Estimated cycles of one core."""
        asked = self.request
        copied = math.prod(sum(piece.number for piece in pieces) for pieces in asked.pieces)
        return copied + sum(math.prod(filling.extents) for filling in asked.fillings)

    def __repr__(self) -> str:
        pieces = " x ".join(str(len(each)) for each in self.request.pieces)
        return f"<padded copy of {pieces} pieces, {len(self.request.fillings)} constants, for {self.target.name}>"


padding_of = lru_cache(maxsize=256)(Padding)
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
        job = padding_of(_request(seen, to, widths, mode, constant_values, host.resolve(target)))
        job.at([seen, to, job.values], workers_of(threads, None))
    return out if out is not None else returned(to, (x,))


def _request(
    x: Array, to: Array, widths: Sequence[tuple[int, int]], mode: str, values: ArrayLike, target: Target
) -> Padded:
    """Return the request of a padded copy."""
    form = moved("x", x, to.strides)
    if backwards := [axis for axis, step in enumerate(form.written) if step < 0 and to.shape[axis] > 1]:
        raise UnsupportedError(f"out: axis {backwards[0]} runs backwards; pad to an array that runs forwards")
    pieces = [tuple(_pieces(extent, width, mode)) for extent, width in zip(x.shape, widths)]
    if len(form.extents) > x.ndim:
        pieces.append((PaddedPiece(0, 2, 0, 1),))
    count = int(np.prod([len(each) for each in pieces]))
    if count > IMAGES.pieces:
        raise UnsupportedError(
            f"pad_width: {shown(list(widths))} repeats so few elements that the result has {count} pieces, of "
            f"{IMAGES.pieces} at most; numpy.pad has no such limit"
        )
    found, rows = list[ConstantPart](), b""
    size = min(x.itemsize, 8)
    for start, extents, element in _constants(x, widths, values) if mode == CONSTANT else ():
        extents = (*extents, 2) if x.itemsize == 16 else extents
        place = sum(first * step for first, step in zip(start, form.written))
        for offset, *part in _cut(extents, form.written, IMAGES.tile // size):
            steps, length = _row(*part, IMAGES.tile // size)
            found.append(ConstantPart(place + offset, *part, len(rows) // size, steps))
            rows += element * (length * size // x.itemsize)
    return Padded(tuple(pieces), form.read, form.written, form.dtype, tuple(found), rows, target)


def _pieces(extent: int, width: tuple[int, int], mode: str) -> Iterator[PaddedPiece]:
    """Yield the pieces of an axis that are elements of x."""
    before = width[0]
    if mode in (CONSTANT, EMPTY):
        if extent:
            yield PaddedPiece(before, extent, 0, 1)
        return
    numbers: list[int] = np.pad(np.arange(extent), width, mode=mode).tolist()  # type: ignore[call-overload]
    start = 0
    while start < len(numbers):
        stop = start + 1
        step = numbers[stop] - numbers[start] if stop < len(numbers) else 1
        step = step if abs(step) <= 1 else 1
        while stop < len(numbers) and numbers[stop] - numbers[stop - 1] == step:
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
        for offset, *part in _cut(_replaced(extents, axis, rest), written, most):
            yield rows * most * step + offset, *part


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
            copy(each, to[(*[slice(None)] * place, slice(start, stop))], workers, machine)
        start = stop
    return out if out is not None else returned(to, tuple(arrays))


def _new(shape: tuple[int, ...], arrays: Sequence[Array]) -> Array:
    """Return a new array whose axes have the order of the first array's in memory."""
    order = sorted(range(len(shape)), key=lambda axis: -abs(arrays[0].strides[axis]))
    base = np.empty([shape[axis] for axis in order], arrays[0].dtype)
    made: Array = base.transpose([order.index(axis) for axis in range(len(shape))])
    return made
