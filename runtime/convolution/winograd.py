"""Winograd's convolutions F(4 x 4, 3 x 3): 36 products for 16 results, where the definition takes 144.

    Y = A^T [sum over c of (G g G^T) * (B^T d B)] A            * element by element

d are 6 x 6 pixels, g 3 x 3 taps (toom_cook.py has the matrices, and the bound of the error). A job transforms the
filters of all channels into 36 matrices (c, k), which all workers read. Then each worker takes blocks of tiles of an
image. It copies their pixels into its scratch memory, channels last, with the padding filled in, transforms them into
36 matrices (tiles, c), multiplies, transforms the products into pixels, and copies those that exist to the result.
Blocks follow from shapes and target, not from the number of threads, memory inside a job is the same for all layouts,
and so are the bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, cast

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..api.brgemm import brgemm, product_spec
from ..contraction.epilogues import function_of, inside_names
from ..kernel.request_cache import shared
from ..loops.code import WORKER, Affine, Barrier, Call, Header, Loop, Node, Share, When, affine, blocks_of, cases, index
from ..ops.blocks import L2
from ..threads.called_code import JobTable
from ..walks.job import ArraysJob
from ..walks.walk import Side, computed, copied, filled
from .request import ConvolutionRequest, FurtherOperand
from .toom_cook import Matrix, short_convolution

if TYPE_CHECKING:
    from ..api.typed import DType, Operands
    from ..arguments.layouts import MemoryLayout
    from .geometry import Geometry

MATRICES = short_convolution(4, 3, (0, 1, -1, 2, -2))
TAPS, PIXELS, READ = len(MATRICES.g[0]), len(MATRICES.a_t), len(MATRICES.b_t)
TYPE = "f32"
SIZE = ELEMENT_BYTES[TYPE]


def refusal(geometry: Geometry, types: Sequence[str], backwards: bool = False) -> str:
    """Return why there is no such convolution; an empty string if there is one."""
    g, whole = geometry, len(geometry.taps)
    if backwards or whole != len("hw"):
        return "images only (ts.conv2d), neither sequences, volumes nor transposed convolutions"
    if g.taps != (TAPS,) * whole:
        return f"{TAPS} x {TAPS} taps, not {' x '.join(map(str, g.taps))}"
    for name, value in (("stride", g.stride), ("dilation", g.dilation), ("groups", (g.groups,))):
        if set(value) != {1}:
            return f"{name}=1, not {value if len(value) > 1 else value[0]}"
    if set(types) != {TYPE}:
        return f"{TYPE} only, whose error has a bound that is of use; x, w and the result are {', '.join(types)}"
    return ""


class _Blocks(NamedTuple):
    """Blocks of tiles along an axis that are alike, from a first to a last one.

    tiles    of a block, of which `whole` is the number in a whole block
    low      pixels of padding before those that are read, of which there are `inner`
    results  that exist
    """

    first: int
    last: int
    tiles: int
    whole: int
    low: int
    inner: int
    results: int
    before: int

    @property
    def wide(self) -> int:
        """The pixels that are read, those of the padding too."""
        return self.tiles * PIXELS + TAPS - 1

    def pixel(self, name: str) -> Affine:
        """The first pixel that is read, of the block that an index says."""
        return affine(0) if self.low else index(name) * (self.whole * PIXELS) - self.before

    def when(self, name: str, count: int, body: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return nodes that run for these blocks of so many."""
        if self.first:
            body = (When(index(name) - self.first, ">=", body),)
        return (When(index(name) - self.last, "<=", body),) if self.last < count - 1 else body


