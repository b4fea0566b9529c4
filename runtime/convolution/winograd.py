"""Winograd's convolutions F(4 x 4, 3 x 3): 36 products for 16 results, where the definition takes 144.

    Y = A^T [sum over c of (G g G^T) * (B^T d B)] A            * element by element; d: 6 x 6 pixels, g: 3 x 3 taps

The matrices are those of Cook and Toom with the points 0, 1, -1, 2, -2 and infinity (Lavin and Gray, Fast Algorithms for
Convolutional Neural Networks, 2016). A job transforms the filters of all channels into 36 matrices (c, k), which all
workers read. Then each worker takes blocks of tiles of an image. It copies their pixels into its scratch memory,
channels last, with the padding filled in, transforms them into 36 matrices (tiles, c), multiplies, transforms the
products into pixels, and copies those that exist to the result. Blocks follow from shapes and target, not from the
number of threads, and memory inside a job is the same for all layouts, and so are the bits.

The bound of the error (after Barabasz, Anderson, Soodhalter, Gregg, Error Analysis and Improving the Accuracy of
Winograd Convolution for Deep Neural Networks, 2018): along each path from an operand to a result there are at most
ROUNDINGS + c roundings, so that, with u = 2^-24 and gamma(n) = n u / (1 - n u),

    |computed - exact|  <=  gamma(c + ROUNDINGS) sum over c of |A^T| [(|G| |g| |G^T|) * (|B^T| |d| |B|)] |A|
                        <=  gamma(c + ROUNDINGS) CONDITION sum over c of max |w[k, c]| max |x[n, c]|

where CONDITION is the square of the greatest row sum of |A^T| diag(|G| 1) diag(|B^T| 1). It is 48 squared, 2304; the
definition has 9, one for each tap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.operands import CACHE_LINE
from ..api.brgemm import brgemm
from ..contraction.epilogues import function_of, inside_names
from ..kernel.request_cache import shared
from ..loops.code import WORKER, Affine, Barrier, Call, Header, Loop, Node, Share, When, affine, blocks_of, index
from ..ops.blocks import L2
from ..threads.called_code import JobTable
from ..walks.job import ArraysJob
from ..walks.walk import Side, computed, copied, filled
from .request import ConvolutionRequest

if TYPE_CHECKING:
    from ..arguments.layouts import MemoryLayout
    from .geometry import Geometry

TAPS, PIXELS = 3, 4
POINTS = 0, 1, -1, 2, -2
"""The finite points; the last one is infinity."""
READ = TAPS + PIXELS - 1
TYPE = "f32"
SIZE = ELEMENT_BYTES[TYPE]
Matrix = Sequence[Sequence[Fraction]]


def _product(roots: Sequence[int]) -> list[Fraction]:
    """Return the coefficients of the polynomial with these roots, that of the power 0 first, READ of them."""
    found = [Fraction(1)] + [Fraction(0)] * (READ - 1)
    for root in roots:
        found = [before - root * same for before, same in zip([Fraction(0), *found], found)]
    return found


def _powers(count: int, scales: Sequence[Fraction]) -> list[list[Fraction]]:
    """Return the powers 0 to count - 1 of each point times its scale; of infinity, the last power alone."""
    finite = [[scale * point**power for power in range(count)] for point, scale in zip(POINTS, scales)]
    return [*finite, [Fraction(int(power == count - 1)) for power in range(count)]]


def _others(point: int) -> list[int]:
    return [each for each in POINTS if each != point]


_ONES = [Fraction(1)] * len(POINTS)
SCALES = [Fraction(1, math.prod(point - each for each in _others(point))) for point in POINTS]
G: Matrix = _powers(TAPS, SCALES)
B_T: Matrix = [*(_product(_others(point)) for point in POINTS), _product(POINTS)]
A_T: Matrix = [list(row) for row in zip(*_powers(PIXELS, _ONES))]


def _roundings(matrix: Matrix, more: int = 0) -> int:
    """Return the most roundings of a product by a matrix from both sides: a term has one for its factor, and one for
    each addition. `more` are those of a scale of rows."""
    return 2 * (more + max(sum(map(bool, row)) for row in matrix))


ROUNDINGS = _roundings(G, 2) + _roundings(B_T) + _roundings(A_T)
"""Roundings on a path, beside one for each channel. The scale of a row of G is rounded itself."""
_FACTORS = [sum(map(abs, g)) * sum(map(abs, b)) for g, b in zip(G, B_T)]
CONDITION = int(max(sum(abs(a) * each for a, each in zip(row, _FACTORS)) for row in A_T) ** 2)
"""By how much the bound of the error exceeds gamma times the largest product of a channel's tap and pixel."""


