"""Depthwise convolutions by vectors of channels: an alternative to products, of which each group would have its own.

Each worker computes bands of rows of images. Images whose channels are neighbours (NHWC) are read where they lie, and
taps beside them are left out. Of other images, a band is copied to the worker's scratch memory first, and its results
are copied back. The bands follow from the shapes, not from the number of threads, and so do the bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar, cast

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.depthwise.spec import SUMS, TAKEN, DepthwiseSpec, depthwise_spec
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines.registry import facts_of
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from ...microkernels.windows import Pair
from ..contraction.nest import EXTRAS, OWN, A, B, C
from ..contraction.tiling import PartChoices
from ..kernel.accuracy import default_accuracy
from ..kernel.callable import kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..loops.code import WORKER, Address, Affine, Call, Node, Share, When, affine, blocks_of, index, once
from ..ops.blocks import L2
from ..walks.walk import Side, copied

if TYPE_CHECKING:
    from ...microkernels.depthwise.plan import DepthwisePlan
    from ..api.typed import Epilogue
    from ..arguments.arrays import Array
    from ..arguments.layouts import MemoryLayout
    from ..contraction.interface import PackingNest, PackingPlaces
    from .request import ConvolutionRequest

T = TypeVar("T")


def chosen(
    request: ConvolutionRequest, names: Sequence[str], epilogue: Epilogue | None, products: PartChoices
) -> PartChoices:
    """Return the plan of the least estimated time.

    names      of the further operands, as the epilogue's parameters are named
    products   the plan without vectors
    """
    reason = _refused(request, names)
    if not reason:
        try:
            found = DepthwiseNest(request, names, epilogue)
            if found.cycles < products.cycles:
                return PartChoices(products.parts, (), found)
            reason = f"about {found.cycles:,.0f} cycles"
        except UnsupportedError as error:
            reason = str(error)
    return PartChoices(products.parts, (f"by vectors of channels: {reason}",))


def _refused(request: ConvolutionRequest, names: Sequence[str]) -> str:
    """Return why there are no loops of vectors of channels; an empty string if there may be."""
    g = request.geometry
    if request.backwards or request.fill or len(g.inputs) > 2:
        return "no transposed convolutions, no zero points, at most two axes"
    if g.groups == 1 or g.c != g.groups or g.k != g.groups:
        return "groups of one channel and one result only; of others, each channel would be copied for each result"
    if request.x.dtype not in SUMS or request.w.dtype not in SUMS:
        return f"no kernel for {request.x.dtype} and {request.w.dtype}"
    if TAKEN & set(names):
        return f"an operand has the name {min(TAKEN & set(names))}, which is taken"
    _, k, *rows = g.y
    dense = math.prod(rows) * k, 1, *(math.prod(rows[place + 1 :]) * k for place in range(len(rows)))
    if any(not each.by_channel and each.lying.strides != dense for each in request.more):
        return "an operand beside the result has other memory than channels last without gaps"
    return ""


class RowBand(NamedTuple):
    """Rows of results and the rows of x that they read: the first of each, their counts, and the zeros around."""

    first: int
    rows: int
    at: int
    height: int
    zeros: Pair


class DepthwiseNest:
    """The loops of a request. Sequences are images of one row."""

    def __init__(self, request: ConvolutionRequest, names: Sequence[str], epilogue: Epilogue | None) -> None:
        g, self.request, self.target = request.geometry, request, request.target
        self.geometry = g = g._replace(
            inputs=_of_images(g.inputs, 1),
            taps=_of_images(g.taps, 1),
            outputs=_of_images(g.outputs, 1),
            stride=_of_images(g.stride, 1),
            padding=_of_images(g.padding, (0, 0)),
            dilation=_of_images(g.dilation, 1),
        )
        self.epilogue, self.names = epilogue, names
        self.tuning = facts_of(self.target).tuning.depthwise
        self.sizes = [ELEMENT_BYTES[each.dtype] for each in (request.x, request.w, request.y)]
        of_x, of_y = _pixels(request.x, g.x), _pixels(request.y, g.y)
        self.own_x, self.own_y = of_x is None, of_y is None or of_y[1] != g.outputs[1]
        self.ldw = self._padded(self.sizes[1])
        self.ldx, self.pitch = of_x or (self._padded(self.sizes[0]), g.inputs[1])
        self.ldy = self._padded(self.sizes[2]) if self.own_y or of_y is None else of_y[0]
        self.bands = list(self._bands())
        rows = max(each.height for each in self.bands), max(each.rows for each in self.bands)
        line = CACHE_LINE
        self.bytes_x = -(-rows[0] * g.inputs[1] * self.ldx * self.sizes[0] // line) * line * self.own_x
        self.bytes_y = -(-rows[1] * g.outputs[1] * self.ldy * self.sizes[2] // line) * line * self.own_y
        self.bytes_own = self.bytes_x + self.bytes_y
        self.bytes_b = math.prod(g.taps) * self.ldw * self.sizes[1]

    def _padded(self, size: int) -> int:
        channels = self.geometry.c
        return channels + CACHE_LINE // size * (channels * size % self.tuning.conflict_bytes == 0)

    def _bands(self) -> Iterator[RowBand]:
        """Yield the bands of an image."""
        g, (height, _), (rows, _) = self.geometry, self.geometry.inputs, self.geometry.outputs
        of_image = g.c * (math.prod(g.inputs) * self.sizes[0] + math.prod(g.outputs) * self.sizes[2])
        (top, bottom), step, reach = g.padding[0], g.stride[0], (g.taps[0] - 1) * g.dilation[0] + 1
        shared = max(1, self.tuning.halo * (reach - step) // step)  # rows of a band, of which few are read twice
        count = max(1, min(-(-self.tuning.parts // g.n), of_image // self.tuning.part_bytes, rows // shared))
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
        g, request = self.geometry, self.request
        more = zip(self.names, request.more)
        spec = depthwise_spec(
            band.height,
            g.inputs[1],
            g.c,
            g.taps,
            stride=g.stride,
            padding=(band.zeros, g.padding[1]),
            dilation=g.dilation,
            dtype=(request.x.dtype, request.w.dtype, request.y.dtype),
            pitch=self.pitch,
            ldx=self.ldx,
            ldw=self.ldw,
            ldy=self.ldy,
            epilogue=self.epilogue,
            operands={name: ("row" if each.by_channel else None, each.lying.dtype) for name, each in more},
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
        """What the loops depend on. The requests of the kernels say what the epilogue computes."""
        return self.geometry, self.request.x, self.request.y, self.names, self.specs

    def pack(self, b: Array, to: Array) -> None:
        """Write weights (K, 1, R, S) to these bytes, which are zero: the channels of a tap are neighbours."""
        rows = to.view(b.dtype).reshape(-1, self.ldw)
        rows[:, : len(b)] = b.reshape(len(b), -1).T

    def packing(self, strides: Sequence[int], places: PackingPlaces) -> PackingNest:
        """Return what packs weights of these strides."""
        extents = self.geometry.c, *self.geometry.taps
        source = strides[0], *_of_images(strides[2:], 0)
        steps = 1, self.geometry.taps[1] * self.ldw, self.ldw
        x, y = (
            Side(at, self.request.w.dtype, affine(0), each)
            for at, each in ((places.source, source), (places.panels, steps))
        )
        return lambda: [once(copied(extents, x, y, self.target))], self.bytes_own

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
        headers = blocks_of("image", self.geometry.n, 1), blocks_of("band", len(self.bands), 1)
        return (Share(headers, tuple(body)),)

    def _calls(self, band: RowBand, here: Affine, own: int) -> tuple[Node, ...]:
        """Return the calls of a band, or of bands of equal rows from it on, of which `here` is the number."""
        g, scratch = self.geometry, index(WORKER) * own
        row_x, row_y = here * (band.rows * g.stride[0]) + band.at, here * band.rows + band.first
        x, y = self._side(A, self.request.x, row_x), self._side(C, self.request.y, row_y)
        before, after = list[Node](), list[Node]()
        if self.own_x:
            given, x = x, Side(OWN, x.dtype, scratch, (1, g.inputs[1] * self.ldx, self.ldx))
            before = copied((g.c, band.height, g.inputs[1]), given, x, self.target)
        if self.own_y:
            made = Side(OWN, y.dtype, scratch + self.bytes_x, (1, g.outputs[1] * self.ldy, self.ldy))
            after = copied((g.c, band.rows, g.outputs[1]), made, y, self.target)
            y = made
        extras = []
        for number, each in enumerate(self.request.more):
            place = (index("image") * g.outputs[0] + row_y) * (g.outputs[1] * g.c * ELEMENT_BYTES[each.lying.dtype])
            extras.append(Address(EXTRAS + number, affine(0) if each.by_channel else place))
        kernel = kept(self.spec(band), self.target)
        return (*before, Call(kernel, (x.address, Address(B), *extras, y.address)), *after)

    def _side(self, at: int, lying: MemoryLayout, row: Affine) -> Side:
        """Return the channels, rows and pixels of an image from a row on."""
        image, channel, *places = lying.strides
        down, along = _of_images(places, 0)
        place = index("image") * image + row * down
        return Side(at, lying.dtype, place * ELEMENT_BYTES[lying.dtype], (channel, down, along))

    @cached_property
    def cycles(self) -> float:
        """The cycles of one thread, by the planners' estimates. Raises UnsupportedError if a kernel takes too many
        instructions."""
        g = self.geometry
        of = {each: cast("DepthwisePlan", planned(each, self.target, kind_of(each))).cycles for each in self.specs}
        found = sum(of[self.spec(band)] for band in self.bands)
        turned = self.own_x * math.prod(g.inputs) * self.sizes[0] + self.own_y * math.prod(g.outputs) * self.sizes[2]
        return (found + g.c * turned / CONTRACTIONS.turned) * g.n

    def __str__(self) -> str:
        x = "in bands with channels last" if self.own_x else "in place"
        back = ", y turned" * self.own_y
        return f"by vectors of channels, x {x}{back}, tiles of {self.bands[0].rows} rows"


def _of_images(each: Sequence[T], one: T) -> tuple[T, T]:
    """Return what is given for each axis of images."""
    return each[0] if len(each) > 1 else one, each[-1]


def _pixels(lying: MemoryLayout, shape: Sequence[int]) -> Pair | None:
    """Return the elements from one pixel to the next and the pixels from one row to the next, or None where channels
    are no neighbours, or rows are no whole pixels apart."""
    _, c, h, w = shape
    (_, channels, *places) = lying.strides
    down, along = _of_images(places, 0)
    along = along if w > 1 else down if h > 1 else c  # the distance along an axis of one element says nothing
    down = down if h > 1 else w * along
    fits = (channels == 1 or c == 1) and along >= c and down >= w * along and down % along == 0
    return (along, down // along) if fits else None
