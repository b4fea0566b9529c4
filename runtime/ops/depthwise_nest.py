"""The loops of a depthwise convolution: bands of rows of images, on all cores.

Each worker computes bands. An image whose channels are neighbours (NHWC) is read where it lies, and taps beside it are
left out. Of other images, a band is transposed to the worker's scratch memory first, and its results are transposed
back. The bands follow from the shapes, not from the number of threads, and so do the bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from itertools import groupby

from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.depthwise.spec import Epilogue, depthwise_spec
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE, Operand
from ...microkernels.transform.spec import transpose_spec
from ...microkernels.windows import Padding, Pair, extents
from ..arguments.arrays import Array, address_of
from ..host import detect as host
from ..kernel.accuracy import default_accuracy
from ..kernel.callable import Kernel, kept
from ..kernel.redirect import cycles_of
from ..loops import scratch
from ..loops.code import WORKER, Address, Affine, Call, Header, Node, Share, When, affine, index
from ..loops.job import Job
from .blocks import L2


class Lying(NamedTuple):
    """How an array lies in memory, in elements: images, and pixels, if channels are neighbours. Of other arrays, whose
    pixels are neighbours, the distance of channels."""

    images: int
    pixels: int
    pitch: int
    channels: int = 1

    @property
    def last(self) -> bool:
        """Whether channels are neighbours."""
        return self.channels == 1


class DepthwiseRequest(NamedTuple):
    """Everything that the loops depend on. `extras` are the names and kinds of f's operands behind the sums."""

    shape: tuple[int, int, int, int]
    taps: Pair
    stride: Pair
    padding: Padding
    dilation: Pair
    depth: int
    results: int
    dtypes: tuple[str, str, str]
    x: Lying
    y: Lying
    extras: tuple[tuple[str, str | None, str], ...]
    target: str | Target | None

    @property
    def extents(self) -> Pair:
        """The height and width of the result."""
        return extents(self.shape[2:], self.taps, self.stride, self.padding, self.dilation)


class RowBand(NamedTuple):
    """Rows of results and the rows of x that they read: the first of each, their counts, and the zeros around."""

    first: int
    rows: int
    at: int
    height: int
    zeros: Pair


