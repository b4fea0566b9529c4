"""`permute`: arrays of any number of axes copied into another order of axes, on all cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ...encoder.errors import shown
from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import whole
from ...microkernels.tuning.images import IMAGES
from ..arguments.arrays import Array, address_of, as_array
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import shared
from ..loops.code import Node, Share, affine, blocks_of, cases, index, once
from ..threads.policy import workers_of
from .job import ArraysJob
from .outputs import output_of
from .walk import Side, copied, folded, plane_of

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike

_MOVED = {1: "u8", 2: "i16", 4: "i32", 8: "i64"}
"""The types as which elements of so many bytes are moved."""


class Reordered(NamedTuple):
    """A copy: the extents, and the steps of both arrays in elements."""

    extents: tuple[int, ...]
    read: tuple[int, ...]
    written: tuple[int, ...]
    dtype: str
    target: Target


class Permutation(ArraysJob[Reordered]):
    """A copy of an array into another order of axes, as one job."""

    _stem = "permute"

    @property
    def _asked(self) -> tuple[object, ...]:
        return self.request[:4]

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        return [("x", self.request.dtype, False), ("y", self.request.dtype, True)]

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        asked = self.request
        x, y = Side(0, asked.dtype, affine(0), asked.read), Side(1, asked.dtype, affine(0), asked.written)
        return dealt(asked.extents, x, y, self.target)

    @cached_property
    def cycles(self) -> int:
        """Estimated cycles of one core."""
        return math.prod(self.request.extents)

    def __repr__(self) -> str:
        asked = self.request
        return f"<copy of {asked.extents}, steps {asked.read} to {asked.written}, for {self.target.name}>"


def dealt(extents: Sequence[int], x: Side, y: Side, target: Target) -> tuple[Node, ...]:
    """Return the nodes of a copy in tiles that are dealt out: blocks of the two axes of a kernel, and outer axes."""
    if 0 in extents:
        return ()
    whole_, (read, written) = folded(extents, (x, y))
    plane = plane_of(whole_, read, written)
    size = ELEMENT_BYTES[y.dtype]
    blocks = dict.fromkeys(plane or (), max(IMAGES.square // size, 16))
    inside = size
    for axis in reversed(range(len(whole_))):  # a tile of a copy has some inner axes whole, and a block of one
        if axis in blocks:
            continue
        room = max(1, IMAGES.tile // inside) if plane is None else 1
        blocks[axis] = min(whole_[axis], room)
        inside *= whole_[axis]
    headers = [
        blocks_of(f"d{axis}", extent, blocks[axis]) for axis, extent in enumerate(whole_) if blocks[axis] < extent
    ]
    sides = x._replace(steps=tuple(read)), y._replace(steps=tuple(written))
    body = _tile(whole_, sides, blocks, (), target)
    return (Share(tuple(headers), tuple(body)) if headers else once(body),)


def _tile(
    extents: Sequence[int], sides: tuple[Side, Side], blocks: dict[int, int], found: tuple[int, ...], target: Target
) -> list[Node]:
    """Return the nodes of a tile, for whole blocks and for the last ones of each axis. `found` are the extents of a
    tile along the first axes."""
    axis = len(found)
    if axis < len(extents):
        if blocks[axis] >= extents[axis]:
            return _tile(extents, sides, blocks, (*found, extents[axis]), target)
        made: list[Node] = []
        for case, extent in cases(f"d{axis}", extents[axis], blocks[axis]):
            made += case(_tile(extents, sides, blocks, (*found, extent), target))
        return made
    moved = []
    for each in sides:
        start, size = each.start, ELEMENT_BYTES[each.dtype]
        for number, step in enumerate(each.steps):
            if blocks[number] < extents[number]:
                start += index(f"d{number}") * (step * size)
        moved.append(each._replace(start=start))
    return copied(found, moved[0], moved[1], target)


permutation = shared(Permutation)
"""Return the job of a copy; equal copies share one."""


@shortening
def permute(
    x: ArrayLike,
    axes: Sequence[int] | None = None,
    *,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return a copy of x whose axes have another order: numpy.ascontiguousarray(x.transpose(axes)), on all cores.

    axes   for each axis of the result, the axis of x; None: the reverse order. Negative numbers count from the last
    out    an array of the result's shape and of x's type, with any strides, such as a part of a larger array

    x may be any view: a slice, or an array with gaps. Elements are moved as bits. Raises UnsupportedError for a view
    whose last axis runs backwards.
    """
    seen = as_array("x", of_tensor("x", x))
    order = _order(axes, seen.ndim)
    view = seen.transpose(order)
    to = np.empty(view.shape, view.dtype) if out is None else output_of(out, view.shape, like=view, apart={"x": view})
    if view.size:
        copy(view, to, workers_of(threads, None), host.resolve(target))
    return out if out is not None else returned(to, (x,))


def copy(x: Array, y: Array, workers: int, target: Target) -> None:
    """Copy one array to another of the same shape and type."""
    form = moved("x", x, y.strides)
    check_aligned("out", y)
    if backwards := [axis for axis, step in enumerate(form.written) if step < 0 and form.extents[axis] > 1]:
        refuse_backwards(backwards[0])
    permutation(Reordered(*form, target)).on([x, y], workers)


class MovedElements(NamedTuple):
    """How elements are moved: extents, the steps of both arrays in elements, and a type of as many bytes. Elements of
    16 bytes are two of 8, along an axis behind the others."""

    extents: tuple[int, ...]
    read: tuple[int, ...]
    written: tuple[int, ...]
    dtype: str


def moved(name: str, x: Array, strides: Sequence[int]) -> MovedElements:
    """Return how the elements of an array are moved to one with these strides. Raises UnsupportedError if none of the
    kernels moves them."""
    extents, read, written, size = x.shape, x.strides, tuple(strides), x.itemsize
    if size == 16:
        extents, size = (*extents, 2), 8
        read, written = (*read, 8), (*written, 8)
    if size not in _MOVED or x.dtype.hasobject:
        raise UnsupportedError(f"{name}: elements of 1, 2, 4, 8 or 16 bytes, not {x.dtype}")
    check_aligned(name, x)
    if backwards := [axis for axis, step in enumerate(read) if step == -size and extents[axis] > 1]:
        refuse_backwards(backwards[0], name)
    apart = tuple(each // size for each in read), tuple(each // size for each in written)
    return MovedElements(tuple(extents), *apart, _MOVED[size])


def check_aligned(name: str, array: Array) -> None:
    """Check that elements are aligned to their size, or, of 16 bytes, to 8."""
    size = min(array.itemsize, 8)
    if any(step % size for step in array.strides) or address_of(array) % size:
        raise UnsupportedError(f"{name}: elements that are aligned to their size; copy it first")


def refuse_backwards(axis: int, name: str = "x") -> NoReturn:
    """Raise UnsupportedError for neighbours that are moved in the opposite order."""
    raise UnsupportedError(
        f"{name}: axis {axis} of the result runs backwards over neighbours; copy {name} with numpy first"
    )


def _order(axes: Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(reversed(range(ndim)))
    numbers = [whole(each) for each in axes] if isinstance(axes, (list, tuple)) else [None]
    order = [each + ndim if each is not None and each < 0 else each for each in numbers]
    if sorted(-1 if each is None else each for each in order) != list(range(ndim)):
        raise ValueError(f"axes: each of the {ndim} axes of x once, not {shown(axes)}")
    return tuple(each for each in order if each is not None)
