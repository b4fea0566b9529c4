"""`permute`: arrays of any number of axes copied into another order of axes, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.errors import shown
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import whole
from ...microkernels.tuning.images import IMAGES
from ..arguments.arrays import Array, address_of, array_at, as_array, byte_bounds, overlap
from ..arguments.others import returned
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..loops.blob import Blob
from ..loops.code import Affine, Node, Share, affine, blocks_of, cases, index
from ..loops.job import Job, JobKernel, Word, job_of, pointer
from ..loops.text import text
from ..threads.policy import workers_of
from .walk import Side, copied, folded, plane_of

if TYPE_CHECKING:
    from ..api.typed import TargetLike

_MOVED = {1: "u8", 2: "i16", 4: "i32", 8: "i64"}
"""The types as which elements of so many bytes are moved."""


class Reordered(NamedTuple):
    """A copy: the extents, and the steps of both arrays in elements."""

    extents: tuple[int, ...]
    read: tuple[int, ...]
    written: tuple[int, ...]
    dtype: str
    target: TargetLike


class Permutation(JobKernel):
    """A copy of an array into another order of axes, as one job."""

    asked: Reordered
    _stem = "permute"

    def __init__(self, asked: Reordered) -> None:
        self._keep(asked=asked, target=asked.target)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        return job_of(tuple(self.asked[:4]), self._nodes, self.target, self._stem)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def _nodes(self) -> tuple[Node, ...]:
        """Return the copy in tiles that are dealt out: blocks of the two axes of a kernel, and outer axes."""
        asked = self.asked
        x, y = Side(0, asked.dtype, affine(0), asked.read), Side(1, asked.dtype, affine(0), asked.written)
        whole_, (read, written) = folded(asked.extents, (x, y))
        plane = plane_of(whole_, read, written)
        size = int("".join(filter(str.isdigit, asked.dtype))) // 8
        blocks = dict.fromkeys(plane or (), max(IMAGES.square // size, 16))
        tiles = 1
        for axis, block in blocks.items():
            tiles *= -(-whole_[axis] // block)
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
        body = self._tile(whole_, (read, written), blocks, 0, ())
        return (Share(tuple(headers), tuple(body)),) if headers else tuple(body)

    def _tile(
        self,
        extents: Sequence[int],
        steps: Sequence[Sequence[int]],
        blocks: dict[int, int],
        axis: int,
        found: tuple[int, ...],
    ) -> list[Node]:
        """Return the nodes of a tile, for whole blocks and for the last ones of each axis."""
        if axis < len(extents):
            if blocks[axis] >= extents[axis]:
                return self._tile(extents, steps, blocks, axis + 1, (*found, extents[axis]))
            made: list[Node] = []
            for case, extent in cases(f"d{axis}", extents[axis], blocks[axis]):
                made += case(self._tile(extents, steps, blocks, axis + 1, (*found, extent)))
            return made
        size = int("".join(filter(str.isdigit, self.asked.dtype))) // 8
        sides = []
        for at, each in enumerate(steps):
            start: Affine = affine(0)
            for number, step in enumerate(each):
                if blocks[number] < extents[number]:
                    start += index(f"d{number}") * (step * size)
            sides.append(Side(at, self.asked.dtype, start, tuple(each)))
        return copied(found, sides[0], sides[1], self.target)

    @cached_property
    def cycles(self) -> int:
        """Estimated cycles of one core."""
        total = 1
        for each in self.asked.extents:
            total *= each
        return total

    def at(self, x: Array, y: Array, threads: int) -> None:
        """Copy x to y."""
        self.job.run((address_of(x), address_of(y)), threads, cycles=self.cycles)

    def run(self, x: Array, y: Array, workers: int = 1, turns: int = 0) -> None:
        """Copy in the emulator, as `at` does, on any host."""
        regions = [(name, _memory(each), name == "y") for name, each in (("x", x), ("y", y))]
        self._emulate(self._blob, (address_of(x), address_of(y)), regions, workers, turns)

    def _words(self) -> list[Word]:
        return [pointer(self.asked.dtype, "x", False), pointer(self.asked.dtype, "y", True)]

    def __reduce__(self) -> tuple[Callable[..., Permutation], tuple[Any, ...]]:
        return Permutation, (self.asked,)

    def __str__(self) -> str:
        return "\n".join([repr(self), *text(self._blob.nodes, {0: "x", 1: "y"}, "  ")])

    def __repr__(self) -> str:
        return (
            f"<copy of {self.asked.extents}, steps {self.asked.read} to {self.asked.written}, for {self.target.name}>"
        )


@lru_cache(maxsize=256)
def permutation(asked: Reordered) -> Permutation:
    """Return the job of a copy; equal copies share one."""
    return Permutation(asked)


@shortening
def permute(
    x: object, axes: Any = None, *, out: object = None, threads: int | None = None, target: TargetLike = None
) -> Any:
    """Return a copy of x whose axes have another order: numpy.ascontiguousarray(x.transpose(axes)), on all cores.

    axes   for each axis of the result, the axis of x; None: the reverse order. Negative numbers count from the last
    out    an array of the result's shape and of x's type, with any strides, such as a part of a larger array

    x may be any view: a slice, or an array with gaps. Elements are moved as bits. Raises UnsupportedError for a view
    whose last axis runs backwards.
    """
    seen = as_array("x", of_tensor("x", x))
    order = _order(axes, seen.ndim)
    view = seen.transpose(order)
    if out is None:
        to = np.empty(view.shape, view.dtype)
    else:
        to = as_array("out", of_tensor("out", out))
        if to.shape != view.shape:
            raise ValueError(f"out: shape {view.shape}, not {to.shape}")
        if to.dtype != view.dtype:
            raise TypeError(f"out: {view.dtype}, not {to.dtype}")
        if not to.flags.writeable:
            raise ValueError("out: read-only")
        if overlap(to, view):
            raise ValueError("out: shares memory with x")
    if view.size:
        copy(view, to, workers_of(threads, None), host.resolve(target))
    return out if out is not None else returned(to, (x,))


def copy(x: Array, y: Array, workers: int, target: TargetLike) -> None:
    """Copy one array to another of the same shape and type."""
    extents, read, written = x.shape, x.strides, y.strides
    size = x.itemsize
    if size == 16:
        extents, size = (*extents, 2), 8
        read, written = (*read, 8), (*written, 8)
    if size not in _MOVED or x.dtype.hasobject:
        raise UnsupportedError(f"x: elements of 1, 2, 4, 8 or 16 bytes, not {x.dtype}")
    for name, each, steps in (("x", x, read), ("out", y, written)):
        if any(step % size for step in steps) or address_of(each) % size:
            raise UnsupportedError(f"{name}: elements that are aligned to their size; copy it first")
    apart = tuple(each // size for each in read), tuple(each // size for each in written)
    backwards = [
        axis
        for axis, extent in enumerate(extents)
        if extent > 1 and (apart[0][axis] < 0 and abs(apart[0][axis]) == 1 or apart[1][axis] < 0)
    ]
    if backwards:
        raise UnsupportedError(
            f"x: axis {backwards[0]} of the result runs backwards over neighbours; copy x with numpy first"
        )
    asked = Reordered(tuple(extents), *apart, _MOVED[size], target)
    permutation(asked).at(x, y, workers)


def _order(axes: Any, ndim: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(reversed(range(ndim)))
    numbers = [whole(each) for each in axes] if isinstance(axes, (list, tuple)) else [None]
    order = [each + ndim if each is not None and each < 0 else each for each in numbers]
    if sorted(-1 if each is None else each for each in order) != list(range(ndim)):
        raise ValueError(f"axes: each of the {ndim} axes of x once, not {shown(axes)}")
    return tuple(each for each in order if each is not None)


def _memory(array: Array) -> Array:
    """Return the bytes from the first to the last element of an array."""
    low, high = byte_bounds(array)
    return array_at(low, (high - low,), (1,), np.dtype(np.uint8), writable=array.flags.writeable)