def _blocks(extent: int, results: int, before: int, whole: int) -> Iterator[_Blocks]:
    """Yield the blocks of an axis of x with so many elements, and so many of padding before them."""
    tiles, found = -(-results // PIXELS), []
    for number, first in enumerate(range(0, tiles, whole)):
        count, start = min(whole, tiles - first), first * PIXELS - before
        end = start + count * PIXELS + TAPS - 1
        low, high = min(max(start, 0), end), max(min(end, extent), 0)
        inner = max(0, high - low)
        low = low - start if inner else end - start
        found.append(
            _Blocks(number, number, count, whole, low, inner, min(count * PIXELS, results - first * PIXELS), before)
        )
    for _, group in groupby(found, lambda each: each[2:]):
        alike = list(group)
        yield alike[0]._replace(last=alike[-1].last)


class Winograd(ArraysJob[ConvolutionRequest]):
    """The job of a request: x, the weights without gaps, the further operands, y."""

    _stem = "winograd"

    def __init__(self, request: ConvolutionRequest) -> None:
        super().__init__(request)
        for each in request.more:
            if ELEMENT_BYTES[each.lying.dtype] > SIZE:
                raise UnsupportedError(
                    f"{each.name}: {each.lying.dtype} is wider than {TYPE}, the type of the arithmetic; convert it"
                )
            if not each.by_channel and not self._last:
                raise UnsupportedError(
                    f'algorithm: "winograd" reads operands of the result\'s shape ({each.name}) only if the result, '
                    'which lies in memory as x does, has channels last; algorithm="direct" computes it in any layout'
                )

    @property
    def _last(self) -> bool:
        """Whether the channels of the result are neighbours in memory."""
        return self.request.y.strides[1] == 1 or self.request.geometry.k == 1

    @property
    def _share(self) -> int:
        """Bytes of L2 for what a worker reads again."""
        return int(CONTRACTIONS.of_l2 * (self.target.l2 or L2))

    @cached_property
    def _cut(self) -> tuple[int, int]:
        """The tiles of a block along both axes. Its matrices take a share of L2, or, if those are larger, as much
        memory as the filters, which each block reads; and the least rows of a block of products are enough."""
        g = self.request.geometry
        rows, columns = (-(-each // PIXELS) for each in g.outputs)
        room = max(self._share, SIZE * READ**2 * g.c * g.k)
        most = max(1, min(CONTRACTIONS.rows, room // (SIZE * READ**2 * (g.c + g.k))))
        along = -(-columns // -(-columns // most))
        return -(-rows // -(-rows // max(1, most // along))), along

    @cached_property
    def _channels(self) -> int:
        """The channels of filters that are transformed together: taps and half transforms take a share of L2."""
        g = self.request.geometry
        return min(g.c, max(1, self._share // (SIZE * g.k * (TAPS + READ) * TAPS)))

    @cached_property
    def _areas(self) -> tuple[int, ...]:
        """Bytes in the worker's scratch memory before the pixels, the half-transformed ones, both transformed, the
        products, and behind those. What is made of the products is where the pixels were."""
        (g, (down, along)) = self.request.geometry, self._cut
        tiles, wide = down * along, (along * PIXELS + TAPS - 1)
        pixels = (down * PIXELS + TAPS - 1) * wide * g.c, READ * PIXELS * tiles * g.k, TAPS**2 * self._channels * g.k
        halves = READ * down * wide * g.c, PIXELS**2 * tiles * g.k, TAPS * READ * self._channels * g.k
        found = [0]
        for elements in (max(pixels), max(halves), READ**2 * tiles * g.c, READ**2 * tiles * g.k):
            found.append(found[-1] + -(-elements * SIZE // CACHE_LINE) * CACHE_LINE)
        return tuple(found)

    @property
    def _asked(self) -> tuple[object, ...]:
        """What the nest depends on. The request of a product says what the epilogue computes."""
        request, spec = self.request, None
        if request.epilogue is not None:
            operands: Operands = {
                name: ("row" if each.by_channel else None, cast("DType", each.lying.dtype)) for name, each in self._more
            }
            function = function_of(request.epilogue, [*operands])
            spec = product_spec(1, 1, 1, epilogue=function, operands=operands, accuracy=request.accuracy)
        return request.geometry, request.x, request.y, request.more, spec, self._cut

    @property
    def _more(self) -> list[tuple[str, FurtherOperand]]:
        """The further operands, and their names in the request of a product."""
        more = self.request.more
        return list(zip(inside_names([each.name for each in more]), more))

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        more = ((each.name, each.lying.dtype, False) for each in self.request.more)
        return [("x", TYPE, False), ("weights", TYPE, False), *more, ("y", TYPE, True)]

    @property
    def _table(self) -> JobTable:
        count = len(self._arrays)
        return JobTable(tuple(range(count)), count, count + 1, count + 2)

    @property
    def _memory(self) -> tuple[int, int]:
        g = self.request.geometry
        return -(-(READ**2) * g.c * g.k * SIZE // CACHE_LINE) * CACHE_LINE, self._areas[-1]

    @property
    def cycles(self) -> int:
        """Estimated cycles of one core: those of the products, as of other contractions that change."""
        g = self.request.geometry
        return 2 * math.prod(g.y) * g.c * READ**2 // PIXELS**2 // 16

    def _scratch(self, area: int, elements: Affine | int, steps: Sequence[int]) -> Side:
        """Return elements of the worker's scratch memory."""
        start = index(WORKER) * self._memory[1] + self._areas[area] + affine(elements) * SIZE
        return Side(self._table.own, TYPE, start, tuple(steps))

    def _filter(self, elements: Affine | int, steps: Sequence[int] = ()) -> Side:
        """Return elements of the transformed filters."""
        return Side(self._table.shared or 0, TYPE, affine(elements) * SIZE, tuple(steps))

    def _transformed(
        self,
        matrix: Matrix,
        scales: Sequence[Fraction | int],
        extents: Sequence[int],
        sources: Sequence[Side],
        to: Sequence[Side],
    ) -> list[Node]:
        """Return the nodes of a product by a matrix from one side, whose elements are arrays. `scales` are those of
        its rows; without them they are 1."""
        names = [f"d{number}" for number in range(len(sources))]

        def function(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
            return tuple(
                _sum(row, scale, [given[each] for each in names])
                for row, scale in zip(matrix, scales or [1] * len(matrix))
            )

        return computed(function, extents, dict(zip(names, sources)), to, self.target, "f32")

    def nodes(self) -> tuple[Node, ...]:
        """Return the transform of the filters, and the loops over images and blocks of tiles."""
        g = self.request.geometry
        axes = [
            list(_blocks(extent, results, before, whole))
            for extent, results, (before, _), whole in zip(g.inputs, g.outputs, g.padding, self._cut)
        ]
        rows, columns = (each[-1].last + 1 for each in axes)
        body: list[Node] = []
        for down in axes[0]:
            inside = [node for along in axes[1] for node in along.when("column", columns, self._block(down, along))]
            body += down.when("row", rows, tuple(inside))
        headers = blocks_of("image", g.n, 1), blocks_of("row", rows, 1), blocks_of("column", columns, 1)
        some = self._channels
        made = [node for case, count in cases("channel", g.c, some) for node in case(self._filters(count))]
        return (
            Share((blocks_of("channel", g.c, some),), tuple(made)),
            Barrier(self._table.barrier),
            Share(headers, tuple(body)),
        )

    def _filters(self, channels: int) -> list[Node]:
        """Return the transform of the filters of so many channels."""
        g, channel, row = self.request.geometry, index("channel"), TAPS * self.request.geometry.k
        taps = Side(1, TYPE, channel * (TAPS**2 * SIZE), (g.c * TAPS**2, 1))
        nodes = copied((g.k, channels * TAPS**2), taps, self._scratch(0, 0, (1, g.k)), self.target)
        sources = [self._scratch(0, tap * row, (TAPS * row, 1)) for tap in range(TAPS)]
        to = [self._scratch(1, tap * row, (READ * row, 1)) for tap in range(READ)]
        nodes += self._transformed(MATRICES.g, MATRICES.scales, (channels, row), sources, to)
        sources = [self._scratch(1, tap * g.k, (row, READ * row, 1)) for tap in range(TAPS)]
        apart = g.c * g.k
        to = [self._filter(channel * g.k + tap * apart, (READ * apart, g.k, 1)) for tap in range(READ)]
        return nodes + self._transformed(MATRICES.g, MATRICES.scales, (READ, channels, g.k), sources, to)

    def _block(self, down: _Blocks, along: _Blocks) -> tuple[Node, ...]:
        """Return the nodes of a block of tiles."""
        g, tiles, product = self.request.geometry, down.tiles * along.tiles, index("product")
        kernel = brgemm(tiles, g.k, g.c, beta=0, target=self.target)
        a, c = (self._scratch(area, product * (tiles * each), ()) for area, each in ((2, g.c), (3, g.k)))
        call = Call(kernel, (a.address, self._filter(product * (g.c * g.k)).address, c.address))
        loop = Loop(Header("product", affine(0), (affine(READ**2),), 1, READ**2), (call,))
        return (*self._pixels(down, along), loop, *self._results(down, along))

    def _pixels(self, down: _Blocks, along: _Blocks) -> list[Node]:
        """Return the nodes that copy the pixels of a block and transform them."""
        g, wide = self.request.geometry, along.wide
        c, row = g.c, wide * g.c
        low, high = along.low, along.low + along.inner
        zeros = (
            (0, down.low, 0, wide),
            (down.low + down.inner, down.wide, 0, wide),
            (down.low, down.low + down.inner, 0, low),
            (down.low, down.low + down.inner, high, wide),
        )
        nodes = list[Node]()
        for top, bottom, left, right in zeros:
            side = self._scratch(0, top * row + left * c, (row, 1))
            nodes += filled((bottom - top, (right - left) * c), side, 0, self.target)
        x = self._image(0, self.request.x, down.pixel("row"), along.pixel("column"))
        to = self._scratch(0, down.low * row + low * c, (1, row, c))
        nodes += copied((c, down.inner, along.inner), x, to, self.target)
        half, tiles = down.tiles * row, down.tiles * along.tiles * c
        sources = [self._scratch(0, each * row, (PIXELS * row, 1)) for each in range(READ)]
        halves = [self._scratch(1, each * half, (row, 1)) for each in range(READ)]
        nodes += self._transformed(MATRICES.b_t, [], (down.tiles, row), sources, halves)
        sources = [self._scratch(1, each * c, (half, row, PIXELS * c, 1)) for each in range(READ)]
        matrices = [self._scratch(2, each * tiles, (READ * tiles, along.tiles * c, c, 1)) for each in range(READ)]
        extents = READ, down.tiles, along.tiles, c
        return nodes + self._transformed(MATRICES.b_t, [], extents, sources, matrices)

    def _results(self, down: _Blocks, along: _Blocks) -> list[Node]:
        """Return the nodes that transform the products of a block, and copy the results that exist."""
        request, k = self.request, self.request.geometry.k
        tiles, row = down.tiles * along.tiles * k, along.tiles * PIXELS * k
        sources = [self._scratch(3, each * READ * tiles, (1,)) for each in range(READ)]
        halves = [self._scratch(0, each * READ * tiles, (1,)) for each in range(PIXELS)]
        nodes = self._transformed(MATRICES.a_t, [], (READ * tiles,), sources, halves)
        sources = [self._scratch(0, each * tiles, (READ * tiles, along.tiles * k, k, 1)) for each in range(READ)]
        pixels = [self._scratch(1, each * k, (row, PIXELS * row, PIXELS * k, 1)) for each in range(PIXELS)]
        nodes += self._transformed(MATRICES.a_t, [], (PIXELS, down.tiles, along.tiles, k), sources, pixels)
        rows, columns = (index(name) * (each.whole * PIXELS) for name, each in (("row", down), ("column", along)))
        made, extents = self._scratch(1, 0, (1, row, k)), (k, down.results, along.results)
        y = self._image(len(self._arrays) - 1, request.y, rows, columns)
        if request.epilogue is None:
            return nodes + copied(extents, made, y, self.target)
        inputs, function = {"c": made}, function_of(request.epilogue, [name for name, _ in self._more])
        for at, (name, each) in enumerate(self._more, 2):
            vector = Side(at, each.lying.dtype, affine(0), (1, 0, 0))
            inputs[name] = vector if each.by_channel else self._image(at, each.lying, rows, columns)
        to = y if self._last else made
        nodes += computed(lambda given: function(*given.values()), extents, inputs, (to,), self.target, "f32")
        return nodes if self._last else nodes + copied(extents, made, y, self.target)

    def _image(self, at: int, lying: MemoryLayout, row: Affine, column: Affine) -> Side:
        """Return the channels, rows and columns of an image from a pixel on."""
        image, channel, down, along = lying.strides
        start = index("image") * image + row * down + column * along
        return Side(at, lying.dtype, start * ELEMENT_BYTES[lying.dtype], (channel, down, along))

    def __repr__(self) -> str:
        g, (down, along) = self.request.geometry, self._cut
        return f"<Winograd {g.x} -> {g.y}, blocks of {down} x {along} tiles, for {self.target.name}>"


def _sum(factors: Sequence[Fraction], scale: Fraction | int, terms: Sequence[Expr]) -> Expr:
    """Return the sum of terms by factors, from the first to the last, times a scale."""
    first, *others = [(factor, each) for factor, each in zip(factors, terms) if factor]
    made = first[1] if first[0] == 1 else first[1] * float(first[0])
    for factor, each in others:
        made = made + each if factor == 1 else made - each if factor == -1 else made + each * float(factor)
    return made if scale == 1 else made * float(scale)


winograd_of = shared(Winograd)
"""Return the job of a request; equal ones share it."""