def bound(channels: int) -> float:
    """Return the most that a result is off, as a multiple of the sum over channels of max |w[k, c]| max |x[n, c]|."""
    steps = (channels + ROUNDINGS) * float(np.finfo(np.float32).eps) / 2
    return CONDITION * steps / (1 - steps)


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
        found.append(_Blocks(number, number, count, whole, low, inner, min(count * PIXELS, results - first * PIXELS), before))
    for _, group in groupby(found, lambda each: each[2:]):
        alike = list(group)
        yield alike[0]._replace(last=alike[-1].last)


class Winograd(ArraysJob[ConvolutionRequest]):
    """The job of a request: x, the weights without gaps, the further operands, y."""

    _stem = "winograd"

    def __init__(self, request: ConvolutionRequest) -> None:
        super().__init__(request)
        g = request.geometry
        last = request.y.strides[1] == 1 or g.k == 1
        beside = [each.name for each in request.more if not each.by_channel]
        if beside and not last:
            raise UnsupportedError(
                f'algorithm: "winograd" reads operands of the result\'s shape ({beside[0]}) only with channels last; '
                'algorithm="direct" reads them in any layout'
            )

    @cached_property
    def _cut(self) -> tuple[int, int]:
        """The tiles of a block along both axes: its matrices take half of L2, or, if those are larger, as much memory
        as the filters, which each block reads."""
        g = self.request.geometry
        rows, columns = (-(-each // PIXELS) for each in g.outputs)
        room = max((self.target.l2 or L2) // 2, SIZE * READ**2 * g.c * g.k)
        most = max(1, room // (SIZE * READ**2 * (g.c + g.k)))
        along = -(-columns // -(-columns // most))
        return -(-rows // -(-rows // max(1, most // along))), along

    @cached_property
    def _areas(self) -> tuple[int, ...]:
        """Bytes in the worker's scratch memory before the pixels, the half-transformed ones, both transformed, the
        products, and behind those. What is made of the products is where the pixels were."""
        (g, (down, along)) = self.request.geometry, self._cut
        tiles, wide = down * along, (along * PIXELS + TAPS - 1)
        pixels = max((down * PIXELS + TAPS - 1) * wide * g.c, READ * PIXELS * tiles * g.k, TAPS**2 * g.k)
        halves = max(READ * down * wide * g.c, PIXELS**2 * tiles * g.k, TAPS * READ * g.k)
        found = [0]
        for elements in (pixels, halves, READ**2 * tiles * g.c, READ**2 * tiles * g.k):
            found.append(found[-1] + -(-elements * SIZE // CACHE_LINE) * CACHE_LINE)
        return tuple(found)

    @property
    def _asked(self) -> tuple[object, ...]:
        return (*self.request._replace(target=None), self._cut)  # type: ignore[arg-type]

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
        return -(-READ**2 * g.c * g.k * SIZE // CACHE_LINE) * CACHE_LINE, self._areas[-1]

    @property
    def cycles(self) -> int:
        """Estimated cycles of one core."""
        g = self.request.geometry
        return math.prod(g.y) * g.c

    def _scratch(self, area: int, elements: Affine | int, steps: Sequence[int]) -> Side:
        """Return elements of the worker's scratch memory."""
        start = index(WORKER) * self._memory[1] + self._areas[area] + affine(elements) * SIZE
        return Side(self._table.own, TYPE, start, tuple(steps))

    def _filter(self, elements: Affine | int, steps: Sequence[int] = ()) -> Side:
        """Return elements of the transformed filters."""
        return Side(self._table.shared or 0, TYPE, affine(elements) * SIZE, tuple(steps))

    def _transformed(
        self, matrix: Matrix, scales: Sequence[Fraction], extents: Sequence[int], sources: Sequence[Side], to: Sequence[Side]
    ) -> list[Node]:
        """Return the nodes of a product by a matrix from one side, whose elements are arrays."""
        names = [f"d{number}" for number in range(len(sources))]

        def function(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
            return tuple(_sum(row, scale, [given[each] for each in names]) for row, scale in zip(matrix, scales))

        return computed(function, extents, dict(zip(names, sources)), to, self.target, TYPE)

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
        filters = Share((blocks_of("channel", g.c, 1),), tuple(self._filters()))
        return filters, Barrier(self._table.barrier), Share(headers, tuple(body))

    def _filters(self) -> list[Node]:
        """Return the transform of the filters of a channel."""
        g, channel, row = self.request.geometry, index("channel"), TAPS * self.request.geometry.k
        scales = [*SCALES, Fraction(1)]
        plain = [[each / scale for each in line] for line, scale in zip(G, scales)]
        taps = Side(1, TYPE, channel * (TAPS**2 * SIZE), (g.c * TAPS**2, 1))
        nodes = copied((g.k, TAPS**2), taps, self._scratch(0, 0, (1, g.k)), self.target)
        sources = [self._scratch(0, tap * row, (1,)) for tap in range(TAPS)]
        to = [self._scratch(1, tap * row, (1,)) for tap in range(READ)]
        nodes += self._transformed(plain, scales, (row,), sources, to)
        sources = [self._scratch(1, tap * g.k, (row, 1)) for tap in range(TAPS)]
        apart = g.c * g.k
        to = [self._filter(channel * g.k + tap * apart, (READ * apart, 1)) for tap in range(READ)]
        return nodes + self._transformed(plain, scales, (READ, g.k), sources, to)

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
        nodes += self._transformed(B_T, [Fraction(1)] * READ, (down.tiles, row), sources, halves)
        sources = [self._scratch(1, each * c, (half, row, PIXELS * c, 1)) for each in range(READ)]
        matrices = [self._scratch(2, each * tiles, (READ * tiles, along.tiles * c, c, 1)) for each in range(READ)]
        extents = READ, down.tiles, along.tiles, c
        return nodes + self._transformed(B_T, [Fraction(1)] * READ, extents, sources, matrices)

    def _results(self, down: _Blocks, along: _Blocks) -> list[Node]:
        """Return the nodes that transform the products of a block, and copy the results that exist."""
        request, k, ones = self.request, self.request.geometry.k, [Fraction(1)] * PIXELS
        tiles, row = down.tiles * along.tiles * k, along.tiles * PIXELS * k
        sources = [self._scratch(3, each * READ * tiles, (1,)) for each in range(READ)]
        halves = [self._scratch(0, each * READ * tiles, (1,)) for each in range(PIXELS)]
        nodes = self._transformed(A_T, ones, (READ * tiles,), sources, halves)
        sources = [self._scratch(0, each * tiles, (READ * tiles, along.tiles * k, k, 1)) for each in range(READ)]
        pixels = [self._scratch(1, each * k, (row, PIXELS * row, PIXELS * k, 1)) for each in range(PIXELS)]
        nodes += self._transformed(A_T, ones, (PIXELS, down.tiles, along.tiles, k), sources, pixels)
        rows, columns = (index(name) * (each.whole * PIXELS) for name, each in (("row", down), ("column", along)))
        made, extents = self._scratch(1, 0, (1, row, k)), (k, down.results, along.results)
        y = self._image(len(self._arrays) - 1, request.y, rows, columns)
        if request.epilogue is None:
            return nodes + copied(extents, made, y, self.target)
        names = inside_names([each.name for each in request.more])
        inputs, function = {"c": made}, function_of(request.epilogue, names)
        for at, (name, each) in enumerate(zip(names, request.more), 2):
            vector = Side(at, each.lying.dtype, affine(0), (1, 0, 0))
            inputs[name] = vector if each.by_channel else self._image(at, each.lying, rows, columns)
        last = request.y.strides[1] == 1 or k == 1
        to = y if last else made
        nodes += computed(lambda given: function(*given.values()), extents, inputs, (to,), self.target, TYPE)
        return nodes if last else nodes + copied(extents, made, y, self.target)

    def _image(self, at: int, lying: MemoryLayout, row: Affine, column: Affine) -> Side:
        """Return the channels, rows and columns of an image from a pixel on."""
        image, channel, down, along = lying.strides
        start = index("image") * image + row * down + column * along
        return Side(at, lying.dtype, start * ELEMENT_BYTES[lying.dtype], (channel, down, along))

    def __repr__(self) -> str:
        g, (down, along) = self.request.geometry, self._cut
        return f"<Winograd {g.x} -> {g.y}, blocks of {down} x {along} tiles, for {self.target.name}>"


def _sum(factors: Sequence[Fraction], scale: Fraction, terms: Sequence[Expr]) -> Expr:
    """Return the sum of terms by factors, from the first to the last, times a scale."""
    first, *others = [(factor, each) for factor, each in zip(factors, terms) if factor]
    made = first[1] if first[0] == 1 else first[1] * float(first[0])
    for factor, each in others:
        made = made + each if factor == 1 else made - each if factor == -1 else made + each * float(factor)
    return made if scale == 1 else made * float(scale)


winograd_of = shared(Winograd)
"""Return the job of a request; equal ones share it."""
