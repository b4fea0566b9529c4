"""The loops of a depthwise convolution, of one channel and one result a group: bands of rows of images, on all cores.

Each worker computes bands. An image whose channels are neighbours (NHWC) is read where it lies, and taps beside it are
left out. Of other images, a band is transposed to the worker's scratch memory first, and its results are transposed
back. The bands follow from the shapes, not from the number of threads, and so do the bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, cast

from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.depthwise.spec import DepthwiseSpec, Epilogue, depthwise_spec
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE, Operand
from ...microkernels.tuning.contractions import CONTRACTIONS
from ...microkernels.windows import Padding, Pair, extents
from ..arguments.arrays import Array
from ..kernel.accuracy import default_accuracy
from ..kernel.callable import kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..loops.code import WORKER, Address, Affine, Call, Node, Share, When, affine, blocks_of, index, once
from ..ops.blocks import L2
from ..walks.moves import MoveKernels

if TYPE_CHECKING:
    from ...microkernels.depthwise.plan import DepthwisePlan
    from ..contraction.interface import PackingNest, PackingPlaces
    from ..kernel.accuracy import Accuracy


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


def lying(shape: Sequence[int], strides: Sequence[int]) -> Lying | None:
    """Return how an array (N, C, H, W) lies whose elements are so far apart, or None if it has neither order."""
    (_, c, h, w), (images, channels, rows, pixels) = shape, strides
    if min(strides) < 0:
        return None
    if channels == 1 or c == 1:  # the distance along an axis of one element says nothing
        pixels = pixels if w > 1 else rows if h > 1 else c
        rows = rows if h > 1 else w * pixels
        if pixels >= max(1, c) and rows >= w * pixels and rows % pixels == 0:
            return Lying(images, pixels, rows // pixels)
    elif (pixels == 1 or w == 1) and (rows == w or h == 1) and channels >= h * w:
        return Lying(images, 1, w, channels)
    return None


class DepthwiseRequest(NamedTuple):
    """Everything that the loops depend on. `extras` are the names and kinds of f's operands behind the sums."""

    shape: tuple[int, int, int, int]
    taps: Pair
    stride: Pair
    padding: Padding
    dilation: Pair
    dtypes: tuple[str, str, str]
    x: Lying
    y: Lying
    extras: tuple[tuple[str, str | None, str], ...]
    target: Target
    accuracy: Accuracy | None

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
    """The loops of a request. The operands of their job are x, the weights, y, the workers' scratch memory, and those
    of f."""

    def __init__(self, request: DepthwiseRequest, function: Epilogue | None) -> None:
        self.request, self.function, self.target = request, function, request.target
        self.tuning = facts_of(self.target).tuning.depthwise
        self.sizes = [ELEMENT_BYTES[each] for each in request.dtypes]
        x, y = request.x, request.y
        self.own_x, self.own_y = not x.last, not y.last
        channels = request.shape[1]
        self.ldx = self._padded(channels, self.sizes[0]) if self.own_x else x.pixels
        self.ldy = self._padded(channels, self.sizes[2]) if self.own_y else y.pixels
        self.ldw = self._padded(channels, self.sizes[1])
        self.bands = list(self._bands())
        rows = max(each.height for each in self.bands), max(each.rows for each in self.bands)
        line = CACHE_LINE
        self.bytes_x = -(-rows[0] * request.shape[3] * self.ldx * self.sizes[0] // line) * line * self.own_x
        self.bytes_y = -(-rows[1] * request.extents[1] * self.ldy * self.sizes[2] // line) * line * self.own_y
        self.bytes_own = self.bytes_x + self.bytes_y
        self.bytes_b = math.prod(request.taps) * self.ldw * self.sizes[1]
        self.names = ["x", "w", "y", "scratch", *(name for name, *_ in request.extras)]

    def _padded(self, elements: int, size: int) -> int:
        conflicts = elements * size % self.tuning.conflict_bytes == 0
        return elements + CACHE_LINE // size * conflicts

    def _bands(self) -> Iterator[RowBand]:
        """Yield the bands of an image."""
        request = self.request
        (images, channels, height, width), (rows, columns) = request.shape, request.extents
        of_image = channels * (height * width * self.sizes[0] + rows * columns * self.sizes[2])
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

    def spec(self, band: RowBand) -> DepthwiseSpec:
        """Return the request of the kernel of a band."""
        request = self.request
        spec = depthwise_spec(
            band.height,
            request.shape[3],
            request.shape[1],
            request.taps,
            stride=request.stride,
            padding=(band.zeros, request.padding[1]),
            dilation=request.dilation,
            dtype=request.dtypes,
            pitch=request.shape[3] if self.own_x else request.x.pitch,
            ldx=self.ldx,
            ldw=self.ldw,
            ldy=self.ldy,
            epilogue=self.function,
            operands={name: (kind, dtype) for name, kind, dtype in request.extras},
            accuracy=request.accuracy or default_accuracy(),
        )
        assert spec.extents[0] == band.rows, "a band has the rows of its kernel"
        return spec

    @cached_property
    def specs(self) -> tuple[DepthwiseSpec, ...]:
        """The requests of all kernels, each once."""
        return tuple(dict.fromkeys(map(self.spec, self.bands)))

    @property
    def lie(self) -> tuple[object, ...]:
        """How the packed weights lie."""
        return (self.ldw,)

    @property
    def asked(self) -> tuple[object, ...]:
        """What the loops depend on."""
        return self.request, self.specs

    def pack(self, b: Array, to: Array) -> None:
        """Write weights (K, 1, R, S) to these bytes, which are zero: the channels of a tap are neighbours."""
        rows = to.view(b.dtype).reshape(-1, self.ldw)
        rows[:, : len(b)] = b.reshape(len(b), -1).T

    def packing(self, strides: Sequence[int], places: PackingPlaces) -> PackingNest | None:
        """Return what packs weights of these strides; None if the taps of a channel do not lie side by side."""
        channels, taps = self.request.shape[1], math.prod(self.request.taps)
        if strides[-1] != 1 or (len(strides) > 3 and strides[-2] != self.request.taps[1]) or strides[0] < taps:
            return None

        def nodes() -> list[Node]:
            kernel = MoveKernels(self.request.dtypes[1], self.target).turn(channels, taps, strides[0], self.ldw)
            return [once([Call(kernel, (Address(places.source), Address(places.panels)))])]

        return nodes, self.bytes_own

    def nodes(self, own: int) -> tuple[Node, ...]:
        """Return the loops over images and bands. Bands that differ only in their place are one call."""
        body: list[Node] = []
        alike = groupby(enumerate(self.bands), lambda each: (each[1].rows, each[1].height, each[1].zeros))
        for _, group in alike:
            numbered = list(group)
            (first, band), last = numbered[0], numbered[-1][0]
            here = index("band") - first
            if len(numbered) == 1:
                body.append(When(here, "==", self._calls(band, affine(0), own)))
            else:
                inner = When(index("band") - last, "<=", self._calls(band, here, own))
                body.append(When(here, ">=", (inner,)))
        headers = blocks_of("image", self.request.shape[0], 1), blocks_of("band", len(self.bands), 1)
        return (Share(headers, tuple(body)),)

    def _calls(self, band: RowBand, here: Affine, bytes_own: int) -> tuple[Node, ...]:
        """Return the calls of a band, or of bands of equal rows from it on, of which `here` is the number."""
        request, image, columns = self.request, index("image"), self.request.extents[1]
        step = band.rows * request.stride[0]
        places = {name: number for number, name in enumerate(self.names)}
        row_x, row_y = here * step + band.at, here * band.rows + band.first
        kernel, (size_x, _, size_y) = kept(self.spec(band), self.target), self.sizes
        own = index(WORKER) * bytes_own
        if self.own_x:
            at_x = Address(places["scratch"], own)
            source = image * request.x.images + row_x * request.shape[3]
            to_band = MoveKernels(request.dtypes[0], self.target).turn(
                request.shape[1], band.height * request.shape[3], request.x.channels, self.ldx
            )
            before: tuple[Node, ...] = (Call(to_band, (Address(places["x"], source * size_x), at_x)),)
        else:
            at_x = Address(places["x"], (image * request.x.images + row_x * (request.x.pitch * self.ldx)) * size_x)
            before = ()
        result = image * request.y.images + row_y * columns * (1 if self.own_y else self.ldy)
        if self.own_y:
            at_y = Address(places["scratch"], own + self.bytes_x)
            back = MoveKernels(request.dtypes[2], self.target).turn(
                band.rows * columns, request.shape[1], self.ldy, request.y.channels
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

    @cached_property
    def cycles(self) -> float:
        """The cycles of one thread, by the planners' estimates. Raises UnsupportedError if a kernel takes too many
        instructions."""
        request = self.request
        of = {each: cast("DepthwisePlan", planned(each, self.target, kind_of(each))).cycles for each in self.specs}
        found = sum(of[self.spec(band)] for band in self.bands)
        found += (self.own_x * math.prod(request.shape[1:]) * self.sizes[0]) / CONTRACTIONS.turned
        found += (self.own_y * request.shape[1] * math.prod(request.extents) * self.sizes[2]) / CONTRACTIONS.turned
        return found * request.shape[0]

    def __str__(self) -> str:
        x = "in bands with channels last" if self.own_x else "in place"
        back = ", y turned" * self.own_y
        return f"by vectors of channels, x {x}{back}, tiles of {self.bands[0].rows} rows"