class DepthwiseNest:
    """The loops of a request, as a job."""

    def __init__(self, request: DepthwiseRequest, function: Epilogue | None) -> None:
        self.request, self.function = request, function
        self.target = host.resolve(request.target)
        self.tuning = facts_of(self.target).tuning.depthwise
        self.sizes = [ELEMENT_BYTES[each] for each in request.dtypes]
        x, y = request.x, request.y
        self.own_x, self.own_y = not x.last, not y.last
        self.ldx = self._padded(request.depth * request.results, self.sizes[0]) if self.own_x else x.pixels
        self.ldy = self._padded(request.results, self.sizes[2]) if self.own_y else y.pixels
        self.ldw = self._padded(request.results, self.sizes[1])
        self.bands = list(self._bands())
        rows = max(each.height for each in self.bands), max(each.rows for each in self.bands)
        line = CACHE_LINE
        self.bytes_x = -(-rows[0] * request.shape[3] * self.ldx * self.sizes[0] // line) * line * self.own_x
        self.bytes_y = -(-rows[1] * request.extents[1] * self.ldy * self.sizes[2] // line) * line * self.own_y
        self.names = ["x", "w", *(name for name, *_ in request.extras), "y", "scratch"]

    def _padded(self, elements: int, size: int) -> int:
        conflicts = elements * size % self.tuning.conflict_bytes == 0
        return elements + CACHE_LINE // size * conflicts

    def _bands(self) -> Iterator[RowBand]:
        """Yield the bands of an image."""
        request = self.request
        (images, _, height, width), (rows, columns) = request.shape, request.extents
        of_image = height * width * request.depth * request.results * self.sizes[0]
        of_image += rows * columns * request.results * self.sizes[2]
        (top, bottom), (step, _), reach = (
            request.padding[0],
            request.stride,
            (request.taps[0] - 1) * request.dilation[0] + 1,
        )
        shared = max(1, self.tuning.halo * (reach - step) // step)  # rows of a band, of which few are read twice
        count = max(1, min(-(-self.tuning.parts // images), of_image // self.tuning.part_bytes, rows // shared))
        count = 1 << count.bit_length() - 1
        if self.own_x or self.own_y:  # the scratch memory of a band stays in L2
            count = max(count, -(-2 * of_image // (self.target.l2 or L2)))
        if max(top, bottom) >= reach:  # there are rows of results without a row of x
            count = 1
        block = -(-rows // count)
        for first in range(0, rows, block):
            count = min(block, rows - first)
            start, end = first * step - top, (first + count - 1) * step - top + reach
            low, high = max(0, start), max(1, min(height, end))  # a stride beyond x leaves a row that no window meets
            yield RowBand(first, count, low, high - low, (low - start, max(0, end - high)))

    def kernel(self, band: RowBand) -> Kernel:
        """Return the kernel of a band."""
        request = self.request
        spec = depthwise_spec(
            band.height,
            request.shape[3],
            request.results,
            request.taps,
            stride=request.stride,
            padding=(band.zeros, request.padding[1]),
            dilation=request.dilation,
            depth=request.depth,
            dtype=request.dtypes,
            pitch=request.shape[3] if self.own_x else request.x.pitch,
            ldx=self.ldx,
            ldw=self.ldw,
            ldy=self.ldy,
            epilogue=self.function,
            operands={name: (kind, dtype) for name, kind, dtype in request.extras},
            accuracy=default_accuracy(),
        )
        assert spec.extents[0] == band.rows, "a band has the rows of its kernel"
        return kept(spec, self.target)

    @cached_property
    def job(self) -> Job:
        """The loops and kernels as machine code."""
        return Job(self.nodes(), self.target, "depthwise")

    def made(self) -> None:
        """Make the code. Raises UnsupportedError if a kernel takes too many instructions."""
        _ = self.job

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops over images and bands. Bands that differ only in their place are one call."""
        body: list[Node] = []
        alike = groupby(enumerate(self.bands), lambda each: (each[1].rows, each[1].height, each[1].zeros))
        for _, group in alike:
            numbered = list(group)
            (first, band), last = numbered[0], numbered[-1][0]
            here = index("band") - first
            if len(numbered) == 1:
                body.append(When(here, "==", self._calls(band, affine(0))))
            else:
                inner = When(index("band") - last, "<=", self._calls(band, here))
                body.append(When(here, ">=", (inner,)))
        images = Header("image", affine(0), (affine(self.request.shape[0]),), 1, self.request.shape[0])
        bands = Header("band", affine(0), (affine(len(self.bands)),), 1, len(self.bands))
        return (Share((images, bands), tuple(body)),)

    def _calls(self, band: RowBand, here: Affine) -> tuple[Node, ...]:
        """Return the calls of a band, or of bands of equal rows from it on, of which `here` is the number."""
        request, image, columns = self.request, index("image"), self.request.extents[1]
        step = band.rows * request.stride[0]
        places = {name: number for number, name in enumerate(self.names)}
        row_x, row_y = here * step + band.at, here * band.rows + band.first
        kernel, (size_x, _, size_y) = self.kernel(band), self.sizes
        own = index(WORKER) * (self.bytes_x + self.bytes_y)
        if self.own_x:
            at_x = Address(places["scratch"], own)
            source = image * request.x.images + row_x * request.shape[3]
            to_band = self._transpose(
                request.shape[1], band.height * request.shape[3], request.dtypes[0], request.x.channels, self.ldx
            )
            before: tuple[Node, ...] = (Call(to_band, (Address(places["x"], source * size_x), at_x)),)
        else:
            at_x = Address(places["x"], (image * request.x.images + row_x * (request.x.pitch * self.ldx)) * size_x)
            before = ()
        result = image * request.y.images + row_y * columns * (1 if self.own_y else self.ldy)
        if self.own_y:
            at_y = Address(places["scratch"], own + self.bytes_x)
            back = self._transpose(
                band.rows * columns, request.results, request.dtypes[2], self.ldy, request.y.channels
            )
            after: tuple[Node, ...] = (Call(back, (at_y, Address(places["y"], result * size_y))),)
        else:
            at_y, after = Address(places["y"], result * size_y), ()
        arguments = [at_x, Address(places["w"])]
        for operand in kernel.spec.elementwise.inputs[1:]:  # type: ignore[attr-defined]
            distance = self._distance(operand)
            place = (image * request.extents[0] + row_y) * columns * distance
            arguments.append(Address(places[operand.name], place) if distance else Address(places[operand.name]))
        return (*before, Call(kernel, (*arguments, at_y)), *after)

    def _distance(self, operand: Operand) -> int:
        """Return the bytes between neighbouring pixels of an operand of f."""
        return operand.columns * ELEMENT_BYTES[operand.dtype] if operand.rows > 1 else 0

    def _transpose(self, rows: int, columns: int, dtype: str, ldx: int, ldy: int) -> Kernel:
        return kept(transpose_spec(rows, columns, dtype=dtype, ldx=ldx, ldy=ldy), self.target)

    @cached_property
    def cycles(self) -> int:
        """The cycles of one thread, by the planners' estimates."""
        found = sum(cycles_of(self.kernel(band)) for band in self.bands)
        return int(found * self.request.shape[0])

    def run(self, arrays: Mapping[str, Array], threads: int) -> None:
        """Compute."""
        size = (self.bytes_x + self.bytes_y) * threads
        with scratch.buffer(size) if size else nullcontext() as buffer:
            own = buffer.address if buffer is not None else 0
            words = [address_of(arrays[name]) if name in arrays else own for name in self.names]
            self.job.run(words, threads, 0, self.cycles)
